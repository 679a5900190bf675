package api_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kaoju/internal/api"
	"kaoju/internal/api/fault"
	"kaoju/internal/api/native"
	"kaoju/internal/auth"
	"kaoju/internal/core"
)

func contextOf(r *http.Request, w http.ResponseWriter) huma.Context {
	return humago.NewContext(&huma.Operation{}, r, w)
}

// scenario is one request and what must come of it.
type scenario struct {
	name, method, path, body string
	status                   int
	code                     core.Code
	detail                   string // must occur in the body
}

// check sends the request; errors must be problem documents.
func (s scenario) check(t *testing.T, w *world) {
	t.Helper()
	resp, body := w.send(t, s.method, s.path, s.body)
	if resp.StatusCode != s.status || !strings.Contains(body, s.detail) {
		t.Errorf("%s: %d %s, want %d and %q", s.name, resp.StatusCode, body, s.status, s.detail)
	}
	if s.status >= 400 {
		checkProblem(t, s.name, resp, body, s.code)
	}
}

func checkProblem(t *testing.T, name string, resp *http.Response, body string, code core.Code) {
	t.Helper()
	var p api.Problem
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Errorf("%s: %v in %q", name, err, body)
		return
	}
	if resp.Header.Get("Content-Type") != "application/problem+json" || p.Code != code ||
		p.Status != resp.StatusCode || p.Title == "" || p.Detail == "" || p.Type == "" {
		t.Errorf("%s: %s %+v, want code %q", name, resp.Header.Get("Content-Type"), p, code)
	}
}

