-- +goose Up
-- Ids are text, moments are Unix milliseconds, lists and small structs are
-- JSON text, so that SQLite and PostgreSQL read the same statements.

CREATE TABLE tenants (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE knowledge_bases (
    id             TEXT   NOT NULL PRIMARY KEY,
    tenant_id      TEXT   NOT NULL REFERENCES tenants (id),
    dataset_id     TEXT   NOT NULL,
    name           TEXT   NOT NULL,
    description    TEXT   NOT NULL,
    kind           TEXT   NOT NULL,
    visibility     TEXT   NOT NULL,
    roles          TEXT   NOT NULL,
    active_version BIGINT NOT NULL DEFAULT 0,
    last_version   BIGINT NOT NULL DEFAULT 0,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    UNIQUE (tenant_id, name)
);

CREATE TABLE folders (
    id        TEXT NOT NULL PRIMARY KEY,
    base_id   TEXT NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    parent_id TEXT NOT NULL,
    name      TEXT NOT NULL,
    UNIQUE (base_id, parent_id, name)
);

CREATE TABLE documents (
    id           TEXT   NOT NULL PRIMARY KEY,
    base_id      TEXT   NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    folder_id    TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    title        TEXT   NOT NULL,
    source       TEXT   NOT NULL,
    format       TEXT   NOT NULL,
    size         BIGINT NOT NULL,
    content_hash TEXT   NOT NULL,
    state        TEXT   NOT NULL,
    error_code   TEXT   NOT NULL,
    error        TEXT   NOT NULL,
    warnings     TEXT   NOT NULL,
    chunks       BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX documents_by_hash ON documents (base_id, content_hash);
CREATE INDEX documents_by_name ON documents (base_id, folder_id, name);
CREATE INDEX documents_of_hash ON documents (content_hash);

CREATE TABLE document_lives (
    document_id TEXT   NOT NULL,
    base_id     TEXT   NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    since       BIGINT NOT NULL,
    until       BIGINT NOT NULL,
    PRIMARY KEY (base_id, document_id, since)
);
CREATE UNIQUE INDEX document_lives_open ON document_lives (document_id) WHERE until = 0;

CREATE TABLE tags (
    id      TEXT NOT NULL PRIMARY KEY,
    base_id TEXT NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    name    TEXT NOT NULL,
    UNIQUE (base_id, name)
);

CREATE TABLE document_tags (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    tag_id      TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    PRIMARY KEY (document_id, tag_id)
);

CREATE TABLE chunks (
    id          TEXT   NOT NULL PRIMARY KEY,
    base_id     TEXT   NOT NULL,
    document_id TEXT   NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    parent_id   TEXT   NOT NULL,
    type        TEXT   NOT NULL,
    position    BIGINT NOT NULL,
    start_at    BIGINT NOT NULL,
    end_at      BIGINT NOT NULL,
    content     TEXT   NOT NULL,
    headings    TEXT   NOT NULL,
    page        BIGINT NOT NULL,
    sheet       TEXT   NOT NULL,
    row_number  BIGINT NOT NULL,
    faq         TEXT   NOT NULL
);
CREATE INDEX chunks_by_document ON chunks (document_id, position);

-- What the search engine keeps of a chunk: derived from it once, on ingestion.
CREATE TABLE chunk_terms (
    chunk_id TEXT NOT NULL PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    terms    BLOB NOT NULL
);

CREATE TABLE chunk_vectors (
    chunk_id TEXT NOT NULL PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    model    TEXT NOT NULL,
    vector   BLOB NOT NULL
);

-- A chunk belongs to the versions in [since, until); until 0 is still open.
-- No reference to chunks: of a deleted chunk the empty interval stays, which
-- tells the search engines to forget it.
CREATE TABLE chunk_lives (
    chunk_id    TEXT   NOT NULL,
    base_id     TEXT   NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    document_id TEXT   NOT NULL,
    since       BIGINT NOT NULL,
    until       BIGINT NOT NULL,
    PRIMARY KEY (base_id, chunk_id, since)
);
CREATE INDEX chunk_lives_since ON chunk_lives (base_id, since, chunk_id);
CREATE INDEX chunk_lives_until ON chunk_lives (base_id, until, chunk_id) WHERE until > 0;
CREATE UNIQUE INDEX chunk_lives_open ON chunk_lives (chunk_id) WHERE until = 0;
CREATE INDEX chunk_lives_by_document ON chunk_lives (document_id);

CREATE TABLE versions (
    base_id      TEXT   NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    number       BIGINT NOT NULL,
    built_on     BIGINT NOT NULL,
    note         TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    activated_at BIGINT NOT NULL,
    PRIMARY KEY (base_id, number)
);

CREATE TABLE activations (
    id         TEXT   NOT NULL PRIMARY KEY,
    base_id    TEXT   NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    version    BIGINT NOT NULL,
    previous   BIGINT NOT NULL,
    user_id    TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX activations_by_base ON activations (base_id, created_at);

CREATE TABLE assistants (
    id              TEXT   NOT NULL PRIMARY KEY,
    tenant_id       TEXT   NOT NULL REFERENCES tenants (id),
    name            TEXT   NOT NULL,
    business_domain TEXT   NOT NULL,
    industry        TEXT   NOT NULL,
    support_contact TEXT   NOT NULL,
    base_ids        TEXT   NOT NULL,
    multi_turn      BIGINT NOT NULL,
    citations       BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL
);

CREATE TABLE sessions (
    id            TEXT   NOT NULL PRIMARY KEY,
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id),
    user_id       TEXT   NOT NULL,
    assistant_id  TEXT   NOT NULL,
    title         TEXT   NOT NULL,
    base_ids      TEXT   NOT NULL,
    message_count BIGINT NOT NULL,
    last_order    BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (tenant_id, user_id, updated_at, id);

CREATE TABLE messages (
    id            TEXT   NOT NULL PRIMARY KEY,
    session_id    TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    request_id    TEXT   NOT NULL,
    role          TEXT   NOT NULL,
    message_order BIGINT NOT NULL,
    content       TEXT   NOT NULL,
    state         TEXT   NOT NULL,
    error_code    TEXT   NOT NULL,
    hit_type      TEXT   NOT NULL,
    source_list   TEXT   NOT NULL,
    citations     TEXT   NOT NULL,
    confidence    TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    UNIQUE (session_id, message_order)
);
CREATE INDEX messages_pending ON messages (created_at) WHERE state = 'pending';

CREATE TABLE traces (
    id         TEXT   NOT NULL PRIMARY KEY,
    message_id TEXT   NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    timings    TEXT   NOT NULL,
    notes      TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE jobs (
    id          TEXT   NOT NULL PRIMARY KEY,
    document_id TEXT   NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    base_id     TEXT   NOT NULL,
    state       TEXT   NOT NULL,
    step        TEXT   NOT NULL,
    attempts    BIGINT NOT NULL,
    error_code  TEXT   NOT NULL,
    error       TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);
CREATE INDEX jobs_by_state ON jobs (state, id);
CREATE INDEX jobs_by_document ON jobs (document_id);
