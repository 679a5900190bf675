package knowledge

import (
	"context"
	"slices"
	"sync"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/llm"
	"kaoju/internal/store"
)

// Glossaries are the words that the owners of bases have made known, compiled.
// They are safe for concurrent use.
type Glossaries struct {
	db      *store.DB
	changes chan struct{}

	mu    sync.Mutex
	known map[string]lexicon // by base
}

// lexicon is a compiled glossary.
type lexicon struct {
	glossary     *index.Glossary // nil where there is none
	revision     int64
	segmentation int64
}

// NewGlossaries reads glossaries from the store as they are asked for.
func NewGlossaries(db *store.DB) *Glossaries {
	return &Glossaries{db: db, changes: make(chan struct{}, 1), known: map[string]lexicon{}}
}

// Changes gives a value after glossaries have changed; one for several.
func (g *Glossaries) Changes() <-chan struct{} { return g.changes }

// Get gives the glossary of a base, by id or name.
func (g *Glossaries) Get(ctx context.Context, scope core.Scope, base string) (core.Glossary, error) {
	b, err := g.db.Base(ctx, scope, base)
	if err != nil {
		return core.Glossary{}, err
	}
	stored, err := g.db.Glossary(ctx, b.ID)
	return stored.Glossary, err
}

// Set replaces the glossary of a base. Questions follow it at once; passages
// are indexed anew in the background where it changes how they are cut. What
// is wrong with the entries is a core.CodeInvalid that says where.
func (g *Glossaries) Set(ctx context.Context, scope core.Scope, base string, entries []core.GlossaryEntry) (core.Glossary, error) {
	b, err := g.db.Base(ctx, scope, base)
	if err != nil {
		return core.Glossary{}, err
	}
	if err := index.CheckGlossary(entries); err != nil {
		return core.Glossary{}, err
	}
	after := index.NewGlossary(entries)
	err = g.db.SetGlossary(ctx, b.ID, entries, func(before []core.GlossaryEntry) bool {
		return !index.NewGlossary(before).CutsAs(after)
	})
	if err != nil {
		return core.Glossary{}, err
	}
	g.mu.Lock()
	delete(g.known, b.ID)
	g.mu.Unlock()
	select {
	case g.changes <- struct{}{}:
	default:
	}
	return g.Get(ctx, scope, b.ID)
}

// Of gives the compiled glossary of a base, nil where it has none, and its
// segmentation. It does not look at scopes.
func (g *Glossaries) Of(ctx context.Context, baseID string) (*index.Glossary, int64, error) {
	g.mu.Lock()
	known, ok := g.known[baseID]
	g.mu.Unlock()
	if ok && g.db.Shared() {
		revision, err := g.db.GlossaryRevision(ctx, baseID)
		if err != nil {
			return nil, 0, err
		}
		ok = revision == known.revision
	}
	if ok {
		return known.glossary, known.segmentation, nil
	}
	stored, err := g.db.Glossary(ctx, baseID)
	if err != nil {
		return nil, 0, err
	}
	known = lexicon{revision: stored.Revision, segmentation: stored.Segmentation}
	if len(stored.Entries) > 0 {
		known.glossary = index.NewGlossary(stored.Entries)
	}
	return known.glossary, known.segmentation, g.keep(ctx, baseID, known)
}

// keep remembers a glossary, unless a newer one was set while it was read.
func (g *Glossaries) keep(ctx context.Context, baseID string, read lexicon) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	revision, err := g.db.GlossaryRevision(ctx, baseID)
	if err == nil && revision == read.revision {
		g.known[baseID] = read
	}
	return err
}

// Aliases gives what the glossaries of bases call words of a question
// elsewhere.
func (g *Glossaries) Aliases(ctx context.Context, baseIDs []string, question string) ([]llm.Alias, error) {
	var all []llm.Alias
	for _, id := range baseIDs {
		one, _, err := g.Of(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, a := range one.Aliases(question) {
			if !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	return all, nil
}

// Terms gives the terms that a question asks for in bases, as their glossaries
// have its words; nil where none of them has one.
func (g *Glossaries) Terms(ctx context.Context, baseIDs []string, question string) ([]index.QueryTerm, error) {
	var all []*index.Glossary
	for _, id := range baseIDs {
		one, _, err := g.Of(ctx, id)
		if err != nil {
			return nil, err
		}
		if one != nil {
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all[0].QueryTerms(question, all[1:]...), nil
}
