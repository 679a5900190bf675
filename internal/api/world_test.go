package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kaoju/internal/api"
	"kaoju/internal/api/native"
	"kaoju/internal/api/openai"
	"kaoju/internal/api/ragchat"
	"kaoju/internal/api/ws"
	"kaoju/internal/assistant"
	"kaoju/internal/auth"
	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/enrich"
	"kaoju/internal/eventlog/memory"
	"kaoju/internal/knowledge"
	"kaoju/internal/llm"
	"kaoju/internal/llm/registry"
	readers "kaoju/internal/parse"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
	"kaoju/internal/retrieve"
	"kaoju/internal/store"
	"kaoju/internal/wiki"
	"kaoju/internal/wiki/synthesis"
)

// world is a server over a real store, with a scripted pipeline.
type world struct {
	url     string
	handler http.Handler
	db      *store.DB
	chat    *chat.Service
	log     *memory.Log
	shelf   *shelf
	script  *script
	sockets *ws.Handlers
	options api.Options
}

// setup changes how a world is made.
type setup func(*auth.Options, *native.Options)

func withKey(key string) setup {
	return func(a *auth.Options, _ *native.Options) { a.Keys = []string{key} }
}

func open(t testing.TB, setups ...setup) *world {
	t.Helper()
	return openAt(t, t.TempDir(), setups...)
}

func openAt(t testing.TB, dir string, setups ...setup) *world {
	t.Helper()
	db, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{db: db, shelf: newShelf(db), script: &script{gate: make(chan struct{})}}
	w.log = memory.New(memory.DefaultLimits(), time.Now)
	quiet := slog.New(slog.DiscardHandler)
	assistants, err := assistant.Open(assistant.Options{Store: db})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := assistant.OpenRules("")
	if err != nil {
		t.Fatal(err)
	}
	w.chat = chat.New(chat.Options{
		Sessions: db, Rounds: db, Messages: db, Archive: db, Sources: db, Log: w.log, Answerer: w.script,
		Assistant: core.Assistant{ID: core.DefaultAssistantID}, Assistants: assistants, Logger: quiet,
	})
	if err := w.chat.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	access := auth.Options{}
	sealer, err := registry.OpenSealer(filepath.Join(dir, "secrets.key"))
	if err != nil {
		t.Fatal(err)
	}
	models, err := registry.Open(t.Context(), registry.Options{Store: db, Sealer: sealer})
	if err != nil {
		t.Fatal(err)
	}
	desk := knowledge.New(knowledge.Options{Store: db, Index: still{}, Work: still{}})
	options := native.Options{
		Chat: w.chat, Documents: w.shelf, Bases: w.shelf, Library: db, Reading: reading{db}, Traces: db, Usage: db, Progress: w.shelf, Version: "test",
		Assistants: assistants, Rules: rules, Glossaries: knowledge.NewGlossaries(db),
		FAQ: desk, FAQFiles: desk, BaseFiles: desk, Passages: desk, Pages: desk, Settings: desk, Desk: desk, Anew: desk, Shelves: desk, Names: desk, Folders: desk,
		Feedback: db, Ratings: db, Models: models, ModelTools: models, Examples: example{}, Enrichments: enrich.New(enrich.Options{Store: db}),
	}
	pages := wiki.New(wiki.Options{Store: db, Index: still{}, Reader: readers.New(nil), Remover: desk})
	options.Wiki, options.WikiHistory, options.WikiFiles = pages, pages, pages
	writer := synthesis.New(synthesis.Deps{Store: db, Pages: pages, Prompts: prompt.Default(), Chat: func() llm.Chat { return nil }})
	options.WikiJobs, options.WikiWork = writer, writer
	for _, change := range setups {
		change(&access, &options)
	}
	authenticator := auth.New(access)
	w.sockets = ws.New(ws.Options{Chat: w.chat, Origin: authenticator.CheckOrigin, Heartbeat: options.Heartbeat, Message: 4096, AtOnce: 2, Logger: quiet})
	w.options = api.Options{
		Native: native.New(options), OpenAI: openai.New(openai.Options{Chat: w.chat, Assistants: assistants, Logger: quiet}),
		RagChat:   ragchat.New(ragchat.Options{Chat: w.chat, Bases: db, Numbers: numbers{db}, Logger: quiet}),
		WebSocket: w.sockets, Auth: authenticator, MaxText: 4096, Logger: quiet,
	}
	w.handler = api.New(w.options)
	server := httptest.NewUnstartedServer(w.handler)
	server.Config = api.NewServer(w.handler, quiet)
	server.Start()
	w.url = server.URL
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = w.chat.Close(ctx)
		_ = w.sockets.Close(ctx)
		w.log.Close()
		server.CloseClientConnections()
		server.Close()
		_ = db.Close()
	})
	return w
}