func TestBadInput(t *testing.T) {
	w := open(t)
	session := w.session(t)
	message := parse(t, w.ask(t, session, "q"))[0].data.MessageID
	qa, v1 := "/api/v1/sessions/"+session+"/knowledge-qa", "/api/v1"
	long, _ := json.Marshal(map[string]string{"query": strings.Repeat("问", 10_001)})
	huge := `{"query":"` + strings.Repeat("x", 2<<20) + `"}`
	for _, s := range []scenario{
		{"empty question", "POST", qa, `{"query":""}`, 400, core.CodeInvalid, "the question is empty"},
		{"blank question", "POST", qa, `{"query":" \n\t"}`, 400, core.CodeInvalid, "the question is empty"},
		{"long question", "POST", qa, string(long), 413, core.CodeTooLarge, "10000"},
		{"huge body", "POST", qa, huge, 413, core.CodeTooLarge, "10000"},
		{"NUL", "POST", qa, `{"query":"a\u0000b"}`, 400, core.CodeInvalid, "NUL"},
		{"no body", "POST", qa, "", 400, core.CodeInvalid, "body"},
		{"no question", "POST", qa, `{}`, 400, core.CodeInvalid, "query"},
		{"broken JSON", "POST", qa, `{"query":`, 400, core.CodeInvalid, "JSON"},
		{"raw NUL in JSON", "POST", qa, "{\"query\":\"a\x00\"}", 400, core.CodeInvalid, "invalid character"},
		{"wrong type", "POST", qa, `{"query":7}`, 400, core.CodeInvalid, "body.query"},
		{"array", "POST", qa, `[]`, 400, core.CodeInvalid, "object"},
		{"unknown field", "POST", qa, `{"query":"a","kb":"x"}`, 400, core.CodeInvalid, "body.kb"},
		{"top_k too large", "POST", qa, `{"query":"a","top_k":101}`, 400, core.CodeInvalid, "body.top_k"},
		{"top_k negative", "POST", qa, `{"query":"a","top_k":-1}`, 400, core.CodeInvalid, "body.top_k"},
		{"unknown session", "POST", v1 + "/sessions/nobody/knowledge-qa", `{"query":"a"}`, 404, core.CodeNotFound, "nobody"},
		{"unknown base", "POST", qa, `{"query":"a","knowledge_base_ids":["nowhere"]}`, 404, core.CodeNotFound, "nowhere"},
		{"unknown document", "POST", qa, `{"query":"a","knowledge_ids":["nothing"]}`, 404, core.CodeNotFound, "nothing"},
		{"markup", "POST", qa, `{"query":"<script>alert(1)</script>"}`, 200, "", "complete"},
		{"SQL", "POST", qa, `{"query":"'; DROP TABLE sessions; --"}`, 200, "", "complete"},
		{"query syntax", "POST", qa, `{"query":"foo:bar AND (未闭合 \"C++ 100%"}`, 200, "", "complete"},

		{"stream of no message", "GET", v1 + "/sessions/continue-stream/" + session, "", 400, core.CodeInvalid, "message_id"},
		{"stream of an unknown message", "GET", continuePath(session, "nothing"), "", 404, core.CodeNotFound, "nothing"},
		{"stream of another session", "GET", continuePath("other", message), "", 404, core.CodeNotFound, ""},
		{"stream after no number", "GET", continuePath(session, message) + "&after=x", "", 400, core.CodeInvalid, "x"},
		{"stream after a negative number", "GET", continuePath(session, message) + "&after=-1", "", 400, core.CodeInvalid, "-1"},
		{"stream after what never was", "GET", continuePath(session, message) + "&after=99", "", 400, core.CodeInvalid, "99"},
		{"stop of nothing", "POST", v1 + "/sessions/" + session + "/stop", `{"message_id":"nothing"}`, 404, core.CodeNotFound, "nothing"},

		{"unknown session", "GET", v1 + "/sessions/nobody", "", 404, core.CodeNotFound, "nobody"},
		{"id with a NUL", "GET", v1 + "/sessions/a%00b", "", 404, core.CodeNotFound, ""},
		{"empty title", "PATCH", v1 + "/sessions/" + session, `{"title":" "}`, 400, core.CodeInvalid, "empty"},
		{"long title", "PATCH", v1 + "/sessions/" + session, `{"title":"` + strings.Repeat("长", 201) + `"}`, 413, core.CodeTooLarge, "200"},
		{"bad page", "GET", v1 + "/sessions?limit=0", "", 400, core.CodeInvalid, "query.limit"},
		{"bad number", "GET", v1 + "/sessions?offset=x", "", 400, core.CodeInvalid, "query.offset"},
		{"session over an unknown base", "POST", v1 + "/sessions", `{"knowledge_base_ids":["nowhere"]}`, 404, core.CodeNotFound, "nowhere"},

		{"unknown base", "GET", v1 + "/knowledge-bases/nowhere", "", 404, core.CodeNotFound, "nowhere"},
		{"base without a name", "POST", v1 + "/knowledge-bases", `{"name":"  "}`, 400, core.CodeInvalid, "name"},
		{"base of an unknown kind", "POST", v1 + "/knowledge-bases", `{"name":"a","kind":"x"}`, 400, core.CodeInvalid, "body.kind"},
		{"name that is taken", "POST", v1 + "/knowledge-bases", `{"name":"default"}`, 409, core.CodeConflict, "default"},
		{"unknown document", "GET", v1 + "/documents/nothing", "", 404, core.CodeNotFound, "nothing"},
		{"unknown document in a base", "DELETE", v1 + "/knowledge-bases/default/documents/nothing", "", 404, core.CodeNotFound, "nothing"},
		{"unknown chunk", "GET", v1 + "/chunks/nothing", "", 404, core.CodeNotFound, "nothing"},
		{"unknown trace", "GET", v1 + "/messages/nothing/trace", "", 404, core.CodeNotFound, "nothing"},
		{"upload that is no form", "POST", v1 + "/knowledge-bases/default/documents", `{}`, 400, core.CodeInvalid, "multipart"},
		{"upload to nowhere", "POST", v1 + "/knowledge-bases/nowhere/documents", `{}`, 404, core.CodeNotFound, "nowhere"},
		{"text past the limit", "POST", v1 + "/knowledge-bases/default/documents/text", `{"name":"a.md","content":"` + strings.Repeat("x", 5000) + `"}`, 413, core.CodeTooLarge, "4096"},
		{"text without a name", "POST", v1 + "/knowledge-bases/default/documents/text", `{"name":"","content":"x"}`, 400, core.CodeInvalid, "name"},
		{"damaged text", "POST", v1 + "/knowledge-bases/default/documents/text", `{"name":"bad.md","content":"x"}`, 422, core.CodeCorrupt, "damaged"},
		{"empty search", "POST", v1 + "/knowledge-search", `{"query":""}`, 400, core.CodeInvalid, "empty"},
		{"search in nowhere", "POST", v1 + "/knowledge-search", `{"query":"a","knowledge_base_ids":["nowhere"]}`, 404, core.CodeNotFound, "nowhere"},
		{"progress of nowhere", "GET", v1 + "/ingest/progress?knowledge_base_id=nowhere", "", 404, core.CodeNotFound, "nowhere"},

		{"unknown route", "GET", v1 + "/nothing", "", 404, core.CodeNotFound, "/api/v1/nothing"},
		{"unknown root", "GET", "/", "", 404, core.CodeNotFound, ""},
		{"wrong method", "PUT", v1 + "/sessions", "{}", 405, core.CodeInvalid, "GET, HEAD, POST"},
	} {
		s.check(t, w)
	}
	resp, _ := w.send(t, "PUT", v1+"/sessions", "{}")
	if resp.Header.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("Allow is %q", resp.Header.Get("Allow"))
	}
	resp, body := w.send(t, "POST", qa, "query=a", "Content-Type", "application/x-www-form-urlencoded")
	if resp.StatusCode != 415 {
		t.Errorf("a form: %d %s", resp.StatusCode, body)
	}
	checkProblem(t, "a form", resp, body, core.CodeUnsupportedFormat)
}

