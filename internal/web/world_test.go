package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kaoju/internal/api"
	"kaoju/internal/app"
	"kaoju/internal/config"
	"kaoju/internal/llm/llmtest"
)

// handbook is what most tests ask.
const handbook = "# Leave\n\n## Annual leave\n\nStaff have 15 days of annual leave a year. Unused days expire on 31 March.\n\n" +
	"## Sick leave\n\nSick leave needs a certificate from the third day.\n"

// world is the product behind a real address.
type world struct {
	t   testing.TB
	url string
	key string
}

// serve starts the product over an empty folder; change may set options.
func serve(t testing.TB, change func(*config.Config)) *world {
	t.Helper()
	cfg := config.Default()
	cfg.Data = t.TempDir()
	cfg.Log.Level = "error"
	if change != nil {
		change(cfg)
	}
	a, err := app.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(a.Handler())
	server.Config = api.NewServer(a.Handler(), slog.New(slog.DiscardHandler))
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if err := a.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &world{t: t, url: server.URL, key: cfg.Auth.APIKey}
}

// slow lets a scripted model write the answers.
func slow(e *llmtest.Endpoint) func(*config.Config) {
	return func(cfg *config.Config) {
		cfg.ChatModel.BaseURL = e.URL + "/v1"
		cfg.ChatModel.Name = "scripted"
	}
}

// says is a script of a model that writes the parts; "@gate x" waits.
func says(parts ...string) llmtest.Script {
	var s strings.Builder
	s.WriteString("status 200\n---\n")
	for _, p := range parts {
		if strings.HasPrefix(p, "@") {
			s.WriteString(p + "\n")
			continue
		}
		text, _ := json.Marshal(p)
		fmt.Fprintf(&s, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", text)
	}
	s.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	script, err := llmtest.Parse(s.String())
	if err != nil {
		panic(err) // a script of the test's own
	}
	return script
}

// send makes an API call and reads its JSON.
func (w *world) send(method, path, kind string, body io.Reader) map[string]any {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, body)
	must(w.t, err)
	req.Header.Set("Content-Type", kind)
	if w.key != "" {
		req.Header.Set("X-API-Key", w.key)
	}
	resp, err := http.DefaultClient.Do(req)
	must(w.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(w.t, err)
	if resp.StatusCode/100 != 2 {
		w.t.Fatalf("%s %s: %d %s", method, path, resp.StatusCode, text)
	}
	var v map[string]any
	_ = json.Unmarshal(text, &v) // streams have none
	return v
}

// body is what a request sends.
func body(text string) io.Reader { return strings.NewReader(text) }

// add uploads a document and waits until it can be asked.
func (w *world) add(base, name, content string) string {
	w.t.Helper()
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	part, err := m.CreateFormFile("file", name)
	must(w.t, err)
	_, _ = io.WriteString(part, content)
	must(w.t, m.Close())
	report := w.send("POST", "/api/v1/knowledge-bases/"+base+"/documents", m.FormDataContentType(), &form)
	result := report["results"].([]any)[0].(map[string]any)
	document, ok := result["document"].(map[string]any)
	if !ok {
		w.t.Fatalf("the upload of %s: %v", name, result)
	}
	w.settle(base)
	return document["id"].(string)
}

// settle waits until no document of a base waits.
func (w *world) settle(base string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url+"/api/v1/ingest/progress/stream?knowledge_base_id="+base, nil)
	must(w.t, err)
	req.Header.Set("X-API-Key", w.key)
	resp, err := http.DefaultClient.Do(req)
	must(w.t, err)
	defer resp.Body.Close()
	decoder := newEvents(resp.Body)
	for {
		var counts struct{ Queued, Processing int }
		must(w.t, json.Unmarshal(decoder.next(w.t), &counts))
		if counts.Queued+counts.Processing == 0 {
			return
		}
	}
}
