package store

import (
	"context"
	"errors"
	"strings"

	"kaoju/internal/core"
)

const documentColumns = `d.id, d.base_id, d.folder_id, d.name, d.title, d.source, d.format, d.size, d.content_hash,
	d.state, d.error_code, d.error, d.warnings, d.chunks, d.created_at, d.updated_at`

// current picks the documents that a person sees in a base: those on their
// way, those that failed, and those in the active version. One that was
// replaced stays readable by its id, for the answers that cite it.
const current = ` d.state <> 'deleted' AND (d.state <> 'ready' OR EXISTS (
	SELECT 1 FROM document_lives l JOIN knowledge_bases b ON b.id = l.base_id
	WHERE l.base_id = d.base_id AND l.document_id = d.id
		AND l.since <= b.active_version AND (l.until = 0 OR l.until > b.active_version)))`

func scanDocument(s scanner) (core.Document, error) {
	var d core.Document
	var warnings string
	var created, updated int64
	err := s.Scan(&d.ID, &d.BaseID, &d.FolderID, &d.Name, &d.Title, &d.Source, &d.Format, &d.Size, &d.ContentHash,
		&d.State, &d.ErrorCode, &d.Error, &warnings, &d.Chunks, &created, &updated)
	if err != nil {
		return d, err
	}
	d.CreatedAt, d.UpdatedAt = moment(created), moment(updated)
	return d, decode(warnings, &d.Warnings)
}

func noDocument(id string) error {
	return core.Errorf(core.CodeNotFound, "there is no document %q", id)
}

// AddDocument stores a document, its staged original and its job, all or
// nothing. Where the base already has a current document with the same
// content, that one comes back with added false. One that had failed is
// queued again under its old id, with added true.
func (db *DB) AddDocument(ctx context.Context, d core.Document, blob Blob) (stored core.Document, added bool, err error) {
	d.ContentHash, d.Size, d.State = blob.Hash, blob.Size, core.DocumentQueued
	db.blobMu.RLock()
	defer db.blobMu.RUnlock()
	err = db.write(ctx, "add the document", func(tx *tx) error {
		if err := lockBase(tx, d.BaseID); err != nil {
			return err
		}
		same, err := scanDocument(tx.row("SELECT "+documentColumns+` FROM documents d
			WHERE d.base_id = ? AND d.content_hash = ? AND`+current+" ORDER BY d.id DESC LIMIT 1", d.BaseID, d.ContentHash))
		missing := errors.New("not here yet")
		if err = found(err, missing); err == nil {
			added = same.State == core.DocumentFailed
			stored, err = requeueFailed(tx, same)
			return err
		}
		if !errors.Is(err, missing) {
			return err
		}
		if err := db.keepBlob(blob); err != nil {
			return err
		}
		added = true
		stored, err = insertDocument(tx, d)
		return err
	})
	if err != nil {
		return core.Document{}, false, err
	}
	return stored, added, nil
}

func insertDocument(tx *tx, d core.Document) (core.Document, error) {
	now := millis(clock())
	d.CreatedAt, d.UpdatedAt = moment(now), moment(now)
	err := tx.exec(`INSERT INTO documents (id, base_id, folder_id, name, title, source, format, size, content_hash,
		state, error_code, error, warnings, chunks, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', '', 0, ?, ?)`,
		d.ID, d.BaseID, d.FolderID, d.Name, d.Title, d.Source, d.Format, d.Size, d.ContentHash, d.State, now, now)
	if err != nil {
		return d, err
	}
	return d, insertJob(tx, d)
}

// ReadAgain queues a reading of a document's original that takes its place once
// it is ready, with the same name, title, folder and tags.
func (db *DB) ReadAgain(ctx context.Context, d core.Document) (core.Document, error) {
	again := d
	again.ID, again.State = core.NewID(), core.DocumentQueued
	err := db.write(ctx, "queue the document again", func(tx *tx) error {
		if err := lockBase(tx, d.BaseID); err != nil {
			return err
		}
		var err error
		if again, err = insertDocument(tx, again); err != nil {
			return err
		}
		return setTags(tx, d.BaseID, again.ID, d.Tags)
	})
	return again, err
}

func requeueFailed(tx *tx, d core.Document) (core.Document, error) {
	if d.State != core.DocumentFailed {
		return d, nil
	}
	d.State, d.ErrorCode, d.Error = core.DocumentQueued, "", ""
	err := tx.exec("UPDATE documents SET state = ?, error_code = '', error = '', updated_at = ? WHERE id = ?",
		d.State, millis(clock()), d.ID)
	if err != nil {
		return d, err
	}
	return d, insertJob(tx, d)
}

// Document gives a document that the scope sees, current or replaced.
func (db *DB) Document(ctx context.Context, scope core.Scope, id string) (core.Document, error) {
	d, err := one(ctx, db, scanDocument, "SELECT "+documentColumns+
		" FROM documents d WHERE d.id = ? AND d.state <> 'deleted'", id)
	if err != nil {
		return core.Document{}, found(err, noDocument(id))
	}
	if err := db.visible(ctx, scope, d.BaseID, noDocument(id)); err != nil {
		return core.Document{}, err
	}
	return d, nil
}

