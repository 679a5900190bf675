-- +goose Up
-- A session that nobody pinned is not pinned.
ALTER TABLE sessions ADD COLUMN pinned BIGINT NOT NULL DEFAULT 0;

-- Hidden sessions are opened for one call of a protocol that knows none.
ALTER TABLE sessions ADD COLUMN hidden BIGINT NOT NULL DEFAULT 0;

-- What the last question chose.
ALTER TABLE sessions ADD COLUMN last_request TEXT NOT NULL DEFAULT '';

DROP INDEX sessions_by_user;
CREATE INDEX sessions_by_user ON sessions (tenant_id, user_id, hidden, pinned, updated_at, id);
CREATE INDEX sessions_hidden ON sessions (updated_at) WHERE hidden = 1;

-- Numbers stand for ids where a protocol wants numbers. A counter's row is
-- updated before it is read, so that two writers never share a number.
CREATE TABLE counters (
    name TEXT   NOT NULL PRIMARY KEY,
    last BIGINT NOT NULL
);

CREATE TABLE session_numbers (
    number    BIGINT NOT NULL PRIMARY KEY,
    object_id TEXT   NOT NULL UNIQUE REFERENCES sessions (id) ON DELETE CASCADE
);

CREATE TABLE message_numbers (
    number    BIGINT NOT NULL PRIMARY KEY,
    object_id TEXT   NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE
);

CREATE TABLE base_numbers (
    number    BIGINT NOT NULL PRIMARY KEY,
    object_id TEXT   NOT NULL UNIQUE REFERENCES knowledge_bases (id) ON DELETE CASCADE
);
