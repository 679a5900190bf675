package core

import "time"

// Enrichment says what models add to the documents of a base. Everything but
// pictures is off until somebody wants it: it costs calls of a model.
type Enrichment struct {
	Summary   bool `json:"summary,omitempty"`   // a passage that sums the document up
	Questions int  `json:"questions,omitempty"` // questions that each passage answers, 0 to 10
	Tables    bool `json:"tables,omitempty"`    // what a table holds, and its columns
	Tags      bool `json:"tags,omitempty"`      // up to five tags
	// Pictures are described and read where a vision model is set, unless this
	// is false.
	Pictures *bool `json:"pictures,omitempty"`
}

// EnrichStep is one thing that models add.
type EnrichStep string

// The steps, in the order in which they are done.
const (
	EnrichPictures  EnrichStep = "pictures"
	EnrichSummary   EnrichStep = "summary"
	EnrichTables    EnrichStep = "tables"
	EnrichTags      EnrichStep = "tags"
	EnrichQuestions EnrichStep = "questions"
)

// EnrichSteps gives all steps in order.
func EnrichSteps() []EnrichStep {
	return []EnrichStep{EnrichPictures, EnrichSummary, EnrichTables, EnrichTags, EnrichQuestions}
}

// Wants reports whether a base has a step switched on.
func (e Enrichment) Wants(s EnrichStep) bool {
	switch s {
	case EnrichPictures:
		return e.Pictures == nil || *e.Pictures
	case EnrichSummary:
		return e.Summary
	case EnrichTables:
		return e.Tables
	case EnrichTags:
		return e.Tags
	case EnrichQuestions:
		return e.Questions > 0
	}
	return false
}

// EnrichState is where a step stands.
type EnrichState string

// States of a step. Skipped and Failed have a reason.
const (
	EnrichPending EnrichState = "pending"
	EnrichRunning EnrichState = "running"
	EnrichDone    EnrichState = "done"
	EnrichSkipped EnrichState = "skipped"
	EnrichFailed  EnrichState = "failed"
)

// Enriched is where a step stands for one document. A step that failed never
// fails its document.
type Enriched struct {
	Step      EnrichStep  `json:"step"`
	State     EnrichState `json:"state"`
	Reason    string      `json:"reason,omitempty"`
	Attempts  int         `json:"attempts,omitempty"`
	Added     int         `json:"added,omitempty"` // passages, tags, or passages that got questions
	UpdatedAt time.Time   `json:"updated_at,omitzero"`
}
