package store

import (
	"context"
	"strings"
	"time"

	"kaoju/internal/core"
)

// UpdateSession changes the title, the bases, the pin and the last request of
// a session of the scope's user, in one transaction: change gets what is
// there, and its error leaves all as it was. It counts as a use of the
// session.
func (db *DB) UpdateSession(ctx context.Context, scope core.Scope, id string, change func(*core.Session) error) (core.Session, error) {
	var s core.Session
	err := db.together(ctx, "change the session", func(tx *tx) (err error) {
		// The update takes the row's lock before the rest is read.
		s, err = scanSession(tx.row("UPDATE sessions SET updated_at = ? WHERE id = ? AND tenant_id = ? AND user_id = ? RETURNING "+
			sessionColumns, millis(clock()), id, scope.TenantID, scope.UserID))
		if err != nil {
			return found(err, noSession(id))
		}
		if err := change(&s); err != nil {
			return err
		}
		return tx.exec("UPDATE sessions SET title = ?, base_ids = ?, pinned = ?, last_request = ? WHERE id = ?",
			s.Title, encode(s.BaseIDs), flag(s.Pinned), encode(s.LastRequest), id)
	})
	if err != nil {
		return core.Session{}, err
	}
	return s, nil
}

// DeleteSessions removes sessions of the scope's user with their messages, or
// none: an id that is not one of them is a core.CodeNotFound. nil means all,
// hidden ones too. It gives how many there were.
func (db *DB) DeleteSessions(ctx context.Context, scope core.Scope, ids []string) (int, error) {
	deleted := 0
	err := db.write(ctx, "delete the sessions", func(tx *tx) error {
		if ids == nil {
			n, err := tx.change("DELETE FROM sessions WHERE tenant_id = ? AND user_id = ?", scope.TenantID, scope.UserID)
			deleted = int(n)
			return err
		}
		for _, id := range ids {
			n, err := tx.change("DELETE FROM sessions WHERE id = ? AND tenant_id = ? AND user_id = ?", id, scope.TenantID, scope.UserID)
			if err == nil && n == 0 {
				err = noSession(id)
			}
			if err != nil {
				return err
			}
			deleted++
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return deleted, nil
}

// SearchMessages finds the user's messages that hold every word of the query,
// in any case, the newest first. sessionID "" means all sessions; hidden ones
// are never searched.
func (db *DB) SearchMessages(ctx context.Context, scope core.Scope, query, sessionID string, limit int) ([]core.FoundMessage, error) {
	if sessionID != "" {
		if _, err := db.Session(ctx, scope, sessionID); err != nil {
			return nil, err
		}
	}
	words := strings.Fields(strings.ToLower(query))
	where := strings.Repeat(` AND LOWER(m.content) LIKE ? ESCAPE '\'`, len(words))
	args := []any{scope.TenantID, scope.UserID, sessionID, sessionID}
	for _, w := range words {
		args = append(args, "%"+likeEscaper.Replace(w)+"%")
	}
	return all(ctx, db, scanFound, "SELECT "+messageColumns+", s.title"+ownMessages+
		" AND s.hidden = 0 AND (? = '' OR m.session_id = ?)"+where+
		" ORDER BY m.created_at DESC, m.message_order DESC LIMIT ?", append(args, pageSize(limit))...)
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func scanFound(s scanner) (core.FoundMessage, error) {
	var title string
	m, err := scanMessage(scannerWith{s, &title})
	return core.FoundMessage{Message: m, SessionTitle: title}, err
}

// scannerWith reads one more column behind those that are asked for.
type scannerWith struct {
	scanner
	last any
}

func (s scannerWith) Scan(dest ...any) error { return s.scanner.Scan(append(dest, s.last)...) }

// hiddenAge is how long a hidden session is kept after its last use.
const hiddenAge = 24 * time.Hour

// OpenHidden stores a hidden session with what was said before, in order, and
// removes hidden ones that have had their time. Session, order, state and
// times of the messages are filled in.
func (db *DB) OpenHidden(ctx context.Context, s core.Session, said []core.Message) error {
	s.Hidden = true
	now := clock()
	return db.together(ctx, "open the session", func(tx *tx) error {
		if err := tx.exec(`DELETE FROM sessions WHERE id IN (
			SELECT id FROM sessions WHERE hidden = 1 AND updated_at < ? ORDER BY updated_at LIMIT 100)`,
			millis(now.Add(-hiddenAge))); err != nil {
			return err
		}
		if err := insertSession(tx, s, len(said)); err != nil {
			return err
		}
		for i, m := range said {
			m.SessionID, m.Order, m.State, m.CreatedAt, m.UpdatedAt = s.ID, int64(i)+1, core.MessageComplete, now, now
			if err := insertMessage(tx, m); err != nil {
				return err
			}
		}
		return nil
	})
}
