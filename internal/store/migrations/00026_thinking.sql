-- +goose Up
-- What a model thought before an answer, as its reader saw it.
ALTER TABLE messages ADD COLUMN thinking TEXT NOT NULL DEFAULT '';