func TestSessionsRoundTrip(t *testing.T) {
	w := open(t)
	if resp, body := w.send(t, "POST", "/api/v1/sessions", ""); resp.StatusCode != 201 {
		t.Fatalf("a session without a body: %d %s", resp.StatusCode, body)
	}
	s := get[core.Session](t, w, "POST", "/api/v1/sessions", `{"title":"人事","knowledge_base_ids":["default"]}`)
	w.ask(t, s.ID, "q")
	s = get[core.Session](t, w, "PATCH", "/api/v1/sessions/"+s.ID, `{"title":"假期"}`)
	if s.Title != "假期" || s.Messages != 2 || len(s.BaseIDs) != 1 {
		t.Fatalf("session %+v", s)
	}
	list := get[native.List[core.Session]](t, w, "GET", "/api/v1/sessions?limit=1", "")
	if list.Total != 2 || len(list.Items) != 1 || list.Items[0].ID != s.ID {
		t.Fatalf("list %+v", list)
	}
	history := get[native.History](t, w, "GET", "/api/v1/sessions/"+s.ID+"/messages?limit=1", "")
	if !history.HasMore || len(history.Items) != 1 || history.Items[0].Role != core.RoleAssistant || len(history.Items[0].References) != 2 {
		t.Fatalf("history %+v", history)
	}
	earlier := get[native.History](t, w, "GET", "/api/v1/sessions/"+s.ID+"/messages?before=2", "")
	if earlier.HasMore || len(earlier.Items) != 1 || earlier.Items[0].Content != "q" {
		t.Fatalf("earlier %+v", earlier)
	}
	trace := get[core.Trace](t, w, "GET", "/api/v1/messages/"+history.Items[0].ID+"/trace", "")
	if len(trace.Timings) != 2 || len(trace.Notes) != 1 {
		t.Fatalf("trace %+v", trace)
	}
	if resp, body := w.send(t, "DELETE", "/api/v1/sessions/"+s.ID, ""); resp.StatusCode != 204 || body != "" {
		t.Fatalf("delete: %d %s", resp.StatusCode, body)
	}
	scenario{"deleted", "GET", "/api/v1/sessions/" + s.ID, "", 404, core.CodeNotFound, ""}.check(t, w)
}

