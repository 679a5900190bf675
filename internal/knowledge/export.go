package knowledge

import (
	"context"
	"io"

	"kaoju/internal/core"
	"kaoju/internal/knowledge/archive"
	"kaoju/internal/store"
)

// exportPage is how many documents or passages are read at once.
const exportPage = 256

// ExportBase writes a whole base as one file of package archive: settings,
// folders, words, documents with their originals, and passages with their
// edits and vectors, as of its active version. Documents that are not ready,
// and older versions, are left out. Memory does not grow with the base. The
// pages of a wiki are exported as Markdown instead: a core.CodeConflict.
func (s *Service) ExportBase(ctx context.Context, scope core.Scope, base string, out io.Writer) error {
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return err
	}
	if b.Kind == core.BaseWiki {
		return core.Errorf(core.CodeConflict, "the pages of a wiki are exported as Markdown, by 'kaoju wiki export'")
	}
	e := exporter{db: s.db, base: b}
	if err := e.begin(ctx, scope, out); err != nil {
		return err
	}
	for after := ""; ; {
		list, err := s.db.ExportDocuments(ctx, b.ID, b.ActiveVersion, after, exportPage)
		if err != nil {
			return err
		}
		for _, d := range list {
			if err := e.document(ctx, d); err != nil {
				return err
			}
			after = d.ID
		}
		if len(list) < exportPage {
			return e.w.Close()
		}
	}
}

type exporter struct {
	db   *store.DB
	base core.KnowledgeBase
	w    *archive.Writer
}

func (e *exporter) begin(ctx context.Context, scope core.Scope, out io.Writer) error {
	counts, err := e.db.CountDocuments(ctx, e.base.ID)
	if err != nil {
		return err
	}
	size, err := e.db.VectorBytes(ctx, e.base.ID)
	if err != nil {
		return err
	}
	about := e.base
	about.ID, about.TenantID, about.ActiveVersion = "", "", 0 // they mean nothing elsewhere
	e.w, err = archive.NewWriter(out, archive.Manifest{
		ExportedAt: e.base.UpdatedAt, Base: about, Model: e.base.EmbeddingModel, VectorBytes: size,
		LeftOut: counts.Queued + counts.Processing + counts.Failed,
	})
	if err != nil {
		return err
	}
	folders, err := e.db.ListFolders(ctx, scope, e.base.ID)
	if err == nil {
		err = e.w.Folders(folders)
	}
	if err != nil {
		return err
	}
	words, err := e.db.Glossary(ctx, e.base.ID)
	if err != nil {
		return err
	}
	return e.w.Glossary(words.Entries)
}

func (e *exporter) document(ctx context.Context, d store.ExportedDocument) error {
	if err := e.head(ctx, d.Document); err != nil {
		return err
	}
	after := core.Chunk{Index: -1}
	for {
		list, err := e.db.ExportPassages(ctx, d, after, exportPage)
		if err != nil {
			return err
		}
		for _, p := range list {
			out := archive.Passage{Chunk: p.Chunk, Live: p.Live, Vector: p.Vector}
			if p.RootID != "" {
				out.Revision = &archive.Revision{RootID: p.RootID, UserID: p.UserID, CreatedAt: p.RevisedAt}
			}
			if err := e.w.Passage(out); err != nil {
				return err
			}
			after = p.Chunk
		}
		if len(list) < exportPage {
			return nil
		}
	}
}

// head writes a document with its original, where it has one.
func (e *exporter) head(ctx context.Context, d core.Document) error {
	if d.ContentHash == "" {
		return e.w.Document(d, nil)
	}
	f, err := e.db.OpenBlob(ctx, d.ContentHash)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // reading only
	return e.w.Document(d, f)
}
