package registry

import (
	"context"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// Remote gives the chat model of a turn; nil where only the built-in answerer
// writes, or where the model cannot be asked.
func (r *Registry) Remote(ctx context.Context) llm.Chat {
	e, err := r.find(core.ModelChat, llm.ChoiceOf(ctx).Chat)
	if err != nil || e == nil {
		return nil
	}
	return e.chat
}

// Understander gives the model that the turn's assistant named for questions;
// nil where it named none, or one that cannot be asked.
func (r *Registry) Understander(ctx context.Context) llm.Chat {
	id := llm.ChoiceOf(ctx).Understand
	if id == "" {
		return nil
	}
	e, err := r.find(core.ModelChat, id)
	if err != nil {
		return nil
	}
	return e.chat
}

// Vision gives the model that reads pictures; nil where there is none, or
// where it cannot be asked.
func (r *Registry) Vision() llm.Vision {
	e, err := r.find(core.ModelVision, "")
	if err != nil || e == nil {
		return nil
	}
	return e.vision
}

// Writer gives the model that writes answers: the turn's chat model, behind
// which the built-in one stands unless its assistant does not want that, else
// the built-in one alone.
func (r *Registry) Writer(builtin llm.Chat) llm.Chat { return writer{r, builtin} }

type writer struct {
	registry *Registry
	builtin  llm.Chat
}

// Model names the default model.
func (w writer) Model() string { return w.ModelIn(context.Background()) }

// ModelIn names the model of a turn.
func (w writer) ModelIn(ctx context.Context) string {
	if m := w.registry.Remote(ctx); m != nil {
		return m.Model()
	}
	return w.builtin.Model()
}

// Stream answers by the turn's model.
func (w writer) Stream(ctx context.Context, req llm.ChatRequest, yield func(llm.Delta) error) error {
	choice := llm.ChoiceOf(ctx)
	e, err := w.registry.find(core.ModelChat, choice.Chat)
	switch {
	case err != nil && choice.NoFallback:
		return err
	case err != nil:
		return llm.Fallback{Primary: broken{err}, Second: w.builtin}.Stream(ctx, req, yield)
	case e == nil:
		return w.builtin.Stream(ctx, req, yield)
	case choice.NoFallback:
		return e.chat.Stream(ctx, req, yield)
	}
	return llm.Fallback{Primary: e.chat, Second: w.builtin}.Stream(ctx, req, yield)
}

// broken is a model that cannot be asked.
type broken struct{ err error }

func (b broken) Model() string { return "" }

// Stream says why.
func (b broken) Stream(context.Context, llm.ChatRequest, func(llm.Delta) error) error { return b.err }

// Ranker gives the model that ranks passages: the turn's, else the built-in
// one.
func (r *Registry) Ranker(builtin llm.Reranker) llm.Reranker { return ranker{r, builtin} }

type ranker struct {
	registry *Registry
	builtin  llm.Reranker
}

// Model names the default model.
func (k ranker) Model() string {
	if e, err := k.registry.find(core.ModelRerank, ""); err == nil && e != nil {
		return e.rerank.Model()
	}
	return k.builtin.Model()
}

// Rerank ranks by the turn's model.
func (k ranker) Rerank(ctx context.Context, question string, passages []llm.Passage) ([]float64, error) {
	e, err := k.registry.find(core.ModelRerank, llm.ChoiceOf(ctx).Rerank)
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return k.builtin.Rerank(ctx, question, passages)
	}
	return e.rerank.Rerank(ctx, question, passages)
}
