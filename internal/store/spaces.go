package store

import (
	"context"

	"kaoju/internal/core"
)

// Embeds names the model that embeds from now on. Vectors of another, which
// was asked before the change, are refused as core.CodeUnavailable from then
// on: asked again, the work is of the new one. So what changes the bases over
// misses nothing. Before the first call vectors of any model are taken.
func (db *DB) Embeds(model string) { db.embeds.Store(&model) }

// embedsNow refuses vectors of another model than that which embeds now.
func embedsNow(tx *tx, model string, vectors []Indexing) error {
	if tx.embeds == nil || model == *tx.embeds || len(vectors) == 0 {
		return nil
	}
	return core.Errorf(core.CodeUnavailable, "the embedding model is being changed; try again")
}

// adopt gives the base of passages to the model that embedded them, where it is
// the first. Vectors of another length than those which the base has of the
// same model are a core.CodeConflict: the model has changed under its name.
func adopt(tx *tx, model string, vectors []Indexing) error {
	if len(vectors) == 0 {
		return nil
	}
	var base, known string
	var size int
	err := tx.row(`SELECT b.id, b.embedding_model, b.embedding_size FROM chunks c JOIN knowledge_bases b ON b.id = c.base_id
		WHERE c.id = ?`, vectors[0].ChunkID).Scan(&base, &known, &size)
	if err != nil {
		return err
	}
	switch now := len(vectors[0].Vector); {
	case known == "":
		return tx.exec("UPDATE knowledge_bases SET embedding_model = ?, embedding_size = ? WHERE id = ?", model, now, base)
	case known == model && size != now:
		return core.Errorf(core.CodeConflict, "the embedding model %s gives vectors of another length than those of this knowledge base; "+
			"set embedding_model.dimensions to their new length, and the base is embedded anew", model)
	}
	return nil
}

// OtherSpaces gives the bases that are searched by vectors of another model,
// in order.
func (db *DB) OtherSpaces(ctx context.Context, model string) ([]core.KnowledgeBase, error) {
	return all(ctx, db, scanBase, "SELECT "+baseColumns+` FROM knowledge_bases b
		WHERE b.embedding_model <> ? AND b.embedding_model <> '' ORDER BY b.id`, model)
}

// UnembeddedChunk is a passage without a vector of some model.
type UnembeddedChunk struct {
	core.Chunk
	Title string // of its document
}

// indexed are the passages of a base that the search engine knows: ingestion
// embeds the others itself.
const indexed = ` FROM chunks c JOIN chunk_terms t ON t.chunk_id = c.id JOIN documents d ON d.id = c.document_id
	WHERE c.base_id = ? AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk_id = c.id AND v.model = ?)`

// UnembeddedChunks gives indexed passages of a base that have no vector of a
// model, in the order of their ids, from behind after.
func (db *DB) UnembeddedChunks(ctx context.Context, baseID, model, after string, limit int) ([]UnembeddedChunk, error) {
	return all(ctx, db, func(s scanner) (UnembeddedChunk, error) {
		var c UnembeddedChunk
		var err error
		c.Chunk, err = scanChunk(more{s, &c.Title})
		return c, err
	}, "SELECT "+chunkColumns+", d.title"+indexed+" AND c.id > ? ORDER BY c.id LIMIT ?", baseID, model, after, limit)
}

// CountUnembedded tells how many indexed passages of a base have no vector of a
// model.
func (db *DB) CountUnembedded(ctx context.Context, baseID, model string) (int, error) {
	return db.count(ctx, "SELECT COUNT(*)"+indexed, baseID, model)
}

// SaveVectors stores vectors of a model for passages that still exist.
func (db *DB) SaveVectors(ctx context.Context, model string, list []Indexing) error {
	return db.write(ctx, "store the vectors", func(tx *tx) error {
		if err := embedsNow(tx, model, list); err != nil {
			return err
		}
		for _, e := range list {
			err := tx.exec(`INSERT INTO chunk_vectors (chunk_id, model, vector) SELECT c.id, ?, ? FROM chunks c WHERE c.id = ?
				ON CONFLICT (chunk_id, model) DO UPDATE SET vector = excluded.vector`, model, e.Vector, e.ChunkID)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// SwitchSpace has a base searched by the vectors of a model, once every
// indexed passage has one. It reports whether that was so.
func (db *DB) SwitchSpace(ctx context.Context, baseID, model string) (done bool, err error) {
	err = db.write(ctx, "switch the embedding model", func(tx *tx) error {
		if err := embedsNow(tx, model, make([]Indexing, 1)); err != nil {
			return err
		}
		var missing int
		if err := tx.row("SELECT COUNT(*)"+indexed, baseID, model).Scan(&missing); err != nil {
			return err
		}
		if done = missing == 0; !done {
			return nil
		}
		return tx.exec(`UPDATE knowledge_bases SET embedding_model = ?, updated_at = ?,
			embedding_size = COALESCE((SELECT LENGTH(v.vector) FROM chunks c JOIN chunk_vectors v ON v.chunk_id = c.id AND v.model = ?
				WHERE c.base_id = knowledge_bases.id LIMIT 1), 0) WHERE id = ?`, model, millis(clock()), model, baseID)
	})
	return done, err
}

// dropBatch is how many vectors go in one transaction.
const dropBatch = 2000

// DropOtherVectors removes the vectors of a base that no search reads any more.
func (db *DB) DropOtherVectors(ctx context.Context, baseID string) error {
	for {
		var n int64
		err := db.write(ctx, "remove old vectors", func(tx *tx) (err error) {
			n, err = tx.change(`DELETE FROM chunk_vectors WHERE (chunk_id, model) IN (
				SELECT v.chunk_id, v.model FROM chunks c JOIN chunk_vectors v ON v.chunk_id = c.id
				JOIN knowledge_bases b ON b.id = c.base_id WHERE c.base_id = ? AND v.model <> b.embedding_model LIMIT ?)`, baseID, dropBatch)
			return err
		})
		if err != nil || n < dropBatch {
			return err
		}
	}
}
