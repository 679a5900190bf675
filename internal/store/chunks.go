package store

import (
	"context"

	"kaoju/internal/core"
)

const chunkColumns = `c.id, c.base_id, c.document_id, c.parent_id, c.type, c.position, c.start_at, c.end_at,
	c.content, c.headings, c.page, c.sheet, c.row_number, c.faq, c.questions`

func scanChunk(s scanner) (core.Chunk, error) {
	var c core.Chunk
	var headings, faq, questions string
	err := s.Scan(&c.ID, &c.BaseID, &c.DocumentID, &c.ParentID, &c.Type, &c.Index, &c.Start, &c.End,
		&c.Content, &headings, &c.Page, &c.Sheet, &c.Row, &faq, &questions)
	if err != nil {
		return c, err
	}
	if err := decode(headings, &c.Headings); err != nil {
		return c, err
	}
	if err := decode(questions, &c.Questions); err != nil {
		return c, err
	}
	return c, decode(faq, &c.FAQ)
}

func insertChunks(tx *tx, chunks []core.Chunk) error {
	return tx.repeat(`INSERT INTO chunks (id, base_id, document_id, parent_id, type, position, start_at, end_at,
		content, headings, page, sheet, row_number, faq, questions) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		len(chunks), func(i int) []any {
			c := &chunks[i]
			return []any{c.ID, c.BaseID, c.DocumentID, c.ParentID, string(c.Type), c.Index, c.Start, c.End,
				c.Content, encode(c.Headings), c.Page, c.Sheet, c.Row, encode(c.FAQ), encode(c.Questions)}
		})
}

// Chunk gives a chunk that the scope sees.
func (db *DB) Chunk(ctx context.Context, scope core.Scope, id string) (core.Chunk, error) {
	missing := core.Errorf(core.CodeNotFound, "there is no chunk %q", id)
	c, err := one(ctx, db, scanChunk, "SELECT "+chunkColumns+" FROM chunks c WHERE c.id = ?", id)
	if err != nil {
		return core.Chunk{}, found(err, missing)
	}
	if err := db.visible(ctx, scope, c.BaseID, missing); err != nil {
		return core.Chunk{}, err
	}
	return c, nil
}

// ChunksByID gives chunks in the order asked; missing ones are left out. It
// does not look at scopes: ask for what a search within a scope has found.
// The chunks may be shared with others (Remember): do not change what they
// point at.
func (db *DB) ChunksByID(ctx context.Context, ids []string) ([]core.Chunk, error) {
	return remembered(ctx, db, ids, named[core.Chunk]{
		query: "SELECT " + chunkColumns + " FROM chunks c WHERE c.id IN (",
		scan:  scanChunk, id: func(c core.Chunk) string { return c.ID }, bytes: chunkBytes,
	}, db.passages.chunks.Load())
}

// shown picks the chunks c that belong to their document as it is found: those
// in the active version; of a document that is not in it, those that it had
// last, or has so far.
const shown = ` (EXISTS (SELECT 1 FROM chunk_lives l JOIN knowledge_bases b ON b.id = l.base_id WHERE l.chunk_id = c.id
		AND l.since <= b.active_version AND (l.until = 0 OR l.until > b.active_version))
	OR NOT EXISTS (SELECT 1 FROM document_lives o JOIN knowledge_bases b ON b.id = o.base_id WHERE o.base_id = c.base_id
		AND o.document_id = c.document_id AND o.since <= b.active_version AND (o.until = 0 OR o.until > b.active_version))
	AND (NOT EXISTS (SELECT 1 FROM chunk_lives x WHERE x.document_id = c.document_id)
		OR EXISTS (SELECT 1 FROM chunk_lives l WHERE l.chunk_id = c.id
			AND l.until = (SELECT MAX(x.until) FROM chunk_lives x WHERE x.document_id = c.document_id))))`

// NeighbourChunks gives the chunks of one type of a document whose index lies
// in [from, to], in order. Parents are those of chunks that belong to the
// document now. It does not look at scopes.
func (db *DB) NeighbourChunks(ctx context.Context, documentID string, kind core.ChunkType, from, to int) ([]core.Chunk, error) {
	where := shown
	if kind == core.ChunkParentText {
		where = ` EXISTS (SELECT 1 FROM chunks k JOIN chunk_lives l ON l.chunk_id = k.id JOIN knowledge_bases b ON b.id = l.base_id
			WHERE k.parent_id = c.id AND l.since <= b.active_version AND (l.until = 0 OR l.until > b.active_version))`
	}
	return all(ctx, db, scanChunk, "SELECT "+chunkColumns+` FROM chunks c WHERE c.document_id = ? AND c.type = ?
		AND c.position BETWEEN ? AND ? AND`+where+` ORDER BY c.position, c.id`, documentID, kind, from, to)
}

// DocumentChunks gives a page of the children of a document that the scope
// sees, in order.
func (db *DB) DocumentChunks(ctx context.Context, scope core.Scope, documentID string, offset, limit int) ([]core.Chunk, error) {
	if _, err := db.Document(ctx, scope, documentID); err != nil {
		return nil, err
	}
	return all(ctx, db, scanChunk, "SELECT "+chunkColumns+` FROM chunks c WHERE c.document_id = ?
		AND c.type <> 'parent_text' AND`+shown+` ORDER BY c.position, c.id LIMIT ? OFFSET ?`,
		documentID, pageSize(limit), max(offset, 0))
}

// LiveChunks gives a page of the children of a document that are in the last
// version of its base, in order. It does not look at scopes.
func (db *DB) LiveChunks(ctx context.Context, documentID string, offset, limit int) ([]core.Chunk, error) {
	return all(ctx, db, scanChunk, "SELECT "+chunkColumns+` FROM chunks c WHERE c.document_id = ? AND EXISTS (
		SELECT 1 FROM chunk_lives l WHERE l.chunk_id = c.id AND l.until = 0)
		ORDER BY c.position, c.id LIMIT ? OFFSET ?`, documentID, limit, offset)
}

// StoredEntry is what a search engine loads of a chunk. Terms and Vector are
// as they were saved; a deleted chunk has neither, and only lives that hold no
// version.
type StoredEntry struct {
	ChunkID    string
	DocumentID string
	FolderID   string
	TagIDs     []string
	Type       core.ChunkType
	Terms      []byte
	Vector     []byte
	Lives      []core.Interval
}

const entryColumns = `SELECT l.chunk_id, l.document_id, COALESCE(c.type, ''), t.terms, v.vector, l.since, l.until
	FROM chunk_lives l LEFT JOIN chunks c ON c.id = l.chunk_id LEFT JOIN chunk_terms t ON t.chunk_id = l.chunk_id
	LEFT JOIN chunk_vectors v ON v.chunk_id = l.chunk_id
		AND v.model = (SELECT b.embedding_model FROM knowledge_bases b WHERE b.id = l.base_id) `

const changedEntries = entryColumns + `WHERE l.base_id = ? AND l.chunk_id IN (
	SELECT x.chunk_id FROM chunk_lives x WHERE x.base_id = ? AND x.since > ?
	UNION ALL SELECT y.chunk_id FROM chunk_lives y WHERE y.base_id = ? AND y.until > 0 AND y.until > ?)
	ORDER BY l.chunk_id, l.since`

// EachEntry streams, ordered by chunk id, every indexed chunk of a base whose
// membership changed in a version after sinceVersion, with all its lives; 0
// gives every chunk. Deleted chunks come too, so that an engine forgets them.
// The values belong to yield, which must not write to the store's base.
//
// Take LastVersion before the call as the next sinceVersion: what is
// published meanwhile may already be included, and comes again then.
func (db *DB) EachEntry(ctx context.Context, baseID string, sinceVersion int64, yield func(StoredEntry) error) error {
	places, err := db.places(ctx, baseID)
	if err != nil {
		return err
	}
	var e StoredEntry
	flush := func() error {
		if e.ChunkID == "" {
			return nil
		}
		p := places[e.DocumentID]
		e.FolderID, e.TagIDs = p.folder, p.tags
		return yield(e)
	}
	read := func(s scanner) error {
		var next StoredEntry
		var life core.Interval
		if err := s.Scan(&next.ChunkID, &next.DocumentID, &next.Type, &next.Terms, &next.Vector,
			&life.Since, &life.Until); err != nil {
			return err
		}
		if next.ChunkID != e.ChunkID {
			if err := flush(); err != nil {
				return err
			}
			e = next
		}
		e.Lives = append(e.Lives, life)
		return nil
	}
	if sinceVersion <= 0 {
		err = each(ctx, db, read, entryColumns+"WHERE l.base_id = ? ORDER BY l.chunk_id, l.since", baseID)
	} else {
		err = each(ctx, db, read, changedEntries, baseID, baseID, sinceVersion, baseID, sinceVersion)
	}
	if err != nil {
		return err
	}
	return flush()
}

// place is where a document stands inside its base.
type place struct {
	folder string
	tags   []string
}

// places gives the place of every document that has one.
func (db *DB) places(ctx context.Context, baseID string) (map[string]place, error) {
	m := map[string]place{}
	var id, value string
	err := each(ctx, db, func(s scanner) error {
		err := s.Scan(&id, &value)
		m[id] = place{folder: value}
		return err
	}, "SELECT id, folder_id FROM documents WHERE base_id = ? AND folder_id <> ''", baseID)
	if err != nil {
		return nil, err
	}
	err = each(ctx, db, func(s scanner) error {
		err := s.Scan(&id, &value)
		m[id] = place{folder: m[id].folder, tags: append(m[id].tags, value)}
		return err
	}, `SELECT t.document_id, t.tag_id FROM document_tags t JOIN documents d ON d.id = t.document_id
		WHERE d.base_id = ? ORDER BY t.tag_id`, baseID)
	return m, err
}
