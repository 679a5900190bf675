package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"kaoju/internal/api"
	"kaoju/internal/api/ragchat"
	"kaoju/internal/core"
	"kaoju/internal/store"
)

// possession is what one user has: the objects that routes name.
type possession struct {
	session, message string
	sessionNumber    int64
	messageNumber    int64
	base, document   string
	chunk            string
	assistant        string
	wiki             string // a base with the page "secret"
}

// TestOwnership calls every route of every protocol with the objects of
// another user: each is not found, and nothing of them changes. A route that
// the table does not know fails the test.
func TestOwnership(t *testing.T) {
	w := open(t)
	p := w.possess(t)
	stranger := w.as(t, core.Scope{TenantID: "other", UserID: "stranger"})
	colleague := w.as(t, core.Scope{TenantID: core.DefaultTenantID, UserID: "colleague"})
	cases := ownership(p)
	maps.Copy(cases, wikiOwnership(p.wiki))
	for _, route := range w.routes(t) {
		c, known := cases[route]
		if !known {
			t.Errorf("%s: the table of ownership does not know this route", route)
			continue
		}
		delete(cases, route)
		if c.path == "" {
			continue // names nobody's object
		}
		method, _, _ := strings.Cut(route, " ")
		callers := map[string]string{"a stranger": stranger}
		if c.personal {
			callers["a colleague"] = colleague
		}
		for name, url := range callers {
			c.refused(t, name, method, url)
		}
	}
	for route := range maps.Keys(cases) {
		t.Errorf("%s: there is no such route", route)
	}
	w.untouched(t, p)
}

