package native

import (
	"bytes"
	"context"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"kaoju/internal/core"
	"kaoju/internal/wiki"
)

// WikiFiles takes pages in and out as Markdown files, and finds broken links.
type WikiFiles interface {
	PutFile(ctx context.Context, scope core.Scope, base string, f wiki.File, note string) (p core.WikiPage, did string, err error)
	Export(ctx context.Context, scope core.Scope, base string, w io.Writer) error
	Broken(ctx context.Context, scope core.Scope, base string) ([]core.WikiLink, error)
}

// BrokenWikiLinks gives the links of a wiki that lead nowhere.
func (h *Handlers) BrokenWikiLinks(ctx context.Context, in *ByID) (*Reply[List[core.WikiLink]], error) {
	links, err := h.WikiFiles.Broken(ctx, scopeOf(ctx), in.ID)
	return list(links, len(links), err)
}

// PutWikiFileInput is a Markdown file.
type PutWikiFileInput struct {
	ByID
	Body struct {
		Name    string `json:"name" minLength:"1" maxLength:"1000" doc:"the slug with .md; folders are its parts"`
		Content string `json:"content" doc:"Markdown; its head may hold title, type, status, summary and aliases"`
		Note    string `json:"note,omitempty" doc:"about this revision"`
	}
}

// WikiFileResult says what became of a file.
type WikiFileResult struct {
	Did  string        `json:"did" enum:"added,changed,unchanged"`
	Page core.WikiPage `json:"page"`
}

// PutWikiFile makes a page of a file, or gives the page with its slug the
// file's text.
func (h *Handlers) PutWikiFile(ctx context.Context, in *PutWikiFileInput) (*Reply[WikiFileResult], error) {
	p, did, err := h.WikiFiles.PutFile(ctx, scopeOf(ctx), in.ID, wiki.File{Name: in.Body.Name, Content: in.Body.Content}, in.Body.Note)
	return reply(WikiFileResult{Did: did, Page: p}, err)
}

// ExportWiki sends all pages of a wiki as Markdown files in a ZIP.
func (h *Handlers) ExportWiki(ctx context.Context, in *ByID) (*huma.StreamResponse, error) {
	b, err := h.Library.Base(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	if err := h.WikiFiles.Export(ctx, scopeOf(ctx), b.ID, &archive); err != nil {
		return nil, err
	}
	return sendFile(b.Name+"-wiki.zip", archive.Bytes()), nil
}
