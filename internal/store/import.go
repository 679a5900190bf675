package store

import (
	"context"
	"errors"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"kaoju/internal/core"
)

// importing is the tenant of bases that are being imported. No credential is
// of it, so that nobody sees a base before it is whole.
const importing = "importing"

// BeginImport makes a base that nobody sees until FinishImport. What a crash
// leaves of it goes with DropImports.
func (db *DB) BeginImport(ctx context.Context, b core.KnowledgeBase) error {
	return db.write(ctx, "begin the import", func(tx *tx) error {
		err := tx.exec("INSERT INTO tenants (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", importing, importing, millis(clock()))
		if err != nil {
			return err
		}
		b.TenantID, b.Name, b.CreatedAt = importing, b.ID, time.Time{}
		if err := insertBase(tx, b); err != nil {
			return err
		}
		return tx.exec("UPDATE knowledge_bases SET chunking = ? WHERE id = ?", encode(b.Chunking), b.ID)
	})
}

// ImportFolders stores folders of a base that is being imported.
func (db *DB) ImportFolders(ctx context.Context, list []core.Folder) error {
	err := db.write(ctx, "store the folders", func(tx *tx) error {
		return tx.repeat("INSERT INTO folders (id, base_id, parent_id, name) VALUES (?, ?, ?, ?)", len(list),
			func(i int) []any { return []any{list[i].ID, list[i].BaseID, list[i].ParentID, list[i].Name} })
	})
	return twice(err)
}

// ImportDocument stores a document, ready or disabled, with its original; a
// blob without a hash means that it has none.
func (db *DB) ImportDocument(ctx context.Context, d core.Document, blob Blob) error {
	db.blobMu.RLock()
	defer db.blobMu.RUnlock()
	err := db.write(ctx, "store the document", func(tx *tx) error {
		if blob.Hash != "" {
			if err := db.keepBlob(blob); err != nil {
				return err
			}
		}
		err := tx.exec(`INSERT INTO documents (id, base_id, folder_id, name, title, source, format, size, content_hash,
			state, error_code, error, warnings, chunks, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', ?, 0, ?, ?)`,
			d.ID, d.BaseID, d.FolderID, d.Name, d.Title, d.Source, d.Format, d.Size, blob.Hash, d.State, encode(d.Warnings),
			millis(d.CreatedAt), millis(d.UpdatedAt))
		if err != nil {
			return err
		}
		if err := setTags(tx, d.BaseID, d.ID, d.Tags); err != nil {
			return err
		}
		since, until := importedLife(d)
		return tx.exec("INSERT INTO document_lives (document_id, base_id, since, until) VALUES (?, ?, ?, ?)", d.ID, d.BaseID, since, until)
	})
	return twice(err)
}

// importedLife is the interval of what is imported: version 1 is the first; a
// document that is disabled has left with it.
func importedLife(d core.Document) (since, until int64) {
	if d.State == core.DocumentDisabled {
		return 0, 1
	}
	return 1, 0
}

// ImportPassages stores passages of a document of a base that is being
// imported. index has an entry for each that is indexed.
func (db *DB) ImportPassages(ctx context.Context, d core.Document, list []ExportedPassage, model string, index []Indexing) error {
	err := db.write(ctx, "store the passages", func(tx *tx) error {
		chunks := make([]core.Chunk, len(list))
		for i, p := range list {
			chunks[i] = p.Chunk
		}
		if err := insertChunks(tx, chunks); err != nil {
			return err
		}
		if err := insertIndexing(tx, model, index); err != nil {
			return err
		}
		for _, p := range list {
			if err := importPassage(tx, d, p); err != nil {
				return err
			}
		}
		return nil
	})
	return twice(err)
}

