package pipeline

import (
	"context"
	"encoding/json"

	"kaoju/internal/core"
	"kaoju/internal/retrieve"
)

// Request is what a turn was asked. It never changes once a turn runs.
type Request struct {
	Scope     core.Scope
	Assistant core.Assistant
	SessionID string
	MessageID string // of the assistant message that the turn produces
	RequestID string
	Question  string
	Before    int64 // order of the user message: history ends before it; 0 means no history
	// History is what was said before where no session holds it, oldest first;
	// it stands in place of the session's rounds.
	History []Round
	BaseIDs []string // bases to ask; empty means all of the assistant's or the caller's
	// DocumentIDs narrows the search to these documents.
	DocumentIDs []string
	TopK        int // passages to keep; 0 means the configured number
	// RetrieveOnly ends the turn after the passages were ranked: no answer is
	// written. Evaluation and debugging use it.
	RetrieveOnly bool
}

// Outcome is what a turn produced. The sum of the published answer events
// equals Answer, byte for byte.
type Outcome struct {
	Answer     string
	References []core.Reference
	Citations  []core.Citation
	Confidence core.Confidence
	HitType    core.HitType
	Ranked     []retrieve.Found // what retrieval found, best first, before evidence was selected
	Timings    []core.Timing
	Notes      []core.TraceNote
}

// Publish puts an event on the turn's bus. It returns an error when the turn
// must end: its log is gone, or it was stopped.
type Publish func(ctx context.Context, e core.Event) error

// Data encodes an event's payload. Payload types are ours and always encode.
func Data(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("event payload does not encode: " + err.Error())
	}
	return b
}

// References is the payload of a references event.
type References struct {
	References []core.Reference `json:"knowledge_references"`
}
