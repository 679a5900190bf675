package knowledge

import (
	"context"
	"io"
	"strings"
	"unicode"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// AddRequest is a document to add. Content is read once, to its end.
type AddRequest struct {
	Base     string // id or name
	FolderID string
	Name     string // file name; a path is cut to its last part
	Title    string // what the document is called; empty means what its content says, else its name
	Source   string // the path it came from, "upload" or "text"; empty means "upload"
	Content  io.Reader
	Bulk     bool // one of many: it waits for those that come alone
}

// Add stores a document and queues its ingestion; when it returns, nothing of
// it can be lost. The same content in the same base is never added twice, by
// whichever way it comes: the document that is there comes back with added
// false. A document that had failed is tried again, and counts as added. A
// document of the same folder, name and source with other content is replaced
// once the new one is ready.
//
// An empty file is a core.CodeEmpty, one beyond the limit a core.CodeTooLarge.
func (s *Service) Add(ctx context.Context, scope core.Scope, r AddRequest) (doc core.Document, added bool, err error) {
	b, err := s.db.Base(ctx, scope, r.Base)
	if err != nil {
		return core.Document{}, false, err
	}
	if err := checkKind(b); err != nil {
		return core.Document{}, false, err
	}
	if err := s.checkFolder(ctx, scope, b.ID, r.FolderID); err != nil {
		return core.Document{}, false, err
	}
	name, err := fileName(r.Name)
	if err != nil {
		return core.Document{}, false, err
	}
	blob, err := s.db.StageBlob(ctx, r.Content, s.limit)
	if err != nil {
		return core.Document{}, false, err
	}
	defer blob.Discard()
	if blob.Size == 0 {
		return core.Document{}, false, core.Errorf(core.CodeEmpty, "the file is empty")
	}
	doc, added, err = s.db.AddDocument(ctx, core.Document{
		ID: core.NewID(), BaseID: b.ID, FolderID: r.FolderID, Name: name, Title: titleOf(r.Title, name),
		Source: or(strings.ToValidUTF8(r.Source, "\uFFFD"), "upload"), Bulk: r.Bulk,
	}, blob)
	if added {
		s.work.Wake()
	}
	return doc, added, err
}

// titleOf gives the title that was given, else what DefaultTitle makes of the
// name.
func titleOf(given, name string) string {
	given = strings.Join(strings.Fields(strings.ToValidUTF8(given, "\uFFFD")), " ")
	if given == "" {
		return core.Document{Name: name}.DefaultTitle()
	}
	return text.Truncate(given, maxName)
}

// fileName cuts a path of any system to its last part and takes out what a
// name cannot hold.
func fileName(name string) (string, error) {
	name = strings.ToValidUTF8(name, "\uFFFD")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
	return cleanName("document", name)
}

// Document gives a document by its id.
func (s *Service) Document(ctx context.Context, scope core.Scope, id string) (core.Document, error) {
	return s.db.Document(ctx, scope, id)
}

// Documents gives a page of a base's documents, the newest first, and how many
// there are in all. At most 1,000 come at once; a limit of 0 means that many.
func (s *Service) Documents(ctx context.Context, scope core.Scope, base string, offset, limit int) ([]core.Document, int, error) {
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return nil, 0, err
	}
	return s.db.ListDocuments(ctx, scope, b.ID, offset, limit)
}

// Chunks gives a page of a document's indexed chunks, in order.
func (s *Service) Chunks(ctx context.Context, scope core.Scope, documentID string, offset, limit int) ([]core.Chunk, error) {
	return s.db.DocumentChunks(ctx, scope, documentID, offset, limit)
}

// Original gives the bytes of a document as they were added.
func (s *Service) Original(ctx context.Context, scope core.Scope, id string) (core.Document, []byte, error) {
	d, err := s.db.Document(ctx, scope, id)
	if err != nil {
		return core.Document{}, nil, err
	}
	if err := refuseMade(d); err != nil {
		return d, nil, err
	}
	data, err := s.db.ReadBlob(ctx, d.ContentHash)
	return d, data, err
}

// Delete removes a document for good: when it returns, no search finds it, in
// any version, and work on it can store nothing more.
func (s *Service) Delete(ctx context.Context, scope core.Scope, id string) error {
	d, err := s.db.Document(ctx, scope, id)
	if err != nil {
		return err
	}
	version, err := s.db.DeleteDocument(ctx, scope, id)
	if err != nil {
		return err
	}
	s.work.Cancel(id)
	if version > 0 {
		// A search reads the version first and catches up by itself; this only
		// saves the next one the wait, so its failure is no failure to delete.
		_ = s.index.Refresh(ctx, d.BaseID)
	}
	return nil
}
