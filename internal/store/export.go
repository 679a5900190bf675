package store

import (
	"context"
	"time"

	"kaoju/internal/core"
)

// ExportedDocument is a document and the version that its passages are read
// at.
type ExportedDocument struct {
	core.Document
	Version int64
}

// ExportDocuments gives documents of a base with their tags, in the order of
// their ids from behind after: those of a version, and those that are
// disabled, as they were last. Authorise the base before.
func (db *DB) ExportDocuments(ctx context.Context, baseID string, version int64, after string, limit int) ([]ExportedDocument, error) {
	list, err := all(ctx, db, func(s scanner) (d ExportedDocument, err error) {
		d.Document, err = scanDocument(more{s, &d.Version})
		return d, err
	}, "SELECT "+documentColumns+`, CASE WHEN d.state = 'disabled' THEN COALESCE((SELECT MAX(m.until) - 1 FROM document_lives m
			WHERE m.base_id = d.base_id AND m.document_id = d.id), 0) ELSE CAST(? AS BIGINT) END
		FROM documents d WHERE d.base_id = ? AND d.id > ? AND (d.state = 'disabled' OR d.state = 'ready' AND EXISTS (
			SELECT 1 FROM document_lives l WHERE l.base_id = d.base_id AND l.document_id = d.id
				AND l.since <= ? AND (l.until = 0 OR l.until > ?)))
		ORDER BY d.id LIMIT ?`, version, baseID, after, version, version, limit)
	for i := range list {
		if err == nil {
			list[i].Tags, err = db.DocumentTags(ctx, list[i].ID)
		}
	}
	return list, err
}

// ExportedPassage is a passage with all that is kept of it.
type ExportedPassage struct {
	core.Chunk
	Live      bool   // at the version
	RootID    string // "" where it was never edited
	UserID    string
	RevisedAt time.Time
	Vector    []byte // of the base's model
}

// ExportPassages gives passages of a document from behind another one: those
// of its version, their parents, and what was edited by hand.
func (db *DB) ExportPassages(ctx context.Context, d ExportedDocument, after core.Chunk, limit int) ([]ExportedPassage, error) {
	scan := func(s scanner) (p ExportedPassage, err error) {
		var revised int64
		var rest passageRest
		rest.scanner, rest.to = s, []any{&p.Live, &p.RootID, &p.UserID, &revised, &p.Vector}
		p.Chunk, err = scanChunk(rest)
		p.RevisedAt = moment(revised)
		return p, err
	}
	return all(ctx, db, scan, "SELECT "+chunkColumns+`, EXISTS (SELECT 1 FROM chunk_lives l WHERE l.base_id = c.base_id AND l.chunk_id = c.id
			AND l.since <= ? AND (l.until = 0 OR l.until > ?)) AS live,
		COALESCE(r.root_id, ''), COALESCE(r.user_id, ''), COALESCE(r.created_at, 0), v.vector
		FROM chunks c LEFT JOIN chunk_revisions r ON r.chunk_id = c.id
		LEFT JOIN chunk_vectors v ON v.chunk_id = c.id AND v.model = (SELECT b.embedding_model FROM knowledge_bases b WHERE b.id = c.base_id)
		WHERE c.document_id = ? AND (c.position > ? OR c.position = ? AND c.id > ?)
			AND (r.root_id IS NOT NULL OR c.type = 'parent_text' OR EXISTS (SELECT 1 FROM chunk_lives l
				WHERE l.base_id = c.base_id AND l.chunk_id = c.id AND l.since <= ? AND (l.until = 0 OR l.until > ?)))
		ORDER BY c.position, c.id LIMIT ?`,
		d.Version, d.Version, d.ID, after.Index, after.Index, after.ID, d.Version, d.Version, limit)
}

// passageRest scans the columns behind those of a chunk.
type passageRest struct {
	scanner
	to []any
}

func (r passageRest) Scan(dest ...any) error { return r.scanner.Scan(append(dest, r.to...)...) }

// VectorBytes is the length of a base's vectors as they are stored, 0 without
// any.
func (db *DB) VectorBytes(ctx context.Context, baseID string) (int, error) {
	return db.count(ctx, "SELECT embedding_size FROM knowledge_bases WHERE id = ?", baseID)
}
