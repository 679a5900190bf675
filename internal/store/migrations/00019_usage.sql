-- +goose Up
-- What the calls of models cost, a tenant and a day (Unix days, UTC) apart.
CREATE TABLE model_usage (
    tenant_id       TEXT   NOT NULL,
    day             BIGINT NOT NULL,
    kind            TEXT   NOT NULL,
    model           TEXT   NOT NULL,
    calls           BIGINT NOT NULL,
    input_tokens    BIGINT NOT NULL,
    cached_tokens   BIGINT NOT NULL,
    output_tokens   BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    estimated_calls BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, day, kind, model)
);
