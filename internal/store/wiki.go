package store

import (
	"context"

	"kaoju/internal/core"
)

// SourceWiki is the source of the documents that are pages of a wiki.
const SourceWiki = "wiki"

// WikiWrite is a page to store, as its new revision has it, and the passages
// made of it; none of a page that is not published.
type WikiWrite struct {
	Page   core.WikiPage // Revision is that which the new one follows; 0 for a new page
	Note   string
	Key    string   // what a search of the list compares
	Names  []string // title and aliases, as links may write them
	Links  []core.WikiLink
	Chunks []core.Chunk
	Index  []Indexing
}

// WikiChange is a change of pages of one base, published as one version, all
// or nothing.
type WikiChange struct {
	BaseID string
	Put    []WikiWrite
	// Unlinked is a slug that no page may link to afterwards, else the change
	// is a core.CodeConflict: somebody added a link to a page while it was
	// renamed. "" checks nothing.
	Unlinked string
	Model    string // of the vectors
	Note     string
}

// ChangeWiki stores the pages as new revisions and publishes them. A page whose
// last revision is another one than the write follows, and a slug that is
// taken, are a core.CodeConflict.
func (db *DB) ChangeWiki(ctx context.Context, c WikiChange) error {
	return db.write(ctx, "store the pages", func(tx *tx) error {
		if err := lockBase(tx, c.BaseID); err != nil {
			return err
		}
		p, err := beginVersion(tx, c.BaseID, c.Note)
		if err != nil {
			return err
		}
		for _, w := range c.Put {
			if err := p.putWiki(w, c.Model); err != nil {
				return err
			}
		}
		if c.Unlinked != "" {
			left, err := tx.texts("SELECT document_id FROM wiki_links WHERE base_id = ? AND target = ? LIMIT 1", c.BaseID, c.Unlinked)
			if err == nil && len(left) > 0 {
				err = core.Errorf(core.CodeConflict, "a link to the page was added meanwhile; rename it again")
			}
			if err != nil {
				return err
			}
		}
		return p.finish()
	})
}

func (p publication) putWiki(w WikiWrite, model string) error {
	if err := p.freeSlug(w.Page); err != nil {
		return err
	}
	place := p.renewWiki
	if w.Page.Revision == 0 {
		place = p.newWiki
	}
	if err := place(w); err != nil {
		return err
	}
	if err := keepWiki(p.tx, w); err != nil {
		return err
	}
	if w.Page.Status != core.WikiPublished {
		return p.close(w.Page.ID)
	}
	if err := p.closeChunks(w.Page.ID); err != nil {
		return err
	}
	if err := insertChunks(p.tx, w.Chunks); err != nil {
		return err
	}
	if err := insertIndexing(p.tx, model, w.Index); err != nil {
		return err
	}
	err := p.tx.repeat("INSERT INTO chunk_lives (chunk_id, base_id, document_id, since, until) VALUES (?, ?, ?, ?, 0)",
		len(w.Chunks), func(i int) []any { return []any{w.Chunks[i].ID, p.baseID, w.Page.ID, p.number} })
	if err != nil {
		return err
	}
	return p.openDocument(w.Page.ID)
}

func (p publication) freeSlug(page core.WikiPage) error {
	taken, err := p.tx.texts("SELECT document_id FROM wiki_pages WHERE base_id = ? AND slug = ? AND document_id <> ?", p.baseID, page.Slug, page.ID)
	if err == nil && len(taken) > 0 {
		err = core.Errorf(core.CodeConflict, "there is already a page %q; change that one, or choose another slug", page.Slug)
	}
	return err
}

func wikiState(s core.WikiStatus) core.DocumentState {
	if s == core.WikiPublished {
		return core.DocumentReady
	}
	return core.DocumentDisabled
}

func (p publication) newWiki(w WikiWrite) error {
	now := millis(clock())
	err := p.tx.exec(`INSERT INTO documents (id, base_id, folder_id, name, title, source, format, size, content_hash,
		state, error_code, error, warnings, chunks, created_at, updated_at)
		VALUES (?, ?, '', ?, ?, ?, ?, ?, '', ?, '', '', '', ?, ?, ?)`,
		w.Page.ID, p.baseID, w.Page.Slug, w.Page.Title, SourceWiki, SourceWiki, len(w.Page.Content),
		wikiState(w.Page.Status), len(w.Chunks), now, now)
	if err != nil {
		return err
	}
	return p.tx.exec("INSERT INTO wiki_pages (document_id, base_id, slug, revision, text_key) VALUES (?, ?, ?, 1, ?)",
		w.Page.ID, p.baseID, w.Page.Slug, w.Key)
}

