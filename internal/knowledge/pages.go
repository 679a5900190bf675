package knowledge

import (
	"bytes"
	"context"

	"kaoju/internal/core"
	"kaoju/internal/fetch"
)

// Pages gets pages from outside. *fetch.Fetcher is one.
type Pages interface {
	Get(ctx context.Context, address string) (fetch.Page, error)
}

// AddURL fetches a page and adds it as a document, whose source is the
// address: fetched again, the new page takes the old one's place. What may not
// be fetched is a core.CodeForbidden.
func (s *Service) AddURL(ctx context.Context, scope core.Scope, base, folderID, address string) (doc core.Document, added bool, err error) {
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return doc, false, err
	}
	if s.pages == nil {
		return doc, false, core.Errorf(core.CodeForbidden, "fetching pages is not switched on; the option fetch.hosts names the hosts that may be asked")
	}
	if err := checkKind(b); err != nil {
		return doc, false, err
	}
	if err := s.checkFolder(ctx, scope, b.ID, folderID); err != nil {
		return doc, false, err
	}
	page, err := s.pages.Get(ctx, address)
	if err != nil {
		return doc, false, err
	}
	return s.Add(ctx, scope, AddRequest{
		Base: b.ID, FolderID: folderID, Name: page.Name, Source: page.URL, Content: bytes.NewReader(page.Body),
	})
}
