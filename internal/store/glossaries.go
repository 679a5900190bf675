package store

import (
	"context"
	"database/sql"
	"errors"

	"kaoju/internal/core"
)

// StoredGlossary is a glossary with how far the index follows it.
type StoredGlossary struct {
	core.Glossary
	Segmentation int64 // the revision that last changed how passages are cut into terms
}

const glossaryColumns = "g.base_id, g.revision, g.segmentation, g.indexed, g.entries, g.updated_at"

func scanGlossary(s scanner) (StoredGlossary, error) {
	var g StoredGlossary
	var entries string
	var indexed, updated int64
	if err := s.Scan(&g.BaseID, &g.Revision, &g.Segmentation, &indexed, &entries, &updated); err != nil {
		return g, err
	}
	g.Pending, g.UpdatedAt = indexed != g.Segmentation, moment(updated)
	return g, decode(entries, &g.Entries)
}

// Glossary gives the glossary of a base, which the caller may see; one that
// never was set is empty.
func (db *DB) Glossary(ctx context.Context, baseID string) (StoredGlossary, error) {
	g, err := one(ctx, db, scanGlossary, "SELECT "+glossaryColumns+" FROM glossaries g WHERE g.base_id = ?", baseID)
	if errors.Is(err, sql.ErrNoRows) {
		return StoredGlossary{Glossary: core.Glossary{BaseID: baseID}}, nil
	}
	return g, err
}

// GlossaryRevision gives the revision of a base's glossary alone.
func (db *DB) GlossaryRevision(ctx context.Context, baseID string) (int64, error) {
	n, err := one(ctx, db, func(s scanner) (n int64, err error) { return n, s.Scan(&n) },
		"SELECT revision FROM glossaries WHERE base_id = ?", baseID)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

// SetGlossary replaces the glossary of a base. recuts says whether the change
// cuts passages into other terms.
func (db *DB) SetGlossary(ctx context.Context, baseID string, entries []core.GlossaryEntry, recuts func(before []core.GlossaryEntry) bool) error {
	return db.write(ctx, "store the glossary", func(tx *tx) error {
		if err := lockBase(tx, baseID); err != nil {
			return err
		}
		before, err := scanGlossary(tx.row("SELECT "+glossaryColumns+" FROM glossaries g WHERE g.base_id = ?", baseID))
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		revision, segmentation := before.Revision+1, before.Segmentation
		if recuts(before.Entries) {
			segmentation = revision
		}
		return tx.exec(`INSERT INTO glossaries (base_id, revision, segmentation, indexed, entries, updated_at) VALUES (?, ?, ?, 0, ?, ?)
			ON CONFLICT (base_id) DO UPDATE SET revision = excluded.revision, segmentation = excluded.segmentation,
				entries = excluded.entries, updated_at = excluded.updated_at`,
			baseID, revision, segmentation, encode(entries), millis(clock()))
	})
}

// StaleBase is a base of which passages are cut by another glossary than its
// own.
type StaleBase struct {
	ID    string
	State int64 // changes whenever more passages become stale
}

// StaleBases gives the bases with stale passages, in order.
func (db *DB) StaleBases(ctx context.Context) ([]StaleBase, error) {
	return all(ctx, db, func(s scanner) (b StaleBase, err error) { return b, s.Scan(&b.ID, &b.State) },
		"SELECT base_id, indexed FROM glossaries WHERE indexed <> segmentation ORDER BY base_id")
}

// StaleChunk is a passage whose terms are out of date.
type StaleChunk struct {
	core.Chunk
	Title string // of its document
}

// StaleChunks gives passages of a base whose terms were made with another
// segmentation, in the order of their ids, from behind after.
func (db *DB) StaleChunks(ctx context.Context, baseID string, segmentation int64, after string, limit int) ([]StaleChunk, error) {
	return all(ctx, db, func(s scanner) (StaleChunk, error) {
		var c StaleChunk
		var err error
		c.Chunk, err = scanChunk(more{s, &c.Title})
		return c, err
	}, "SELECT "+chunkColumns+`, d.title FROM chunks c JOIN chunk_terms t ON t.chunk_id = c.id JOIN documents d ON d.id = c.document_id
		WHERE c.base_id = ? AND t.segmentation <> ? AND c.id > ? ORDER BY c.id LIMIT ?`, baseID, segmentation, after, limit)
}

// more scans a further column behind those that a scan function knows.
type more struct {
	scanner
	further any
}

func (m more) Scan(dest ...any) error { return m.scanner.Scan(append(dest, m.further)...) }

// SaveTerms replaces the terms of passages.
func (db *DB) SaveTerms(ctx context.Context, list []Indexing) error {
	return db.write(ctx, "store the terms", func(tx *tx) error {
		for _, e := range list {
			if err := tx.exec("UPDATE chunk_terms SET terms = ?, segmentation = ? WHERE chunk_id = ?", e.Terms, e.Segmentation, e.ChunkID); err != nil {
				return err
			}
		}
		return nil
	})
}

// FinishReindexing says that all passages of a base are cut by a segmentation,
// unless there is a newer one, or more became stale since b was read.
func (db *DB) FinishReindexing(ctx context.Context, b StaleBase, segmentation int64) error {
	return db.write(ctx, "finish the indexing", func(tx *tx) error {
		return tx.exec("UPDATE glossaries SET indexed = segmentation WHERE base_id = ? AND segmentation = ? AND indexed = ?",
			b.ID, segmentation, b.State)
	})
}

// outdate marks the base of passages for indexing anew where they were cut by
// a segmentation that is no longer its own.
func outdate(tx *tx, list []Indexing) error {
	if len(list) == 0 {
		return nil
	}
	return tx.exec(`UPDATE glossaries SET indexed = CASE WHEN indexed < 0 THEN indexed - 1 ELSE -1 END WHERE segmentation <> ?
		AND base_id = (SELECT c.base_id FROM chunks c WHERE c.id = ?)`, list[0].Segmentation, list[0].ChunkID)
}
