// Package wiki keeps the pages of wiki bases: Markdown that people write, or
// that a model makes of documents (package wiki/synthesis), linked to each
// other, with every revision kept.
//
//	w := wiki.New(wiki.Options{Store: db, Index: engine, Indexer: indexer, Reader: parser})
//	page, err := w.Create(ctx, scope, "handbook", wiki.Draft{Title: "Leave", Content: "See [[holidays]]."})
//	page, err = w.Change(ctx, scope, wiki.At{Base: "handbook", Page: "leave"}, page.Revision, wiki.Change{Content: &text})
//
// A page is saved, published and searchable when the call returns, or nothing
// has changed. A change names the revision that it follows; where somebody was
// faster it is a core.CodeConflict. Every method looks at the scope first. All
// methods are safe from any number of goroutines.
package wiki

import (
	"context"

	"kaoju/internal/chunk"
	"kaoju/internal/core"
	"kaoju/internal/knowledge"
	"kaoju/internal/parse"
	"kaoju/internal/store"
)

// Index is the search engine.
type Index interface {
	// Refresh makes the last publish of a base searchable.
	Refresh(ctx context.Context, baseID string) error
}

// Reader reads Markdown. *parse.Parser is one.
type Reader interface {
	ReadAs(ctx context.Context, format string, in parse.Input) (parse.Document, error)
}

// Remover removes documents for good. *knowledge.Service is one.
type Remover interface {
	Delete(ctx context.Context, scope core.Scope, id string) error
}

// Options are what a Service works with. All but Indexer and Chunking are
// needed.
type Options struct {
	Store    *store.DB
	Index    Index
	Reader   Reader
	Remover  Remover
	Indexer  knowledge.Indexer // the zero value indexes by keywords only
	Chunking chunk.Settings    // the server's
}

// Service keeps wikis. Make it with New.
type Service struct{ Options }

// New makes a Service.
func New(o Options) *Service { return &Service{o} }

// At names a page: its base by id or name, and itself by id, slug, title or
// alias.
type At struct{ Base, Page string }

// base gives a wiki base that the scope sees. One of another kind is a
// core.CodeConflict.
func (s *Service) base(ctx context.Context, scope core.Scope, idOrName string) (core.KnowledgeBase, error) {
	b, err := s.Store.Base(ctx, scope, idOrName)
	if err == nil && b.Kind != core.BaseWiki {
		err = core.Errorf(core.CodeConflict, "the knowledge base %q is of kind %s and has no pages; make one of kind wiki", b.Name, b.Kind)
	}
	return b, err
}
