package api

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kaoju/internal/api/fault"
	"kaoju/internal/api/native"
	"kaoju/internal/api/openai"
	"kaoju/internal/api/ragchat"
)

// router registers routes.
type router struct {
	api     huma.API
	mux     *muxes
	log     *slog.Logger
	maxText int64
}

// routes is the list of all routes. Protocols that are left out of the options
// are not served.
func (rt *router) routes(o Options) {
	rt.native(o.Native)
	if o.OpenAI != nil {
		rt.openai(o.OpenAI)
	}
	if o.RagChat != nil {
		rt.ragchat(o.RagChat)
	}
	if o.WebSocket != nil {
		rt.plain("GET /api/stream", "A WebSocket: ask, and follow answers", o.WebSocket.Serve)
	}
}

// ragchat is the list of the RagChat routes.
func (rt *router) ragchat(h *ragchat.Handlers) {
	const session = ragchat.Prefix + "sessions/{sessionId}"
	rt.plain("GET "+ragchat.Prefix+"knowledge-bases", "List knowledge bases with their numbers", h.ListBases)
	rt.plain("POST "+ragchat.Prefix+"sessions", "Open a session over knowledge bases", h.Create)
	rt.plain("GET "+ragchat.Prefix+"sessions", "List sessions, pinned ones first", h.List)
	rt.plain("GET "+session, "One session with its messages", h.Detail)
	rt.plain("PUT "+session+"/title", "Rename a session", h.Retitle)
	rt.plain("PUT "+session+"/pin", "Pin a session, or no longer", h.Pin)
	rt.plain("PUT "+session+"/knowledge-bases", "Give a session other knowledge bases", h.Rebase)
	rt.plain("DELETE "+session, "Delete a session and its messages", h.Delete)
	rt.plain("POST "+session+"/messages/stream", "Ask a question; the answer's text streams", h.Ask)
	rt.plain("POST "+session+"/messages/{messageId}/stop", "Stop an answer", h.Stop)
}

// openai is the list of the OpenAI-compatible routes.
func (rt *router) openai(h *openai.Handlers) {
	rt.plain("GET /v1/models", "List assistants as models", h.Models)
	rt.plain("GET /v1/models/{model}", "One assistant as a model", h.Model)
	rt.plain("POST /v1/chat/completions", "Answer the last user message", h.Complete)
}

