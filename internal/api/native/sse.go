package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// Event is the data of one SSE event.
type Event struct {
	ID         string          `json:"id" doc:"the round's request id"`
	Type       core.EventType  `json:"response_type"`
	Content    string          `json:"content" doc:"an increment, never the text so far"`
	Done       bool            `json:"done"`
	References json.RawMessage `json:"knowledge_references,omitempty"`
	SessionID  string          `json:"session_id"`
	MessageID  string          `json:"assistant_message_id"`
	Data       json.RawMessage `json:"data,omitempty"`
}

// stream answers with the events of a turn, until the last or until the
// reader leaves.
func (h *Handlers) stream(m core.Message, tail *chat.Tail) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		out := newSSE(w)
		for h.relay(r.Context(), out, m, tail) == nil {
		}
	}}
}

// relay passes on what comes next, or a comment when nothing came for a
// while. It returns an error when the stream is over.
func (h *Handlers) relay(ctx context.Context, out *sse, m core.Message, tail *chat.Tail) error {
	waiting, cancel := context.WithTimeout(ctx, h.Heartbeat)
	events, err := tail.Next(waiting)
	cancel()
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return out.comment()
	}
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := out.event(m, e); err != nil {
			return err
		}
	}
	return out.flush()
}

// sse writes server-sent events. Events are gathered and flushed together.
type sse struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	buf bytes.Buffer
	enc *json.Encoder
}

// newSSE opens an event stream: from here on errors can only be events.
func newSSE(w http.ResponseWriter) *sse {
	s := &sse{w: w, rc: http.NewResponseController(w)}
	s.enc = json.NewEncoder(&s.buf)
	s.enc.SetEscapeHTML(false)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	// A stream lasts as long as its turn. Where the deadlines cannot be
	// lifted, the server has set none. The read deadline would end the
	// request's context.
	_ = s.rc.SetWriteDeadline(time.Time{})
	_ = s.rc.SetReadDeadline(time.Time{})
	w.WriteHeader(http.StatusOK)
	_ = s.rc.Flush() // the reader learns at once that it is connected
	return s
}

// event gathers one event of a turn.
func (s *sse) event(m core.Message, e core.Event) error {
	data := Event{
		ID: m.RequestID, Type: e.Type, Content: e.Content, Done: e.Done,
		SessionID: m.SessionID, MessageID: m.ID, Data: e.Data,
	}
	if e.Type == core.EventReferences {
		data.References, data.Data = referencesOf(e.Data), nil
	}
	return s.put("message", e.Seq, data)
}

// put gathers an event; id 0 is left out.
func (s *sse) put(name string, id int64, data any) error {
	if id > 0 {
		fmt.Fprintf(&s.buf, "id: %d\n", id)
	}
	s.buf.WriteString("event: " + name + "\ndata: ")
	if err := s.enc.Encode(data); err != nil { // ends its line
		return fmt.Errorf("encode event: %w", err)
	}
	s.buf.WriteByte('\n')
	return nil
}

// tell sends an event that has no number.
func (s *sse) tell(name string, data any) error {
	if err := s.put(name, 0, data); err != nil {
		return err
	}
	return s.flush()
}

// comment keeps an idle connection awake.
func (s *sse) comment() error {
	s.buf.WriteString(": still here\n\n")
	return s.flush()
}

func (s *sse) flush() error {
	if _, err := s.buf.WriteTo(s.w); err != nil {
		return err
	}
	return s.rc.Flush()
}

// referencesOf lifts the list out of the payload, so that it is sent once.
func referencesOf(payload json.RawMessage) json.RawMessage {
	var p struct {
		References json.RawMessage `json:"knowledge_references"`
	}
	if json.Unmarshal(payload, &p) != nil || len(p.References) == 0 {
		return json.RawMessage("[]")
	}
	return p.References
}
