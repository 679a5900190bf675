package native

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

// Passages edits passages by hand.
type Passages interface {
	AddChunk(ctx context.Context, scope core.Scope, documentID, content string) (core.Chunk, error)
	EditChunk(ctx context.Context, scope core.Scope, id, content string) (core.Chunk, error)
	Revisions(ctx context.Context, scope core.Scope, id string) ([]core.Revision, error)
	Revert(ctx context.Context, scope core.Scope, id string) (core.Chunk, error)
}

// Pages adds pages from outside.
type Pages interface {
	AddURL(ctx context.Context, scope core.Scope, base, folderID, address string) (d core.Document, added bool, err error)
}

// AddURLInput names a page.
type AddURLInput struct {
	ByID
	Body struct {
		URL      string `json:"url" minLength:"1" maxLength:"2048"`
		FolderID string `json:"folder_id,omitempty"`
	}
}

// AddURL fetches a page and adds it as a document.
func (h *Handlers) AddURL(ctx context.Context, in *AddURLInput) (*Reply[UploadResult], error) {
	d, added, err := h.Pages.AddURL(ctx, scopeOf(ctx), in.ID, in.Body.FolderID, in.Body.URL)
	return reply(UploadResult{Name: in.Body.URL, Added: added, Document: &d}, err)
}

// Settings are those of a base, and what they do.
type Settings interface {
	ChangeBase(ctx context.Context, scope core.Scope, base string, c knowledge.BaseChange) (core.KnowledgeBase, error)
	Preview(ctx context.Context, scope core.Scope, base string, f knowledge.PreviewFile, with *core.Chunking) (knowledge.Preview, error)
	PreviewDocument(ctx context.Context, scope core.Scope, id string, with *core.Chunking) (knowledge.Preview, error)
}

// PassageBody is the text of a passage.
type PassageBody struct {
	Content string `json:"content" minLength:"1"`
}

// EditChunkInput gives a passage, or a new one of a document, its text.
type EditChunkInput struct {
	ByID
	Body PassageBody
}

// AddChunk adds a passage to the end of a document.
func (h *Handlers) AddChunk(ctx context.Context, in *EditChunkInput) (*Reply[core.Chunk], error) {
	return reply(h.Passages.AddChunk(ctx, scopeOf(ctx), in.ID, in.Body.Content))
}

// EditChunk gives a passage another text; the reply has its new id.
func (h *Handlers) EditChunk(ctx context.Context, in *EditChunkInput) (*Reply[core.Chunk], error) {
	return reply(h.Passages.EditChunk(ctx, scopeOf(ctx), in.ID, in.Body.Content))
}

// RemoveChunk takes a passage out of its document; older versions keep it.
func (h *Handlers) RemoveChunk(ctx context.Context, in *ByID) (*Empty, error) {
	_, err := h.Passages.EditChunk(ctx, scopeOf(ctx), in.ID, "")
	return &Empty{}, err
}

// Revisions gives what has stood in the place of a passage, the newest first.
func (h *Handlers) Revisions(ctx context.Context, in *ByID) (*Reply[List[core.Revision]], error) {
	revisions, err := h.Passages.Revisions(ctx, scopeOf(ctx), in.ID)
	return list(revisions, len(revisions), err)
}

// RevertChunk gives a passage the text of the revision that is named.
func (h *Handlers) RevertChunk(ctx context.Context, in *ByID) (*Reply[core.Chunk], error) {
	return reply(h.Passages.Revert(ctx, scopeOf(ctx), in.ID))
}

// ChangeBaseInput changes a base; fields left out stay.
type ChangeBaseInput struct {
	ByID
	Body struct {
		Name        *string        `json:"name,omitempty"`
		Description *string        `json:"description,omitempty"`
		Chunking    *core.Chunking `json:"chunking,omitempty" doc:"for documents that are read from now on; {} means the server's"`
	}
}

// ChangeBase renames a base, describes it, or says how it cuts documents.
func (h *Handlers) ChangeBase(ctx context.Context, in *ChangeBaseInput) (*Reply[core.KnowledgeBase], error) {
	return reply(h.Settings.ChangeBase(ctx, scopeOf(ctx), in.ID, knowledge.BaseChange(in.Body)))
}

// maxPreviewFile is the largest file that is previewed, in bytes.
const maxPreviewFile = 32 << 20

// PreviewFileInput is a file, in a form or as the body, and settings to try in
// the place of the base's.
type PreviewFileInput struct {
	ByID
	Name    string `query:"name" doc:"of a file that is sent as the body"`
	Size    int    `query:"chunk_size"`
	Overlap int    `query:"chunk_overlap"`
	Parent  int    `query:"parent_size"`
	// Separators are repeated: one a parameter.
	Separators   []string    `query:"separator,explode"`
	HeadingLevel int         `query:"heading_level"`
	Rows         core.RowCut `query:"rows" enum:"data,all,none"`
	form         upload
}

// Resolve keeps the request, whose body huma need not know.
func (in *PreviewFileInput) Resolve(ctx huma.Context) []error {
	in.form.r, in.form.w = humago.Unwrap(ctx)
	return nil
}

// PreviewFile says how a file would be cut, and stores nothing.
func (h *Handlers) PreviewFile(ctx context.Context, in *PreviewFileInput) (*Reply[knowledge.Preview], error) {
	b, err := h.Library.Base(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	_ = http.NewResponseController(in.form.w).SetReadDeadline(time.Time{}) // a large file takes longer than a request otherwise may
	name, data, err := in.form.file(maxPreviewFile)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = in.Name
	}
	var with *core.Chunking
	c := core.Chunking{Size: in.Size, Overlap: in.Overlap, Parent: in.Parent, Separators: in.Separators, HeadingLevel: in.HeadingLevel, Rows: in.Rows}
	if !c.IsZero() {
		with = &c
	}
	return reply(h.Settings.Preview(ctx, scopeOf(ctx), b.ID, knowledge.PreviewFile{Name: name, Data: data}, with))
}

// PreviewDocumentInput are settings to try on a document.
type PreviewDocumentInput struct {
	ByID
	Body struct {
		Chunking *core.Chunking `json:"chunking,omitempty"`
	}
}

// PreviewDocument says how a document would be cut by other settings.
func (h *Handlers) PreviewDocument(ctx context.Context, in *PreviewDocumentInput) (*Reply[knowledge.Preview], error) {
	return reply(h.Settings.PreviewDocument(ctx, scopeOf(ctx), in.ID, in.Body.Chunking))
}
