-- +goose Up
-- A short passage is shown with its neighbours, and a parent belongs to the
-- document as long as one of its children does.
CREATE INDEX chunks_by_parent ON chunks (parent_id);
