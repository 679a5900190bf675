-- +goose Up
-- What the owner of a base knows about its words. segmentation is the revision
-- that last changed how passages are cut into terms, indexed the one by which
-- all of them are cut.
CREATE TABLE glossaries (
    base_id      TEXT   NOT NULL PRIMARY KEY REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    revision     BIGINT NOT NULL,
    segmentation BIGINT NOT NULL,
    indexed      BIGINT NOT NULL,
    entries      TEXT   NOT NULL,
    updated_at   BIGINT NOT NULL
);

-- The segmentation that the terms of a passage were made with.
ALTER TABLE chunk_terms ADD COLUMN segmentation BIGINT NOT NULL DEFAULT 0;