// numbers are the store's.
type numbers struct{ db *store.DB }

func (n numbers) Numbers(ctx context.Context, kind ragchat.Kind, ids []string) ([]int64, error) {
	return n.db.Numbers(ctx, store.Numbered(kind), ids)
}

func (n numbers) NumberedID(ctx context.Context, kind ragchat.Kind, number int64) (string, error) {
	return n.db.NumberedID(ctx, store.Numbered(kind), number)
}

// script is a pipeline that does what the question says.
type script struct {
	gate chan struct{} // "wait" passes it between two increments
}

// references are what every scripted answer found.
func references() []core.Reference {
	return []core.Reference{
		{Number: 1, ChunkID: "chunk-1", DocumentID: "document-1", BaseID: "default", Document: "handbook.md", Title: "Handbook",
			Type: core.ChunkText, Quote: "Employees have 5 days <b>off</b>.", Score: .91},
		{ChunkID: "chunk-2", DocumentID: "document-1", BaseID: "default", Document: "handbook.md", Title: "Handbook",
			Type: core.ChunkText, Quote: "Also found.", Score: .42},
	}
}

// Answer runs the script.
func (s *script) Answer(ctx context.Context, req pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
	if req.RetrieveOnly {
		return searched(req), nil
	}
	say := func(parts ...string) error {
		for _, p := range parts {
			if err := publish(ctx, core.Event{Type: core.EventAnswer, Content: p}); err != nil {
				return err
			}
		}
		return nil
	}
	err := publish(ctx, core.Event{Type: core.EventReferences, Data: pipeline.Data(pipeline.References{References: references()})})
	if err != nil {
		return pipeline.Outcome{}, err
	}
	parts := []string{"年假为", " 5 天", "\n<b>& \"</b>", " [1]。"}
	if req.Question == "talk" {
		parts = []string{fmt.Sprint(req.Talk)}
	}
	switch req.Question {
	case "fail":
		_ = say("half")
		return pipeline.Outcome{}, core.Errorf(core.CodeUnavailable, "the model does not answer")
	case "panic":
		_ = say("half")
		panic("secret detail")
	case "hang":
		_ = say("half")
		<-ctx.Done()
		return pipeline.Outcome{}, ctx.Err()
	case "wait":
		for _, p := range parts {
			select {
			case <-s.gate:
			case <-ctx.Done():
				return pipeline.Outcome{}, ctx.Err()
			}
			if err := say(p); err != nil {
				return pipeline.Outcome{}, err
			}
		}
	case "long", "longest":
		parts = nil
		for i := range map[string]int{"long": 5000, "longest": 20_000}[req.Question] {
			parts = append(parts, fmt.Sprintf("字%d,", i))
		}
		fallthrough
	default:
		if err := say(parts...); err != nil {
			return pipeline.Outcome{}, err
		}
	}
	return answered(strings.Join(parts, "")), nil
}

