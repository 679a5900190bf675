package store

import (
	"context"

	"kaoju/internal/core"
)

// ChunkEdit is an edit of a document's passages by hand: some leave, some
// enter, in one version.
type ChunkEdit struct {
	Document core.Document
	Close    []string          // ids of children that leave; older versions keep them
	Add      []core.Chunk      // parents and children that enter
	Follows  map[string]string // of a chunk in Add, the chunk in whose place it stands
	Index    []Indexing        // of the children in Add
	Model    string
	UserID   string
	Note     string
}

// EditChunks publishes an edit and gives the new version. A chunk to close that
// is no longer in the last version is a core.CodeConflict: somebody else was
// faster.
func (db *DB) EditChunks(ctx context.Context, e ChunkEdit) (version int64, err error) {
	d := e.Document
	err = db.write(ctx, "edit the passage", func(tx *tx) error {
		if err := lockBase(tx, d.BaseID); err != nil {
			return err
		}
		states, err := tx.texts("SELECT state FROM documents WHERE id = ? AND state = 'ready'", d.ID)
		if err == nil && len(states) == 0 {
			err = core.Errorf(core.CodeConflict, "passages can be edited while their document is ready")
		}
		if err != nil {
			return err
		}
		if err := insertChunks(tx, e.Add); err != nil {
			return err
		}
		if err := insertIndexing(tx, e.Model, e.Index); err != nil {
			return err
		}
		if err := noteRevisions(tx, e); err != nil {
			return err
		}
		p, err := beginVersion(tx, d.BaseID, e.Note)
		if err != nil {
			return err
		}
		version = p.number
		if err := p.exchange(e); err != nil {
			return err
		}
		return p.finish()
	})
	return version, err
}

// exchange closes and opens the passages of an edit.
func (p publication) exchange(e ChunkEdit) error {
	for _, id := range e.Close {
		n, err := p.tx.change("UPDATE chunk_lives SET until = ? WHERE base_id = ? AND chunk_id = ? AND until = 0 AND since < ?",
			p.number, p.baseID, id, p.number)
		if err == nil && n == 0 {
			err = core.Errorf(core.CodeConflict, "the passage was changed meanwhile; read the document again")
		}
		if err != nil {
			return err
		}
	}
	for _, c := range e.Add {
		if !c.Type.Indexed() {
			continue
		}
		err := p.tx.exec("INSERT INTO chunk_lives (chunk_id, base_id, document_id, since, until) VALUES (?, ?, ?, ?, 0)",
			c.ID, p.baseID, c.DocumentID, p.number)
		if err != nil {
			return err
		}
	}
	return p.tx.exec(`UPDATE documents SET updated_at = ?, chunks = (
		SELECT COUNT(*) FROM chunk_lives l WHERE l.document_id = documents.id AND l.until = 0) WHERE id = ?`,
		millis(clock()), e.Document.ID)
}

// edited tells whether passages of the document ? were changed, added or taken
// out by hand.
const edited = `SELECT EXISTS (SELECT 1 FROM chunks c JOIN chunk_revisions r ON r.chunk_id = c.id JOIN chunk_lives l ON l.chunk_id = c.id
		WHERE c.document_id = ? AND r.created_at > 0 AND l.until = 0)
	OR EXISTS (SELECT 1 FROM chunks c JOIN chunk_lives l ON l.chunk_id = c.id JOIN document_lives o ON o.document_id = c.document_id
		WHERE c.document_id = ? AND c.type IN ('text', 'table_row') AND l.until > 0 AND o.until = 0
		AND NOT EXISTS (SELECT 1 FROM chunk_lives n WHERE n.chunk_id = c.id AND n.until = 0)
		AND NOT EXISTS (SELECT 1 FROM chunk_revisions r WHERE r.root_id = c.id))`

// EditedByHand tells whether passages of a document were changed, added or taken
// out by hand, which reading its original again takes back.
func (db *DB) EditedByHand(ctx context.Context, documentID string) (bool, error) {
	return one(ctx, db, func(s scanner) (is bool, err error) {
		err = s.Scan(&is)
		return is, err
	}, edited, documentID, documentID)
}

// noteRevisions keeps what stood where.
func noteRevisions(tx *tx, e ChunkEdit) error {
	const insert = `INSERT INTO chunk_revisions (chunk_id, root_id, user_id, created_at)
		SELECT CAST(? AS TEXT), COALESCE((SELECT r.root_id FROM chunk_revisions r WHERE r.chunk_id = ?), CAST(? AS TEXT)),
			CAST(? AS TEXT), CAST(? AS BIGINT) WHERE NOT EXISTS (SELECT 1 FROM chunk_revisions x WHERE x.chunk_id = ?)`
	now := millis(clock())
	for _, c := range e.Add {
		before, ok := e.Follows[c.ID]
		if !ok {
			before = c.ID
		} else if err := tx.exec(insert, before, before, before, "", 0, before); err != nil {
			return err
		}
		if err := tx.exec(insert, c.ID, before, before, e.UserID, now, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// Revisions gives what has stood in the place of a chunk, the newest first; a
// chunk that was never edited alone. Authorise the chunk before.
func (db *DB) Revisions(ctx context.Context, chunkID string) ([]core.Revision, error) {
	list, err := all(ctx, db, scanRevision, revisionColumns+`FROM chunk_revisions r JOIN chunks c ON c.id = r.chunk_id
		WHERE r.root_id = (SELECT x.root_id FROM chunk_revisions x WHERE x.chunk_id = ?) ORDER BY c.id DESC`, chunkID)
	if err != nil || len(list) > 0 {
		return list, err
	}
	return all(ctx, db, scanRevision, `SELECT c.id, c.content, '', 0, EXISTS (
		SELECT 1 FROM chunk_lives l WHERE l.chunk_id = c.id AND l.until = 0) FROM chunks c WHERE c.id = ?`, chunkID)
}

const revisionColumns = `SELECT c.id, c.content, r.user_id, r.created_at, EXISTS (
	SELECT 1 FROM chunk_lives l WHERE l.chunk_id = c.id AND l.until = 0) `

func scanRevision(s scanner) (core.Revision, error) {
	var r core.Revision
	var created int64
	err := s.Scan(&r.ChunkID, &r.Content, &r.UserID, &created, &r.Current)
	r.CreatedAt = moment(created)
	return r, err
}

// Siblings gives the children of a parent that are in the last version of
// their base, in order. It does not look at scopes.
func (db *DB) Siblings(ctx context.Context, documentID, parentID string) ([]core.Chunk, error) {
	return all(ctx, db, scanChunk, "SELECT "+chunkColumns+` FROM chunks c WHERE c.document_id = ? AND c.parent_id = ?
		AND EXISTS (SELECT 1 FROM chunk_lives l WHERE l.chunk_id = c.id AND l.until = 0)
		ORDER BY c.position, c.id`, documentID, parentID)
}

// LastPosition is the highest index of a document's children, -1 without any.
func (db *DB) LastPosition(ctx context.Context, documentID string) (int, error) {
	return db.count(ctx, "SELECT COALESCE(MAX(position), -1) FROM chunks WHERE document_id = ? AND type <> 'parent_text'", documentID)
}
