-- +goose Up
-- Two tenants may name an assistant alike; what is more than a name, a
-- persona and bases is JSON, for it is only ever read whole.
CREATE TABLE assistants_by_tenant (
    id              TEXT   NOT NULL,
    tenant_id       TEXT   NOT NULL REFERENCES tenants (id),
    name            TEXT   NOT NULL,
    business_domain TEXT   NOT NULL,
    industry        TEXT   NOT NULL,
    support_contact TEXT   NOT NULL,
    base_ids        TEXT   NOT NULL,
    multi_turn      BIGINT NOT NULL,
    citations       BIGINT NOT NULL,
    settings        TEXT   NOT NULL,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
INSERT INTO assistants_by_tenant (id, tenant_id, name, business_domain, industry, support_contact, base_ids,
        multi_turn, citations, settings, created_at, updated_at)
    SELECT id, tenant_id, name, business_domain, industry, support_contact, base_ids, multi_turn, citations, '',
        created_at, updated_at FROM assistants;
DROP TABLE assistants;
ALTER TABLE assistants_by_tenant RENAME TO assistants;

-- Claims of an answer that no source carries.
ALTER TABLE messages ADD COLUMN unsupported TEXT NOT NULL DEFAULT '';

-- What users think of answers. One vote a user and message.
CREATE TABLE feedback (
    id          TEXT   NOT NULL PRIMARY KEY,
    tenant_id   TEXT   NOT NULL,
    user_id     TEXT   NOT NULL,
    message_id  TEXT   NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    rating      TEXT   NOT NULL,
    comment     TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    UNIQUE (message_id, user_id)
);
CREATE INDEX feedback_by_rating ON feedback (tenant_id, rating, updated_at);

-- Questions that somebody has dealt with, by their answer.
CREATE TABLE question_reviews (
    message_id  TEXT   NOT NULL PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    tenant_id   TEXT   NOT NULL,
    user_id     TEXT   NOT NULL,
    entry_id    TEXT   NOT NULL,
    created_at  BIGINT NOT NULL
);
