package store

import (
	"context"

	"kaoju/internal/core"
)

// A base's count of documents is that of its active version.
const baseColumns = `b.id, b.tenant_id, b.dataset_id, b.name, b.description, b.kind, b.visibility, b.roles, b.chunking,
	b.active_version, b.embedding_model, b.created_at, b.updated_at,
	COALESCE((SELECT v.documents FROM versions v WHERE v.base_id = b.id AND v.number = b.active_version), 0)`

func scanBase(s scanner) (core.KnowledgeBase, error) {
	var b core.KnowledgeBase
	var roles, chunking string
	var created, updated int64
	err := s.Scan(&b.ID, &b.TenantID, &b.DatasetID, &b.Name, &b.Description, &b.Kind, &b.Visibility, &roles, &chunking,
		&b.ActiveVersion, &b.EmbeddingModel, &created, &updated, &b.Documents)
	if err != nil {
		return b, err
	}
	b.CreatedAt, b.UpdatedAt = moment(created), moment(updated)
	if err := decode(chunking, &b.Chunking); err != nil {
		return b, err
	}
	return b, decode(roles, &b.Roles)
}

func insertBase(tx *tx, b core.KnowledgeBase) error {
	now := millis(clock())
	created := millis(b.CreatedAt)
	if created == 0 {
		created = now
	}
	return tx.exec(`INSERT INTO knowledge_bases (id, tenant_id, dataset_id, name, description, kind, visibility,
		roles, active_version, last_version, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)`,
		b.ID, b.TenantID, b.DatasetID, b.Name, b.Description, b.Kind, b.Visibility, encode(b.Roles), created, now)
}

// CreateBase adds a knowledge base without versions. A name that its tenant
// already uses is a core.CodeConflict.
func (db *DB) CreateBase(ctx context.Context, b core.KnowledgeBase) error {
	return db.write(ctx, "create the knowledge base", func(tx *tx) error {
		var n int
		err := tx.row("SELECT COUNT(*) FROM knowledge_bases WHERE tenant_id = ? AND (name = ? OR id = ?)",
			b.TenantID, b.Name, b.ID).Scan(&n)
		if err != nil {
			return err
		}
		if n > 0 {
			return core.Errorf(core.CodeConflict, "there is already a knowledge base named %q", b.Name)
		}
		return insertBase(tx, b)
	})
}

// Base gives a knowledge base by its id or, failing that, its name.
func (db *DB) Base(ctx context.Context, scope core.Scope, idOrName string) (core.KnowledgeBase, error) {
	missing := core.Errorf(core.CodeNotFound, "there is no knowledge base %q", idOrName)
	b, err := one(ctx, db, scanBase, "SELECT "+baseColumns+` FROM knowledge_bases b
		WHERE b.tenant_id = ? AND (b.id = ? OR b.name = ?)
		ORDER BY CASE WHEN b.id = ? THEN 0 ELSE 1 END LIMIT 1`, scope.TenantID, idOrName, idOrName, idOrName)
	if err != nil {
		return core.KnowledgeBase{}, found(err, missing)
	}
	if !scope.Sees(b) {
		return core.KnowledgeBase{}, missing
	}
	return b, nil
}

// ListBases gives the knowledge bases that the scope sees, by name.
func (db *DB) ListBases(ctx context.Context, scope core.Scope) ([]core.KnowledgeBase, error) {
	list := []core.KnowledgeBase{}
	err := each(ctx, db, func(s scanner) error {
		b, err := scanBase(s)
		if err == nil && scope.Sees(b) {
			list = append(list, b)
		}
		return err
	}, "SELECT "+baseColumns+" FROM knowledge_bases b WHERE b.tenant_id = ? ORDER BY b.name, b.id", scope.TenantID)
	return list, err
}

// AllBases gives the knowledge bases of every tenant, for engines that load
// them at start.
func (db *DB) AllBases(ctx context.Context) ([]core.KnowledgeBase, error) {
	return all(ctx, db, scanBase, "SELECT "+baseColumns+" FROM knowledge_bases b ORDER BY b.id")
}

// DeleteBase removes a knowledge base with everything in it, at once and for
// good. The default base stays: a core.CodeConflict.
func (db *DB) DeleteBase(ctx context.Context, scope core.Scope, id string) error {
	b, err := db.Base(ctx, scope, id)
	if err != nil {
		return err
	}
	if b.ID == core.DefaultBaseName {
		return core.Errorf(core.CodeConflict, "the default knowledge base cannot be deleted; its documents can")
	}
	var hashes []string
	err = db.write(ctx, "delete the knowledge base", func(tx *tx) error {
		var err error
		if hashes, err = tx.texts("SELECT DISTINCT content_hash FROM documents WHERE base_id = ?", b.ID); err != nil {
			return err
		}
		return tx.exec("DELETE FROM knowledge_bases WHERE id = ?", b.ID)
	})
	if err != nil {
		return err
	}
	return db.dropBlobs(ctx, hashes)
}

// lockBase makes the transaction the only one that changes the base, on a
// database with many writers too.
func lockBase(tx *tx, id string) error {
	n, err := tx.change("UPDATE knowledge_bases SET updated_at = ? WHERE id = ?", millis(clock()), id)
	if err == nil && n == 0 {
		return core.Errorf(core.CodeNotFound, "there is no knowledge base %q", id)
	}
	return err
}

// CreateFolder adds a folder. Its name must be free within its parent.
func (db *DB) CreateFolder(ctx context.Context, scope core.Scope, f core.Folder) error {
	if _, err := db.Base(ctx, scope, f.BaseID); err != nil {
		return err
	}
	return db.write(ctx, "create the folder", func(tx *tx) error {
		n, err := tx.change(`INSERT INTO folders (id, base_id, parent_id, name) VALUES (?, ?, ?, ?)
			ON CONFLICT DO NOTHING`, f.ID, f.BaseID, f.ParentID, f.Name)
		if err == nil && n == 0 {
			return core.Errorf(core.CodeConflict, "there is already a folder named %q", f.Name)
		}
		return err
	})
}

// ListFolders gives the folders of a base, by name.
func (db *DB) ListFolders(ctx context.Context, scope core.Scope, baseID string) ([]core.Folder, error) {
	b, err := db.Base(ctx, scope, baseID)
	if err != nil {
		return nil, err
	}
	return all(ctx, db, func(s scanner) (f core.Folder, err error) {
		return f, s.Scan(&f.ID, &f.BaseID, &f.ParentID, &f.Name)
	}, "SELECT id, base_id, parent_id, name FROM folders WHERE base_id = ? ORDER BY name, id", b.ID)
}
