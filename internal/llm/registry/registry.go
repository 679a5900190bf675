// Package registry keeps the models that the server can ask: those of its
// configuration and those that administrators registered over the API. What a
// turn asks is looked up when it asks, so that a change needs no restart and
// leaves answers alone that are being written.
//
//	sealer, err := registry.OpenSealer(filepath.Join(data, "secrets.key"))
//	r, err := registry.Open(ctx, registry.Options{Store: db, Sealer: sealer, Configured: list})
//	writer := r.Writer(builtin)          // a llm.Chat for the stages
//	made, err := r.Create(ctx, draft)    // for the API
//
// A turn's assistant may choose other models than the defaults: llm.WithChoice.
// Keys and headers are secrets: they are sealed where they are stored, and
// masked in all that is given back.
package registry

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/openai"
)

// Store keeps registered models; their secrets are sealed.
type Store interface {
	Models(ctx context.Context) ([]core.StoredModel, error)
	PutModel(ctx context.Context, m core.StoredModel) error
	DeleteModel(ctx context.Context, id string) error
	// ResealModels replaces what is sealed, of all models or of none.
	ResealModels(ctx context.Context, before, after []core.StoredModel) error
}

// Configured is a model that the configuration describes.
type Configured struct {
	ID      string
	Kind    core.ModelKind
	Options openai.Options
}

// Options are what a Registry works with.
type Options struct {
	Store      Store
	Sealer     *Sealer
	Configured []Configured // the first of a kind is its default until another is chosen
	Env        openai.Env
	// Clean wraps each reranker; nil: none is wrapped.
	Clean func(llm.Reranker) llm.Reranker
	// Changed is called after each change, one at a time; nil: nobody waits.
	Changed func()
}

// Registry holds the models. It is safe for concurrent use.
type Registry struct {
	options Options
	editing sync.Mutex // one change at a time

	mu      sync.RWMutex
	entries map[string]*entry
}

// entry is one model, ready to be asked.
type entry struct {
	model   core.Model
	stored  core.StoredModel // zero for those of the configuration
	options openai.Options
	err     error // why it cannot be asked
	chat    *openai.Chat
	vision  *openai.Vision
	rerank  llm.Reranker
}

// Open reads the registered models. One that cannot be used (its key file is
// gone, for one) is listed with what is wrong, and keeps nothing from
// starting.
func Open(ctx context.Context, o Options) (*Registry, error) {
	r := &Registry{options: o, entries: map[string]*entry{}}
	for _, c := range o.Configured {
		e := r.entry(core.Model{ID: c.ID, Kind: c.Kind, Origin: core.ModelOfConfig}, c.Options)
		if e.err != nil {
			return nil, e.err
		}
		r.entries[c.ID] = e
	}
	stored, err := o.Store.Models(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range stored {
		if _, taken := r.entries[m.ID]; taken {
			slog.Warn("a model of the configuration stands in place of a registered one", "model", m.ID)
			continue
		}
		r.entries[m.ID] = r.load(m)
	}
	return r, nil
}

// load opens a stored model.
func (r *Registry) load(m core.StoredModel) *entry {
	model := core.Model{ID: m.ID, Kind: m.Kind, Default: m.Default, Origin: core.ModelOfAPI, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt}
	o, err := readOptions([]byte(m.Options))
	if err == nil {
		o.BaseURL, o.Model = m.BaseURL, m.Name
		err = r.unseal(m, &o)
	}
	if err != nil {
		model.Name, model.BaseURL, model.Options, model.Trouble = m.Name, m.BaseURL, []byte(m.Options), core.PublicMessage(err)
		return &entry{model: model, stored: m, options: o, err: err}
	}
	e := r.entry(model, o)
	e.stored = m
	return e
}

// entry makes the client of a model.
func (r *Registry) entry(m core.Model, o openai.Options) *entry {
	e := &entry{model: m, options: o}
	e.model.Name, e.model.BaseURL, e.model.APIKey, e.model.Options = o.Model, o.BaseURL, maskKey(string(o.APIKey)), writeOptions(o)
	switch m.Kind {
	case core.ModelChat:
		e.chat, e.err = openai.NewChat(o, r.options.Env)
	case core.ModelVision:
		e.vision, e.err = openai.NewVision(o, r.options.Env)
	case core.ModelRerank:
		var remote *openai.Reranker
		if remote, e.err = openai.NewReranker(o, r.options.Env); e.err == nil {
			e.rerank = remote
			if r.options.Clean != nil {
				e.rerank = r.options.Clean(remote)
			}
		}
	case core.ModelEmbedding:
		_, e.err = openai.NewEmbedder(o, r.options.Env)
	default:
		e.err = core.Errorf(core.CodeInvalid, "a model is of kind chat, embedding, rerank or vision, not %q", m.Kind)
	}
	if e.err != nil {
		e.model.Trouble = core.PublicMessage(e.err)
	}
	return e
}

// List gives all models, secrets masked: those of a kind together, by id.
func (r *Registry) List() []core.Model {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var list []core.Model
	for _, id := range slices.Sorted(maps.Keys(r.entries)) {
		m := r.entries[id].model
		m.Default = r.standard(m.Kind) == r.entries[id]
		list = append(list, m)
	}
	slices.SortStableFunc(list, func(a, b core.Model) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	return list
}

var kinds = []core.ModelKind{core.ModelChat, core.ModelEmbedding, core.ModelRerank, core.ModelVision}

// Model gives one model, secrets masked.
func (r *Registry) Model(id string) (core.Model, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.entries[id]
	if !ok {
		return core.Model{}, noModel(id)
	}
	m := e.model
	m.Default = r.standard(m.Kind) == e
	return m, nil
}

func noModel(id string) error { return core.Errorf(core.CodeNotFound, "there is no model %q", id) }

// standard gives the default of a kind: the registered one that was made so,
// else the first of the configuration; nil where there is none.
func (r *Registry) standard(kind core.ModelKind) *entry {
	for _, e := range r.entries {
		if e.model.Kind == kind && e.stored.Default {
			return e
		}
	}
	for _, c := range r.options.Configured {
		if c.Kind == kind {
			return r.entries[c.ID]
		}
	}
	return nil
}

// find gives the model of an id, or the default of a kind for ""; nil where
// that has none. A model that is not there, or cannot be asked, is an error.
func (r *Registry) find(kind core.ModelKind, id string) (*entry, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e := r.standard(kind)
	if id != "" {
		if e = r.entries[id]; e == nil || e.model.Kind != kind {
			return nil, core.Errorf(core.CodeUnavailable, "there is no %s model %q, which the assistant names; register it, or choose another", kind, id)
		}
	}
	if e != nil && e.err != nil {
		return nil, e.err
	}
	return e, nil
}
