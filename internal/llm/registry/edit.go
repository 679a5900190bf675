package registry

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/openai"
)

// Draft is a model to make.
type Draft struct {
	ID      string // "" makes one
	Kind    core.ModelKind
	Name    string
	BaseURL string
	APIKey  string
	Options json.RawMessage
	Default bool
}

// Change is what becomes of a model; nil leaves a part as it is. A key or a
// header that is given back masked stays as it is, too.
type Change struct {
	Name    *string
	BaseURL *string
	APIKey  *string
	Options json.RawMessage
	Default *bool
}

var goodID = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

// Create registers a model and gives it back.
func (r *Registry) Create(ctx context.Context, d Draft) (core.Model, error) {
	if d.ID == "" {
		d.ID = core.NewID()
	}
	if !goodID.MatchString(d.ID) {
		return core.Model{}, core.Errorf(core.CodeInvalid, "the id of a model is 1 to 64 of a-z, 0-9, _ and -")
	}
	o, err := readOptions(d.Options)
	if err != nil {
		return core.Model{}, err
	}
	o.BaseURL, o.Model, o.APIKey = strings.TrimSpace(d.BaseURL), strings.TrimSpace(d.Name), openai.Secret(strings.TrimSpace(d.APIKey))
	r.editing.Lock()
	defer r.editing.Unlock()
	if _, err := r.Model(d.ID); err == nil {
		return core.Model{}, core.Errorf(core.CodeConflict, "there is already a model %q", d.ID)
	}
	return r.put(ctx, core.StoredModel{ID: d.ID, Kind: d.Kind, Default: d.Default}, o)
}