// TestQuestionsAtOnce asks one session from many clients. Every answer ends,
// and no two messages share a number.
func TestQuestionsAtOnce(t *testing.T) {
	const clients = 8
	w := open(t)
	session := w.session(t)
	var wg sync.WaitGroup
	transcripts := make([]string, clients)
	for i := range clients {
		wg.Go(func() { transcripts[i] = w.ask(t, session, "q") })
	}
	wg.Wait()
	for _, transcript := range transcripts {
		if text := textOf(parse(t, transcript)); text != "年假为 5 天\n<b>& \"</b> [1]。" {
			t.Errorf("answer %q", text)
		}
	}
	history := get[native.History](t, w, "GET", "/api/v1/sessions/"+session+"/messages", "")
	for i, m := range history.Items {
		if m.Order != int64(i)+1 || m.State != core.MessageComplete {
			t.Errorf("message %d has order %d and is %s", i, m.Order, m.State)
		}
	}
	if len(history.Items) != 2*clients {
		t.Errorf("%d messages", len(history.Items))
	}
}

// form makes a multipart body of fields ("name=value") and files ("@name").
func form(t *testing.T, parts ...string) (body, contentType string) {
	t.Helper()
	var buf bytes.Buffer
	f := multipart.NewWriter(&buf)
	for _, p := range parts {
		if name, ok := strings.CutPrefix(p, "@"); ok {
			part, err := f.CreateFormFile("file", name)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = part.Write([]byte("content of " + strings.ToUpper(name[:1])))
			continue
		}
		name, value, _ := strings.Cut(p, "=")
		_ = f.WriteField(name, value)
	}
	_ = f.Close()
	return buf.String(), f.FormDataContentType()
}

func TestUpload(t *testing.T) {
	w := open(t)
	path := "/api/v1/knowledge-bases/default/documents"
	body, ct := form(t, "source=/data/in", "folder_id=f1", "@a.md", "@bad.pdf", "@制度.docx", "@a copy.md")
	resp, text := w.send(t, "POST", path, body, "Content-Type", ct)
	var report native.UploadReport
	if err := json.Unmarshal([]byte(text), &report); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%d %s", resp.StatusCode, text)
	}
	if report.Added != 2 || report.Unchanged != 1 || report.Failed != 1 || len(report.Results) != 4 {
		t.Fatalf("report %+v", report)
	}
	if r := report.Results[1]; r.Name != "bad.pdf" || r.Code != core.CodeCorrupt || r.Document != nil {
		t.Errorf("the damaged file: %+v", r)
	}
	if r := report.Results[2]; r.Name != "制度.docx" || !r.Added || r.Document.State != core.DocumentQueued {
		t.Errorf("the third file: %+v", r)
	}
	if w.shelf.sources[0] != "/data/in|f1" {
		t.Errorf("source %v", w.shelf.sources)
	}
	for name, parts := range map[string][]string{
		"no file": {"folder_id=f1"}, "unknown part": {"x=1"}, "long field": {"source=" + strings.Repeat("x", 5000)},
	} {
		body, ct := form(t, parts...)
		if resp, text := w.send(t, "POST", path, body, "Content-Type", ct); resp.StatusCode/100 != 4 {
			t.Errorf("%s: %d %s", name, resp.StatusCode, text)
		}
	}
	body, ct = form(t, "@a.md")
	resp, text = w.send(t, "POST", path, body[:len(body)-75], "Content-Type", ct)
	checkProblem(t, "broken off", resp, text, core.CodeInvalid)
}

func TestKnowledgeBasesRoundTrip(t *testing.T) {
	w := open(t)
	b := get[core.KnowledgeBase](t, w, "POST", "/api/v1/knowledge-bases", `{"name":"制度","description":"d"}`)
	if b.Kind != core.BaseDocument || b.Visibility != core.VisibilityPublic {
		t.Fatalf("base %+v", b)
	}
	list := get[native.List[core.KnowledgeBase]](t, w, "GET", "/api/v1/knowledge-bases", "")
	byName := get[core.KnowledgeBase](t, w, "GET", "/api/v1/knowledge-bases/制度", "")
	if list.Total != 2 || byName.ID != b.ID {
		t.Fatalf("list %+v, by name %+v", list, byName)
	}
	docs := get[native.List[core.Document]](t, w, "GET", "/api/v1/knowledge-bases/"+b.ID+"/documents", "")
	if docs.Items == nil || docs.Total != 0 {
		t.Fatalf("documents %+v", docs)
	}
	if resp, body := w.send(t, "DELETE", "/api/v1/knowledge-bases/"+b.ID, ""); resp.StatusCode != 204 {
		t.Fatalf("delete: %d %s", resp.StatusCode, body)
	}
	scenario{"deleted", "GET", "/api/v1/knowledge-bases/" + b.ID, "", 404, core.CodeNotFound, ""}.check(t, w)
}

