-- +goose Up
-- The generation of what searches may find: caches of searches carry it in
-- their keys, so that what was kept before a change is never asked for again.
CREATE TABLE cache_epochs (
    name  TEXT   PRIMARY KEY,
    epoch BIGINT NOT NULL
);
INSERT INTO cache_epochs (name, epoch) VALUES ('all', 1);
