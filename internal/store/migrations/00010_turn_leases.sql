-- +goose Up
-- The process that writes an answer, where several share the database; ''
-- where one has it to itself.
ALTER TABLE messages ADD COLUMN owner TEXT NOT NULL DEFAULT '';

-- The processes that write answers, each alive until its lease ends. An answer
-- whose owner has no lease is nobody's: another process finishes it.
CREATE TABLE leases (
    owner TEXT   NOT NULL PRIMARY KEY,
    until BIGINT NOT NULL
);
