package store

import (
	"context"

	"kaoju/internal/core"
)

const modelColumns = "id, kind, name, base_url, options, sealed, is_default, created_at, updated_at"

func scanModel(s scanner) (core.StoredModel, error) {
	var m core.StoredModel
	var standard int
	var created, updated int64
	err := s.Scan(&m.ID, &m.Kind, &m.Name, &m.BaseURL, &m.Options, &m.Sealed, &standard, &created, &updated)
	m.Default, m.CreatedAt, m.UpdatedAt = standard != 0, moment(created), moment(updated)
	return m, err
}

// Models gives the registered models, by id. They belong to the server and to
// no tenant.
func (db *DB) Models(ctx context.Context) ([]core.StoredModel, error) {
	return all(ctx, db, scanModel, "SELECT "+modelColumns+" FROM models ORDER BY id")
}

// PutModel stores a model, in place of the one that has its id. A default
// takes that from the other models of its kind.
func (db *DB) PutModel(ctx context.Context, m core.StoredModel) error {
	now := millis(clock())
	return db.write(ctx, "store the model", func(tx *tx) error {
		if m.Default {
			if err := tx.exec("UPDATE models SET is_default = 0 WHERE kind = ?", m.Kind); err != nil {
				return err
			}
		}
		return tx.exec("INSERT INTO models ("+modelColumns+") VALUES ("+placeholders(9)+`) ON CONFLICT (id) DO UPDATE SET
			kind = excluded.kind, name = excluded.name, base_url = excluded.base_url, options = excluded.options,
			sealed = excluded.sealed, is_default = excluded.is_default, updated_at = excluded.updated_at`,
			m.ID, m.Kind, m.Name, m.BaseURL, m.Options, m.Sealed, flag(m.Default), now, now)
	})
}

// DeleteModel removes a model. One that is not there is a core.CodeNotFound.
func (db *DB) DeleteModel(ctx context.Context, id string) error {
	return db.write(ctx, "delete the model", func(tx *tx) error {
		n, err := tx.change("DELETE FROM models WHERE id = ?", id)
		if err == nil && n == 0 {
			return core.Errorf(core.CodeNotFound, "there is no model %q", id)
		}
		return err
	})
}

// ResealModels replaces what is sealed of models, all of them or none. One
// that was changed meanwhile is a core.CodeConflict.
func (db *DB) ResealModels(ctx context.Context, before, after []core.StoredModel) error {
	return db.write(ctx, "seal the keys of models anew", func(tx *tx) error {
		for i, m := range after {
			n, err := tx.change("UPDATE models SET sealed = ? WHERE id = ? AND sealed = ?", m.Sealed, m.ID, before[i].Sealed)
			if err != nil {
				return err
			}
			if n == 0 {
				return core.Errorf(core.CodeConflict, "the model %q was changed meanwhile; try again", m.ID)
			}
		}
		return nil
	})
}
