-- +goose Up
-- Models that were registered over the API. What is secret of them is sealed
-- with a key that stands in a file beside the database.
CREATE TABLE models (
    id         TEXT   NOT NULL PRIMARY KEY,
    kind       TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    base_url   TEXT   NOT NULL,
    options    TEXT   NOT NULL,
    sealed     TEXT   NOT NULL,
    is_default BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
