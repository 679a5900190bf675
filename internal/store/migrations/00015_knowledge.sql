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
