-- +goose Up
-- What the question of an answer was narrowed to.
ALTER TABLE messages ADD COLUMN narrowed TEXT NOT NULL DEFAULT '';