func importPassage(tx *tx, d core.Document, p ExportedPassage) error {
	if p.RootID != "" {
		err := tx.exec("INSERT INTO chunk_revisions (chunk_id, root_id, user_id, created_at) VALUES (?, ?, ?, ?)",
			p.ID, p.RootID, p.UserID, millis(p.RevisedAt))
		if err != nil {
			return err
		}
	}
	if !p.Live {
		return nil
	}
	since, until := importedLife(d)
	err := tx.exec("INSERT INTO chunk_lives (chunk_id, base_id, document_id, since, until) VALUES (?, ?, ?, ?, ?)",
		p.ID, d.BaseID, d.ID, since, until)
	if err != nil || p.FAQ == nil {
		return err
	}
	texts := faqTexts(*p.FAQ)
	return tx.repeat("INSERT INTO faq_texts (chunk_id, base_id, kind, text_key, enabled) VALUES (?, ?, ?, ?, ?)",
		len(texts), func(i int) []any { return []any{p.ID, d.BaseID, texts[i].kind, texts[i].key, flag(!p.FAQ.Disabled)} })
}

// FinishImport publishes an imported base as its tenant's, under b.Name, which
// must be free. model is set where its passages have no vectors of ours, so
// that they are embedded anew.
func (db *DB) FinishImport(ctx context.Context, b core.KnowledgeBase, model string) error {
	return db.write(ctx, "finish the import", func(tx *tx) error {
		if err := lockBase(tx, b.ID); err != nil {
			return err
		}
		var taken, lost int
		err := tx.row("SELECT COUNT(*) FROM knowledge_bases WHERE tenant_id = ? AND (name = ? OR id = ?)", b.TenantID, b.Name, b.Name).Scan(&taken)
		if err == nil && taken > 0 {
			err = core.Errorf(core.CodeConflict, "there is already a knowledge base named %q; import it under another name", b.Name)
		}
		if err == nil {
			err = tx.row(`SELECT COUNT(*) FROM chunks c WHERE c.base_id = ? AND c.parent_id <> '' AND NOT EXISTS (
				SELECT 1 FROM chunks p WHERE p.id = c.parent_id AND p.document_id = c.document_id)`, b.ID).Scan(&lost)
		}
		if err == nil && lost > 0 {
			err = core.Errorf(core.CodeCorrupt, "the file of the knowledge base cannot be taken: %d passages name a parent that it has not got", lost)
		}
		if err != nil {
			return err
		}
		err = tx.exec(`UPDATE documents SET chunks = (SELECT COUNT(*) FROM chunk_lives l WHERE l.document_id = documents.id) WHERE base_id = ?`, b.ID)
		if err != nil {
			return err
		}
		p, err := beginVersion(tx, b.ID, "import")
		if err != nil {
			return err
		}
		if err := p.finish(); err != nil {
			return err
		}
		return tx.exec(`UPDATE knowledge_bases SET tenant_id = ?, name = ?, embedding_model = CASE WHEN ? <> '' THEN ? ELSE embedding_model END WHERE id = ?`,
			b.TenantID, b.Name, model, model, b.ID)
	})
}

// AbortImport removes what was imported so far.
func (db *DB) AbortImport(ctx context.Context, id string) error {
	hashes, err := all(ctx, db, func(s scanner) (h string, err error) { return h, s.Scan(&h) },
		"SELECT DISTINCT content_hash FROM documents WHERE base_id = ?", id)
	if err != nil {
		return err
	}
	err = db.write(ctx, "take the import back", func(tx *tx) error {
		return tx.exec("DELETE FROM knowledge_bases WHERE id = ? AND tenant_id = ?", id, importing)
	})
	if err != nil {
		return err
	}
	return db.dropBlobs(ctx, hashes)
}

// DropImports removes the imports that a process that died had begun.
func (db *DB) DropImports(ctx context.Context) error {
	ids, err := all(ctx, db, func(s scanner) (id string, err error) { return id, s.Scan(&id) },
		"SELECT id FROM knowledge_bases WHERE tenant_id = ? AND created_at < ?", importing, millis(db.opened))
	for _, id := range ids {
		if err == nil {
			err = db.AbortImport(ctx, id)
		}
	}
	return err
}

// twice turns what the database says of a key that comes twice into what is
// wrong with the file.
func twice(err error) error {
	var db *sqlite.Error
	if errors.As(err, &db) && db.Code()&0xff == sqlite3.SQLITE_CONSTRAINT {
		return core.Wrap(err, core.CodeCorrupt, "the file of the knowledge base cannot be taken: it names something twice, or something that it has not got")
	}
	return err
}
