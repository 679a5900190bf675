package wiki

import (
	"context"

	"kaoju/internal/core"
)

// What became of a page that was offered.
const (
	Added     = "added"
	Changed   = "changed"
	Unchanged = "unchanged"
	Proposed  = "proposed"
)

// Offer gives a wiki a page that a model wrote, under its slug: a new page, or
// the next revision of one whose last revision is a model's. What a person
// wrote stays: the model's text waits beside it as a proposal. Offered again,
// nothing changes. It reports what it did. The base must have been authorised;
// p.UserID is who asked for it.
func (s *Service) Offer(ctx context.Context, b core.KnowledgeBase, p core.WikiPage, note string) (did string, err error) {
	for range renameTries {
		if did, err = s.offerOnce(ctx, b, p, note); core.CodeOf(err) != core.CodeConflict {
			return did, err
		}
	}
	return "", err
}

func (s *Service) offerOnce(ctx context.Context, b core.KnowledgeBase, p core.WikiPage, note string) (string, error) {
	p.BaseID, p.Author = b.ID, core.WikiByModel
	there, err := s.Store.WikiPage(ctx, b.ID, p.Slug)
	switch {
	case core.CodeOf(err) == core.CodeNotFound:
		p.ID, p.Revision = core.NewID(), 0
		if err := tidy(&p); err != nil {
			return "", err
		}
		return Added, s.save(ctx, b, "add "+p.Slug, revision{p, note})
	case err != nil:
		return "", err
	}
	p.ID, p.Revision, p.Status = there.ID, there.Revision, there.Status
	if err := tidy(&p); err != nil {
		return "", err
	}
	if same(there, p) {
		return Unchanged, nil
	}
	if there.Author == core.WikiByModel {
		return Changed, s.save(ctx, b, "change "+p.Slug, revision{p, note})
	}
	waits, err := s.waits(ctx, p)
	if err != nil || waits {
		return Unchanged, err
	}
	return Proposed, s.Store.ProposeWiki(ctx, p, note)
}

// waits reports whether the same text is proposed already.
func (s *Service) waits(ctx context.Context, p core.WikiPage) (bool, error) {
	list, _, err := s.Store.WikiRevisions(ctx, p.ID, 0, maxList)
	if err != nil {
		return false, err
	}
	for _, r := range list {
		if !r.Proposed {
			continue
		}
		whole, err := s.Store.WikiRevision(ctx, p.ID, r.Number)
		if err != nil {
			return false, err
		}
		if whole.Content == p.Content && whole.Title == p.Title && whole.Summary == p.Summary {
			return true, nil
		}
	}
	return false, nil
}