// native is the list of our own routes.
func (rt *router) native(n *native.Handlers) {
	const (
		v1       = "/api/v1"
		session  = v1 + "/sessions/{id}"
		base     = v1 + "/knowledge-bases/{id}"
		document = base + "/documents/{document_id}"
		faq      = base + "/faq/entries"
	)
	route(rt, "GET /healthz", "Whether questions can be answered", n.Healthz)
	route(rt, "GET "+v1+"/system", "The server and what it holds", n.SystemInfo)

	route(rt, "GET "+v1+"/usage", "What the calls of models cost, by day and model", n.ReportUsage)

	route(rt, "POST "+v1+"/sessions", "Open a session", n.CreateSession, created)
	route(rt, "GET "+v1+"/sessions", "List sessions, pinned ones first, then the last used", n.ListSessions)
	route(rt, "DELETE "+v1+"/sessions/batch", "Delete many sessions, or all", n.DeleteSessions)
	route(rt, "GET "+session, "One session", n.Session)
	route(rt, "PATCH "+session, "Rename or pin a session, or give it other bases", n.ChangeSession)
	route(rt, "DELETE "+session, "Delete a session and its messages", n.DeleteSession)
	route(rt, "GET "+session+"/messages", "The messages of a session", n.ListMessages)
	route(rt, "POST "+session+"/knowledge-qa", "Ask a question; the answer streams", n.Ask, streams)
	route(rt, "POST "+session+"/stop", "Stop an answer", n.Stop)
	route(rt, "GET "+continueStream+"{id}", "Stream an answer again, from any event", n.Continue, streams)
	route(rt, "GET "+v1+"/messages/search", "Find messages by their words", n.SearchMessages)
	route(rt, "GET "+v1+"/messages/{id}", "One message", n.Message)
	route(rt, "GET "+v1+"/messages/{id}/trace", "What the turn of a message did", n.Trace)

	route(rt, "GET "+v1+"/knowledge-bases", "List knowledge bases", n.ListBases)
	route(rt, "POST "+v1+"/knowledge-bases", "Make a knowledge base", n.CreateBase, created)
	route(rt, "GET "+base, "One knowledge base", n.Base)
	route(rt, "DELETE "+base, "Delete a knowledge base and its documents", n.DeleteBase)
	route(rt, "GET "+base+"/glossary", "The words that a base's owner made known, as JSON or CSV", n.Glossary, glossaryReply)
	route(rt, "PUT "+base+"/glossary", "Replace the glossary of a base, by JSON or CSV", n.SetGlossary, glossarySize, glossaryReply)
	rt.describeGlossary(base + "/glossary")
	route(rt, "POST "+base+"/documents", "Upload files", n.Upload)
	rt.describeUpload(base + "/documents")
	route(rt, "POST "+base+"/documents/text", "Add a document that is given as text", n.AddText, rt.large)
	route(rt, "GET "+base+"/documents", "List the documents of a base", n.ListDocuments)
	route(rt, "GET "+document, "One document of a base", n.DocumentInBase)
	route(rt, "DELETE "+document, "Delete a document of a base", n.DeleteDocumentInBase)
	route(rt, "GET "+v1+"/documents/{id}", "One document", n.Document)
	route(rt, "DELETE "+v1+"/documents/{id}", "Delete a document", n.DeleteDocument)
	route(rt, "GET "+v1+"/documents/{id}/chunks", "The passages of a document, in order", n.ListChunks)
	route(rt, "GET "+v1+"/documents/{id}/original", "A document as it was added", n.Original, sendsFile)
	route(rt, "GET "+v1+"/chunks/{id}", "One passage, whole", n.Chunk)
	route(rt, "PATCH "+base, "Rename a knowledge base, describe it, or say how it cuts documents", n.ChangeBase)
	route(rt, "POST "+base+"/preview", "How a file would be cut into passages; stores nothing", n.PreviewFile)
	rt.describeImport(base + "/preview")
	route(rt, "POST "+v1+"/documents/{id}/preview", "How a document would be cut by other settings", n.PreviewDocument)
	route(rt, "POST "+v1+"/documents/{id}/chunks", "Add a passage to a document", n.AddChunk, created)
	route(rt, "PUT "+v1+"/chunks/{id}", "Give a passage another text", n.EditChunk)
	route(rt, "DELETE "+v1+"/chunks/{id}", "Take a passage out of its document", n.RemoveChunk)
	route(rt, "GET "+v1+"/chunks/{id}/revisions", "What has stood in the place of a passage", n.Revisions)
	route(rt, "POST "+v1+"/chunks/{id}/revert", "Give a passage the text of this revision back", n.RevertChunk)
	route(rt, "POST "+base+"/documents/url", "Fetch a page and add it as a document", n.AddURL)
	route(rt, "POST "+base+"/documents/batch", "Delete, enable, disable, move, tag or read again many documents", n.BatchDocuments)
	route(rt, "PATCH "+v1+"/documents/{id}", "Rename, move or tag a document", n.ChangeDocument)
	route(rt, "POST "+v1+"/documents/{id}/copy", "Copy a document to another base", n.CopyDocument, created)
	route(rt, "POST "+v1+"/documents/{id}/reparse", "Read a document's original again", n.ReparseDocument)
	route(rt, "POST "+v1+"/documents/{id}/retry", "Queue a document that failed again", n.RetryDocument)
	route(rt, "POST "+v1+"/documents/{id}/stop", "Stop the work on a document", n.StopDocument)
	route(rt, "GET "+base+"/tags", "The tags of a base that are in use", n.ListTags)
	route(rt, "GET "+base+"/folders", "The folders of a base", n.ListFolders)
	route(rt, "POST "+base+"/folders", "Make a folder", n.CreateFolder, created)
	route(rt, "PATCH "+base+"/folders/{folder_id}", "Rename or move a folder", n.ChangeFolder)
	route(rt, "DELETE "+base+"/folders/{folder_id}", "Delete an empty folder", n.DeleteFolder)
	route(rt, "GET "+faq, "List or search the entries of an FAQ base", n.ListFAQs)
	route(rt, "POST "+faq, "Add an FAQ entry", n.CreateFAQ, created)
	route(rt, "POST "+faq+"/delete", "Delete many FAQ entries", n.DeleteFAQs)
	route(rt, "GET "+faq+"/{entry_id}", "One FAQ entry", n.OneFAQ)
	route(rt, "PUT "+faq+"/{entry_id}", "Change an FAQ entry; fields left out stay", n.ChangeFAQ)
	route(rt, "DELETE "+faq+"/{entry_id}", "Delete an FAQ entry", n.DeleteFAQ)
	route(rt, "POST "+base+"/faq/import", "Import FAQ entries from CSV, XLSX or JSON", n.ImportFAQ)
	rt.describeImport(base + "/faq/import")
	route(rt, "GET "+base+"/faq/export", "All FAQ entries of a base, as a file that import takes", n.ExportFAQ, sendsFile)
	route(rt, "GET "+v1+"/faq/template", "A file of FAQ entries to fill in", n.TemplateFAQ, sendsFile)
	route(rt, "POST "+base+"/faq/search", "The entries that a question leads to, with scores", n.FindFAQs)
	route(rt, "POST "+v1+"/knowledge-search", "Find passages without answering", n.Search)
	if n.Assistants != nil {
		rt.assistants(n, v1)
	}
	if n.Feedback != nil {
		rt.feedback(n, v1)
	}
	route(rt, "POST "+v1+"/retrieval/debug", "Show how the passages for a question are found", n.Debug)
	route(rt, "GET "+v1+"/ingest/progress", "Documents by state", n.IngestProgress)
	route(rt, "GET "+v1+"/ingest/progress/stream", "Documents by state, whenever they change", n.FollowProgress, streams)
}

