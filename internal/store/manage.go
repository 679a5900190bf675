package store

import (
	"context"
	"slices"

	"kaoju/internal/core"
)

// DocumentChange is what to change of a document; nil fields stay.
type DocumentChange struct {
	Name     *string
	Title    *string
	FolderID *string
	Tags     *[]string
}

// ChangeDocument changes what a document is called and where it stands. A
// document that is in the last version of its base comes into a new one, so
// that the engines learn its place; the number is 0 where nothing was
// published. Index holds new entries for its chunks, where the title changed.
func (db *DB) ChangeDocument(ctx context.Context, d core.Document, c DocumentChange, model string, index []Indexing) (version int64, err error) {
	err = db.write(ctx, "change the document", func(tx *tx) error {
		if err := lockBase(tx, d.BaseID); err != nil {
			return err
		}
		if err := setPlace(tx, d, c); err != nil {
			return err
		}
		if err := replaceIndexing(tx, model, index); err != nil {
			return err
		}
		version, err = touch(tx, d)
		return err
	})
	return version, err
}

func setPlace(tx *tx, d core.Document, c DocumentChange) error {
	for _, f := range []struct{ to, from *string }{{&d.Name, c.Name}, {&d.Title, c.Title}, {&d.FolderID, c.FolderID}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	n, err := tx.change("UPDATE documents SET name = ?, title = ?, folder_id = ?, updated_at = ? WHERE id = ? AND state <> 'deleted'",
		d.Name, d.Title, d.FolderID, millis(clock()), d.ID)
	if err == nil && n == 0 {
		err = noDocument(d.ID)
	}
	if err != nil || c.Tags == nil {
		return err
	}
	return setTags(tx, d.BaseID, d.ID, *c.Tags)
}

func replaceIndexing(tx *tx, model string, index []Indexing) error {
	for _, table := range []string{"chunk_terms", "chunk_vectors"} {
		err := tx.repeat("DELETE FROM "+table+" WHERE chunk_id = ?", len(index), func(i int) []any { return []any{index[i].ChunkID} })
		if err != nil {
			return err
		}
	}
	return insertIndexing(tx, model, index)
}

// touch gives the open chunks of a document new intervals in a new version,
// whereupon the engines read them again.
func touch(tx *tx, d core.Document) (int64, error) {
	open, err := tx.texts("SELECT chunk_id FROM chunk_lives WHERE base_id = ? AND document_id = ? AND until = 0", d.BaseID, d.ID)
	if err != nil || len(open) == 0 {
		return 0, err
	}
	p, err := beginVersion(tx, d.BaseID, "change "+d.Name)
	if err != nil {
		return 0, err
	}
	if err := p.closeChunks(d.ID); err != nil {
		return 0, err
	}
	err = tx.repeat("INSERT INTO chunk_lives (chunk_id, base_id, document_id, since, until) VALUES (?, ?, ?, ?, 0)",
		len(open), func(i int) []any { return []any{open[i], d.BaseID, d.ID, p.number} })
	if err != nil {
		return 0, err
	}
	return p.number, p.finish()
}

// SetEnabled takes ready documents of one base out of the search or back into
// it, in one version, whose number comes back; 0 where nothing changes.
// Documents that are not ready are a core.CodeConflict.
func (db *DB) SetEnabled(ctx context.Context, baseID string, ids []string, enabled bool) (version int64, err error) {
	from, to, note := core.DocumentReady, core.DocumentDisabled, "disable documents"
	if enabled {
		from, to, note = to, from, "enable documents"
	}
	err = db.write(ctx, note, func(tx *tx) error {
		if err := lockBase(tx, baseID); err != nil {
			return err
		}
		var changed []string
		for _, id := range ids {
			n, err := tx.change("UPDATE documents SET state = ?, updated_at = ? WHERE id = ? AND base_id = ? AND state = ?",
				to, millis(clock()), id, baseID, from)
			if err != nil {
				return err
			}
			if n > 0 {
				changed = append(changed, id)
				continue
			}
			states, err := tx.texts("SELECT state FROM documents WHERE id = ? AND base_id = ? AND state <> 'deleted'", id, baseID)
			switch {
			case err != nil:
				return err
			case len(states) == 0:
				return noDocument(id)
			case !slices.Contains(states, string(to)):
				return core.Errorf(core.CodeConflict, "a document that is %s can be neither enabled nor disabled", states[0])
			}
		}
		if len(changed) == 0 {
			return nil
		}
		p, err := beginVersion(tx, baseID, note)
		if err != nil {
			return err
		}
		version = p.number
		for _, id := range changed {
			if enabled {
				err = p.reenter(id)
			} else {
				err = p.close(id)
			}
			if err != nil {
				return err
			}
		}
		return p.finish()
	})
	return version, err
}

// reenter opens what the last closing of a document closed.
func (p publication) reenter(id string) error {
	err := p.tx.exec(p.reopen("chunk_lives")+` AND h.document_id = ? AND h.until = (
		SELECT MAX(x.until) FROM document_lives x WHERE x.base_id = h.base_id AND x.document_id = h.document_id)`,
		p.number, p.baseID, id)
	if err != nil {
		return err
	}
	return p.openDocument(id)
}

// DocumentFilter narrows a list of documents; zero fields do not.
type DocumentFilter struct {
	FolderID string // this folder; "/" means the top
	Tag      string // name
	State    core.DocumentState
}

// Tags gives the names of a base's tags that are in use, sorted, and how many
// documents have each. Authorise the base before.
func (db *DB) Tags(ctx context.Context, baseID string) ([]core.Tag, error) {
	return all(ctx, db, func(s scanner) (t core.Tag, err error) {
		return t, s.Scan(&t.ID, &t.Name, &t.Documents)
	}, `SELECT t.id, t.name, COUNT(*) FROM tags t JOIN document_tags x ON x.tag_id = t.id
		WHERE t.base_id = ? GROUP BY t.id, t.name ORDER BY t.name`, baseID)
}

// TagsNamed gives the ids of tags of bases that have one of the names. Authorise
// the bases before.
func (db *DB) TagsNamed(ctx context.Context, baseIDs, names []string) ([]string, error) {
	if len(baseIDs) == 0 || len(names) == 0 {
		return nil, nil
	}
	args := make([]any, 0, len(baseIDs)+len(names))
	for _, s := range slices.Concat(baseIDs, names) {
		args = append(args, s)
	}
	return all(ctx, db, func(s scanner) (id string, err error) {
		err = s.Scan(&id)
		return id, err
	}, "SELECT id FROM tags WHERE base_id IN ("+placeholders(len(baseIDs))+") AND name IN ("+placeholders(len(names))+") ORDER BY id", args...)
}

// DocumentTags gives the names of the tags of one document, sorted.
func (db *DB) DocumentTags(ctx context.Context, id string) ([]string, error) {
	return all(ctx, db, func(s scanner) (name string, err error) { return name, s.Scan(&name) },
		"SELECT t.name FROM document_tags x JOIN tags t ON t.id = x.tag_id WHERE x.document_id = ? ORDER BY t.name", id)
}

// FilterDocuments is ListDocuments for a part of a base that was authorised.
func (db *DB) FilterDocuments(ctx context.Context, baseID string, f DocumentFilter, offset, limit int) ([]core.Document, int, error) {
	where, args := " WHERE d.base_id = ? AND"+current, []any{baseID}
	if f.FolderID == "/" {
		where += " AND d.folder_id = ''"
	} else if f.FolderID != "" {
		where, args = where+" AND d.folder_id = ?", append(args, f.FolderID)
	}
	if f.Tag != "" {
		where, args = where+` AND EXISTS (SELECT 1 FROM document_tags x JOIN tags t ON t.id = x.tag_id
			WHERE x.document_id = d.id AND t.name = ?)`, append(args, f.Tag)
	}
	if f.State != "" {
		where, args = where+" AND d.state = ?", append(args, f.State)
	}
	total, err := db.count(ctx, "SELECT COUNT(*) FROM documents d"+where, args...)
	if err != nil {
		return nil, 0, err
	}
	list, err := all(ctx, db, scanDocument, "SELECT "+documentColumns+" FROM documents d"+where+
		" ORDER BY d.id DESC LIMIT ? OFFSET ?", append(args, pageSize(limit), max(offset, 0))...)
	return list, total, err
}
