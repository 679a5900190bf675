package store

import (
	"context"

	"kaoju/internal/core"
)

// ChangeFolder gives a folder another name or parent. A name that is taken
// there, or a parent inside of the folder itself, is a core.CodeConflict.
// Authorise the base before.
func (db *DB) ChangeFolder(ctx context.Context, f core.Folder) error {
	return db.write(ctx, "change the folder", func(tx *tx) error {
		if err := lockBase(tx, f.BaseID); err != nil {
			return err
		}
		for at := f.ParentID; at != ""; {
			if at == f.ID {
				return core.Errorf(core.CodeConflict, "a folder cannot stand inside of itself")
			}
			parents, err := tx.texts("SELECT parent_id FROM folders WHERE id = ? AND base_id = ?", at, f.BaseID)
			if err != nil {
				return err
			}
			if len(parents) == 0 {
				return noFolder(at)
			}
			at = parents[0]
		}
		taken, err := tx.texts("SELECT id FROM folders WHERE base_id = ? AND parent_id = ? AND name = ? AND id <> ?",
			f.BaseID, f.ParentID, f.Name, f.ID)
		if err == nil && len(taken) > 0 {
			err = core.Errorf(core.CodeConflict, "there is already a folder named %q", f.Name)
		}
		if err != nil {
			return err
		}
		n, err := tx.change("UPDATE folders SET name = ?, parent_id = ? WHERE id = ? AND base_id = ?", f.Name, f.ParentID, f.ID, f.BaseID)
		if err == nil && n == 0 {
			err = noFolder(f.ID)
		}
		return err
	})
}

// DeleteFolder removes a folder that holds nothing; else a core.CodeConflict.
// Authorise the base before.
func (db *DB) DeleteFolder(ctx context.Context, baseID, id string) error {
	return db.write(ctx, "delete the folder", func(tx *tx) error {
		if err := lockBase(tx, baseID); err != nil {
			return err
		}
		inside, err := tx.texts(`SELECT id FROM folders WHERE base_id = ? AND parent_id = ?
			UNION ALL SELECT id FROM documents WHERE base_id = ? AND folder_id = ? AND state <> 'deleted' LIMIT 1`, baseID, id, baseID, id)
		if err == nil && len(inside) > 0 {
			err = core.Errorf(core.CodeConflict, "the folder is not empty; move or delete what is in it first")
		}
		if err != nil {
			return err
		}
		n, err := tx.change("DELETE FROM folders WHERE id = ? AND base_id = ?", id, baseID)
		if err == nil && n == 0 {
			err = noFolder(id)
		}
		return err
	})
}

func noFolder(id string) error {
	return core.Errorf(core.CodeNotFound, "there is no folder %q", id)
}

// FoldersBelow gives folders with all below them, each once. It does not look
// at scopes: a folder only narrows what a base that was authorised gives.
func (db *DB) FoldersBelow(ctx context.Context, ids []string) ([]string, error) {
	seen := map[string]bool{}
	all := []string{}
	for _, id := range ids {
		err := each(ctx, db, func(s scanner) error {
			var folder string
			err := s.Scan(&folder)
			if err == nil && !seen[folder] {
				seen[folder] = true
				all = append(all, folder)
			}
			return err
		}, `WITH RECURSIVE below (id) AS (SELECT CAST(? AS TEXT)
			UNION SELECT f.id FROM folders f JOIN below b ON f.parent_id = b.id) SELECT id FROM below`, id)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
