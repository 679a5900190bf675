package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"kaoju/internal/api/native"
	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/eventlog/redistest"
)

// slowModel is a chat model that writes more than one checkpoint holds, a
// little more, and then nothing until it is let go on.
type slowModel struct {
	url  string
	goOn chan struct{}
}

// written is what it writes before it waits.
var written = strings.Repeat("员工每年有十五天年假。", 100) + "未完"

func newSlowModel(t *testing.T) *slowModel {
	t.Helper()
	m := &slowModel{goOn: make(chan struct{})}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that a client that left is noticed
		w.Header().Set("Content-Type", "text/event-stream")
		say := func(text string) {
			encoded, _ := json.Marshal(text)
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", encoded)
			_ = http.NewResponseController(w).Flush()
		}
		say(strings.TrimSuffix(written, "未完"))
		say("未完")
		select {
		case <-m.goOn:
			say("，完了。")
			fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		case <-r.Context().Done():
		}
	}))
	m.url = s.URL
	t.Cleanup(s.Close)
	return m
}

// asked is a question whose answer is being read.
type asked struct {
	t       *testing.T
	server  *server
	session string
	message string
	lines   *bufio.Scanner
	body    io.Closer
	last    int64 // number of the last event
	text    string
}

// ask asks a question that the handbook has an answer to.
func (s *server) ask(t *testing.T) *asked {
	t.Helper()
	var session core.Session
	s.call(t, "POST", "/api/v1/sessions", `{"title":"t"}`, &session)
	a := &asked{t: t, server: s, session: session.ID}
	resp, err := http.Post(s.url+"/api/v1/sessions/"+session.ID+"/knowledge-qa", "application/json", strings.NewReader(`{"query":"员工每年有几天年假？"}`))
	if err != nil {
		t.Fatal(err)
	}
	a.follow(resp)
	return a
}

func (a *asked) follow(resp *http.Response) {
	a.t.Helper()
	if resp.StatusCode != http.StatusOK {
		a.t.Fatal(resp.Status)
	}
	a.t.Cleanup(func() { resp.Body.Close() })
	a.lines, a.body = bufio.NewScanner(resp.Body), resp.Body
	a.lines.Buffer(nil, 1<<20)
}

// resume comes back to a server, after the last event.
func (a *asked) resume(s *server) {
	a.t.Helper()
	a.body.Close()
	resp, err := http.Get(fmt.Sprintf("%s/api/v1/sessions/continue-stream/%s?message_id=%s&after=%d", s.url, a.session, a.message, a.last))
	if err != nil {
		a.t.Fatal(err)
	}
	a.server = s
	a.follow(resp)
}

// until reads to an event of a kind, or of another that ends the answer.
func (a *asked) until(kind core.EventType, text string) native.Event {
	a.t.Helper()
	for a.lines.Scan() {
		if id, ok := strings.CutPrefix(a.lines.Text(), "id: "); ok {
			_, _ = fmt.Sscan(id, &a.last)
		}
		data, ok := strings.CutPrefix(a.lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e native.Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			a.t.Fatal(err)
		}
		a.message = e.MessageID
		switch e.Type {
		case core.EventAgentQuery:
			a.text = ""
		case core.EventAnswer:
			a.text += e.Content
		}
		if e.Type == kind && strings.HasSuffix(a.text, text) || e.Type.Terminal() {
			return e
		}
	}
	a.t.Fatalf("the stream ended: %v", a.lines.Err())
	return native.Event{}
}

func (a *asked) stored() core.Message {
	a.t.Helper()
	var m core.Message
	a.server.call(a.t, "GET", "/api/v1/messages/"+a.message, "", &m)
	return m
}

func (s *server) call(t *testing.T, method, path, body string, out any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil || resp.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %s, %v", method, path, resp.Status, err)
	}
}

// answering starts a server whose model has begun an answer.
func answering(t *testing.T, args ...string) (data string, m *slowModel, a *asked) {
	t.Helper()
	data, m = t.TempDir(), newSlowModel(t)
	if r := kaoju(t, "ingest", "--data", data, handbook(t)); r.code != exitOK {
		t.Fatal(r.err)
	}
	s := startServer(t, data, append([]string{"--chat-model-base-url", m.url, "--chat-model-name", "m"}, args...)...)
	a = s.ask(t)
	if e := a.until(core.EventAnswer, "未完"); e.Type != core.EventAnswer {
		t.Fatalf("the answer did not begin: %+v", e)
	}
	return data, m, a
}