// renewWiki moves a page to the next revision, which is above any proposal.
func (p publication) renewWiki(w WikiWrite) error {
	n, err := p.tx.change(`UPDATE wiki_pages SET slug = ?, text_key = ?, revision = (
		SELECT MAX(r.number) + 1 FROM wiki_revisions r WHERE r.document_id = wiki_pages.document_id)
		WHERE document_id = ? AND base_id = ? AND revision = ?`, w.Page.Slug, w.Key, w.Page.ID, p.baseID, w.Page.Revision)
	if err == nil && n == 0 {
		err = core.Errorf(core.CodeConflict, "the page %q was changed meanwhile; read it again and make your change anew", w.Page.Slug)
	}
	if err != nil {
		return err
	}
	return p.tx.exec("UPDATE documents SET name = ?, title = ?, size = ?, state = ?, chunks = ?, updated_at = ? WHERE id = ?",
		w.Page.Slug, w.Page.Title, len(w.Page.Content), wikiState(w.Page.Status), len(w.Chunks), millis(clock()), w.Page.ID)
}

// keepWiki keeps what belongs to the page's new revision.
func keepWiki(tx *tx, w WikiWrite) error {
	var number int
	if err := tx.row("SELECT revision FROM wiki_pages WHERE document_id = ?", w.Page.ID).Scan(&number); err != nil {
		return err
	}
	if err := insertRevision(tx, w.Page, number, w.Note, false); err != nil {
		return err
	}
	for _, table := range []string{"wiki_links", "wiki_names"} {
		if err := tx.exec("DELETE FROM "+table+" WHERE document_id = ?", w.Page.ID); err != nil {
			return err
		}
	}
	err := tx.repeat("INSERT INTO wiki_links (document_id, position, base_id, target, label) VALUES (?, ?, ?, ?, ?)",
		len(w.Links), func(i int) []any { return []any{w.Page.ID, i, w.Page.BaseID, w.Links[i].Slug, w.Links[i].Text} })
	if err != nil {
		return err
	}
	return tx.repeat("INSERT INTO wiki_names (base_id, name, document_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		len(w.Names), func(i int) []any { return []any{w.Page.BaseID, w.Names[i], w.Page.ID} })
}

func insertRevision(tx *tx, p core.WikiPage, number int, note string, proposed bool) error {
	err := tx.exec(`INSERT INTO wiki_revisions (document_id, number, proposed, slug, title, type, status, summary, aliases,
		content, author, user_id, note, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.ID, number, flag(proposed), p.Slug, p.Title, p.Type, p.Status, p.Summary, encode(p.Aliases),
		p.Content, p.Author, p.UserID, note, millis(clock()))
	if err != nil {
		return err
	}
	return tx.repeat(`INSERT INTO wiki_sources (document_id, revision, number, source_document_id, source_chunk_id)
		VALUES (?, ?, ?, ?, ?)`, len(p.Sources), func(i int) []any {
		s := p.Sources[i]
		return []any{p.ID, number, s.Number, s.DocumentID, s.ChunkID}
	})
}

// ProposeWiki keeps what a page would say in the place of the proposal that
// waits, if any. The page stays as it is.
func (db *DB) ProposeWiki(ctx context.Context, p core.WikiPage, note string) error {
	return db.write(ctx, "store the proposal", func(tx *tx) error {
		if err := lockBase(tx, p.BaseID); err != nil {
			return err
		}
		if err := forgetProposals(tx, p.ID, 0); err != nil {
			return err
		}
		var number int
		err := tx.row("SELECT MAX(number) + 1 FROM wiki_revisions WHERE document_id = ? HAVING COUNT(*) > 0", p.ID).Scan(&number)
		if err != nil {
			return found(err, noPage(p.Slug))
		}
		return insertRevision(tx, p, number, note, true)
	})
}

// forgetProposals removes a proposal of a page; 0 means whichever waits.
func forgetProposals(tx *tx, id string, number int) error {
	which, args := "", []any{id}
	if number > 0 {
		which, args = " AND number = ?", append(args, number)
	}
	err := tx.exec(`DELETE FROM wiki_sources WHERE document_id = ? AND revision IN (
		SELECT r.number FROM wiki_revisions r WHERE r.document_id = wiki_sources.document_id AND r.proposed = 1`+which+")", args...)
	if err != nil {
		return err
	}
	return tx.exec("DELETE FROM wiki_revisions WHERE document_id = ? AND proposed = 1"+which, args...)
}

// DismissWiki removes a proposal of a page.
func (db *DB) DismissWiki(ctx context.Context, baseID, id string, number int) error {
	return db.write(ctx, "dismiss the proposal", func(tx *tx) error {
		if err := lockBase(tx, baseID); err != nil {
			return err
		}
		return forgetProposals(tx, id, number)
	})
}

func noPage(name string) error {
	return core.Errorf(core.CodeNotFound, "the wiki has no page %q", name)
}
