package knowledge

import (
	"bytes"
	"context"

	"kaoju/internal/core"
	"kaoju/internal/store"
)

// DocumentPage asks for a part of a base's documents; zero fields do not
// narrow.
type DocumentPage struct {
	FolderID string // "/" means those in no folder
	Tag      string
	State    core.DocumentState
	Offset   int
	Limit    int // 0 means the most, 1,000
}

// FilteredDocuments gives a page of a base's documents that fit, the newest
// first, and how many fit.
func (s *Service) FilteredDocuments(ctx context.Context, scope core.Scope, base string, p DocumentPage) ([]core.Document, int, error) {
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return nil, 0, err
	}
	f := store.DocumentFilter{FolderID: p.FolderID, Tag: p.Tag, State: p.State}
	return s.db.FilterDocuments(ctx, b.ID, f, p.Offset, p.Limit)
}

// SearchDocuments gives documents of all bases that the scope sees whose names
// hold every word of the query, the newest first.
func (s *Service) SearchDocuments(ctx context.Context, scope core.Scope, query string, limit int) ([]core.Document, error) {
	return s.db.SearchDocuments(ctx, scope, query, limit)
}

// Tags gives the tags of a base that are in use, by name.
func (s *Service) Tags(ctx context.Context, scope core.Scope, base string) ([]core.Tag, error) {
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return nil, err
	}
	return s.db.Tags(ctx, b.ID)
}

// TaggedDocument gives a document with its tags, and what models add to it.
func (s *Service) TaggedDocument(ctx context.Context, scope core.Scope, id string) (core.Document, error) {
	d, err := s.db.Document(ctx, scope, id)
	if err != nil {
		return d, err
	}
	if d.Tags, err = s.db.DocumentTags(ctx, id); err != nil {
		return d, err
	}
	d.Enrichment, err = s.db.EnrichmentOf(ctx, id)
	return d, err
}

// DocumentChange is what to change of a document; nil fields stay.
type DocumentChange struct {
	Name     *string // a title that came from the old name follows
	Title    *string
	FolderID *string
	Tags     *[]string
}

// ChangeDocument renames, moves and tags a document. Searches within a folder
// or by a new title see it when this returns. FAQ entries are changed by
// ChangeFAQ.
func (s *Service) ChangeDocument(ctx context.Context, scope core.Scope, id string, c DocumentChange) (core.Document, error) {
	d, err := s.db.Document(ctx, scope, id)
	if err != nil {
		return d, err
	}
	if err := refuseMade(d); err != nil {
		return d, err
	}
	change, err := s.checkChange(ctx, scope, d, c)
	if err != nil {
		return d, err
	}
	model := s.indexer.Model()
	var index []store.Indexing
	if change.Title != nil && *change.Title != d.Title {
		if index, err = s.retitled(ctx, d, *change.Title); err != nil {
			return d, err
		}
	}
	version, err := s.db.ChangeDocument(ctx, d, change, model, index)
	if err != nil {
		return d, err
	}
	if version > 0 {
		_ = s.index.Refresh(context.WithoutCancel(ctx), d.BaseID) // saves the next search the wait
	}
	return s.TaggedDocument(ctx, scope, id)
}

func (s *Service) checkChange(ctx context.Context, scope core.Scope, d core.Document, c DocumentChange) (out store.DocumentChange, err error) {
	if c.FolderID != nil {
		if err := s.checkFolder(ctx, scope, d.BaseID, *c.FolderID); err != nil {
			return out, err
		}
		out.FolderID = c.FolderID
	}
	if c.Name != nil {
		name, err := fileName(*c.Name)
		if err != nil {
			return out, err
		}
		out.Name = &name
		if c.Title == nil && d.Title == d.DefaultTitle() {
			title := titleOf("", name)
			out.Title = &title
		}
	}
	if c.Title != nil {
		name := d.Name
		if out.Name != nil {
			name = *out.Name
		}
		title := titleOf(*c.Title, name)
		out.Title = &title
	}
	if c.Tags != nil {
		tags, err := tidyTags(*c.Tags)
		if err != nil {
			return out, err
		}
		out.Tags = &tags
	}
	return out, nil
}

// indexBatch is how many chunks are indexed at once by hand.
const indexBatch = 256

// retitled makes the index entries of a document's chunks under another title.
func (s *Service) retitled(ctx context.Context, d core.Document, title string) ([]store.Indexing, error) {
	d.Title = title
	var list []store.Indexing
	for offset := 0; ; offset += indexBatch {
		chunks, err := s.db.LiveChunks(ctx, d.ID, offset, indexBatch)
		if err != nil {
			return nil, err
		}
		entries, err := s.indexer.Entries(ctx, d, chunks)
		if err != nil {
			return nil, err
		}
		if list = append(list, entries...); len(chunks) < indexBatch {
			return list, nil
		}
	}
}

