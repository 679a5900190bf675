package native

import (
	"context"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

// nameLimit is the longest name of a base or a document, in characters.
const nameLimit = 255

// checkName refuses names that could not be shown or stored.
func checkName(what, name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return core.Errorf(core.CodeInvalid, "the name of the %s is empty", what)
	case utf8.RuneCountInString(name) > nameLimit:
		return core.Errorf(core.CodeInvalid, "the name of the %s is longer than %d characters", what, nameLimit)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return core.Errorf(core.CodeInvalid, "the name of the %s contains control characters or is not UTF-8", what)
	}
	return nil
}

// ListBases gives the knowledge bases that the caller may see.
func (h *Handlers) ListBases(ctx context.Context, _ *Empty) (*Reply[List[core.KnowledgeBase]], error) {
	bases, err := h.Library.ListBases(ctx, scopeOf(ctx))
	return list(bases, len(bases), err)
}

// NewBase is the body that makes a knowledge base.
type NewBase struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty" maxLength:"2000"`
	Kind        core.BaseKind   `json:"kind,omitempty" enum:"document,faq,wiki" default:"document"`
	Visibility  core.Visibility `json:"visibility,omitempty" enum:"public,internal,private" default:"public"`
}

// CreateBaseInput makes a knowledge base.
type CreateBaseInput struct{ Body NewBase }

// CreateBase makes a knowledge base.
func (h *Handlers) CreateBase(ctx context.Context, in *CreateBaseInput) (*Reply[core.KnowledgeBase], error) {
	name := strings.TrimSpace(in.Body.Name)
	if err := checkName("knowledge base", name); err != nil {
		return nil, err
	}
	return reply(h.Bases.CreateBase(ctx, scopeOf(ctx), core.KnowledgeBase{
		Name: name, Description: in.Body.Description, Kind: in.Body.Kind, Visibility: in.Body.Visibility,
	}))
}

// Base gives one knowledge base, by id or name.
func (h *Handlers) Base(ctx context.Context, in *ByID) (*Reply[core.KnowledgeBase], error) {
	return reply(h.Library.Base(ctx, scopeOf(ctx), in.ID))
}

// DeleteBase removes a knowledge base with its documents.
func (h *Handlers) DeleteBase(ctx context.Context, in *ByID) (*Empty, error) {
	b, err := h.Library.Base(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &Empty{}, h.Bases.DeleteBase(ctx, scopeOf(ctx), b.ID)
}

// ListDocumentsInput names a base and a page of its documents.
type ListDocumentsInput struct {
	ByID
	Page
	FolderID string `query:"folder_id" doc:"only this folder; / means those in none"`
	Tag      string `query:"tag" doc:"name of a tag"`
	State    string `query:"state" enum:"queued,processing,ready,failed,disabled"`
}

// ListDocuments gives a base's documents.
func (h *Handlers) ListDocuments(ctx context.Context, in *ListDocumentsInput) (*Reply[List[core.Document]], error) {
	b, err := h.Library.Base(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	if in.FolderID != "" || in.Tag != "" || in.State != "" {
		return list(h.Shelves.FilteredDocuments(ctx, scopeOf(ctx), b.ID, knowledge.DocumentPage{
			FolderID: in.FolderID, Tag: in.Tag, State: core.DocumentState(in.State), Offset: in.Offset, Limit: in.Limit,
		}))
	}
	return list(h.Library.ListDocuments(ctx, scopeOf(ctx), b.ID, in.Offset, in.Limit))
}

// SearchDocumentsInput says which documents to find.
type SearchDocumentsInput struct {
	Query string `query:"query" doc:"words that the name must hold, all of them; none means all documents"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"30" doc:"documents to give"`
}

// FoundDocuments are the newest documents that a search found.
type FoundDocuments struct {
	Items []core.Document `json:"items"`
}

// SearchDocuments finds documents of all bases by their names, the newest first.
func (h *Handlers) SearchDocuments(ctx context.Context, in *SearchDocumentsInput) (*Reply[FoundDocuments], error) {
	items, err := h.Names.SearchDocuments(ctx, scopeOf(ctx), in.Query, in.Limit)
	return reply(FoundDocuments{Items: orEmpty(items)}, err)
}

// InBase names a document inside a base.
type InBase struct {
	ByID
	DocumentID string `path:"document_id"`
}

// DocumentInBase gives one document of a base.
func (h *Handlers) DocumentInBase(ctx context.Context, in *InBase) (*Reply[core.Document], error) {
	return reply(h.documentIn(ctx, in))
}

// DeleteDocumentInBase removes one document of a base.
func (h *Handlers) DeleteDocumentInBase(ctx context.Context, in *InBase) (*Empty, error) {
	d, err := h.documentIn(ctx, in)
	if err != nil {
		return nil, err
	}
	return &Empty{}, h.Documents.DeleteDocument(ctx, scopeOf(ctx), d.ID)
}

func (h *Handlers) documentIn(ctx context.Context, in *InBase) (core.Document, error) {
	b, err := h.Library.Base(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return core.Document{}, err
	}
	d, err := h.Library.Document(ctx, scopeOf(ctx), in.DocumentID)
	if err == nil && d.BaseID != b.ID {
		err = core.Errorf(core.CodeNotFound, "the knowledge base has no document %q", in.DocumentID)
	}
	return d, err
}

// Document gives one document.
func (h *Handlers) Document(ctx context.Context, in *ByID) (*Reply[core.Document], error) {
	return reply(h.Shelves.TaggedDocument(ctx, scopeOf(ctx), in.ID))
}

// DeleteDocument removes one document.
func (h *Handlers) DeleteDocument(ctx context.Context, in *ByID) (*Empty, error) {
	if _, err := h.Library.Document(ctx, scopeOf(ctx), in.ID); err != nil {
		return nil, err
	}
	return &Empty{}, h.Documents.DeleteDocument(ctx, scopeOf(ctx), in.ID)
}

// ChunkView is a passage with the document that it is from.
type ChunkView struct {
	core.Chunk
	Document core.Document `json:"document"`
}

// Chunk gives one passage, whole.
func (h *Handlers) Chunk(ctx context.Context, in *ByID) (*Reply[ChunkView], error) {
	c, err := h.Library.Chunk(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	d, err := h.Library.Document(ctx, scopeOf(ctx), c.DocumentID)
	return reply(ChunkView{Chunk: c, Document: d}, err)
}
