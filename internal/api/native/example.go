package native

import (
	"context"

	"kaoju/internal/core"
)

// Examples loads what comes with the program to be tried.
type Examples interface {
	// LoadExample adds what of the example is not there yet. Its documents are
	// read afterwards: Progress tells how far.
	LoadExample(ctx context.Context, scope core.Scope) (Example, error)
}

// Example is an assistant with knowledge of its own.
type Example struct {
	AssistantID string            `json:"assistant_id"`
	BaseIDs     []string          `json:"knowledge_base_ids"`
	Questions   []ExampleQuestion `json:"questions" doc:"one for every way to an answer"`
}

// ExampleQuestion is something to try.
type ExampleQuestion struct {
	Text  string `json:"text"`
	Shows string `json:"shows" doc:"what it shows, in the language of the question"`
	Base  string `json:"knowledge_base,omitempty" doc:"name of the base to choose for it"`
	After string `json:"after,omitempty" doc:"the question that it goes on from, in the same session"`
}

// LoadDemo loads the example that comes with the program. A second call
// changes nothing but the entries and the assistant that were edited since.
func (h *Handlers) LoadDemo(ctx context.Context, _ *Empty) (*Reply[Example], error) {
	return reply(h.Examples.LoadExample(ctx, scopeOf(ctx)))
}
