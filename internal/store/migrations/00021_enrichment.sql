-- +goose Up
-- What models add to a document beside its text. steps is a JSON list of the
-- steps with their states; empty until they are planned. waiting is 1 while one
-- of them is to be done.
CREATE TABLE enrichments (
    document_id TEXT   NOT NULL PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    base_id     TEXT   NOT NULL,
    waiting     BIGINT NOT NULL,
    steps       TEXT   NOT NULL,
    updated_at  BIGINT NOT NULL
);
CREATE INDEX enrichments_waiting ON enrichments (document_id) WHERE waiting = 1;

-- What a step has come to so far, so that no model is asked twice: for a
-- passage, a table or a picture each.
CREATE TABLE enrichment_parts (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    step        TEXT NOT NULL,
    part        TEXT NOT NULL,
    result      TEXT NOT NULL,
    PRIMARY KEY (document_id, step, part)
);

-- Which of them a base wants; empty means the defaults.
ALTER TABLE knowledge_bases ADD COLUMN enrichment TEXT NOT NULL DEFAULT '';

-- Questions that a passage answers, by which it is found too.
ALTER TABLE chunks ADD COLUMN questions TEXT NOT NULL DEFAULT '';

-- What the pictures of a question show, in a model's words.
ALTER TABLE messages ADD COLUMN image TEXT NOT NULL DEFAULT '';
