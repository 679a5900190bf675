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

// pictured takes a question with its pictures in base64.
func pictured(op *huma.Operation) { op.MaxBodyBytes = 28 << 20 }

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
