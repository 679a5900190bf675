package native

import (
	"context"

	"kaoju/internal/core"
	"kaoju/internal/wiki"
)

// WikiPages keeps the pages of wiki bases. Pages are named by id or slug.
type WikiPages interface {
	Pages(ctx context.Context, scope core.Scope, base string, f wiki.Filter) ([]core.WikiPage, int, error)
	Page(ctx context.Context, scope core.Scope, at wiki.At) (core.WikiPage, error)
	Create(ctx context.Context, scope core.Scope, base string, d wiki.Draft) (core.WikiPage, error)
	Change(ctx context.Context, scope core.Scope, at wiki.At, followed int, c wiki.Change) (core.WikiPage, error)
	Delete(ctx context.Context, scope core.Scope, at wiki.At) error
}

// WikiHistory keeps what pages have said, and how they are linked.
type WikiHistory interface {
	Revisions(ctx context.Context, scope core.Scope, at wiki.At, offset, limit int) ([]core.WikiRevision, int, error)
	Revision(ctx context.Context, scope core.Scope, at wiki.At, number int) (core.WikiRevision, error)
	Revert(ctx context.Context, scope core.Scope, at wiki.At, number, followed int) (core.WikiPage, error)
	Dismiss(ctx context.Context, scope core.Scope, at wiki.At, number int) error
	LinksOf(ctx context.Context, scope core.Scope, at wiki.At) (wiki.Links, error)
}

// ListWikiInput names a wiki and a part of its list.
type ListWikiInput struct {
	ByID
	Query  string          `query:"query" maxLength:"500" doc:"words that must all occur in title, aliases, summary or text"`
	Type   core.WikiType   `query:"type" enum:"page,summary,entity,concept,index"`
	Status core.WikiStatus `query:"status" enum:"published,draft,archived"`
	Prefix string          `query:"prefix" doc:"how the slug begins"`
	Offset int             `query:"offset" minimum:"0" default:"0" doc:"items to pass over"`
	Limit  int             `query:"limit" minimum:"1" maximum:"1000" default:"50" doc:"items to give"`
}

// ListWiki gives pages by slug, without their texts.
func (h *Handlers) ListWiki(ctx context.Context, in *ListWikiInput) (*Reply[List[core.WikiPage]], error) {
	return list(h.Wiki.Pages(ctx, scopeOf(ctx), in.ID, wiki.Filter{
		Query: in.Query, Type: in.Type, Status: in.Status, Prefix: in.Prefix, Offset: in.Offset, Limit: in.Limit,
	}))
}

// WikiDraft is a page to make. What is left out follows from the rest.
type WikiDraft struct {
	Slug    string          `json:"slug,omitempty" doc:"else it is made of the title"`
	Title   string          `json:"title,omitempty" doc:"else it is the first heading of the text"`
	Type    core.WikiType   `json:"type,omitempty" enum:"page,summary,entity,concept,index" default:"page"`
	Status  core.WikiStatus `json:"status,omitempty" enum:"published,draft,archived" default:"published"`
	Summary string          `json:"summary,omitempty"`
	Aliases []string        `json:"aliases,omitempty" doc:"other names, which links may use"`
	Content string          `json:"content,omitempty" doc:"Markdown; [[slug]] and [[slug|text]] are links"`
	Note    string          `json:"note,omitempty" doc:"about this revision"`
}

// CreateWikiInput makes a page.
type CreateWikiInput struct {
	ByID
	Body WikiDraft
}

// CreateWiki makes a page.
func (h *Handlers) CreateWiki(ctx context.Context, in *CreateWikiInput) (*Reply[core.WikiPage], error) {
	return reply(h.Wiki.Create(ctx, scopeOf(ctx), in.ID, wiki.Draft(in.Body)))
}

// WikiInBase names a page of a base by id or slug; the slashes of a slug are
// written %2F.
type WikiInBase struct {
	ByID
	Page string `path:"page"`
}

func (in WikiInBase) at() wiki.At { return wiki.At{Base: in.ID, Page: in.Page} }