// possess makes one of everything for the owner.
func (w *world) possess(t *testing.T) possession {
	t.Helper()
	b := get[core.KnowledgeBase](t, w, "POST", "/api/v1/knowledge-bases", `{"name":"private","visibility":"private"}`)
	s := ragged[ragchat.Session](t, w, "POST", rag, `{"knowledgeBaseIds":["private"],"title":"mine"}`)
	id, err := w.db.NumberedID(t.Context(), "session", s.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.send(t, "POST", fmt.Sprintf("%s/%d/messages/stream", rag, s.ID), `{"question":"my question"}`)
	d := ragged[ragchat.Detail](t, w, "GET", fmt.Sprintf("%s/%d", rag, s.ID), "")
	message, err := w.db.NumberedID(t.Context(), "message", d.Messages[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	document, chunk := w.passage(t, b.ID)
	if err := w.db.RecordUsage(t.Context(), core.DefaultTenantID, []core.Spent{{Kind: "chat", Model: "our-model", Calls: 1}}); err != nil {
		t.Fatal(err)
	}
	a := get[core.Assistant](t, w, "POST", "/api/v1/assistants", `{"id":"ours","assistant_name":"our assistant","knowledge_base_ids":["private"]}`)
	notes := get[core.KnowledgeBase](t, w, "POST", "/api/v1/knowledge-bases", `{"name":"notes","visibility":"private","kind":"wiki"}`)
	get[core.WikiPage](t, w, "POST", "/api/v1/knowledge-bases/notes/wiki/pages", `{"slug":"secret","content":"our page"}`)
	if err := w.db.AddWikiJob(t.Context(), core.WikiJob{ID: "job", BaseID: notes.ID, SourceID: b.ID}, nil); err != nil {
		t.Fatal(err)
	}
	return possession{
		wiki:    notes.ID,
		session: id, message: message, sessionNumber: s.ID, messageNumber: d.Messages[1].ID,
		base: b.ID, document: document, chunk: chunk, assistant: a.ID,
	}
}

// passage stores a document with one chunk.
func (w *world) passage(t *testing.T, base string) (document, chunk string) {
	t.Helper()
	blob, err := w.db.StageBlob(t.Context(), strings.NewReader("text"), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = w.db.AddDocument(t.Context(), core.Document{ID: core.NewID(), BaseID: base, Name: "a.md"}, blob); err != nil {
		t.Fatal(err)
	}
	job, d, _, err := w.db.ClaimJob(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	c := core.Chunk{ID: core.NewID(), BaseID: base, DocumentID: d.ID, Type: core.ChunkText, Content: "text"}
	if err := w.db.SaveChunks(t.Context(), job.ID, d, store.Part{Chunks: []core.Chunk{c}, First: true, Last: true}); err != nil {
		t.Fatal(err)
	}
	get[core.Chunk](t, w, "GET", "/api/v1/chunks/"+c.ID, "")
	return d.ID, c.ID
}

// as serves the same world to another user.
func (w *world) as(t *testing.T, scope core.Scope) string {
	t.Helper()
	options := w.options
	options.Auth = fixed(scope)
	return serve(t, api.New(options))
}

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// access is a call with another user's object. A personal one belongs to a
// user, others to the tenant.
type access struct {
	path, body string
	personal   bool
	// empty says that the route answers 200 and must show nothing of it.
	empty string
	// status is what refuses; 0 means that the object is not found.
	status int
}

func ownership(p possession) map[string]access {
	const v1 = "/api/v1"
	const faq = v1 + "/knowledge-bases/{id}/faq/entries"
	one := fmt.Sprintf("%s/%d", rag, p.sessionNumber)
	mine := func(path, body string) access { return access{path: path, body: body, personal: true} }
	none := access{}
	models := func(path, body string) access {
		return access{path: v1 + "/models" + path, body: body, personal: true, status: http.StatusForbidden}
	}
	return map[string]access{
		"GET " + v1 + "/models": models("", ""), "POST " + v1 + "/models": models("", `{"id":"x","kind":"chat","name":"n","base_url":"http://127.0.0.1:1"}`),
		"GET " + v1 + "/models/{id}": models("/ours", ""), "PATCH " + v1 + "/models/{id}": models("/ours", `{"name":"x"}`),
		"DELETE " + v1 + "/models/{id}": models("/ours", ""), "POST " + v1 + "/models/{id}/test": models("/ours/test", ""),
		"GET " + v1 + "/models/{id}/names": models("/ours/names", ""), "POST " + v1 + "/models/rotate-key": models("/rotate-key", ""),
		"GET /healthz": none, "GET /v1/models": none, "GET /v1/models/{model}": none, "GET " + v1 + "/system": none, "POST " + v1 + "/demo": none, "GET " + v1 + "/usage": {path: v1 + "/usage", empty: "our-model"},
		"POST /v1/chat/completions":                                      {path: "/v1/chat/completions", body: `{"model":"default","messages":[{"role":"user","content":"q"}],"knowledge_base_ids":["` + p.base + `"]}`, personal: true},
		"GET /api/stream":                                                none, // TestOwnershipOverWebSocket
		"POST " + v1 + "/sessions":                                       mine(v1+"/sessions", `{"knowledge_base_ids":["`+p.base+`"]}`),
		"GET " + v1 + "/sessions":                                        {path: v1 + "/sessions", personal: true, empty: p.session},
		"DELETE " + v1 + "/sessions/batch":                               mine(v1+"/sessions/batch", `{"ids":["`+p.session+`"]}`),
		"GET " + v1 + "/sessions/{id}":                                   mine(v1+"/sessions/"+p.session, ""),
		"PATCH " + v1 + "/sessions/{id}":                                 mine(v1+"/sessions/"+p.session, `{"title":"stolen","pinned":true}`),
		"DELETE " + v1 + "/sessions/{id}":                                mine(v1+"/sessions/"+p.session, ""),
		"GET " + v1 + "/sessions/{id}/messages":                          mine(v1+"/sessions/"+p.session+"/messages", ""),
		"POST " + v1 + "/sessions/{id}/knowledge-qa":                     mine(v1+"/sessions/"+p.session+"/knowledge-qa", `{"query":"q"}`),
		"POST " + v1 + "/sessions/{id}/stop":                             mine(v1+"/sessions/"+p.session+"/stop", `{"message_id":"`+p.message+`"}`),
		"GET " + v1 + "/sessions/continue-stream/{id}":                   mine(continuePath(p.session, p.message), ""),
		"GET " + v1 + "/messages/search":                                 {path: v1 + "/messages/search?query=question", personal: true, empty: "my question"},
		"GET " + v1 + "/messages/{id}":                                   mine(v1+"/messages/"+p.message, ""),
		"GET " + v1 + "/messages/{id}/trace":                             mine(v1+"/messages/"+p.message+"/trace", ""),
		"GET " + v1 + "/knowledge-bases":                                 {path: v1 + "/knowledge-bases", personal: true, empty: p.base},
		"POST " + v1 + "/knowledge-bases":                                none,
		"GET " + v1 + "/knowledge-bases/{id}":                            mine(v1+"/knowledge-bases/"+p.base, ""),
		"DELETE " + v1 + "/knowledge-bases/{id}":                         mine(v1+"/knowledge-bases/"+p.base, ""),
		"GET " + v1 + "/knowledge-bases/{id}/glossary":                   mine(v1+"/knowledge-bases/"+p.base+"/glossary", ""),
		"PUT " + v1 + "/knowledge-bases/{id}/glossary":                   mine(v1+"/knowledge-bases/"+p.base+"/glossary", `{"entries":[]}`),
		"POST " + v1 + "/knowledge-bases/{id}/documents":                 mine(v1+"/knowledge-bases/"+p.base+"/documents", `{}`),
		"POST " + v1 + "/knowledge-bases/{id}/documents/text":            mine(v1+"/knowledge-bases/"+p.base+"/documents/text", `{"name":"a.md","content":"x"}`),
		"GET " + v1 + "/knowledge-bases/{id}/documents":                  mine(v1+"/knowledge-bases/"+p.base+"/documents", ""),
		"GET " + v1 + "/knowledge-bases/{id}/documents/{document_id}":    mine(v1+"/knowledge-bases/"+p.base+"/documents/"+p.document, ""),
		"DELETE " + v1 + "/knowledge-bases/{id}/documents/{document_id}": mine(v1+"/knowledge-bases/"+p.base+"/documents/"+p.document, ""),
		"GET " + v1 + "/documents/search":                                {path: v1 + "/documents/search", personal: true, empty: p.document},
		"GET " + v1 + "/documents/{id}":                                  mine(v1+"/documents/"+p.document, ""),
		"GET " + v1 + "/documents/{id}/chunks":                           mine(v1+"/documents/"+p.document+"/chunks", ""),
		"GET " + v1 + "/documents/{id}/original":                         mine(v1+"/documents/"+p.document+"/original", ""),
		"DELETE " + v1 + "/documents/{id}":                               mine(v1+"/documents/"+p.document, ""),
		"GET " + v1 + "/chunks/{id}":                                     mine(v1+"/chunks/"+p.chunk, ""),
		"POST " + v1 + "/knowledge-bases/{id}/documents/batch":           mine(v1+"/knowledge-bases/"+p.base+"/documents/batch", `{"action":"delete","ids":["`+p.document+`"]}`),
		"PATCH " + v1 + "/knowledge-bases/{id}":                          mine(v1+"/knowledge-bases/"+p.base, `{"name":"stolen"}`),
		"POST " + v1 + "/knowledge-bases/{id}/preview":                   mine(v1+"/knowledge-bases/"+p.base+"/preview", "text"),
		"POST " + v1 + "/documents/{id}/preview":                         mine(v1+"/documents/"+p.document+"/preview", `{}`),
		"POST " + v1 + "/documents/{id}/chunks":                          mine(v1+"/documents/"+p.document+"/chunks", `{"content":"x"}`),
		"PUT " + v1 + "/chunks/{id}":                                     mine(v1+"/chunks/"+p.chunk, `{"content":"x"}`),
		"DELETE " + v1 + "/chunks/{id}":                                  mine(v1+"/chunks/"+p.chunk, ""),
		"GET " + v1 + "/chunks/{id}/revisions":                           mine(v1+"/chunks/"+p.chunk+"/revisions", ""),
		"POST " + v1 + "/chunks/{id}/revert":                             mine(v1+"/chunks/"+p.chunk+"/revert", ""),
		"POST " + v1 + "/knowledge-bases/{id}/documents/url":             mine(v1+"/knowledge-bases/"+p.base+"/documents/url", `{"url":"https://example.org"}`),
		"PATCH " + v1 + "/documents/{id}":                                mine(v1+"/documents/"+p.document, `{"name":"stolen.md"}`),
		"POST " + v1 + "/documents/{id}/copy":                            mine(v1+"/documents/"+p.document+"/copy", `{"knowledge_base_id":"default"}`),
		"POST " + v1 + "/documents/{id}/rechunk":                         mine(v1+"/documents/"+p.document+"/rechunk", ""),
		"POST " + v1 + "/knowledge-bases/{id}/rechunk":                   mine(v1+"/knowledge-bases/"+p.base+"/rechunk", ""),
		"POST " + v1 + "/documents/{id}/reparse":                         mine(v1+"/documents/"+p.document+"/reparse", ""),
		"POST " + v1 + "/documents/{id}/retry":                           mine(v1+"/documents/"+p.document+"/retry", ""),
		"POST " + v1 + "/documents/{id}/enrich":                          mine(v1+"/documents/"+p.document+"/enrich", `{"steps":["summary"]}`),
		"GET " + v1 + "/knowledge-bases/{id}/enrichment":                 mine(v1+"/knowledge-bases/"+p.base+"/enrichment", ""),
		"PUT " + v1 + "/knowledge-bases/{id}/enrichment":                 mine(v1+"/knowledge-bases/"+p.base+"/enrichment", `{"summary":true}`),
		"POST " + v1 + "/documents/{id}/stop":                            mine(v1+"/documents/"+p.document+"/stop", ""),
		"GET " + v1 + "/knowledge-bases/{id}/tags":                       mine(v1+"/knowledge-bases/"+p.base+"/tags", ""),
		"GET " + v1 + "/knowledge-bases/{id}/folders":                    mine(v1+"/knowledge-bases/"+p.base+"/folders", ""),
		"POST " + v1 + "/knowledge-bases/{id}/folders":                   mine(v1+"/knowledge-bases/"+p.base+"/folders", `{"name":"x"}`),
		"PATCH " + v1 + "/knowledge-bases/{id}/folders/{folder_id}":      mine(v1+"/knowledge-bases/"+p.base+"/folders/x", `{"name":"y"}`),
		"DELETE " + v1 + "/knowledge-bases/{id}/folders/{folder_id}":     mine(v1+"/knowledge-bases/"+p.base+"/folders/x", ""),
		"GET " + faq:                                      mine(v1+"/knowledge-bases/"+p.base+"/faq/entries", ""),
		"POST " + faq:                                     mine(v1+"/knowledge-bases/"+p.base+"/faq/entries", `{"standard_question":"q","answers":["a"]}`),
		"POST " + faq + "/delete":                         mine(v1+"/knowledge-bases/"+p.base+"/faq/entries/delete", `{"ids":["x"]}`),
		"GET " + faq + "/{entry_id}":                      mine(v1+"/knowledge-bases/"+p.base+"/faq/entries/x", ""),
		"PUT " + faq + "/{entry_id}":                      mine(v1+"/knowledge-bases/"+p.base+"/faq/entries/x", `{"answers":["b"]}`),
		"DELETE " + faq + "/{entry_id}":                   mine(v1+"/knowledge-bases/"+p.base+"/faq/entries/x", ""),
		"POST " + v1 + "/knowledge-bases/{id}/faq/import": mine(v1+"/knowledge-bases/"+p.base+"/faq/import", `[{"question":"q","answer":"a"}]`),
		"POST " + v1 + "/knowledge-bases/import":          none,
		"GET " + v1 + "/knowledge-bases/{id}/export":      mine(v1+"/knowledge-bases/"+p.base+"/export", ""),
		"GET " + v1 + "/knowledge-bases/{id}/faq/export":  mine(v1+"/knowledge-bases/"+p.base+"/faq/export", ""),
		"GET " + v1 + "/faq/template":                     none,
		"POST " + v1 + "/knowledge-bases/{id}/faq/search": mine(v1+"/knowledge-bases/"+p.base+"/faq/search", `{"question":"q"}`),
		"POST " + v1 + "/knowledge-search":                mine(v1+"/knowledge-search", `{"query":"q","knowledge_base_ids":["`+p.base+`"]}`),
		"GET " + v1 + "/assistants":                       {path: v1 + "/assistants", empty: "our assistant"},
		"POST " + v1 + "/assistants":                      mine(v1+"/assistants", `{"id":"theirs","knowledge_base_ids":["`+p.base+`"]}`),
		"POST " + v1 + "/assistants/reload":               none,
		"GET " + v1 + "/assistants/{id}":                  {path: v1 + "/assistants/" + p.assistant},
		"PATCH " + v1 + "/assistants/{id}":                {path: v1 + "/assistants/" + p.assistant, body: `{"assistant_name":"stolen"}`},
		"DELETE " + v1 + "/assistants/{id}":               {path: v1 + "/assistants/" + p.assistant},
		"PUT " + v1 + "/messages/{id}/feedback":           mine(v1+"/messages/"+p.message+"/feedback", `{"rating":"useful"}`),
		"GET " + v1 + "/messages/{id}/feedback":           mine(v1+"/messages/"+p.message+"/feedback", ""),
		"GET " + v1 + "/open-questions":                   {path: v1 + "/open-questions", personal: true, empty: "my question"},
		"POST " + v1 + "/open-questions/{id}/faq":         mine(v1+"/open-questions/"+p.message+"/faq", `{"knowledge_base_id":"`+p.base+`","answers":["x"]}`),
		"DELETE " + v1 + "/open-questions/{id}":           mine(v1+"/open-questions/"+p.message, ""),
		"GET " + v1 + "/rules":                            none,
		"POST " + v1 + "/rules/reload":                    none,
		"POST " + v1 + "/retrieval/debug":                 mine(v1+"/retrieval/debug", `{"query":"q","knowledge_base_ids":["`+p.base+`"]}`),
		"GET " + v1 + "/ingest/progress":                  mine(v1+"/ingest/progress?knowledge_base_id="+p.base, ""),
		"GET " + v1 + "/ingest/progress/stream":           mine(v1+"/ingest/progress/stream?knowledge_base_id="+p.base, ""),

		"GET /api/rag-chat/knowledge-bases":                      {path: "/api/rag-chat/knowledge-bases", personal: true, empty: `"private"`},
		"POST " + rag:                                            mine(rag, `{"knowledgeBaseIds":["`+p.base+`"]}`),
		"GET " + rag:                                             {path: rag, personal: true, empty: "mine"},
		"GET " + rag + "/{sessionId}":                            mine(one, ""),
		"PUT " + rag + "/{sessionId}/title":                      mine(one+"/title", `{"title":"stolen"}`),
		"PUT " + rag + "/{sessionId}/pin":                        mine(one+"/pin", ""),
		"PUT " + rag + "/{sessionId}/knowledge-bases":            mine(one+"/knowledge-bases", `{"knowledgeBaseIds":["default"]}`),
		"DELETE " + rag + "/{sessionId}":                         mine(one, ""),
		"POST " + rag + "/{sessionId}/messages/stream":           mine(one+"/messages/stream", `{"question":"q"}`),
		"POST " + rag + "/{sessionId}/messages/{messageId}/stop": mine(fmt.Sprintf("%s/messages/%d/stop", one, p.messageNumber), ""),
	}
}

func (c access) refused(t *testing.T, who, method, url string) {
	t.Helper()
	resp, body := (&world{url: url}).send(t, method, c.path, c.body)
	if c.empty != "" {
		if resp.StatusCode != http.StatusOK || strings.Contains(body, c.empty) {
			t.Errorf("%s, %s %s: %d %s", who, method, c.path, resp.StatusCode, body)
		}
		return
	}
	if want := cmp.Or(c.status, http.StatusNotFound); resp.StatusCode != want {
		t.Errorf("%s, %s %s: %d %s", who, method, c.path, resp.StatusCode, body)
	}
}

// routes lists what is served, from the document that is served with it.
func (w *world) routes(t *testing.T) []string {
	t.Helper()
	_, body := w.send(t, "GET", "/openapi.json", "")
	var spec struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &spec); err != nil {
		t.Fatal(err)
	}
	var routes []string
	for path, methods := range spec.Paths {
		for method := range methods {
			routes = append(routes, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(routes)
	return routes
}

// untouched checks that the owner has all as it was.
func (w *world) untouched(t *testing.T, p possession) {
	t.Helper()
	s := get[core.Session](t, w, "GET", "/api/v1/sessions/"+p.session, "")
	if s.Title != "mine" || s.Pinned || s.Messages != 2 || len(s.BaseIDs) != 1 || s.BaseIDs[0] != p.base {
		t.Errorf("the session is now %+v", s)
	}
	get[core.Message](t, w, "GET", "/api/v1/messages/"+p.message, "")
	get[core.KnowledgeBase](t, w, "GET", "/api/v1/knowledge-bases/"+p.base, "")
	get[core.Document](t, w, "GET", "/api/v1/documents/"+p.document, "")
	if a := get[core.Assistant](t, w, "GET", "/api/v1/assistants/"+p.assistant, ""); a.Name != "our assistant" {
		t.Errorf("the assistant is now %+v", a)
	}
}

func TestOwnershipOverWebSocket(t *testing.T) {
	w := open(t)
	p := w.possess(t)
	for _, scope := range []core.Scope{{TenantID: "other", UserID: "stranger"}, {TenantID: core.DefaultTenantID, UserID: "colleague"}} {
		s := dial(t, w.as(t, scope), &websocket.DialOptions{})
		for _, message := range []string{
			`{"resume":{"message_id":"` + p.message + `"}}`, `{"stop":{"message_id":"` + p.message + `"}}`,
			`{"query":"q","source_filter":"` + p.base + `"}`,
		} {
			s.say("%s", message)
			if e := s.next(); e.Type != "error" || e.Code != core.CodeNotFound {
				t.Errorf("%s: %s got %+v", scope.UserID, message, e)
			}
		}
	}
	// Somebody else's session is as good as none: a question that names it is
	// asked in a new one of the caller.
	s := dial(t, w.as(t, core.Scope{TenantID: core.DefaultTenantID, UserID: "colleague"}), nil)
	s.say(`{"query":"q","session_id":%q}`, p.session)
	if events, _ := s.rest(); events[0].SessionID == p.session || events[len(events)-1].Type != "end" {
		t.Errorf("events %+v", events)
	}
	w.untouched(t, p)
}

// fixed is an Authenticator that takes everybody for one user.
type fixed core.Scope

func (f fixed) Authenticate(*http.Request) (core.Scope, error) { return core.Scope(f), nil }
