package store

import (
	"context"

	"kaoju/internal/core"
)

// CancelJob stops the work on a document, queued or running: it has failed then,
// with core.CodeCanceled, and may be added again. A document that is not being
// worked on is a core.CodeConflict.
func (db *DB) CancelJob(ctx context.Context, scope core.Scope, documentID string) error {
	if _, err := db.Document(ctx, scope, documentID); err != nil {
		return err
	}
	const message = "stopped by a user"
	return db.write(ctx, "stop the work", func(tx *tx) error {
		now := millis(clock())
		n, err := tx.change(`UPDATE jobs SET state = ?, error_code = ?, error = ?, updated_at = ?
			WHERE document_id = ? AND state IN ('queued', 'running')`, core.JobFailed, core.CodeCanceled, message, now, documentID)
		if err == nil && n == 0 {
			err = core.Errorf(core.CodeConflict, "the document is not being worked on")
		}
		if err != nil {
			return err
		}
		if err := tx.exec("DELETE FROM chunks WHERE document_id = ?", documentID); err != nil {
			return err
		}
		return tx.exec(`UPDATE documents SET state = ?, error_code = ?, error = ?, chunks = 0, updated_at = ? WHERE id = ?`,
			core.DocumentFailed, core.CodeCanceled, message, now, documentID)
	})
}

// RetryJob queues a document that had failed again. One that did not fail is a
// core.CodeConflict.
func (db *DB) RetryJob(ctx context.Context, scope core.Scope, documentID string) (core.Document, error) {
	d, err := db.Document(ctx, scope, documentID)
	if err != nil {
		return d, err
	}
	err = db.write(ctx, "queue the document again", func(tx *tx) error {
		d, err = scanDocument(tx.row("SELECT "+documentColumns+" FROM documents d WHERE d.id = ?", documentID))
		if err == nil && d.State != core.DocumentFailed {
			err = core.Errorf(core.CodeConflict, "the document has not failed")
		}
		if err != nil {
			return err
		}
		d, err = requeueFailed(tx, d)
		return err
	})
	return d, err
}