// SetEnabled takes ready documents of one base out of the search, or back into
// it. All must be of the base; none changes where one is not.
func (s *Service) SetEnabled(ctx context.Context, scope core.Scope, base string, ids []string, enabled bool) error {
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return err
	}
	switch b.Kind {
	case core.BaseFAQ:
		return core.Errorf(core.CodeConflict, "FAQ entries are enabled one by one, by their field enabled")
	case core.BaseWiki:
		return core.Errorf(core.CodeConflict, "pages of a wiki are published and archived one by one, by their field status")
	}
	version, err := s.db.SetEnabled(ctx, b.ID, ids, enabled)
	if err == nil && version > 0 {
		_ = s.index.Refresh(context.WithoutCancel(ctx), b.ID)
	}
	return err
}

// Stop ends the work on a document, queued or running. It has failed then,
// and may be tried again.
func (s *Service) Stop(ctx context.Context, scope core.Scope, id string) error {
	if err := s.db.CancelJob(ctx, scope, id); err != nil {
		return err
	}
	s.work.Cancel(id)
	return nil
}

// Retry queues a document that failed again.
func (s *Service) Retry(ctx context.Context, scope core.Scope, id string) (core.Document, error) {
	d, err := s.db.RetryJob(ctx, scope, id)
	if err == nil {
		s.work.Wake()
	}
	return d, err
}

// Copy adds a document to another base, or to another folder of one that has
// not got its content.
func (s *Service) Copy(ctx context.Context, scope core.Scope, id, base, folderID string) (core.Document, error) {
	d, data, err := s.Original(ctx, scope, id)
	if err != nil {
		return d, err
	}
	made, added, err := s.Add(ctx, scope, AddRequest{
		Base: base, FolderID: folderID, Name: d.Name, Title: d.Title, Source: d.Source, Content: bytes.NewReader(data),
	})
	if err == nil && !added {
		err = core.Errorf(core.CodeConflict, "the knowledge base has this content already, as %q", made.Name)
	}
	return made, err
}

// DeleteMany removes documents of a base for good, or none of them where one
// is not there.
func (s *Service) DeleteMany(ctx context.Context, scope core.Scope, base string, ids []string) error {
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return err
	}
	for _, id := range ids {
		d, err := s.db.Document(ctx, scope, id)
		if err == nil && d.BaseID != b.ID {
			err = core.Errorf(core.CodeNotFound, "there is no document %q", id)
		}
		if err != nil {
			return err
		}
	}
	for _, id := range ids {
		if err := s.Delete(ctx, scope, id); err != nil && core.CodeOf(err) != core.CodeNotFound {
			return err
		}
	}
	return nil
}

// FolderChange is what to change of a folder; nil fields stay.
type FolderChange struct {
	Name     *string
	ParentID *string // "" is the top
}

// ChangeFolder renames a folder or moves it under another. What is in it moves
// along.
func (s *Service) ChangeFolder(ctx context.Context, scope core.Scope, base, id string, c FolderChange) (core.Folder, error) {
	b, f, err := s.folder(ctx, scope, base, id)
	if err != nil {
		return f, err
	}
	if c.Name != nil {
		if f.Name, err = cleanName("folder", *c.Name); err != nil {
			return f, err
		}
	}
	if c.ParentID != nil {
		if err := s.checkFolder(ctx, scope, b.ID, *c.ParentID); err != nil {
			return f, err
		}
		f.ParentID = *c.ParentID
	}
	return f, s.db.ChangeFolder(ctx, f)
}

// FoldersBelow gives folders with all below them, for a search within them.
func (s *Service) FoldersBelow(ctx context.Context, ids []string) ([]string, error) {
	return s.db.FoldersBelow(ctx, ids)
}

// DeleteFolder removes a folder that holds nothing.
func (s *Service) DeleteFolder(ctx context.Context, scope core.Scope, base, id string) error {
	b, _, err := s.folder(ctx, scope, base, id)
	if err != nil {
		return err
	}
	return s.db.DeleteFolder(ctx, b.ID, id)
}

func (s *Service) folder(ctx context.Context, scope core.Scope, base, id string) (core.KnowledgeBase, core.Folder, error) {
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return b, core.Folder{}, err
	}
	list, err := s.db.ListFolders(ctx, scope, b.ID)
	if err != nil {
		return b, core.Folder{}, err
	}
	for _, f := range list {
		if f.ID == id {
			return b, f, nil
		}
	}
	return b, core.Folder{}, core.Errorf(core.CodeNotFound, "there is no folder %q", id)
}
