package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"kaoju/internal/api/native"
	"kaoju/internal/api/ws"
	"kaoju/internal/auth"
	"kaoju/internal/core"
)

// socket is a client of /api/stream.
type socket struct {
	*websocket.Conn
	t testing.TB
}

// told is any event of the protocol.
type told struct {
	ws.Head
	Token   string    `json:"token"`
	Message string    `json:"message"`
	Code    core.Code `json:"code"`
	Answer  string    `json:"answer"`
	State   string    `json:"state"`
	Replay  bool      `json:"replay"`
}

func (w *world) dial(t testing.TB, options *websocket.DialOptions) *socket {
	t.Helper()
	return dial(t, w.url, options)
}

func dial(t testing.TB, url string, options *websocket.DialOptions) *socket {
	t.Helper()
	conn, resp, err := websocket.Dial(t.Context(), url+"/api/stream", options)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body != nil {
		resp.Body.Close()
	}
	conn.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &socket{conn, t}
}

func (s *socket) say(format string, args ...any) {
	s.t.Helper()
	if err := s.Write(s.t.Context(), websocket.MessageText, fmt.Appendf(nil, format, args...)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *socket) raw() []byte {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer cancel()
	_, data, err := s.Read(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return data
}

func (s *socket) next() told {
	s.t.Helper()
	var e told
	if err := json.Unmarshal(s.raw(), &e); err != nil {
		s.t.Fatal(err)
	}
	return e
}

// rest reads up to the event that ends a question.
func (s *socket) rest() (events []told, text string) {
	s.t.Helper()
	for {
		e := s.next()
		events = append(events, e)
		text += e.Token
		if e.Type == "end" || e.Type == "error" {
			return events, text
		}
	}
}

// closed reads up to the end of the connection and gives its code.
func (s *socket) closed() websocket.StatusCode {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer cancel()
	for {
		if _, _, err := s.Read(ctx); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

func TestWebSocketTranscript(t *testing.T) {
	w := open(t)
	s := w.dial(t, nil)
	s.say(`{"query":"年假几天？"}`)
	var transcript strings.Builder
	for {
		line := s.raw()
		transcript.Write(line)
		transcript.WriteByte('\n')
		if strings.HasPrefix(string(line), `{"type":"end"`) {
			break
		}
	}
	text := stable(transcript.String())
	for _, d := range []string{"first_token_ms", "total_elapsed_ms", "processing_time"} {
		text = replaceNumber(text, d)
	}
	golden(t, "websocket", text)
}

func replaceNumber(text, field string) string {
	before, after, ok := strings.Cut(text, `"`+field+`":`)
	if !ok {
		return text
	}
	return before + `"` + field + `":0` + strings.TrimLeft(after, "0123456789.e-")
}

// Several questions on one connection: one after the other in a session, and
// two at once.
func TestWebSocketSeveralQuestions(t *testing.T) {
	w := open(t)
	s := w.dial(t, nil)
	s.say(`{"query":"q"}`)
	events, text := s.rest()
	last := events[len(events)-1]
	if text != scripted || last.Answer != text || last.State != "complete" {
		t.Fatalf("streamed %q, end %+v", text, last)
	}
	session := last.SessionID
	s.say(`{"query":"again","session_id":%q}`, session)
	if events, text = s.rest(); text != scripted || events[0].SessionID != session || events[0].Type != "start" || events[0].Seq != 1 {
		t.Fatalf("the second question: %+v", events)
	}
	// History is stored before the end is told.
	m := get[core.Message](t, w, "GET", "/api/v1/messages/"+events[0].MessageID, "")
	if m.State != core.MessageComplete || m.Order != 4 {
		t.Fatalf("message %+v", m)
	}
	s.say(`{"query":"hang","session_id":%q}`, session)
	first := s.next()
	s.say(`{"query":"hang","session_id":%q}`, session)
	texts := map[string]string{}
	for texts[first.MessageID] != "half" || len(texts) < 2 {
		e := s.next()
		texts[e.MessageID] += e.Token
	}
	s.say(`{"query":"one too many"}`)
	for e := s.next(); e.Type != "error" || e.Code != core.CodeBusy; e = s.next() {
		if e.Type == "error" {
			t.Fatalf("event %+v", e)
		}
	}
}

// TestWebSocketResumeAtEveryEvent breaks the connection after each event and
// takes the answer up on another one.
func TestWebSocketResumeAtEveryEvent(t *testing.T) {
	w := open(t)
	s := w.dial(t, nil)
	s.say(`{"query":"wait"}`)
	e := s.next()
	message, text := e.MessageID, ""
	for e.Type != "end" {
		_ = s.CloseNow()
		s = w.dial(t, nil)
		s.say(`{"resume":{"message_id":%q,"after":%d}}`, message, e.Seq)
		if e.Seq >= 2 && e.Seq < 6 {
			w.script.gate <- struct{}{}
		}
		next := s.next()
		if next.Seq != e.Seq+1 {
			t.Fatalf("event %d follows %d", next.Seq, e.Seq)
		}
		e, text = next, text+next.Token
	}
	if text != scripted || e.Answer != text {
		t.Fatalf("read %q, end %+v", text, e)
	}
	for _, bad := range []string{`{"resume":{"message_id":"nothing"}}`, `{"resume":{"message_id":"` + message + `","after":99}}`} {
		s.say("%s", bad)
		if e := s.next(); e.Type != "error" || e.Code == "" {
			t.Errorf("%s: %+v", bad, e)
		}
	}
}

func TestWebSocketStop(t *testing.T) {
	w := open(t)
	s := w.dial(t, nil)
	s.say(`{"query":"hang"}`)
	e := s.next()
	for e.Token == "" {
		e = s.next()
	}
	s.say(`{"stop":{"message_id":%q}}`, e.MessageID)
	if events, _ := s.rest(); events[0].State != "stopped" || events[0].Answer != "half" {
		t.Fatalf("after the stop: %+v", events)
	}
}

// TestWebSocketWrongMessages shows that what is wrong with a message does not
// end the connection.
func TestWebSocketWrongMessages(t *testing.T) {
	w := open(t)
	s := w.dial(t, nil)
	for message, code := range map[string]core.Code{
		`{`: core.CodeInvalid, `[]`: core.CodeInvalid, `{}`: core.CodeInvalid, `{"query":7}`: core.CodeInvalid,
		`{"query":"q","scenario_id":"other"}`:                      core.CodeNotFound,
		`{"query":"q","kb_version":"1"}`:                           core.CodeInvalid,
		`{"query":"q","top_k":101}`:                                core.CodeInvalid,
		`{"query":"q","tenant_id":"other"}`:                        core.CodeForbidden,
		`{"query":"q","source_filter":"nowhere"}`:                  core.CodeNotFound,
		`{"query":"q","dataset_id":"x","source_filter":"default"}`: core.CodeNotFound, // narrowed away
		`{"query":"fail"}`:                                         core.CodeUnavailable,
		`{"stop":{"message_id":"nobody"}}`:                         core.CodeNotFound,
	} {
		s.say("%s", message)
		events, _ := s.rest()
		if last := events[len(events)-1]; last.Type != "error" || last.Code != code || last.Message == "" {
			t.Errorf("%s: %+v", message, last)
		}
	}
	s.say(`{"query":"q","tenant_id":"default","dataset_id":"default","visibility":"internal","user_roles":["owner"],"source_filter":"default"}`)
	if _, text := s.rest(); text != scripted {
		t.Errorf("at last: %q", text)
	}
}

// A79: a channel whose session was deleted goes on in a new one.
func TestWebSocketDeletedSession(t *testing.T) {
	w := open(t)
	s := w.dial(t, nil)
	s.say(`{"query":"q"}`)
	events, _ := s.rest()
	old := events[0].SessionID
	if resp, body := w.send(t, "DELETE", "/api/v1/sessions/"+old, ""); resp.StatusCode != 204 {
		t.Fatal(body)
	}
	s.say(`{"query":"q","session_id":%q}`, old)
	if events, text := s.rest(); text != scripted || events[0].SessionID == old || events[0].SessionID == "" {
		t.Fatalf("after the deletion: %+v", events)
	}
}

func TestWebSocketCloseCodes(t *testing.T) {
	w := open(t)
	s := w.dial(t, nil)
	s.say(`{"query":%q}`, strings.Repeat("x", 5000))
	if code := s.closed(); code != websocket.StatusMessageTooBig {
		t.Errorf("a large message: %d", code)
	}
	s = w.dial(t, nil)
	if err := s.Write(t.Context(), websocket.MessageBinary, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if code := s.closed(); code != websocket.StatusUnsupportedData {
		t.Errorf("a binary message: %d", code)
	}
	busy, idle := w.dial(t, nil), w.dial(t, nil)
	busy.say(`{"query":"hang"}`)
	e := busy.next()
	closed := make(chan error, 1)
	go func() { closed <- w.sockets.Close(context.Background()) }()
	if code := idle.closed(); code != websocket.StatusGoingAway {
		t.Errorf("a connection that does nothing at the end: %d", code)
	}
	if _, err := w.chat.Stop(t.Context(), core.OwnerScope(), "", e.MessageID); err != nil {
		t.Fatal(err)
	}
	if events, _ := busy.rest(); events[len(events)-1].State != "stopped" {
		t.Errorf("the answer at the end: %+v", events)
	}
	if code := busy.closed(); code != websocket.StatusGoingAway {
		t.Errorf("a connection after its last answer: %d", code)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	resp, body := w.send(t, "GET", "/api/stream", "", "Upgrade", "websocket", "Connection", "Upgrade")
	checkProblem(t, "a late connection", resp, body, core.CodeUnavailable)
}

func TestWebSocketIdle(t *testing.T) {
	w := open(t)
	sockets := ws.New(ws.Options{Chat: w.chat, Idle: 30 * time.Millisecond, Heartbeat: time.Millisecond})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_ = sockets.Serve(rw, r.WithContext(auth.WithScope(r.Context(), core.OwnerScope())))
	}))
	defer server.Close()
	s := dial(t, server.URL, nil)
	s.say(`{"query":"wait"}`) // while an answer is written, nothing is idle
	for range 4 {
		w.script.gate <- struct{}{}
	}
	if _, text := s.rest(); text != scripted {
		t.Errorf("read %q", text)
	}
	if code := s.closed(); code != ws.CloseIdle {
		t.Errorf("closed with %d", code)
	}
	if err := sockets.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestWebSocketOriginAndKey(t *testing.T) {
	const key = "a key, with signs"
	w := open(t, func(a *auth.Options, _ *native.Options) { a.Keys, a.Hosts = []string{key}, []string{"kb.example"} })
	offer := []string{auth.Subprotocol, "kaoju.key." + base64.RawURLEncoding.EncodeToString([]byte(key))}
	for _, c := range []struct {
		name, origin string
		protocols    []string
		status       int
	}{
		{"no browser", "", offer, 101},
		{"own page", w.url, offer, 101},
		{"page of a public host", "https://kb.example", offer, 101},
		{"foreign page", "https://evil.example", offer, 403},
		{"opaque page", "null", offer, 403},
		{"no key", w.url, offer[:1], 401},
		{"wrong key", w.url, []string{"kaoju", "kaoju.key.eA"}, 401},
		{"broken key", w.url, []string{"kaoju", "kaoju.key.=="}, 401},
	} {
		header := http.Header{}
		if c.origin != "" {
			header.Set("Origin", c.origin)
		}
		conn, resp, err := websocket.Dial(t.Context(), w.url+"/api/stream", &websocket.DialOptions{HTTPHeader: header, Subprotocols: c.protocols})
		if resp == nil || resp.StatusCode != c.status || (err == nil) != (c.status == 101) {
			t.Errorf("%s: %v, %v", c.name, resp, err)
		}
		if conn != nil {
			if conn.Subprotocol() != auth.Subprotocol {
				t.Errorf("%s: the subprotocol is %q", c.name, conn.Subprotocol())
			}
			_ = conn.CloseNow()
		}
	}
	resp, body := open(t).send(t, "GET", "/api/stream", "")
	checkProblem(t, "no upgrade", resp, body, core.CodeInvalid)
}