func TestSearchGivesAtMostWhatWasAsked(t *testing.T) {
	w := open(t)
	all := get[native.SearchResult](t, w, "POST", "/api/v1/knowledge-search", `{"query":"q"}`)
	if len(all.Results) != 3 || all.Results[0].Explain[0].Step != "keyword" || all.Results[0].Document != "handbook.md" {
		t.Fatalf("results %+v", all)
	}
	two := get[native.SearchResult](t, w, "POST", "/api/v1/knowledge-search", `{"query":"q","top_k":2}`)
	if len(two.Results) != 2 {
		t.Fatalf("%d results", len(two.Results))
	}
}

// The debug route shows each list of the retrieval, and the lists of the
// retrievers by their own scores; a session has to be the caller's.
func TestDebugShowsEveryList(t *testing.T) {
	w := open(t)
	session := get[core.Session](t, w, "POST", "/api/v1/sessions", `{}`)
	r := get[native.Retrieval](t, w, "POST", "/api/v1/retrieval/debug", `{"query":"q","session_id":"`+session.ID+`"}`)
	if r.Query != "q" || r.Question != "q in full" || !r.Understanding.Rewritten || r.Plan.TopK != 50 || r.Bases[0].Version != 3 || r.Variants[0].Text != "q2" {
		t.Errorf("the question: %+v", r)
	}
	sizes := []int{len(r.Keyword), len(r.Vector), len(r.Fused), len(r.Candidates), len(r.Reranked), len(r.Merged), len(r.Results)}
	if !slices.Equal(sizes, []int{2, 1, 3, 3, 2, 1, 3}) {
		t.Errorf("the lists hold %v", sizes)
	}
	if r.Keyword[0].Score != .9 || r.Keyword[1].Score != .5 || r.Vector[0].Score != .95 || len(r.Vector[0].Explain) != 1 {
		t.Errorf("the retrievers' own lists: %+v, %+v", r.Keyword, r.Vector)
	}
	after := get[native.History](t, w, "GET", "/api/v1/sessions/"+session.ID+"/messages", "")
	if len(after.Items) != 0 {
		t.Errorf("%d messages were stored", len(after.Items))
	}
	for _, s := range []scenario{
		{"empty debug", "POST", "/api/v1/retrieval/debug", `{"query":""}`, 400, core.CodeInvalid, "empty"},
		{"debug in no session", "POST", "/api/v1/retrieval/debug", `{"query":"a","session_id":"nowhere"}`, 404, core.CodeNotFound, ""},
	} {
		s.check(t, w)
	}
}

func TestUsageIsTold(t *testing.T) {
	w := open(t)
	if none := get[native.UsageReport](t, w, "GET", "/api/v1/usage", ""); none.Items == nil || len(none.Items) != 0 {
		t.Errorf("before any call: %+v", none)
	}
	spent := core.Spent{Kind: "chat", Model: "m", Calls: 2, Input: 10}
	if err := w.db.RecordUsage(t.Context(), core.DefaultTenantID, []core.Spent{spent}); err != nil {
		t.Fatal(err)
	}
	if got := get[native.UsageReport](t, w, "GET", "/api/v1/usage?days=1", ""); len(got.Items) != 1 || got.Items[0].Spent != spent {
		t.Errorf("got %+v", got)
	}
	scenario{"no days", "GET", "/api/v1/usage?days=0", "", 400, core.CodeInvalid, "days"}.check(t, w)
}

func TestSystem(t *testing.T) {
	w := open(t)
	health := get[native.Health](t, w, "GET", "/healthz", "")
	system := get[native.System](t, w, "GET", "/api/v1/system", "")
	if health.Status != "ok" || system.Version != "test" || system.Bases != 1 {
		t.Fatalf("%+v %+v", health, system)
	}
}