// visible gives missing unless the scope sees the base.
func (db *DB) visible(ctx context.Context, scope core.Scope, baseID string, missing error) error {
	b, err := one(ctx, db, func(s scanner) (core.KnowledgeBase, error) {
		var b core.KnowledgeBase
		var roles string
		if err := s.Scan(&b.TenantID, &b.DatasetID, &b.Visibility, &roles); err != nil {
			return b, err
		}
		return b, decode(roles, &b.Roles)
	}, "SELECT tenant_id, dataset_id, visibility, roles FROM knowledge_bases WHERE id = ?", baseID)
	if err == nil && !scope.Sees(b) {
		return missing
	}
	return found(err, missing)
}

// ListDocuments gives a page of a base's current documents, the newest first,
// and how many there are in all.
func (db *DB) ListDocuments(ctx context.Context, scope core.Scope, baseID string, offset, limit int) ([]core.Document, int, error) {
	missing := core.Errorf(core.CodeNotFound, "there is no knowledge base %q", baseID)
	if err := db.visible(ctx, scope, baseID, missing); err != nil {
		return nil, 0, err
	}
	counts, err := db.CountDocuments(ctx, baseID)
	if err != nil {
		return nil, 0, err
	}
	list, err := all(ctx, db, scanDocument, "SELECT "+documentColumns+" FROM documents d WHERE d.base_id = ? AND"+
		current+" ORDER BY d.id DESC LIMIT ? OFFSET ?", baseID, pageSize(limit), max(offset, 0))
	return list, counts.Total(), err
}

// SearchDocuments gives current documents of any base that the scope sees whose
// names hold every word of the query, in any case, the newest first.
func (db *DB) SearchDocuments(ctx context.Context, scope core.Scope, query string, limit int) ([]core.Document, error) {
	bases, err := db.ListBases(ctx, scope)
	if err != nil || len(bases) == 0 {
		return nil, err
	}
	var args []any
	for _, b := range bases {
		args = append(args, b.ID)
	}
	words := strings.Fields(strings.ToLower(query))
	for _, w := range words {
		args = append(args, "%"+likeEscaper.Replace(w)+"%")
	}
	return all(ctx, db, scanDocument, "SELECT "+documentColumns+" FROM documents d WHERE d.base_id IN (?"+
		strings.Repeat(", ?", len(bases)-1)+") AND"+current+strings.Repeat(` AND LOWER(d.name) LIKE ? ESCAPE '\'`, len(words))+
		" ORDER BY d.id DESC LIMIT ?", append(args, pageSize(limit))...)
}

// DocumentsByID gives documents in the order asked; those that are missing or
// deleted are left out. It does not look at scopes: ask for what a search
// within a scope has found.
func (db *DB) DocumentsByID(ctx context.Context, ids []string) ([]core.Document, error) {
	return remembered(ctx, db, ids, named[core.Document]{
		query: "SELECT " + documentColumns + " FROM documents d WHERE d.state <> 'deleted' AND d.id IN (",
		scan:  scanDocument, id: func(d core.Document) string { return d.ID }, bytes: documentBytes,
	}, db.passages.documents.Load())
}

// listSizes are the lengths of IN lists: few, so that few statements are
// prepared. A shorter list repeats its last value.
var listSizes = [...]int{1, 8, 64, 512}

// named says how rows are read by their ids; query ends in "IN (".
type named[T any] struct {
	query string
	scan  func(scanner) (T, error)
	id    func(T) string
	bytes func(T) int64 // that a row takes in memory
}

// byID reads rows by ids in batches and puts them in the order asked.
func byID[T any](ctx context.Context, db *DB, ids []string, n named[T]) ([]T, error) {
	rows := make(map[string]T, len(ids))
	keep := func(s scanner) error {
		v, err := n.scan(s)
		if err == nil {
			rows[n.id(v)] = v
		}
		return err
	}
	for rest := ids; len(rest) > 0; {
		args, covered := batch(rest)
		if err := each(ctx, db, keep, n.query+placeholders(len(args))+")", args...); err != nil {
			return nil, err
		}
		rest = rest[covered:]
	}
	list := make([]T, 0, len(rows))
	for _, id := range ids {
		if v, ok := rows[id]; ok {
			list = append(list, v)
		}
	}
	return list, nil
}

// batch gives the arguments of the next IN list and how many ids they cover.
func batch(ids []string) ([]any, int) {
	width := listSizes[len(listSizes)-1]
	for _, w := range listSizes {
		if w >= len(ids) {
			width = w
			break
		}
	}
	n := min(width, len(ids))
	args := make([]any, width)
	for i := range args {
		args[i] = ids[min(i, n-1)]
	}
	return args, n
}
