package pipeline

import (
	"context"
	"errors"
)

// Stage names a step of a turn. Plugins handle stages.
type Stage string

// The stages, in the order in which a question meets them.
const (
	StageRoute      Stage = "route"
	StageHistory    Stage = "load_history"
	StageMemory     Stage = "memory_recall"
	StageUnderstand Stage = "query_understand"
	StagePlan       Stage = "plan"
	StageFAQ        Stage = "faq_search"
	StageSearch     Stage = "chunk_search_parallel"
	StageRerank     Stage = "chunk_rerank"
	StageWebFetch   Stage = "web_fetch"
	StageMerge      Stage = "chunk_merge"
	StageTopK       Stage = "filter_top_k"
	StageData       Stage = "data_analysis"
	StageAssemble   Stage = "into_chat_message"
	StageComplete   Stage = "chat_completion_stream"
	StageVerify     Stage = "verify_answer"
)

// Ways of a plugin to end the search early. They are not failures.
var (
	// ErrNothingFound asks the runner for the fallback answer.
	ErrNothingFound = errors.New("nothing found")
	// ErrAnswered says that the answer is there: the runner goes straight to
	// the last step.
	ErrAnswered = errors.New("answered")
)

// Next runs the rest of the stage's chain.
type Next func(ctx context.Context) error

// Plugin handles stages of a turn. What it does before next is preparation,
// after it post-processing; not calling next ends the chain.
type Plugin interface {
	Name() string
	Stages() []Stage
	Handle(ctx context.Context, stage Stage, t *Turn, next Next) error
}

// Registry holds the plugins of each stage in their order. It is filled once
// and read from any goroutine afterwards.
type Registry struct {
	chains map[Stage][]Plugin
}

// NewRegistry registers plugins in order: of two on one stage, the first is
// the outer one.
func NewRegistry(plugins ...Plugin) *Registry {
	r := &Registry{chains: map[Stage][]Plugin{}}
	for _, p := range plugins {
		for _, s := range p.Stages() {
			r.chains[s] = append(r.chains[s], p)
		}
	}
	return r
}

// Has reports whether any plugin handles the stage.
func (r *Registry) Has(s Stage) bool { return len(r.chains[s]) > 0 }

// trigger runs the chain of a stage.
func (r *Registry) trigger(ctx context.Context, s Stage, t *Turn) error {
	return runChain(ctx, r.chains[s], s, t)
}

func runChain(ctx context.Context, chain []Plugin, s Stage, t *Turn) error {
	if len(chain) == 0 {
		return nil
	}
	return chain[0].Handle(ctx, s, t, func(ctx context.Context) error {
		return runChain(ctx, chain[1:], s, t)
	})
}
