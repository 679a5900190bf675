-- +goose Up
-- A page of a wiki is a document of its base; what it says is that of its
-- current revision. text_key holds title, aliases, summary and text as they
-- are compared.
CREATE TABLE wiki_pages (
    document_id TEXT   NOT NULL PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    base_id     TEXT   NOT NULL,
    slug        TEXT   NOT NULL,
    revision    BIGINT NOT NULL,
    text_key    TEXT   NOT NULL,
    UNIQUE (base_id, slug)
);

-- All that a page has said. A proposed revision waits for somebody to take it.
CREATE TABLE wiki_revisions (
    document_id TEXT   NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    number      BIGINT NOT NULL,
    proposed    BIGINT NOT NULL,
    slug        TEXT   NOT NULL,
    title       TEXT   NOT NULL,
    type        TEXT   NOT NULL,
    status      TEXT   NOT NULL,
    summary     TEXT   NOT NULL,
    aliases     TEXT   NOT NULL,
    content     TEXT   NOT NULL,
    author      TEXT   NOT NULL,
    user_id     TEXT   NOT NULL,
    note        TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (document_id, number)
);
CREATE INDEX wiki_revisions_proposed ON wiki_revisions (document_id) WHERE proposed = 1;

-- Links of the current revisions, by what they say: the page at the other end
-- may come later, or go.
CREATE TABLE wiki_links (
    document_id TEXT   NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    position    BIGINT NOT NULL,
    base_id     TEXT   NOT NULL,
    target      TEXT   NOT NULL,
    label       TEXT   NOT NULL,
    PRIMARY KEY (document_id, position)
);
CREATE INDEX wiki_links_by_target ON wiki_links (base_id, target);

-- Titles and aliases of pages, written as slugs, by which links find them too.
CREATE TABLE wiki_names (
    base_id     TEXT NOT NULL,
    name        TEXT NOT NULL,
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    PRIMARY KEY (base_id, name, document_id)
);
CREATE INDEX wiki_names_by_page ON wiki_names (document_id);

-- The passages that a revision rests on. No reference to them: they may go.
CREATE TABLE wiki_sources (
    document_id        TEXT   NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    revision           BIGINT NOT NULL,
    number             BIGINT NOT NULL,
    source_document_id TEXT   NOT NULL,
    source_chunk_id    TEXT   NOT NULL,
    PRIMARY KEY (document_id, revision, number)
);

-- Work of a model that writes pages of documents: a job of one wiki, and what
-- it has to do, step by step. A job goes on at the first item that waits.
CREATE TABLE wiki_jobs (
    id         TEXT   NOT NULL PRIMARY KEY,
    base_id    TEXT   NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    source_id  TEXT   NOT NULL,
    tenant_id  TEXT   NOT NULL,
    user_id    TEXT   NOT NULL,
    state      TEXT   NOT NULL,
    step       TEXT   NOT NULL,
    error_code TEXT   NOT NULL,
    error      TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX wiki_jobs_active ON wiki_jobs (base_id) WHERE state IN ('queued', 'running');
CREATE INDEX wiki_jobs_by_state ON wiki_jobs (state, id);

CREATE TABLE wiki_job_items (
    job_id   TEXT   NOT NULL REFERENCES wiki_jobs (id) ON DELETE CASCADE,
    step     TEXT   NOT NULL,
    position BIGINT NOT NULL,
    ref      TEXT   NOT NULL,
    name     TEXT   NOT NULL,
    state    TEXT   NOT NULL,
    did      TEXT   NOT NULL,
    result   TEXT   NOT NULL,
    error    TEXT   NOT NULL,
    PRIMARY KEY (job_id, step, position)
);
