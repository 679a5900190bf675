package registry

import (
	"context"
	"errors"
	"sync"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/openai"
)

// Embedder stands for the default embedding model, and for builtin where there
// is none. What stands for a model at an endpoint open makes, once each time
// that the model becomes another or is described anew. A model that cannot be
// asked keeps its name, so that bases stay with it, and says why when asked.
func (r *Registry) Embedder(builtin llm.Embedder, open func(openai.Options) (llm.Embedder, error)) llm.Switching {
	return &embedder{registry: r, builtin: builtin, open: open}
}

type embedder struct {
	registry *Registry
	builtin  llm.Embedder
	open     func(openai.Options) (llm.Embedder, error)

	mu  sync.Mutex
	of  *entry // that now was made of; nil: the built-in one
	now llm.Embedder
}

// Now gives the embedder of this moment.
func (e *embedder) Now() llm.Embedder {
	e.registry.mu.RLock()
	at := e.registry.standard(core.ModelEmbedding)
	e.registry.mu.RUnlock()
	if at == nil {
		return e.builtin
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if at == e.of {
		return e.now
	}
	made, err := llm.Embedder(nil), at.err
	if err == nil {
		made, err = e.open(at.options)
	}
	if err != nil {
		made = unasked{name: openai.SpaceOf(at.options), err: core.Wrap(errors.Join(llm.ErrAway, err), core.CodeUnavailable, "%s", core.PublicMessage(err))}
	}
	e.of, e.now = at, made
	return made
}

// Embed asks the model of this moment.
func (e *embedder) Embed(ctx context.Context, purpose llm.Purpose, texts []string) ([][]float32, error) {
	return e.Now().Embed(ctx, purpose, texts)
}

// Dim is that of the model of this moment.
func (e *embedder) Dim() int { return e.Now().Dim() }

// Model names that of this moment.
func (e *embedder) Model() string { return e.Now().Model() }

// unasked is an embedding model that cannot be asked.
type unasked struct {
	name string
	err  error
}

func (u unasked) Embed(context.Context, llm.Purpose, []string) ([][]float32, error) {
	return nil, u.err
}
func (u unasked) Dim() int      { return 0 }
func (u unasked) Model() string { return u.name }
