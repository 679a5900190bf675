package native

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kaoju/internal/api/sse"
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
		out := sse.Open(w)
		// However it ends, the reader can come back and read on.
		_ = sse.Relay(r.Context(), out, tail, h.Heartbeat, func(e core.Event) error {
			return out.JSON("message", e.Seq, eventOf(m, e))
		})
	}}
}

func eventOf(m core.Message, e core.Event) Event {
	data := Event{
		ID: m.RequestID, Type: e.Type, Content: e.Content, Done: e.Done,
		SessionID: m.SessionID, MessageID: m.ID, Data: e.Data,
	}
	if e.Type == core.EventReferences {
		data.References, data.Data = referencesOf(e.Data), nil
	}
	return data
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
