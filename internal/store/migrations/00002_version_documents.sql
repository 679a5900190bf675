-- +goose Up
-- How many documents a version holds is read with every base, so it is
-- counted once, by the publish.
ALTER TABLE versions ADD COLUMN documents BIGINT NOT NULL DEFAULT 0;

UPDATE versions SET documents = (
    SELECT COUNT(*) FROM document_lives l
    WHERE l.base_id = versions.base_id AND l.since <= versions.number
        AND (l.until = 0 OR l.until > versions.number)
);

CREATE INDEX document_lives_open_by_base ON document_lives (base_id) WHERE until = 0;

-- The progress of an ingestion counts what is not ready, again and again.
CREATE INDEX documents_by_state ON documents (base_id, state);
