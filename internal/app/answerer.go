package app

import (
	"context"
	"time"

	"kaoju/internal/assistant"
	"kaoju/internal/cache"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
)

// answerer runs turns through the stages; chat asks it.
type answerer struct {
	prompts *prompt.Library
	runner  pipeline.Runner
	ledger  ledger
}

// Answer takes one turn from its request to its outcome.
func (a answerer) Answer(ctx context.Context, req pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
	if err := a.dress(&req); err != nil {
		return pipeline.Outcome{}, err
	}
	who := req.Assistant
	counted, meter := llm.WithMeter(llm.WithChoice(ctx, llm.Choice{
		Chat: who.Models.Chat, Understand: who.Models.Understand, Rerank: who.Models.Rerank, NoFallback: who.Fallback.NoBuiltin,
	}))
	counted, found := cache.With(counted, cache.BoundaryOf(req.Scope, req.Assistant))
	out, err := a.runner.Run(counted, pipeline.Steps(req), pipeline.NewTurn(req, publish, time.Now))
	out.Spent = meter.Sum()
	account(&out, found.Events())
	a.ledger.record(ctx, req.Scope.TenantID, out.Spent)
	return out, err
}

// dress gives a request what its assistant says of prompts and fallback; what
// the request says itself goes first.
func (a answerer) dress(req *pipeline.Request) error {
	who := req.Assistant
	req.Fallback = req.Fallback.Or(who.Fallback.Strategy)
	if req.Prompts != nil || who.Prompts == (core.AssistantPrompts{}) && who.Fallback.Text == "" {
		return nil
	}
	own, err := a.prompts.For(who)
	if err != nil {
		return err
	}
	req.Prompts = own
	return nil
}

// openAssistants reads the files of assistants and of rules.
func (a *App) openAssistants() (err error) {
	if a.rules, err = assistant.OpenRules(a.cfg.Rules.File); err != nil {
		return err
	}
	a.assistants, err = assistant.Open(assistant.Options{Store: a.db, Dir: a.cfg.Assistants.Dir})
	return err
}
