package store

import (
	"context"

	"kaoju/internal/core"
)

// deleteBatch is how many chunks one transaction of a deletion takes out: some
// tens of milliseconds, for which a question may have to wait.
const deleteBatch = 1000

// DeleteDocument removes a document for good: its chunks leave every version,
// old ones too, and a job that works on it can store nothing more. From the
// first step on it is not found, read or listed; the chunks of a large one
// follow in steps, each a version of its base, and a crash between them is made
// good by FinishDeletions. The last version comes back, 0 where the document
// never was published.
func (db *DB) DeleteDocument(ctx context.Context, scope core.Scope, id string) (version int64, err error) {
	d, err := db.Document(ctx, scope, id)
	if err != nil {
		return 0, err
	}
	err = db.write(ctx, "delete the document", func(tx *tx) error {
		if err := lockBase(tx, d.BaseID); err != nil {
			return err
		}
		n, err := tx.change("UPDATE documents SET state = ?, chunks = 0, updated_at = ? WHERE id = ? AND state <> ?",
			core.DocumentDeleted, millis(clock()), id, core.DocumentDeleted)
		if err != nil {
			return err
		}
		if n == 0 {
			return noDocument(id)
		}
		for _, table := range []string{"jobs", "document_tags", "enrichments", "enrichment_parts", "wiki_pages", "wiki_revisions", "wiki_links", "wiki_names", "wiki_sources"} {
			if err := tx.exec("DELETE FROM "+table+" WHERE document_id = ?", id); err != nil {
				return err
			}
		}
		return leaveVersions(tx, d)
	})
	if err != nil {
		return 0, err
	}
	// What is begun is finished, whoever asked and left.
	if version, err = db.finishDeletion(context.WithoutCancel(ctx), d); err != nil {
		return 0, err
	}
	return version, db.dropBlobs(ctx, []string{d.ContentHash})
}

// leaveVersions takes a document out of all versions, and their counts.
func leaveVersions(tx *tx, d core.Document) error {
	err := tx.exec(`UPDATE versions SET documents = documents - 1 WHERE base_id = ? AND EXISTS (
		SELECT 1 FROM document_lives l WHERE l.base_id = versions.base_id AND l.document_id = ?
			AND l.since <= versions.number AND (l.until = 0 OR l.until > versions.number))`, d.BaseID, d.ID)
	if err != nil {
		return err
	}
	return tx.exec("DELETE FROM document_lives WHERE base_id = ? AND document_id = ?", d.BaseID, d.ID)
}

// finishDeletion takes the chunks of a deleted document out, step by step.
func (db *DB) finishDeletion(ctx context.Context, d core.Document) (version int64, err error) {
	for more := true; more; {
		err := db.write(ctx, "delete the document's passages", func(tx *tx) error {
			if err := lockBase(tx, d.BaseID); err != nil {
				return err
			}
			n, err := forgetSome(tx, d)
			if n > 0 {
				version = n
			}
			if err != nil {
				return err
			}
			left, err := tx.texts("SELECT id FROM chunks WHERE document_id = ? LIMIT 1", d.ID)
			more = len(left) > 0
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return version, nil
}

// forgetSome takes some chunks of a document out of every version. Of each that
// was ever published one empty interval stays, in a new version, whose number
// comes back; chunks that never were published need none.
func forgetSome(tx *tx, d core.Document) (int64, error) {
	ids, err := tx.texts("SELECT id FROM chunks WHERE document_id = ? ORDER BY id LIMIT ?", d.ID, deleteBatch)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	last := ids[len(ids)-1]
	published, err := tx.texts(`SELECT DISTINCT chunk_id FROM chunk_lives
		WHERE base_id = ? AND document_id = ? AND chunk_id <= ? AND (until = 0 OR since < until)`, d.BaseID, d.ID, last)
	if err != nil {
		return 0, err
	}
	if err := tx.exec("DELETE FROM chunks WHERE document_id = ? AND id <= ?", d.ID, last); err != nil || len(published) == 0 {
		return 0, err
	}
	p, err := beginVersion(tx, d.BaseID, "delete "+d.Name)
	if err != nil {
		return 0, err
	}
	err = tx.repeat("DELETE FROM chunk_lives WHERE base_id = ? AND chunk_id = ?", len(published),
		func(i int) []any { return []any{d.BaseID, published[i]} })
	if err != nil {
		return 0, err
	}
	err = tx.repeat("INSERT INTO chunk_lives (chunk_id, base_id, document_id, since, until) VALUES (?, ?, ?, ?, ?)",
		len(published), func(i int) []any { return []any{published[i], d.BaseID, d.ID, p.number, p.number} })
	if err != nil {
		return 0, err
	}
	return p.number, p.finish()
}

// FinishDeletions ends the deletions that a process that died had begun.
func (db *DB) FinishDeletions(ctx context.Context) error {
	list, err := all(ctx, db, scanDocument, "SELECT "+documentColumns+` FROM documents d WHERE d.state = 'deleted'
		AND EXISTS (SELECT 1 FROM chunks c WHERE c.document_id = d.id)`)
	if err != nil {
		return err
	}
	for _, d := range list {
		if _, err := db.finishDeletion(ctx, d); err != nil && core.CodeOf(err) != core.CodeNotFound {
			return err
		}
	}
	return nil
}
