// Package knowledge is what editors do: they make knowledge bases and folders,
// add documents and remove them.
//
//	k := knowledge.New(knowledge.Options{Store: db, Work: worker, Index: engine, Limit: 100<<20})
//	doc, added, err := k.Add(ctx, scope, knowledge.AddRequest{Base: "default", Name: "a.pdf", Content: file})
//
// Every method looks at the scope first: a base or document outside of it does
// not exist. Adding only stores the original and queues a job; package ingest
// does the work. All methods are safe from any number of goroutines.
package knowledge

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/chunk"
	"kaoju/internal/core"
	"kaoju/internal/store"
)

// Work is the worker that ingests documents.
type Work interface {
	// Wake says that a job waits.
	Wake()
	// Cancel stops work on a document that was deleted.
	Cancel(documentID string)
	// Reembed says that a base has vectors of another model.
	Reembed()
}

// Index is the search engine.
type Index interface {
	// Refresh makes the last publish of a base searchable.
	Refresh(ctx context.Context, baseID string) error
	// Drop forgets a base.
	Drop(baseID string)
}

// Options are what a Service works with. Store, Work and Index are needed.
type Options struct {
	Store   *store.DB
	Work    Work
	Index   Index
	Limit   int64   // largest file, in bytes
	Indexer Indexer // of what is edited by hand; the zero value indexes by keywords only
	Tables  Tables  // reads tables that are imported; nil means none can be
	Parts   Parts   // reads files for previews; nil means that there are none
	Pages   Pages   // fetches pages; nil means that none are
	// Chunking are the server's settings, for previews.
	Chunking chunk.Settings
}

// Service does what editors ask for.
type Service struct {
	db      *store.DB
	work    Work
	index   Index
	limit   int64
	indexer Indexer
	tables  Tables
	turns   turns

	parts    Parts
	pages    Pages
	chunking chunk.Settings
}

// New makes a Service.
func New(o Options) *Service {
	return &Service{db: o.Store, work: o.Work, index: o.Index, limit: o.Limit, indexer: o.Indexer, tables: o.Tables, parts: o.Parts, pages: o.Pages, chunking: o.Chunking}
}

// Limit is the largest file that Add takes, in bytes.
func (s *Service) Limit() int64 { return s.limit }

// NewBase describes a knowledge base to create. Zero fields mean a document
// base in the default dataset that the whole tenant sees.
type NewBase struct {
	Name        string
	Description string
	Kind        core.BaseKind
	DatasetID   string
	Visibility  core.Visibility
	Roles       []string
}

// CreateBase makes a knowledge base in the scope's tenant. A name that is
// taken is a core.CodeConflict; a base that its maker would not see, a
// core.CodeForbidden.
func (s *Service) CreateBase(ctx context.Context, scope core.Scope, n NewBase) (core.KnowledgeBase, error) {
	name, err := cleanName("knowledge base", n.Name)
	if err != nil {
		return core.KnowledgeBase{}, err
	}
	b := core.KnowledgeBase{
		ID: core.NewID(), TenantID: scope.TenantID, DatasetID: or(n.DatasetID, core.DefaultDatasetID),
		Name: name, Description: strings.ToValidUTF8(n.Description, "\uFFFD"), Kind: or(n.Kind, core.BaseDocument),
		Visibility: or(n.Visibility, core.VisibilityPublic), Roles: n.Roles,
	}
	switch b.Kind {
	case core.BaseDocument, core.BaseFAQ, core.BaseWiki:
	default:
		return core.KnowledgeBase{}, core.Errorf(core.CodeInvalid, "a knowledge base is of kind document, faq or wiki, not %q", b.Kind)
	}
	switch b.Visibility {
	case core.VisibilityPublic, core.VisibilityInternal, core.VisibilityPrivate:
	default:
		return core.KnowledgeBase{}, core.Errorf(core.CodeInvalid, "visibility is public, internal or private, not %q", b.Visibility)
	}
	if !scope.Sees(b) {
		return core.KnowledgeBase{}, core.Errorf(core.CodeForbidden, "you would not see the knowledge base that you make")
	}
	if err := s.db.CreateBase(ctx, b); err != nil {
		return core.KnowledgeBase{}, err
	}
	return s.db.Base(ctx, scope, b.ID)
}

// Base gives a knowledge base by id or name.
func (s *Service) Base(ctx context.Context, scope core.Scope, idOrName string) (core.KnowledgeBase, error) {
	return s.db.Base(ctx, scope, idOrName)
}

// Bases lists what the scope sees, by name.
func (s *Service) Bases(ctx context.Context, scope core.Scope) ([]core.KnowledgeBase, error) {
	return s.db.ListBases(ctx, scope)
}

// DeleteBase removes a knowledge base with everything in it, for good. The
// default base stays: a core.CodeConflict.
func (s *Service) DeleteBase(ctx context.Context, scope core.Scope, idOrName string) error {
	b, err := s.db.Base(ctx, scope, idOrName)
	if err != nil {
		return err
	}
	if err := s.db.DeleteBase(ctx, scope, b.ID); err != nil {
		return err
	}
	s.index.Drop(b.ID)
	return nil
}

// CreateFolder makes a folder in a base; parentID is empty at the top.
func (s *Service) CreateFolder(ctx context.Context, scope core.Scope, base, parentID, name string) (core.Folder, error) {
	name, err := cleanName("folder", name)
	if err != nil {
		return core.Folder{}, err
	}
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return core.Folder{}, err
	}
	if err := s.checkFolder(ctx, scope, b.ID, parentID); err != nil {
		return core.Folder{}, err
	}
	f := core.Folder{ID: core.NewID(), BaseID: b.ID, ParentID: parentID, Name: name}
	return f, s.db.CreateFolder(ctx, scope, f)
}

// Folders lists the folders of a base, by name.
func (s *Service) Folders(ctx context.Context, scope core.Scope, base string) ([]core.Folder, error) {
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return nil, err
	}
	return s.db.ListFolders(ctx, scope, b.ID)
}

// checkFolder gives a core.CodeNotFound unless id is empty or a folder of the
// base.
func (s *Service) checkFolder(ctx context.Context, scope core.Scope, baseID, id string) error {
	if id == "" {
		return nil
	}
	folders, err := s.db.ListFolders(ctx, scope, baseID)
	if err != nil {
		return err
	}
	for _, f := range folders {
		if f.ID == id {
			return nil
		}
	}
	return core.Errorf(core.CodeNotFound, "there is no folder %q", id)
}

// maxName is the longest name of anything, in characters.
const maxName = 255

// cleanName trims a name and refuses what could not be shown or typed again.
func cleanName(what, name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", core.Errorf(core.CodeInvalid, "a %s needs a name", what)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", core.Errorf(core.CodeInvalid, "the name of a %s is text without control characters", what)
	case utf8.RuneCountInString(name) > maxName:
		return "", core.Errorf(core.CodeInvalid, "the name of a %s has at most %d characters", what, maxName)
	}
	return name, nil
}

func or[T ~string](v, otherwise T) T {
	if v == "" {
		return otherwise
	}
	return v
}
