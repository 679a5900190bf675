package wiki

import (
	"context"
	"fmt"

	"kaoju/internal/core"
)

// Revisions gives a part of what a page has said, the newest first and without
// the texts, and how many revisions there are.
func (s *Service) Revisions(ctx context.Context, scope core.Scope, at At, offset, limit int) ([]core.WikiRevision, int, error) {
	p, err := s.Page(ctx, scope, at)
	if err != nil {
		return nil, 0, err
	}
	if limit <= 0 {
		limit = defaultList
	}
	return s.Store.WikiRevisions(ctx, p.ID, offset, min(limit, maxList))
}

// Revision gives one revision, whole.
func (s *Service) Revision(ctx context.Context, scope core.Scope, at At, number int) (core.WikiRevision, error) {
	p, err := s.Page(ctx, scope, at)
	if err != nil {
		return core.WikiRevision{}, err
	}
	r, err := s.Store.WikiRevision(ctx, p.ID, number)
	if err == nil {
		r.Sources, err = s.Store.WikiSources(ctx, scope, p.ID, number)
	}
	return r, err
}

// Revert lets a page say again what it said in a revision, as a new revision;
// its slug stays. A proposal is taken this way, and waits no longer. followed
// is the current revision.
func (s *Service) Revert(ctx context.Context, scope core.Scope, at At, number, followed int) (core.WikiPage, error) {
	b, err := s.base(ctx, scope, at.Base)
	if err != nil {
		return core.WikiPage{}, err
	}
	p, err := s.following(ctx, scope, b, at.Page, followed)
	if err != nil {
		return p, err
	}
	r, err := s.Store.WikiRevision(ctx, p.ID, number)
	if err != nil {
		return p, err
	}
	if p.Sources, err = s.Store.WikiSources(ctx, scope, p.ID, number); err != nil {
		return p, err
	}
	p.Title, p.Type, p.Status, p.Summary, p.Aliases, p.Content = r.Title, r.Type, r.Status, r.Summary, r.Aliases, r.Content
	p.Author, p.UserID = core.WikiByPerson, scope.UserID
	if err := tidy(&p); err != nil {
		return p, err
	}
	if err := s.save(ctx, b, "change "+p.Slug, revision{p, fmt.Sprintf("as in %d", number)}); err != nil {
		return p, err
	}
	if r.Proposed {
		if err := s.Store.DismissWiki(ctx, b.ID, p.ID, number); err != nil {
			return p, err
		}
	}
	return s.whole(ctx, scope, b.ID, p.ID)
}

// Dismiss removes a proposal. A revision that is none is a core.CodeConflict:
// what a page has said is kept.
func (s *Service) Dismiss(ctx context.Context, scope core.Scope, at At, number int) error {
	p, err := s.Page(ctx, scope, at)
	if err != nil {
		return err
	}
	r, err := s.Store.WikiRevision(ctx, p.ID, number)
	if err != nil {
		return err
	}
	if !r.Proposed {
		return core.Errorf(core.CodeConflict, "revision %d is part of the page's history, which is kept; only proposals are dismissed", number)
	}
	return s.Store.DismissWiki(ctx, p.BaseID, p.ID, number)
}

// Links are the links of a page.
type Links struct {
	Out []core.WikiLink `json:"out"` // in order; those without a page are broken
	In  []core.WikiLink `json:"in"`  // of other pages to this one, one a page, by their slugs
}

// LinksOf gives the links of a page and those to it.
func (s *Service) LinksOf(ctx context.Context, scope core.Scope, at At) (l Links, err error) {
	p, err := s.Page(ctx, scope, at)
	if err != nil {
		return l, err
	}
	if l.Out, err = s.Store.WikiLinks(ctx, p.ID); err != nil {
		return l, err
	}
	l.In, err = s.Store.WikiBacklinks(ctx, p.BaseID, p.ID)
	return l, err
}

// Broken gives links of a wiki that lead nowhere, at most 1,000: Slug and Text
// are the link's, PageID and Title those of the page that has it.
func (s *Service) Broken(ctx context.Context, scope core.Scope, base string) ([]core.WikiLink, error) {
	b, err := s.base(ctx, scope, base)
	if err != nil {
		return nil, err
	}
	return s.Store.BrokenWikiLinks(ctx, b.ID, maxList)
}