// assistants is the list of the routes about who answers, and by which rules.
func (rt *router) assistants(n *native.Handlers, v1 string) {
	const assistant = "/assistants/{id}"
	route(rt, "GET "+v1+"/assistants", "List assistants, the default one first", n.ListAssistants)
	route(rt, "POST "+v1+"/assistants", "Make an assistant", n.CreateAssistant, created)
	route(rt, "POST "+v1+"/assistants/reload", "Read the files of assistants again", n.ReloadAssistants)
	route(rt, "GET "+v1+assistant, "One assistant", n.Assistant)
	route(rt, "PATCH "+v1+assistant, "Change an assistant", n.ChangeAssistant)
	route(rt, "DELETE "+v1+assistant, "Delete an assistant", n.DeleteAssistant)
	route(rt, "GET "+v1+"/rules", "The rules by which questions are routed", n.RuleState)
	route(rt, "POST "+v1+"/rules/reload", "Read the file of rules again", n.ReloadRules)
}

// feedback is the list of the routes about what users think of answers.
func (rt *router) feedback(n *native.Handlers, v1 string) {
	const message, question = "/messages/{id}/feedback", "/open-questions/{id}"
	route(rt, "PUT "+v1+message, "Rate an answer", n.Rate)
	route(rt, "GET "+v1+message, "How the caller rated an answer", n.Rated)
	route(rt, "GET "+v1+"/open-questions", "Questions without an answer, or with one that did not help", n.OpenQuestions)
	route(rt, "POST "+v1+question+"/faq", "Make an FAQ entry of an open question", n.TurnIntoFAQ, created)
	route(rt, "DELETE "+v1+question, "Take an open question off the list", n.CloseQuestion)
}

// option changes how a route is registered.
type option func(*huma.Operation)

// bodyTimeout is how long a JSON body may take to arrive.
const bodyTimeout = 30 * time.Second

// route registers a handler for a pattern like "GET /healthz" and turns its
// errors into problem documents.
func route[I, O any](rt *router, pattern, summary string, handle func(context.Context, *I) (*O, error), options ...option) {
	method, path, _ := strings.Cut(pattern, " ")
	op := huma.Operation{
		Method: method, Path: path, Summary: summary,
		OperationID:     huma.GenerateOperationID(method, path, new(O)),
		BodyReadTimeout: bodyTimeout,
		Responses:       map[string]*huma.Response{"default": rt.problemResponse()},
	}
	for _, o := range options {
		o(&op)
	}
	huma.Register(rt.api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, problemOf(ctx, rt.log, err)
		}
		return out, nil
	})
}

// plain registers a handler that reads and writes HTTP itself, in the shapes
// of a published protocol. It returns an error only where it has sent nothing.
func (rt *router) plain(pattern, summary string, handle func(http.ResponseWriter, *http.Request) error) {
	method, path, _ := strings.Cut(pattern, " ")
	rt.api.OpenAPI().AddOperation(&huma.Operation{
		Method: method, Path: path, Summary: summary,
		OperationID: huma.GenerateOperationID(method, path, struct{}{}),
		Responses:   map[string]*huma.Response{"default": {Description: "In the shape of the protocol; see docs/api.md"}},
	})
	rt.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			refuse(w, r, fault.Of(r.Context(), rt.log, err))
		}
	})
}

func (rt *router) problemResponse() *huma.Response {
	schema := rt.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	return &huma.Response{Description: "Error", Content: map[string]*huma.MediaType{problemType: {Schema: schema}}}
}

// created answers 201.
func created(op *huma.Operation) { op.DefaultStatus = http.StatusCreated }

// streams answers with server-sent events.
func streams(op *huma.Operation) {
	op.Responses["200"] = &huma.Response{
		Description: "Server-sent events, each with a JSON object as its data; see docs/api.md",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: "string"}}},
	}
}

// sendsFile answers with the bytes of a file.
func sendsFile(op *huma.Operation) {
	op.Responses["200"] = &huma.Response{
		Description: "The file, to be kept and not to be shown",
		Content:     map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: "string", Format: "binary"}}},
	}
}

// large takes the text of a document.
func (rt *router) large(op *huma.Operation) { op.MaxBodyBytes = rt.maxText }

// describeUpload documents a form whose files are read as they arrive: huma
// would read a body that it knows of.
func (rt *router) describeUpload(path string) {
	text := &huma.Schema{Type: "string"}
	rt.api.OpenAPI().Paths[path].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{Type: "object", Required: []string{"file"}, Properties: map[string]*huma.Schema{
			"folder_id": text, "source": text, "bulk": text,
			"file": {Type: "array", Items: &huma.Schema{Type: "string", Format: "binary"}},
		}}},
	}}
}

// describeImport documents a file that is sent in a form or as the body.
func (rt *router) describeImport(path string) {
	file := &huma.Schema{Type: "string", Format: "binary"}
	rt.api.OpenAPI().Paths[path].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data":      {Schema: &huma.Schema{Type: "object", Required: []string{"file"}, Properties: map[string]*huma.Schema{"file": file}}},
		"application/octet-stream": {Schema: file},
	}}
}
