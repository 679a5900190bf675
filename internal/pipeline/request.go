package pipeline

import (
	"context"
	"encoding/json"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/prompt"
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
	// Images are the pictures of the question.
	Images []llm.Image
	Before int64 // order of the user message: history ends before it; 0 means no history
	// History is what was said before where no session holds it, oldest first;
	// it stands in place of the session's rounds.
	History []Round
	BaseIDs []string // bases to ask; empty means all of the assistant's or the caller's
	// DocumentIDs narrows the search to these documents.
	DocumentIDs []string
	// FolderIDs narrows the search to documents in these folders.
	FolderIDs []string
	// Tags narrows the search to documents and standard questions that have one of
	// these tags, by name.
	Tags []string
	TopK int // passages to keep; 0 means the configured number
	// Talk asks for a conversation without knowledge bases: nothing is searched
	// for.
	Talk bool
	// Fallback says what answers where nothing was found; "" means as the
	// assistant or else the server has it.
	Fallback core.FallbackStrategy
	// CitationStyle is how the answer marks its sources; "" means as the
	// assistant has it.
	CitationStyle core.CitationStyle
	// Prompts are the templates of the assistant; nil means the server's.
	Prompts *prompt.Library
	// RetrieveOnly ends the turn after the passages were ranked: no answer is
	// written. Evaluation and debugging use it.
	RetrieveOnly bool
}

// Cites is the style in which the answer marks its sources: none where the
// assistant wants no marks, else what was asked for, else numbers.
func (r Request) Cites() core.CitationStyle {
	if !r.Assistant.Citations {
		return core.CiteNothing
	}
	return r.CitationStyle.Or(r.Assistant.CitationStyle).Or(core.CiteNumbers)
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
	Spent      []core.Spent // what calls of models cost; nil where none was made
	Notes      []core.TraceNote
	// Unsupported are the claims that no source carries; Account is what was
	// decided on the way.
	Unsupported []core.Unsupported
	Seen        string                  // what the pictures of the question show
	FAQ         []retrieve.FAQCandidate // standard questions like the one asked, best first
	Account     Account
	Debug       *Debug // of a request that only retrieves; nil for others
}

// Debug is what the stages of a retrieval made of the question, list by list.
// Each passage carries the steps of its score: "keyword" and "vector" tell
// which retriever found it, and with what. Lists that a stage did not make are
// empty.
type Debug struct {
	Question      string // as it was searched for
	History       []Round
	Understanding Understanding
	Plan          Plan
	Bases         []core.KnowledgeBase
	Explain       retrieve.Explain
	Variants      []retrieve.Variant // other wordings; none where enough was found
	Fused         []retrieve.Found   // as the retrievers found them, together
	Candidates    []retrieve.Found   // children lifted to parents
	Reranked      []retrieve.Found   // above the threshold
	Merged        []retrieve.Found   // what stands there twice out; Outcome.Ranked is chosen of these
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
