package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaoju/internal/client"
	"kaoju/internal/core"
)

// event writes one event of the native stream.
func event(id int, kind, content, rest string) string {
	return fmt.Sprintf("id: %d\nevent: message\ndata: {\"response_type\":%q,\"content\":%q,\"session_id\":\"s\",\"assistant_message_id\":\"m\"%s}\n\n", id, kind, content, rest)
}

const end = `,"data":{"hit_type":"rag","confidence":{"score":0.85,"level":"high"},"citations":[{"number":1,"chunk_id":"c"}],"cited":[{"number":1,"chunk_id":"c"}]}`

// server plays the streams one after the other: the first for the question,
// the others for resumptions. It notes where those took up.
func server(t *testing.T, streams ...string) (c *client.Client, after *[]string) {
	t.Helper()
	after = &[]string{}
	next := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, streams[0])
		streams = streams[1:]
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/sessions", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"id":"s"}`) })
	mux.HandleFunc("POST /api/v1/sessions/s/knowledge-qa", func(w http.ResponseWriter, _ *http.Request) { next(w) })
	mux.HandleFunc("GET /api/v1/sessions/continue-stream/s", func(w http.ResponseWriter, r *http.Request) {
		*after = append(*after, r.URL.Query().Get("after"))
		next(w)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return client.New(s.URL, ""), after
}

func TestAsk(t *testing.T) {
	head := event(1, "agent_query", "", "") + ": heartbeat\n\n" +
		event(2, "references", "", `,"knowledge_references":[{"number":1,"chunk_id":"c"},{"number":2,"chunk_id":"d"}]`)
	tests := []struct {
		name    string
		streams []string
		after   string
		code    core.Code
	}{
		{"in one go", []string{head + event(3, "answer", "five ", "") + event(4, "answer", "days", "") + event(5, "complete", "", end)}, "", ""},
		{"resumed after a break", []string{head + event(3, "answer", "five ", ""), event(4, "answer", "days", "") + event(5, "complete", "", end)}, "3", ""},
		{"replayed after a restart", []string{head + event(3, "answer", "five ", ""),
			event(1, "agent_query", "", `,"data":{"replay":true}`) + event(2, "references", "", `,"knowledge_references":[{"number":1,"chunk_id":"c"},{"number":2,"chunk_id":"d"}]`) +
				event(3, "answer", "five days", "") + event(4, "complete", "", end)}, "3", ""},
		{"an error event", []string{head + event(3, "error", "no model answers", `,"data":{"code":"unavailable"}`)}, "", core.CodeUnavailable},
		{"stopped", []string{head + event(3, "stop", "", "")}, "", core.CodeCanceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, after := server(t, tt.streams...)
			shown := ""
			a, err := c.Ask(t.Context(), client.Question{Text: "q"}, func(s string) { shown += s })
			if core.CodeOf(err) != tt.code {
				t.Fatalf("error %v", err)
			}
			if strings.Join(*after, " ") != tt.after {
				t.Errorf("resumed after %v", *after)
			}
			if tt.code != "" {
				return
			}
			if a.Text != "five days" || shown != a.Text {
				t.Errorf("answer %q, shown %q", a.Text, shown)
			}
			if a.References[0].Number != 1 || a.References[1].Number != 0 {
				t.Errorf("references %+v: only what is cited has a number", a.References)
			}
			if a.HitType != core.HitRAG || a.Confidence.Score != .85 || len(a.Citations) != 1 {
				t.Errorf("answer %+v", a)
			}
		})
	}
}

func TestGivesUpOnAStreamThatAlwaysBreaks(t *testing.T) {
	broken := event(1, "agent_query", "", "")
	c, after := server(t, broken, broken, broken, broken, broken, broken, broken)
	if _, err := c.Ask(t.Context(), client.Question{Text: "q"}, nil); err == nil {
		t.Error("a stream without an end gave an answer")
	}
	if n := len(*after); n == 0 || n > 5 {
		t.Errorf("resumed %d times", n)
	}
}

func TestProblems(t *testing.T) {
	tests := []struct {
		name, contentType, body string
		status                  int
		code                    core.Code
		want                    string
	}{
		{"problem document", "application/problem+json", `{"code":"not_found","detail":"there is no base x"}`, 404, core.CodeNotFound, "there is no base x"},
		{"with fields", "application/problem+json", `{"code":"invalid","detail":"wrong","errors":[{"location":"body.query","message":"expected string"}]}`, 400, core.CodeInvalid, "body.query"},
		{"another server", "text/html", "<html>nginx</html>", 502, core.CodeUnavailable, "is it a Kaoju server?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			}))
			defer s.Close()
			_, err := client.New(s.URL, "").Base(t.Context(), "x")
			if core.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestUploadStreamsTheFile(t *testing.T) {
	content := strings.Repeat("row\n", 1000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, header, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		fmt.Fprintf(w, `{"results":[{"name":%q,"added":%v,"document":{"id":"d","size":%d}}]}`,
			header.Filename, r.FormValue("source") != "" && r.Header.Get("Authorization") == "Bearer k", header.Size)
	}))
	defer s.Close()
	path := filepath.Join(t.TempDir(), "名单.csv")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	c := client.New(s.URL, "k")
	r, err := c.Upload(t.Context(), "default", path, true)
	if err != nil || !r.Added || r.Name != path || r.Document.Size != int64(len(content)) {
		t.Errorf("result %+v, %v", r, err)
	}
	r, err = c.Upload(t.Context(), "default", path+".missing", false)
	if err != nil || r.Code != core.CodeInvalid {
		t.Errorf("a missing file: %+v, %v", r, err)
	}
}

func TestFollowEndsWhenNothingRuns(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, left := range []int{2, 1, 0} {
			fmt.Fprintf(w, "event: progress\ndata: {\"queued\":%d,\"ready\":%d}\n\n", left, 2-left)
		}
	}))
	defer s.Close()
	var left []int
	err := client.New(s.URL, "").Follow(t.Context(), "b", func(p client.Progress) { left = append(left, p.Running()) })
	if err != nil || fmt.Sprint(left) != "[2 1 0]" {
		t.Errorf("progress %v, %v", left, err)
	}
}

// A progress that breaks off gives the server's reason, not the broken stream.
func TestFollowTellsWhyItBroke(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/ingest/progress/stream", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "event: progress\ndata: {\"queued\":2}\n\n")
	})
	mux.HandleFunc("GET /api/v1/ingest/progress", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInsufficientStorage)
		fmt.Fprint(w, `{"code":"disk_full","detail":"documents wait: the disk is full"}`)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	err := client.New(s.URL, "").Follow(t.Context(), "b", func(client.Progress) {})
	if core.CodeOf(err) != core.CodeDiskFull || !strings.Contains(err.Error(), "documents wait") {
		t.Errorf("error %v", err)
	}
}
