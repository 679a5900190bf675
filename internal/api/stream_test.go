package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kaoju/internal/api/native"
	"kaoju/internal/auth"
	"kaoju/internal/core"
)

var update = flag.Bool("update", false, "rewrite the golden transcripts")

// golden compares a transcript with its file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it); got:\n%s", path, got)
	}
}

func TestTranscripts(t *testing.T) {
	for _, tc := range []struct{ name, question string }{
		{"answer", "年假几天？"},
		{"error", "fail"},
		{"panic", "panic"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := open(t)
			golden(t, tc.name, stable(w.ask(t, w.session(t), tc.question)))
		})
	}
}

func TestTranscriptOfAStop(t *testing.T) {
	w := open(t)
	session := w.session(t)
	resp := w.begin(t.Context(), t, "POST", "/api/v1/sessions/"+session+"/knowledge-qa", `{"query":"hang"}`)
	defer resp.Body.Close()
	stream := bufio.NewReader(resp.Body)
	head := readUntil(t, stream, `"half"`) + readUntil(t, stream, "\n\n")
	id := parse(t, head)[0].data.MessageID
	got := get[native.StopResult](t, w, "POST", "/api/v1/sessions/"+session+"/stop", `{"message_id":"`+id+`"}`)
	if got.State != core.MessageStopped {
		t.Fatalf("state %s", got.State)
	}
	var rest strings.Builder
	if _, err := stream.WriteTo(&rest); err != nil {
		t.Fatal(err)
	}
	golden(t, "stop", stable(head+rest.String()))
	again := get[native.StopResult](t, w, "POST", "/api/v1/sessions/"+session+"/stop", `{"message_id":"`+id+`"}`)
	if again.State != core.MessageStopped {
		t.Fatalf("a second stop: %s", again.State)
	}
}

