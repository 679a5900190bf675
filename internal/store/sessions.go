package store

import (
	"context"

	"kaoju/internal/core"
)

const sessionColumns = `id, tenant_id, user_id, assistant_id, title, base_ids, message_count, pinned, hidden,
	last_request, created_at, updated_at`

func scanSession(s scanner) (core.Session, error) {
	var v core.Session
	var bases, last string
	var created, updated int64
	err := s.Scan(&v.ID, &v.TenantID, &v.UserID, &v.AssistantID, &v.Title, &bases, &v.Messages, &v.Pinned, &v.Hidden,
		&last, &created, &updated)
	if err != nil {
		return v, err
	}
	if err := decode(last, &v.LastRequest); err != nil {
		return v, err
	}
	v.CreatedAt, v.UpdatedAt = moment(created), moment(updated)
	return v, decode(bases, &v.BaseIDs)
}

func noSession(id string) error {
	return core.Errorf(core.CodeNotFound, "there is no session %q", id)
}

// CreateSession stores a new session as it is given; its count of messages
// starts at 0. Zero times mean now. An id that exists is a core.CodeConflict.
func (db *DB) CreateSession(ctx context.Context, s core.Session) error {
	return db.together(ctx, "create the session", func(tx *tx) error { return insertSession(tx, s, 0) })
}

// insertSession stores a session that has so many messages.
func insertSession(tx *tx, s core.Session, messages int) error {
	created, updated := millis(s.CreatedAt), millis(s.UpdatedAt)
	if created == 0 {
		created = millis(clock())
	}
	if updated == 0 {
		updated = created
	}
	n, err := tx.change(`INSERT INTO sessions (id, tenant_id, user_id, assistant_id, title, base_ids, hidden,
		message_count, last_order, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		s.ID, s.TenantID, s.UserID, s.AssistantID, s.Title, encode(s.BaseIDs), flag(s.Hidden), messages, messages, created, updated)
	if err == nil && n == 0 {
		return core.Errorf(core.CodeConflict, "there is already a session %q", s.ID)
	}
	return err
}

// Session gives a session of the scope's user.
func (db *DB) Session(ctx context.Context, scope core.Scope, id string) (core.Session, error) {
	v, err := one(ctx, db, scanSession, "SELECT "+sessionColumns+
		" FROM sessions WHERE id = ? AND tenant_id = ? AND user_id = ?", id, scope.TenantID, scope.UserID)
	return v, found(err, noSession(id))
}

// ListSessions gives a page of the user's sessions, pinned ones first and then
// the one that was used last, and how many there are in all. Hidden ones are
// left out.
func (db *DB) ListSessions(ctx context.Context, scope core.Scope, offset, limit int) ([]core.Session, int, error) {
	total, err := db.count(ctx, "SELECT COUNT(*) FROM sessions WHERE tenant_id = ? AND user_id = ? AND hidden = 0",
		scope.TenantID, scope.UserID)
	if err != nil {
		return nil, 0, err
	}
	list, err := all(ctx, db, scanSession, "SELECT "+sessionColumns+` FROM sessions
		WHERE tenant_id = ? AND user_id = ? AND hidden = 0 ORDER BY pinned DESC, updated_at DESC, id DESC LIMIT ? OFFSET ?`,
		scope.TenantID, scope.UserID, pageSize(limit), max(offset, 0))
	return list, total, err
}

func (db *DB) count(ctx context.Context, query string, args ...any) (int, error) {
	return one(ctx, db, func(s scanner) (n int, err error) { return n, s.Scan(&n) }, query, args...)
}

// maxPage bounds one page of any list.
const maxPage = 1000

// pageSize gives a usable page size; 0 or less means the most.
func pageSize(limit int) int {
	if limit <= 0 || limit > maxPage {
		return maxPage
	}
	return limit
}