// OneWiki gives a page, whole.
func (h *Handlers) OneWiki(ctx context.Context, in *WikiInBase) (*Reply[core.WikiPage], error) {
	return reply(h.Wiki.Page(ctx, scopeOf(ctx), in.at()))
}

// WikiChange is what to change of a page; fields left out stay.
type WikiChange struct {
	Revision int              `json:"revision" minimum:"1" doc:"that the change was made on"`
	Slug     *string          `json:"slug,omitempty" doc:"links of other pages follow"`
	Title    *string          `json:"title,omitempty"`
	Type     *core.WikiType   `json:"type,omitempty" enum:"page,summary,entity,concept,index"`
	Status   *core.WikiStatus `json:"status,omitempty" enum:"published,draft,archived"`
	Summary  *string          `json:"summary,omitempty"`
	Aliases  *[]string        `json:"aliases,omitempty"`
	Content  *string          `json:"content,omitempty"`
	Note     string           `json:"note,omitempty" doc:"about this revision"`
}

// ChangeWikiInput changes a page.
type ChangeWikiInput struct {
	WikiInBase
	Body WikiChange
}

// ChangeWiki changes the fields of a page that the body names.
func (h *Handlers) ChangeWiki(ctx context.Context, in *ChangeWikiInput) (*Reply[core.WikiPage], error) {
	b := in.Body
	return reply(h.Wiki.Change(ctx, scopeOf(ctx), in.at(), b.Revision, wiki.Change{
		Slug: b.Slug, Title: b.Title, Type: b.Type, Status: b.Status, Summary: b.Summary, Aliases: b.Aliases, Content: b.Content, Note: b.Note,
	}))
}

// DeleteWiki removes a page for good.
func (h *Handlers) DeleteWiki(ctx context.Context, in *WikiInBase) (*Empty, error) {
	return &Empty{}, h.Wiki.Delete(ctx, scopeOf(ctx), in.at())
}

// WikiLinks gives the links of a page and those to it.
func (h *Handlers) WikiLinks(ctx context.Context, in *WikiInBase) (*Reply[wiki.Links], error) {
	return reply(h.WikiHistory.LinksOf(ctx, scopeOf(ctx), in.at()))
}

// ListWikiRevisions gives what a page has said, the newest first.
func (h *Handlers) ListWikiRevisions(ctx context.Context, in *WikiHistoryInput) (*Reply[List[core.WikiRevision]], error) {
	return list(h.WikiHistory.Revisions(ctx, scopeOf(ctx), in.at(), in.Offset, in.Limit))
}

// WikiHistoryInput names a page and a part of its history.
type WikiHistoryInput struct {
	WikiInBase
	Offset int `query:"offset" minimum:"0" default:"0" doc:"items to pass over"`
	Limit  int `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"items to give"`
}

// WikiRevisionInput names a revision of a page.
type WikiRevisionInput struct {
	WikiInBase
	Number int `path:"number"`
}

// OneWikiRevision gives a revision, whole.
func (h *Handlers) OneWikiRevision(ctx context.Context, in *WikiRevisionInput) (*Reply[core.WikiRevision], error) {
	return reply(h.WikiHistory.Revision(ctx, scopeOf(ctx), in.at(), in.Number))
}

// DismissWiki removes a revision that was only proposed.
func (h *Handlers) DismissWiki(ctx context.Context, in *WikiRevisionInput) (*Empty, error) {
	return &Empty{}, h.WikiHistory.Dismiss(ctx, scopeOf(ctx), in.at(), in.Number)
}

// RevertWikiInput names the revision that a page goes back to, or the proposal
// that it takes.
type RevertWikiInput struct {
	WikiRevisionInput
	Body struct {
		Revision int `json:"revision" minimum:"1" doc:"the current one"`
	}
}

// RevertWiki lets a page say what it says in a revision.
func (h *Handlers) RevertWiki(ctx context.Context, in *RevertWikiInput) (*Reply[core.WikiPage], error) {
	return reply(h.WikiHistory.Revert(ctx, scopeOf(ctx), in.at(), in.Number, in.Body.Revision))
}