func TestStreamHeaders(t *testing.T) {
	w := open(t)
	resp, _ := w.send(t, "POST", "/api/v1/sessions/"+w.session(t)+"/knowledge-qa", `{"query":"q"}`)
	for name, want := range map[string]string{
		"Content-Type":      "text/event-stream; charset=utf-8",
		"Cache-Control":     "no-store",
		"X-Accel-Buffering": "no",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// A18, A31: TestReconnectAtEveryEvent breaks the connection after each event of a
// running answer, and takes it up again by each of the two ways.
func TestReconnectAtEveryEvent(t *testing.T) {
	w := open(t)
	session := w.session(t)
	ctx, leave := context.WithCancel(t.Context())
	resp := w.begin(ctx, t, "POST", "/api/v1/sessions/"+session+"/knowledge-qa", `{"query":"wait"}`)
	seen := parse(t, readUntil(t, resp.Body, "\n\n"))
	leave()
	resp.Body.Close()
	message := seen[0].data.MessageID
	for i := 0; !seen[len(seen)-1].data.Type.Terminal(); i++ {
		last := seen[len(seen)-1].seq
		path, header := continuePath(session, message), []string{"Last-Event-ID", fmt.Sprint(last)}
		if i%2 == 0 {
			path, header = path+fmt.Sprintf("&after=%d", last), nil
		}
		ctx, leave := context.WithCancel(t.Context())
		resp := w.begin(ctx, t, "GET", path, "", header...)
		if last >= 2 && last < 6 { // one increment after the references
			w.script.gate <- struct{}{}
		}
		next := parse(t, readUntil(t, resp.Body, "\n\n"))
		leave()
		resp.Body.Close()
		if next[0].seq != last+1 {
			t.Fatalf("event %d follows %d", next[0].seq, last)
		}
		seen = append(seen, next...)
	}
	m := get[core.Message](t, w, "GET", "/api/v1/messages/"+message, "")
	if textOf(seen) != m.Content || m.State != core.MessageComplete || len(seen) != 7 {
		t.Fatalf("%d events; streamed %q, stored %q (%s)", len(seen), textOf(seen), m.Content, m.State)
	}
}

func continuePath(session, message string) string {
	return "/api/v1/sessions/continue-stream/" + session + "?message_id=" + message
}

// A31, fault 16: an answer can be read again from any event.
func TestContinueAFinishedAnswer(t *testing.T) {
	w := open(t)
	session := w.session(t)
	whole := w.ask(t, session, "q")
	events := parse(t, whole)
	path := continuePath(session, events[0].data.MessageID)
	if _, again := w.send(t, "GET", path, ""); again != whole {
		t.Errorf("told again it differs:\n%s", again)
	}
	for i, e := range events {
		resp, rest := w.send(t, "GET", path, "", "Last-Event-ID", fmt.Sprint(e.seq))
		if got := parse(t, rest); len(got) != len(events)-i-1 || (resp.StatusCode == http.StatusNoContent) != (len(got) == 0) {
			t.Errorf("after %d come %d events, status %d", e.seq, len(got), resp.StatusCode)
		}
	}
}

// Fault 3: without a title that is due, the terminal event closes the stream.
func TestSecondQuestionClosesAtTheTerminalEvent(t *testing.T) {
	w := open(t)
	session := w.session(t)
	first, second := parse(t, w.ask(t, session, "q")), parse(t, w.ask(t, session, "q"))
	if last := first[len(first)-1].data; last.Type != core.EventSessionTitle || last.Content != "q" {
		t.Errorf("the first ends in %+v", last)
	}
	if last := second[len(second)-1].data; last.Type != core.EventComplete {
		t.Errorf("the second ends in %+v", last)
	}
}

// Fault 4: TestRestart tells finished and interrupted answers from the store.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	var session, done, cut string
	t.Run("before", func(t *testing.T) {
		w := openAt(t, dir)
		session = w.session(t)
		done = parse(t, w.ask(t, session, "q"))[0].data.MessageID
		// An answer that a crash leaves behind: begun, checkpointed, no more.
		q := core.Message{ID: core.NewID(), SessionID: session, RequestID: core.NewID(), Role: core.RoleUser, Content: "q"}
		a := core.Message{ID: core.NewID(), SessionID: session, RequestID: q.RequestID, Role: core.RoleAssistant}
		if _, err := w.db.BeginRound(t.Context(), core.OwnerScope(), core.NewRound{Question: q, Answer: a}); err != nil {
			t.Fatal(err)
		}
		a.Content, a.References = "half an ans", references()
		if err := w.db.CheckpointMessage(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		cut = a.ID
	})
	t.Run("after", func(t *testing.T) {
		w := openAt(t, dir)
		_, whole := w.send(t, "GET", continuePath(session, done), "")
		golden(t, "replay", stable(whole))
		_, half := w.send(t, "GET", continuePath(session, cut)+"&after=1", "")
		golden(t, "replay_interrupted", stable(half))
	})
}

func TestTwoReadersAndASlowOne(t *testing.T) {
	w := open(t)
	session := w.session(t)
	resp := w.begin(t.Context(), t, "POST", "/api/v1/sessions/"+session+"/knowledge-qa", `{"query":"long"}`)
	defer resp.Body.Close() // the slow one: it reads only when all is over
	head := readUntil(t, resp.Body, "\n\n")
	message := parse(t, head)[0].data.MessageID
	texts := make([]string, 2)
	var wg sync.WaitGroup
	for i := range texts {
		wg.Go(func() {
			_, body := w.send(t, "GET", continuePath(session, message), "")
			texts[i] = textOf(parse(t, body))
		})
	}
	wg.Wait()
	var rest strings.Builder
	if _, err := bufio.NewReader(resp.Body).WriteTo(&rest); err != nil {
		t.Fatal(err)
	}
	slow := textOf(parse(t, head+rest.String()))
	m := get[core.Message](t, w, "GET", "/api/v1/messages/"+message, "")
	if texts[0] != m.Content || texts[1] != m.Content || slow != m.Content || len(m.Content) < 30_000 {
		t.Fatalf("read %d, %d and %d bytes of %d", len(texts[0]), len(texts[1]), len(slow), len(m.Content))
	}
}

func TestReaderThatLeavesDoesNotEndTheAnswer(t *testing.T) {
	w := open(t)
	session := w.session(t)
	ctx, leave := context.WithCancel(t.Context())
	resp := w.begin(ctx, t, "POST", "/api/v1/sessions/"+session+"/knowledge-qa", `{"query":"wait"}`)
	message := parse(t, readUntil(t, resp.Body, "\n\n"))[0].data.MessageID
	leave()
	resp.Body.Close()
	for range 4 {
		w.script.gate <- struct{}{}
	}
	_, body := w.send(t, "GET", continuePath(session, message), "")
	events := parse(t, body)
	if events[len(events)-2].data.Type != core.EventComplete || textOf(events) == "" {
		t.Fatalf("transcript:\n%s", body)
	}
}

// TestHeartbeat runs the handler inside a bubble of fake time.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changed := make(chan struct{})
		n := native.New(native.Options{Progress: stillProgress(changed)})
		resp, err := n.FollowProgress(t.Context(), &native.ProgressInput{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithTimeout(auth.WithScope(t.Context(), core.OwnerScope()), 46*time.Second)
		defer leave()
		rec := httptest.NewRecorder()
		req := httptest.NewRequest(http.MethodGet, "/", http.NoBody).WithContext(ctx)
		resp.Body(contextOf(req, rec))
		want := "event: progress\ndata: {\"queued\":1,\"processing\":0,\"ready\":0,\"failed\":0}\n\n" + strings.Repeat(": still here\n\n", 3)
		if rec.Body.String() != want {
			t.Fatalf("got %q", rec.Body.String())
		}
	})
}

// stillProgress never changes.
type stillProgress chan struct{}

func (stillProgress) Progress(context.Context, core.Scope, string) (native.Counts, error) {
	return native.Counts{Queued: 1}, nil
}

func (c stillProgress) Changed() <-chan struct{} { return c }

func TestProgressStream(t *testing.T) {
	w := open(t)
	resp := w.begin(t.Context(), t, "GET", "/api/v1/ingest/progress/stream?knowledge_base_id=default", "")
	defer resp.Body.Close()
	if first := readUntil(t, resp.Body, "\n\n"); !strings.Contains(first, `"queued":0`) {
		t.Fatalf("got %q", first)
	}
	body, _ := json.Marshal(map[string]string{"name": "a.md", "content": "text"})
	if resp, text := w.send(t, "POST", "/api/v1/knowledge-bases/default/documents/text", string(body)); resp.StatusCode != 200 {
		t.Fatal(text)
	}
	if next := readUntil(t, resp.Body, "\n\n"); !strings.Contains(next, `"queued":1`) {
		t.Fatalf("got %q", next)
	}
}

// A progress stream has no end of its own: it ends when the server stops, and
// does not hold that up.
func TestProgressStreamEndsWithTheServer(t *testing.T) {
	closing := make(chan struct{})
	w := open(t, func(_ *auth.Options, n *native.Options) { n.Closing = closing })
	resp := w.begin(t.Context(), t, "GET", "/api/v1/ingest/progress/stream", "")
	defer resp.Body.Close()
	readUntil(t, resp.Body, "\n\n")
	close(closing)
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
		t.Errorf("after the end: %q, %v", rest, err)
	}
}

func TestIdleStreamIsKeptAwake(t *testing.T) {
	w := open(t, func(_ *auth.Options, n *native.Options) { n.Heartbeat = time.Millisecond })
	resp := w.begin(t.Context(), t, "POST", "/api/v1/sessions/"+w.session(t)+"/knowledge-qa", `{"query":"hang"}`)
	defer resp.Body.Close()
	transcript := readUntil(t, resp.Body, ": still here\n\n: still here\n\n")
	if events := parse(t, transcript); textOf(events) != "half" {
		t.Fatalf("a comment is no event: %q", transcript)
	}
}
