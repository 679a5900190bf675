-- +goose Up
-- The texts of an FAQ entry, as they are compared: without case, width,
-- punctuation, spaces and traditional characters. Kinds are standard, similar,
-- negative and answer. They belong to the entry's chunk, so that a version
-- has its own.
CREATE TABLE faq_texts (
    chunk_id TEXT   NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    base_id  TEXT   NOT NULL,
    kind     TEXT   NOT NULL,
    text_key TEXT   NOT NULL,
    enabled  BIGINT NOT NULL
);
CREATE INDEX faq_texts_by_chunk ON faq_texts (chunk_id);
CREATE INDEX faq_texts_by_key ON faq_texts (base_id, text_key) WHERE kind <> 'answer';

-- Jobs that somebody waits for go before those of a bulk: 0 before 1.
ALTER TABLE jobs ADD COLUMN priority BIGINT NOT NULL DEFAULT 0;
CREATE INDEX jobs_by_priority ON jobs (state, priority, id);

-- Deletions that a crash broke off are found by their state.
CREATE INDEX documents_deleted ON documents (id) WHERE state = 'deleted';

-- Passages that were edited by hand. All of one root are what has stood in one
-- place, in the order of their ids.
CREATE TABLE chunk_revisions (
    chunk_id   TEXT   NOT NULL PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    root_id    TEXT   NOT NULL,
    user_id    TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX chunk_revisions_by_root ON chunk_revisions (root_id, chunk_id);

-- How a base cuts its documents, where it differs from the server's options.
ALTER TABLE knowledge_bases ADD COLUMN chunking TEXT NOT NULL DEFAULT '';
