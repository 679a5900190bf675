-- +goose Up
-- The model whose vectors a base is searched by, and how long one is in bytes.
-- Vectors of another model may stand beside them, while the base is embedded
-- anew.
ALTER TABLE knowledge_bases ADD COLUMN embedding_model TEXT NOT NULL DEFAULT '';
ALTER TABLE knowledge_bases ADD COLUMN embedding_size BIGINT NOT NULL DEFAULT 0;

CREATE TABLE chunk_vectors_by_model (
    chunk_id TEXT NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    model    TEXT NOT NULL,
    vector   BLOB NOT NULL,
    PRIMARY KEY (chunk_id, model)
);
INSERT INTO chunk_vectors_by_model (chunk_id, model, vector) SELECT chunk_id, model, vector FROM chunk_vectors;
DROP TABLE chunk_vectors;
ALTER TABLE chunk_vectors_by_model RENAME TO chunk_vectors;

UPDATE knowledge_bases SET embedding_model = COALESCE((SELECT v.model FROM chunks c JOIN chunk_vectors v ON v.chunk_id = c.id
    WHERE c.base_id = knowledge_bases.id LIMIT 1), ''),
    embedding_size = COALESCE((SELECT LENGTH(v.vector) FROM chunks c JOIN chunk_vectors v ON v.chunk_id = c.id
    WHERE c.base_id = knowledge_bases.id LIMIT 1), 0);