func TestOpenAPI(t *testing.T) {
	w := open(t)
	resp, body := w.send(t, "GET", "/openapi.json", "")
	var spec struct {
		OpenAPI    string
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal([]byte(body), &spec); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%d %v", resp.StatusCode, err)
	}
	if spec.OpenAPI != "3.1.0" || len(spec.Paths) < 20 || spec.Components.Schemas["Problem"] == nil || spec.Components.Schemas["ErrorModel"] != nil {
		t.Errorf("version %s, %d paths, schemas %v", spec.OpenAPI, len(spec.Paths), slices.Collect(maps.Keys(spec.Components.Schemas)))
	}
	qa := string(spec.Paths["/api/v1/sessions/{id}/knowledge-qa"]["post"])
	if !strings.Contains(qa, "text/event-stream") || !strings.Contains(qa, "application/problem+json") {
		t.Errorf("knowledge-qa: %s", qa)
	}
}

func TestCredentials(t *testing.T) {
	w := open(t, withKey("secret"))
	for _, path := range []string{"/api/v1/system", "/openapi.json", "/api/v1/nothing", "/"} {
		resp, body := w.send(t, "GET", path, "")
		checkProblem(t, path, resp, body, core.CodeUnauthorized)
		if resp.StatusCode != 401 || resp.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	for _, header := range [][]string{{"Authorization", "Bearer secret"}, {"X-API-Key", "secret"}} {
		if resp, _ := w.send(t, "GET", "/api/v1/system", "", header...); resp.StatusCode != 200 {
			t.Errorf("%v: %d", header, resp.StatusCode)
		}
	}
	if resp, _ := w.send(t, "GET", "/healthz", ""); resp.StatusCode != 200 {
		t.Errorf("healthz: %d", resp.StatusCode)
	}
}

func TestForeignPages(t *testing.T) {
	w := open(t)
	resp, body := w.send(t, "POST", "/api/v1/sessions", "{}", "Origin", "https://evil.example")
	checkProblem(t, "cross-site", resp, body, core.CodeForbidden)
	req, _ := http.NewRequestWithContext(t.Context(), "GET", w.url+"/api/v1/sessions", http.NoBody)
	req.Host = "evil.example"
	rebound, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	rebound.Body.Close()
	if rebound.StatusCode != 403 {
		t.Errorf("DNS rebinding: %d", rebound.StatusCode)
	}
}

func TestSecurityHeaders(t *testing.T) {
	w := open(t)
	resp, _ := w.send(t, "GET", "/api/v1/nothing", "")
	for _, name := range []string{"X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "Content-Security-Policy"} {
		if resp.Header.Get(name) == "" {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestPanicIsAProblem makes a handler panic by taking its store away.
func TestPanicIsAProblem(t *testing.T) {
	w := open(t, func(_ *auth.Options, n *native.Options) { n.Traces = nil })
	scenario{"panic", "GET", "/api/v1/messages/m/trace", "", 500, core.CodeInternal, "internal error"}.check(t, w)
}

func TestStatusKnowsEveryCode(t *testing.T) {
	for _, c := range []core.Code{
		core.CodeInvalid, core.CodeUnauthorized, core.CodeForbidden, core.CodeNotFound, core.CodeConflict,
		core.CodeTooLarge, core.CodeUnsupportedFormat, core.CodeCorrupt, core.CodeEncrypted, core.CodeEmpty,
		core.CodeNoTextLayer, core.CodeGarbled, core.CodeBusy, core.CodeDiskFull, core.CodeUnavailable,
		core.CodeTimeout, core.CodeCanceled, core.CodeInterrupted,
	} {
		if s := fault.Status(c); s == http.StatusInternalServerError || http.StatusText(s) == "" {
			t.Errorf("%s has status %d", c, s)
		}
	}
	if fault.Status(core.CodeInternal) != 500 || fault.Status("new") != 500 {
		t.Error("what is not known is our fault")
	}
}