func answered(text string) pipeline.Outcome {
	return pipeline.Outcome{
		Answer: text, References: references(), HitType: core.HitRAG,
		Citations:  []core.Citation{{Number: 1, Document: "handbook.md", ChunkID: "chunk-1", Quote: "5 days", AnswerEnd: 9, SourceStart: 15, SourceEnd: 21, Supported: true}},
		Confidence: core.Confidence{Score: .85, Level: core.LevelHigh, Probability: .9, Evidence: .85, Generation: .85, Status: "verified", Reasons: []string{"strong evidence"}},
		Timings:    []core.Timing{{Stage: "chunk_search_parallel", ElapsedMS: 1.5}, {Stage: "chat_completion_stream", ElapsedMS: 2, Note: "degraded: slow"}},
		Notes:      []core.TraceNote{{Stage: "plan", Key: "top_k", Value: "50"}},
	}
}

func searched(req pipeline.Request) pipeline.Outcome {
	var out pipeline.Outcome
	for i, score := range []float64{.9, .5, .1} {
		out.Ranked = append(out.Ranked, retrieve.Found{
			Chunk: core.Chunk{ID: fmt.Sprintf("chunk-%d", i), Content: "text", Type: core.ChunkText}, Score: score,
			Document: core.Document{Name: "handbook.md"}, Steps: []retrieve.Step{{Name: "keyword", Value: score}},
		})
	}
	vector := out.Ranked[2]
	vector.Steps = []retrieve.Step{{Name: "vector", Value: .95}, {Name: "fused", Value: .1}}
	out.Debug = &pipeline.Debug{
		Question: req.Question + " in full", Understanding: pipeline.Understanding{Intent: pipeline.IntentFollowUp, Rewritten: true, Reason: "carried"},
		Plan: pipeline.Plan{TopK: 50, Keep: 10, Reason: "documents"}, Bases: []core.KnowledgeBase{{ID: "default", Name: "default", ActiveVersion: 3}},
		Explain: retrieve.Explain{Terms: []string{"q"}, Method: retrieve.WeightedSum}, Variants: []retrieve.Variant{{Text: "q2", Reason: "codes", Weight: .5}},
		Fused: []retrieve.Found{out.Ranked[1], out.Ranked[0], vector}, Candidates: out.Ranked, Reranked: out.Ranked[:2], Merged: out.Ranked[:1],
	}
	return out
}

// shelf takes documents and keeps their names and contents.
type shelf struct {
	db *store.DB

	mu       sync.Mutex
	contents map[string]string // by document id
	sources  []string
	counts   native.Counts
	changed  chan struct{}
}

func newShelf(db *store.DB) *shelf {
	return &shelf{db: db, contents: map[string]string{}, changed: make(chan struct{})}
}

// AddDocument reads a document; "bad" in its name makes it corrupt.
func (s *shelf) AddDocument(_ context.Context, _ core.Scope, req native.AddRequest) (core.Document, bool, error) {
	data, err := io.ReadAll(req.Data)
	if err != nil {
		return core.Document{}, false, err
	}
	if strings.Contains(req.Name, "bad") {
		return core.Document{}, false, core.Errorf(core.CodeCorrupt, "the file is damaged")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sources = append(s.sources, req.Source+"|"+req.FolderID)
	for id, c := range s.contents {
		if c == string(data) {
			return core.Document{ID: id, BaseID: req.Base, Name: req.Name}, false, nil
		}
	}
	id := core.NewID()
	s.contents[id] = string(data)
	s.counts.Queued++
	close(s.changed)
	s.changed = make(chan struct{})
	return core.Document{ID: id, BaseID: req.Base, Name: req.Name, Size: int64(len(data)), State: core.DocumentQueued}, true, nil
}

// reading gives what the shelf holds as it was added.
type reading struct{ *store.DB }

func (r reading) Original(ctx context.Context, scope core.Scope, id string) (core.Document, []byte, error) {
	d, err := r.Document(ctx, scope, id)
	return d, []byte("original"), err
}

func (s *shelf) DeleteDocument(_ context.Context, _ core.Scope, _ string) error { return nil }

func (s *shelf) CreateBase(ctx context.Context, scope core.Scope, b core.KnowledgeBase) (core.KnowledgeBase, error) {
	b.ID, b.TenantID, b.DatasetID = core.NewID(), scope.TenantID, core.DefaultDatasetID
	return b, s.db.CreateBase(ctx, b)
}

func (s *shelf) DeleteBase(ctx context.Context, scope core.Scope, id string) error {
	return s.db.DeleteBase(ctx, scope, id)
}

func (s *shelf) Progress(context.Context, core.Scope, string) (native.Counts, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts, nil
}

func (s *shelf) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// send makes a request and reads the whole answer.
func (w *world) send(t testing.TB, method, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	resp := w.begin(t.Context(), t, method, path, body, header...)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp, string(b)
}

// begin makes a request; the caller closes the body.
func (w *world) begin(ctx context.Context, t testing.TB, method, path, body string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for pair := range slices.Chunk(header, 2) {
		req.Header.Set(pair[0], pair[1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp
}

// get reads JSON and fails on anything but 2xx.
func get[T any](t testing.TB, w *world, method, path, body string) T {
	t.Helper()
	resp, text := w.send(t, method, path, body)
	var v T
	if resp.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, resp.StatusCode, text)
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
	return v
}

func (w *world) session(t testing.TB) string {
	t.Helper()
	return get[core.Session](t, w, "POST", "/api/v1/sessions", "{}").ID
}

// ask asks and reads the stream to its end.
func (w *world) ask(t testing.TB, session, question string) string {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"query": question})
	resp, text := w.send(t, "POST", "/api/v1/sessions/"+session+"/knowledge-qa", string(body))
	if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("%d %s", resp.StatusCode, text)
	}
	return text
}