// Fault 4: kill -9 in the middle of an answer. After the restart the answer is
// complete with what was kept, references too, says that it was interrupted,
// and so does continue-stream.
func TestKillInTheMiddleOfAnAnswer(t *testing.T) {
	data, _, a := answering(t)
	var m core.Message
	for m.Content == "" { // until the first checkpoint, which is on its way
		m = a.stored()
	}
	_ = a.server.stop(t, syscall.SIGKILL)
	a.resume(startServer(t, data))
	var end chat.Stopped
	e := a.until(core.EventStop, "")
	if err := json.Unmarshal(e.Data, &end); err != nil || e.Type != core.EventStop || end.Reason != core.MessageInterrupted {
		t.Errorf("after the restart: %+v, %v", e, err)
	}
	m = a.stored()
	if m.State != core.MessageInterrupted || !strings.HasPrefix(written, m.Content) || len(m.Content) < 2048 || a.text != m.Content || len(m.References) == 0 {
		t.Errorf("kept %s, %d bytes, told %d bytes, %d references", m.State, len(m.Content), len(a.text), len(m.References))
	}
}

// Fault 4: where the log outlives the process, nothing that was shown is lost,
// and a reader goes on after the last event that it had.
func TestKillInTheMiddleOfAnAnswerWithRedis(t *testing.T) {
	redis := redistest.Serve(t, false).URL()
	data, _, a := answering(t, "--redis-url", redis)
	seen := a.last
	_ = a.server.stop(t, syscall.SIGKILL)
	a.resume(startServer(t, data, "--redis-url", redis))
	e := a.until(core.EventStop, "")
	m := a.stored()
	if e.Type != core.EventStop || a.last != seen+1 || m.State != core.MessageInterrupted || m.Content != written || a.text != written || len(m.References) == 0 {
		t.Errorf("event %d after %d: %s; kept %s, %d of %d bytes", a.last, seen, e.Type, m.State, len(m.Content), len(written))
	}
}

// SIGTERM lets an answer end for as long as chat.drain says.
func TestTermLetsAnswersEnd(t *testing.T) {
	_, m, a := answering(t, "--chat-drain", "30s")
	ended := make(chan error, 1)
	go func() { ended <- a.server.stop(t, syscall.SIGTERM) }()
	close(m.goOn)
	if e := a.until(core.EventComplete, "完了。"); e.Type != core.EventComplete {
		t.Errorf("the answer ended in %s", e.Type)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// Past that time, SIGTERM interrupts: the reader hears of it, the text is
// kept, and the server ends well.
func TestTermInterruptsWhatDoesNotEnd(t *testing.T) {
	data, _, a := answering(t, "--chat-drain", "100ms")
	begun := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- a.server.stop(t, syscall.SIGTERM) }()
	var end chat.Stopped
	e := a.until(core.EventStop, "")
	if err := json.Unmarshal(e.Data, &end); err != nil || end.Reason != core.MessageInterrupted {
		t.Errorf("the answer ended in %+v, %v", e, err)
	}
	if err := <-ended; err != nil || time.Since(begun) < 100*time.Millisecond {
		t.Errorf("the server ended with %v after %v", err, time.Since(begun))
	}
	a.server = startServer(t, data)
	if m := a.stored(); m.State != core.MessageInterrupted || m.Content != written || len(m.References) == 0 {
		t.Errorf("kept %s, %d bytes, %d references", m.State, len(m.Content), len(m.References))
	}
}

// A page that watches the ingestion does not hold up the end of the server.
func TestTermEndsProgressStreams(t *testing.T) {
	s := startServer(t, t.TempDir())
	resp, err := http.Get(s.url + "/api/v1/ingest/progress/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	if !lines.Scan() {
		t.Fatal("no progress")
	}
	begun := time.Now()
	if err := s.stop(t, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > 1500*time.Millisecond { // connections are cut after 2 s
		t.Errorf("the server needed %v to end", took)
	}
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
}
