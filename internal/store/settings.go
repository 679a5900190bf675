package store

import (
	"context"

	"kaoju/internal/core"
)

// ChangeBase changes name, description and chunking of a base. A name that its
// tenant uses already is a core.CodeConflict.
func (db *DB) ChangeBase(ctx context.Context, b core.KnowledgeBase) error {
	return db.write(ctx, "change the knowledge base", func(tx *tx) error {
		if err := lockBase(tx, b.ID); err != nil {
			return err
		}
		taken, err := tx.texts("SELECT id FROM knowledge_bases WHERE tenant_id = ? AND (name = ? OR id = ?) AND id <> ?",
			b.TenantID, b.Name, b.Name, b.ID)
		if err == nil && len(taken) > 0 {
			err = core.Errorf(core.CodeConflict, "there is already a knowledge base named %q", b.Name)
		}
		if err != nil {
			return err
		}
		return tx.exec("UPDATE knowledge_bases SET name = ?, description = ?, chunking = ? WHERE id = ?",
			b.Name, b.Description, encode(b.Chunking), b.ID)
	})
}

// Chunking gives how a base cuts its documents, nil where as the server does.
func (db *DB) Chunking(ctx context.Context, baseID string) (*core.Chunking, error) {
	c, err := one(ctx, db, func(s scanner) (c *core.Chunking, err error) {
		var text string
		if err := s.Scan(&text); err != nil {
			return nil, err
		}
		return c, decode(text, &c)
	}, "SELECT chunking FROM knowledge_bases WHERE id = ?", baseID)
	return c, found(err, core.Errorf(core.CodeNotFound, "there is no knowledge base %q", baseID))
}
