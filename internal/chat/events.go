package chat

import (
	"time"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// AgentQuery is the payload of agent_query, the first event of every turn.
type AgentQuery struct {
	SessionID string `json:"session_id"`
	MessageID string `json:"assistant_message_id"`
	// Replay says that the events retell a stored message from its start, so
	// that a reader drops what it had.
	Replay bool `json:"replay,omitempty"`
	// TitleDue says that a session_title follows the last event.
	TitleDue bool `json:"title_due,omitempty"`
}

// Complete is the payload of complete.
type Complete struct {
	MessageID  string           `json:"message_id"`
	RequestID  string           `json:"request_id"`
	DurationMS float64          `json:"total_duration_ms"`
	HitType    core.HitType     `json:"hit_type"`
	Confidence *core.Confidence `json:"confidence"`
	Citations  []core.Citation  `json:"citations"`
	Cited      []Cited          `json:"cited"`
	Timings    []core.Timing    `json:"timings"`
	// Unsupported are the claims that no source carries.
	Unsupported []core.Unsupported `json:"unsupported"`
	// Usage is what the calls of models cost; left out where none was made.
	Usage []core.Spent `json:"usage,omitempty"`
	// Account says what was decided on the way; nil where it is not kept any
	// more.
	Account *pipeline.Account `json:"retrieval"`
}

// Cited ties a mark in the answer to a reference that was sent before.
type Cited struct {
	Number  int    `json:"number"`
	ChunkID string `json:"chunk_id"`
}

// Stopped is the payload of stop. Reason is a core.MessageState: stopped by
// the user, or interrupted by the end of the server.
type Stopped struct {
	MessageID string            `json:"message_id"`
	RequestID string            `json:"request_id"`
	Reason    core.MessageState `json:"reason"`
}

// Failed is the payload of error; the event's content is the text for the
// reader.
type Failed struct {
	Code      core.Code `json:"code"`
	MessageID string    `json:"message_id"`
	RequestID string    `json:"request_id"`
}

// Title is the payload of session_title.
type Title struct {
	SessionID string `json:"session_id"`
	Title     string `json:"title"`
}

// terminal is the event that ends a turn whose message is m; out is what the
// stages came to, nil where nothing is known of that.
func terminal(m core.Message, out *pipeline.Outcome, elapsed time.Duration, cause error) core.Event {
	switch m.State {
	case core.MessageComplete:
		var timings []core.Timing
		var account *pipeline.Account
		var spent []core.Spent
		if out != nil {
			timings, account, spent = out.Timings, &out.Account, out.Spent
		}
		return core.Event{Type: core.EventComplete, Done: true, Data: pipeline.Data(Complete{
			MessageID: m.ID, RequestID: m.RequestID,
			DurationMS: float64(elapsed.Microseconds()) / 1000,
			HitType:    m.HitType, Confidence: m.Confidence,
			Citations: orEmpty(m.Citations), Cited: citedOf(m.References), Timings: orEmpty(timings),
			Unsupported: orEmpty(m.Unsupported), Account: account, Usage: spent,
		})}
	case core.MessageStopped, core.MessageInterrupted:
		return core.Event{Type: core.EventStop, Done: true, Data: pipeline.Data(Stopped{
			MessageID: m.ID, RequestID: m.RequestID, Reason: m.State,
		})}
	default:
		return core.Event{Type: core.EventError, Done: true, Content: friendly(m.ErrorCode, cause), Data: pipeline.Data(Failed{
			Code: m.ErrorCode, MessageID: m.ID, RequestID: m.RequestID,
		})}
	}
}

// friendly is what the reader of a failed answer is told.
func friendly(code core.Code, cause error) string {
	switch {
	case code == core.CodeTimeout:
		return "the answer took too long and was given up"
	case cause != nil && code != core.CodeInternal:
		return core.PublicMessage(cause)
	case code == core.CodeInternal || code == "":
		return "the answer failed because of an internal error; the server's log has the details"
	default:
		return "the answer failed: " + string(code)
	}
}

func citedOf(references []core.Reference) []Cited {
	cited := []Cited{}
	for _, r := range references {
		if r.Number > 0 {
			cited = append(cited, Cited{Number: r.Number, ChunkID: r.ChunkID})
		}
	}
	return cited
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// retell gives the events of a stored message whose log is gone.
func retell(m core.Message) []core.Event {
	events := []core.Event{{Type: core.EventAgentQuery, Data: pipeline.Data(AgentQuery{
		SessionID: m.SessionID, MessageID: m.ID, Replay: true,
	})}}
	if len(m.References) > 0 {
		events = append(events, core.Event{
			Type: core.EventReferences, Data: pipeline.Data(pipeline.References{References: m.References}),
		})
	}
	if m.Thinking != "" {
		events = append(events, core.Event{Type: core.EventThinking, Content: m.Thinking})
	}
	if m.Content != "" {
		events = append(events, core.Event{Type: core.EventAnswer, Content: m.Content})
	}
	events = append(events, terminal(m, nil, m.UpdatedAt.Sub(m.CreatedAt), nil))
	for i := range events {
		events[i].Seq = int64(i) + 1
	}
	return events
}