// event is one event of a transcript.
type event struct {
	seq  int64
	data native.Event
}

// parse reads a transcript.
func parse(t testing.TB, transcript string) []event {
	t.Helper()
	var events []event
	for block := range strings.SplitSeq(strings.TrimSuffix(transcript, "\n\n"), "\n\n") {
		if strings.HasPrefix(block, ":") || block == "" {
			continue
		}
		var e event
		var data string
		if _, err := fmt.Sscanf(block, "id: %d\nevent: message\n", &e.seq); err != nil {
			t.Fatalf("block %q: %v", block, err)
		}
		_, data, _ = strings.Cut(block, "\ndata: ")
		if err := json.Unmarshal([]byte(data), &e.data); err != nil {
			t.Fatalf("data %q: %v", data, err)
		}
		events = append(events, e)
	}
	return events
}

func textOf(events []event) string {
	var text strings.Builder
	for _, e := range events {
		if e.data.Type == core.EventAnswer {
			text.WriteString(e.data.Content)
		}
	}
	return text.String()
}

var (
	uuids     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	durations = regexp.MustCompile(`"total_duration_ms":[0-9.e-]+`)
	created   = regexp.MustCompile(`"created":\d+`)
	times     = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`)
)

// stable gives text names for what differs between runs.
func stable(text string) string {
	names := map[string]string{}
	text = uuids.ReplaceAllStringFunc(text, func(id string) string {
		if names[id] == "" {
			names[id] = fmt.Sprintf("id-%d", len(names)+1)
		}
		return names[id]
	})
	text = times.ReplaceAllString(text, `"TIME"`)
	return durations.ReplaceAllString(text, `"total_duration_ms":0`)
}

// readUntil reads a stream until it has seen marker.
func readUntil(t testing.TB, r io.Reader, marker string) string {
	t.Helper()
	var seen bytes.Buffer
	one := make([]byte, 1)
	for !strings.HasSuffix(seen.String(), marker) {
		if _, err := r.Read(one); err != nil {
			t.Fatalf("waiting for %q after %q: %v", marker, seen.String(), err)
		}
		seen.WriteByte(one[0])
	}
	return seen.String()
}

// example has nothing to load.
type example struct{}

func (example) LoadExample(context.Context, core.Scope) (native.Example, error) {
	return native.Example{AssistantID: "hr-it"}, nil
}

// still is an engine that holds nothing.
type still struct{}

func (still) Refresh(context.Context, string) error { return nil }
func (still) Drop(string)                           {}
func (still) Wake()                                 {}
func (still) Reembed()                              {}
func (still) Cancel(string)                         {}
