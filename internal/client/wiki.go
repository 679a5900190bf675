package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"kaoju/internal/core"
)

// WikiList is a part of a wiki's pages and how many there are.
type WikiList struct {
	Items []core.WikiPage `json:"items"`
	Total int             `json:"total"`
}

// WikiHistory is a part of a page's revisions and how many there are.
type WikiHistory struct {
	Items []core.WikiRevision `json:"items"`
	Total int                 `json:"total"`
}

// WikiFile says what became of a file: "added", "changed" or "unchanged".
type WikiFile struct {
	Did  string        `json:"did"`
	Page core.WikiPage `json:"page"`
}

func wikiPath(base string, rest ...string) string {
	path := "/api/v1/knowledge-bases/" + url.PathEscape(base) + "/wiki"
	for _, r := range rest {
		path += "/" + url.PathEscape(r)
	}
	return path
}

// EnsureWikiBase gives the wiki base with the name and makes it where there is
// none.
func (c *Client) EnsureWikiBase(ctx context.Context, name string) (core.KnowledgeBase, error) {
	b, err := c.Base(ctx, name)
	if core.CodeOf(err) != core.CodeNotFound {
		return b, err
	}
	body := map[string]string{"name": name, "kind": string(core.BaseWiki)}
	err = c.call(ctx, http.MethodPost, "/api/v1/knowledge-bases", body, &b)
	return b, err
}

// WikiPages gives pages of a wiki, by slug and without their texts; the words
// of query must all occur in one. At most 1,000 come at once.
func (c *Client) WikiPages(ctx context.Context, base, query string, offset int) (WikiList, error) {
	var list WikiList
	q := url.Values{"query": {query}, "offset": {fmt.Sprint(offset)}, "limit": {"1000"}}
	err := c.call(ctx, http.MethodGet, wikiPath(base, "pages")+"?"+q.Encode(), nil, &list)
	return list, err
}

// WikiPage gives a page by its id, slug, title or alias.
func (c *Client) WikiPage(ctx context.Context, base, page string) (core.WikiPage, error) {
	var p core.WikiPage
	err := c.call(ctx, http.MethodGet, wikiPath(base, "pages", page), nil, &p)
	return p, err
}

// PutWikiFile makes a page of a Markdown file, or changes the page that it is.
func (c *Client) PutWikiFile(ctx context.Context, base, name, content string) (WikiFile, error) {
	var out WikiFile
	body := map[string]string{"name": name, "content": content, "note": "import"}
	err := c.call(ctx, http.MethodPut, wikiPath(base, "files"), body, &out)
	return out, err
}

// WikiRevisions gives what a page has said, the newest first; 200 at most.
func (c *Client) WikiRevisions(ctx context.Context, base, page string) (WikiHistory, error) {
	var list WikiHistory
	err := c.call(ctx, http.MethodGet, wikiPath(base, "pages", page, "revisions")+"?limit=200", nil, &list)
	return list, err
}

// WikiRevision names a revision of a page; Current is the one that it has now.
type WikiRevision struct {
	Base, Page      string
	Number, Current int
}

// RevertWiki lets a page say what it said in a revision.
func (c *Client) RevertWiki(ctx context.Context, at WikiRevision) (core.WikiPage, error) {
	var p core.WikiPage
	path := wikiPath(at.Base, "pages", at.Page, "revisions", fmt.Sprint(at.Number), "revert")
	err := c.call(ctx, http.MethodPost, path, map[string]int{"revision": at.Current}, &p)
	return p, err
}

// ExportWiki writes all pages of a wiki as Markdown files in a ZIP.
func (c *Client) ExportWiki(ctx context.Context, base string, w io.Writer) error {
	return c.download(ctx, wikiPath(base, "export"), w)
}
