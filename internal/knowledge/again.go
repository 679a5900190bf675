package knowledge

import (
	"context"

	"kaoju/internal/core"
	"kaoju/internal/store"
)

// Reparse reads a document's original again, as after a change of a reader. The
// new reading takes the place of the old one, and has an id of its own, once it
// is ready; until then the old one is found. Passages that were changed by hand
// are lost with the old one: unless discardEdits says so, that is a
// core.CodeConflict.
func (s *Service) Reparse(ctx context.Context, scope core.Scope, id string, discardEdits bool) (core.Document, error) {
	d, err := s.readable(ctx, scope, id, discardEdits)
	if err != nil {
		return d, err
	}
	if err := s.db.DropReading(ctx, d.ContentHash); err != nil {
		return d, err
	}
	return s.again(ctx, scope, d)
}

// Rechunk cuts a document anew, by the settings that its base has now. It is
// Reparse without reading: what the reader made of a PDF or Office file, and a
// model of its pictures, was kept. Where it was not, the original is read.
func (s *Service) Rechunk(ctx context.Context, scope core.Scope, id string, discardEdits bool) (core.Document, error) {
	d, err := s.readable(ctx, scope, id, discardEdits)
	if err != nil {
		return d, err
	}
	return s.again(ctx, scope, d)
}

// Rechunked says how many documents of a base are cut anew.
type Rechunked struct {
	Documents int `json:"documents"`
	Kept      int `json:"kept" doc:"left as they are, because passages of them were changed by hand"`
}

// RechunkBase cuts all documents of a base anew that are ready. Those that were
// changed by hand stay as they are unless discardEdits says otherwise.
func (s *Service) RechunkBase(ctx context.Context, scope core.Scope, base string, discardEdits bool) (Rechunked, error) {
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return Rechunked{}, err
	}
	if b.Kind != core.BaseDocument {
		return Rechunked{}, core.Errorf(core.CodeConflict, "the knowledge base %q is of kind %s, whose entries are never cut", b.Name, b.Kind)
	}
	var list []core.Document
	for more := true; more; {
		page, total, err := s.db.FilterDocuments(ctx, b.ID, store.DocumentFilter{State: core.DocumentReady}, len(list), indexBatch)
		if err != nil {
			return Rechunked{}, err
		}
		list = append(list, page...)
		more = len(page) > 0 && len(list) < total
	}
	var out Rechunked
	for _, d := range list {
		switch done, err := s.rechunkOne(ctx, scope, d, discardEdits); {
		case err != nil:
			return out, err
		case done:
			out.Documents++
		default:
			out.Kept++
		}
	}
	return out, nil
}

// rechunkOne cuts one of many anew, behind single uploads; not done where its
// edits are to be kept.
func (s *Service) rechunkOne(ctx context.Context, scope core.Scope, d core.Document, discardEdits bool) (done bool, err error) {
	if !discardEdits {
		if edited, err := s.db.EditedByHand(ctx, d.ID); err != nil || edited {
			return false, err
		}
	}
	d, err = s.TaggedDocument(ctx, scope, d.ID)
	if core.CodeOf(err) == core.CodeNotFound {
		return false, nil // deleted meanwhile
	}
	if err != nil {
		return false, err
	}
	d.Bulk = true
	_, err = s.again(ctx, scope, d)
	return err == nil, err
}

// readable gives a document whose original may be read or cut again.
func (s *Service) readable(ctx context.Context, scope core.Scope, id string, discardEdits bool) (core.Document, error) {
	d, err := s.TaggedDocument(ctx, scope, id)
	switch {
	case err != nil:
		return d, err
	case refuseMade(d) != nil:
		return d, refuseMade(d)
	case d.State != core.DocumentReady && d.State != core.DocumentFailed:
		return d, core.Errorf(core.CodeConflict, "a document that is %s cannot be read again", d.State)
	case discardEdits:
		return d, nil
	}
	edited, err := s.db.EditedByHand(ctx, d.ID)
	if err == nil && edited {
		err = core.Errorf(core.CodeEdited, "passages of %q were changed by hand, which this takes back; say discard_edits to do it", d.Name)
	}
	return d, err
}

func (s *Service) again(ctx context.Context, scope core.Scope, d core.Document) (core.Document, error) {
	if d.State == core.DocumentFailed {
		return s.Retry(ctx, scope, d.ID)
	}
	again, err := s.db.ReadAgain(ctx, d)
	if err == nil {
		s.work.Wake()
	}
	return again, err
}