// Change changes a registered model and gives it back. Answers that are being
// written keep what they began with.
func (r *Registry) Change(ctx context.Context, id string, c Change) (core.Model, error) {
	r.editing.Lock()
	defer r.editing.Unlock()
	before, err := r.registered(id)
	if err != nil {
		return core.Model{}, err
	}
	o := before.options
	if c.Options != nil {
		if o, err = readOptions(c.Options); err != nil {
			return core.Model{}, err
		}
		o.BaseURL, o.Model, o.APIKey = before.options.BaseURL, before.options.Model, before.options.APIKey
		keepMasked(o.Headers, before.options.Headers)
	}
	if c.Name != nil {
		o.Model = strings.TrimSpace(*c.Name)
	}
	if c.BaseURL != nil {
		o.BaseURL = strings.TrimSpace(*c.BaseURL)
	}
	given := c.APIKey != nil && !strings.HasPrefix(*c.APIKey, keyMask)
	if given {
		o.APIKey = openai.Secret(strings.TrimSpace(*c.APIKey))
	}
	if hostOf(o.BaseURL) != hostOf(before.options.BaseURL) && !given && before.stored.Sealed != "" {
		return core.Model{}, core.Errorf(core.CodeInvalid, "the address is another host's; give the key again, so that no host gets the key of another")
	}
	m := before.stored
	if c.Default != nil {
		m.Default = *c.Default
	}
	// What cannot be opened must be entered again, or it would be lost.
	if before.err != nil && before.stored.Sealed != "" && o.APIKey == "" {
		return core.Model{}, before.err
	}
	return r.put(ctx, m, o)
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// keepMasked puts headers back that came masked.
func keepMasked(now, before map[string]openai.Secret) {
	for name, value := range now {
		if string(value) == openai.Secret("x").String() {
			now[name] = before[name]
		}
	}
}

// registered gives a model that may be changed.
func (r *Registry) registered(id string) (*entry, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.entries[id]
	if !ok {
		return nil, noModel(id)
	}
	if e.model.Origin == core.ModelOfConfig {
		return nil, core.Errorf(core.CodeConflict, "the model %q is described by the configuration; change it there", id)
	}
	return e, nil
}

// put checks, seals, stores and opens a model. The caller holds editing.
func (r *Registry) put(ctx context.Context, m core.StoredModel, o openai.Options) (core.Model, error) {
	// An address is shown, stored and logged: nothing secret may stand in it.
	if u, err := url.Parse(o.BaseURL); err == nil && (u.User != nil || u.RawQuery != "") {
		return core.Model{}, core.Errorf(core.CodeInvalid, "base_url holds a user, a password or a query; keys stand in api_key or in headers")
	}
	e := r.entry(core.Model{ID: m.ID, Kind: m.Kind, Origin: core.ModelOfAPI}, o)
	if e.err != nil {
		return core.Model{}, e.err
	}
	sealed, err := r.seal(m.ID, o)
	if err != nil {
		return core.Model{}, err
	}
	plain := o
	plain.Headers = nil
	m.Name, m.BaseURL, m.Sealed, m.Options = o.Model, o.BaseURL, sealed, string(writeOptions(plain))
	if err := r.options.Store.PutModel(ctx, m); err != nil {
		return core.Model{}, err
	}
	return r.reload(ctx, m.ID, e)
}

// reload takes what the store has, with a client that is open already.
func (r *Registry) reload(ctx context.Context, id string, open *entry) (core.Model, error) {
	stored, err := r.options.Store.Models(ctx)
	if err != nil {
		return core.Model{}, err
	}
	r.mu.Lock()
	for _, m := range stored {
		switch e := r.entries[m.ID]; {
		case m.ID == id:
			open.stored = m
			open.model.CreatedAt, open.model.UpdatedAt = m.CreatedAt, m.UpdatedAt
			r.entries[id] = open
		case e != nil && e.model.Origin == core.ModelOfAPI && e.stored.Default != m.Default:
			changed := *e // others read the old one
			changed.stored = m
			r.entries[m.ID] = &changed
		}
	}
	r.mu.Unlock()
	r.changed()
	return r.Model(id)
}

func (r *Registry) changed() {
	if r.options.Changed != nil {
		r.options.Changed()
	}
}

// Delete takes a registered model away. Assistants that name it are told so by
// their answers.
func (r *Registry) Delete(ctx context.Context, id string) error {
	r.editing.Lock()
	defer r.editing.Unlock()
	if _, err := r.registered(id); err != nil {
		return err
	}
	if err := r.options.Store.DeleteModel(ctx, id); err != nil {
		return err
	}
	r.mu.Lock()
	delete(r.entries, id)
	r.mu.Unlock()
	r.changed()
	return nil
}

// Rotate seals all secrets with a new key and forgets the old ones. It gives
// how many models have secrets.
func (r *Registry) Rotate(ctx context.Context) (int, error) {
	r.editing.Lock()
	defer r.editing.Unlock()
	var before, after []core.StoredModel
	err := r.options.Sealer.Rotate(func() error {
		stored, err := r.options.Store.Models(ctx)
		if err != nil {
			return err
		}
		for _, m := range stored {
			if m.Sealed == "" {
				continue
			}
			text, err := r.options.Sealer.Open(owner(m.ID), m.Sealed)
			if err != nil {
				return err
			}
			again := m
			if again.Sealed, err = r.options.Sealer.Seal(owner(m.ID), text); err != nil {
				return err
			}
			before, after = append(before, m), append(after, again)
		}
		return r.options.Store.ResealModels(ctx, before, after)
	})
	return len(after), err
}

// Test asks a model for something small and says what is wrong with it; nil
// if it works.
func (r *Registry) Test(ctx context.Context, id string) error {
	e, err := r.known(id)
	if err != nil {
		return err
	}
	if e.err != nil {
		return e.err
	}
	var m interface{ Check(context.Context) error } = e.chat
	switch e.model.Kind {
	case core.ModelVision:
		m = e.vision
	case core.ModelEmbedding:
		m, err = openai.NewEmbedder(e.options, r.options.Env)
	case core.ModelRerank:
		m, err = openai.NewReranker(e.options, r.options.Env)
	}
	if err != nil {
		return err
	}
	return m.Check(llm.WithChoice(ctx, llm.Choice{}))
}

// Names gives what the endpoint of a model lists.
func (r *Registry) Names(ctx context.Context, id string) ([]string, error) {
	e, err := r.known(id)
	if err != nil {
		return nil, err
	}
	return openai.ListModels(ctx, e.options, r.options.Env)
}

func (r *Registry) known(id string) (*entry, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.entries[id]
	if !ok {
		return nil, noModel(id)
	}
	return e, nil
}
