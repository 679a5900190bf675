package store

import (
	"context"
	"slices"
	"time"

	"kaoju/internal/core"
)

const messageColumns = `m.id, m.session_id, m.request_id, m.role, m.message_order, m.content, m.state, m.error_code,
	m.hit_type, m.source_list, m.citations, m.confidence, m.unsupported, m.image, m.thinking, m.narrowed, m.created_at, m.updated_at`

func scanMessage(s scanner) (core.Message, error) {
	var m core.Message
	var references, citations, confidence, unsupported, narrowed string
	var created, updated int64
	err := s.Scan(&m.ID, &m.SessionID, &m.RequestID, &m.Role, &m.Order, &m.Content, &m.State, &m.ErrorCode,
		&m.HitType, &references, &citations, &confidence, &unsupported, &m.Image, &m.Thinking, &narrowed, &created, &updated)
	if err != nil {
		return m, err
	}
	m.CreatedAt, m.UpdatedAt = moment(created), moment(updated)
	if err := decode(references, &m.References); err != nil {
		return m, err
	}
	if err := decode(citations, &m.Citations); err != nil {
		return m, err
	}
	if err := decode(unsupported, &m.Unsupported); err != nil {
		return m, err
	}
	if err := decode(narrowed, &m.Narrowed); err != nil {
		return m, err
	}
	return m, decode(confidence, &m.Confidence)
}

func noMessage(id string) error {
	return core.Errorf(core.CodeNotFound, "there is no message %q", id)
}

// BeginRound stores a question (complete) and the placeholder of its answer
// (pending) in the question's session, which must be the scope's own, with
// what they change of it. It gives the round back with session, role, order,
// state and times filled in, and with the title that the session now has;
// orders follow each other and are never shared, however many rounds begin at
// once.
func (db *DB) BeginRound(ctx context.Context, scope core.Scope, r core.NewRound) (core.NewRound, error) {
	err := db.together(ctx, "store the question", func(tx *tx) error {
		now := clock()
		var order int64
		// The update takes the session's row lock before the number is read.
		err := tx.row(`UPDATE sessions SET last_order = last_order + 2, message_count = message_count + 2, updated_at = ?,
			title = CASE WHEN title = '' THEN ? ELSE title END, last_request = CASE WHEN ? = '' THEN last_request ELSE ? END
			WHERE id = ? AND tenant_id = ? AND user_id = ? RETURNING last_order, title`,
			millis(now), r.Title, encode(r.Chosen), encode(r.Chosen), r.Question.SessionID, scope.TenantID, scope.UserID).Scan(&order, &r.Title)
		if err != nil {
			return found(err, noSession(r.Question.SessionID))
		}
		q, a := &r.Question, &r.Answer
		q.Role, q.State, q.Order = core.RoleUser, core.MessageComplete, order-1
		a.Role, a.State, a.Order = core.RoleAssistant, core.MessagePending, order
		a.SessionID = q.SessionID
		for _, m := range []*core.Message{q, a} {
			m.CreatedAt, m.UpdatedAt = moment(millis(now)), moment(millis(now))
			if err := insertMessage(tx, *m); err != nil {
				return err
			}
		}
		if r.Owner == "" {
			return nil
		}
		return tx.exec("UPDATE messages SET owner = ? WHERE id = ?", r.Owner, a.ID)
	})
	if err != nil {
		return core.NewRound{}, err
	}
	return r, nil
}

func insertMessage(tx *tx, m core.Message) error {
	return tx.exec(`INSERT INTO messages (id, session_id, request_id, role, message_order, content, state, error_code,
		hit_type, source_list, citations, confidence, narrowed, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		m.ID, m.SessionID, m.RequestID, m.Role, m.Order, m.Content, m.State, m.ErrorCode, m.HitType,
		encode(m.References), encode(m.Citations), encode(m.Confidence), encode(m.Narrowed), millis(m.CreatedAt), millis(m.UpdatedAt))
}

// CheckpointMessage keeps what there is of an answer that is being written:
// its content, its thoughts and its references. An answer that is finished, or gone, is a
// core.CodeConflict.
func (db *DB) CheckpointMessage(ctx context.Context, m core.Message) error {
	return db.together(ctx, "keep the partial answer", func(tx *tx) error {
		n, err := tx.change("UPDATE messages SET content = ?, thinking = ?, source_list = ?, updated_at = ? WHERE id = ? AND state = ?",
			m.Content, m.Thinking, encode(m.References), millis(clock()), m.ID, core.MessagePending)
		if err == nil && n == 0 {
			return core.Errorf(core.CodeConflict, "message %q is not being written", m.ID)
		}
		return err
	})
}

// FinishMessage stores the end of a pending answer with its trace: content,
// thoughts, state, error code, hit type, references, citations and confidence of m. It
// happens once: a second call is a core.CodeConflict.
func (db *DB) FinishMessage(ctx context.Context, m core.Message, t core.Trace) error {
	if m.State == core.MessagePending {
		return core.Errorf(core.CodeInvalid, "a finished message is not pending")
	}
	now := millis(clock())
	return db.together(ctx, "store the answer", func(tx *tx) error {
		n, err := tx.change(`UPDATE messages SET content = ?, state = ?, error_code = ?, hit_type = ?, source_list = ?,
			citations = ?, confidence = ?, unsupported = ?, thinking = ?, updated_at = ? WHERE id = ? AND state = ?`,
			m.Content, m.State, m.ErrorCode, m.HitType, encode(m.References), encode(m.Citations),
			encode(m.Confidence), encode(m.Unsupported), m.Thinking, now, m.ID, core.MessagePending)
		if err != nil {
			return err
		}
		if n == 0 {
			return core.Errorf(core.CodeConflict, "message %q is already finished, or gone", m.ID)
		}
		if m.Image != "" {
			err := tx.exec(`UPDATE messages SET image = ? WHERE role = ? AND (session_id, request_id) IN (
				SELECT a.session_id, a.request_id FROM messages a WHERE a.id = ?)`, m.Image, core.RoleUser, m.ID)
			if err != nil {
				return err
			}
		}
		if t.ID == "" {
			t.ID = core.NewID()
		}
		if err := tx.exec("INSERT INTO traces (id, message_id, timings, notes, created_at) VALUES (?, ?, ?, ?, ?)",
			t.ID, m.ID, encode(t.Timings), encode(t.Notes), now); err != nil {
			return err
		}
		return tx.exec(`UPDATE sessions SET updated_at = ?
			WHERE id = (SELECT session_id FROM messages WHERE id = ?)`, now, m.ID)
	})
}

const ownMessages = ` FROM messages m JOIN sessions s ON s.id = m.session_id
	WHERE s.tenant_id = ? AND s.user_id = ?`

// Message gives a message of one of the user's sessions.
func (db *DB) Message(ctx context.Context, scope core.Scope, id string) (core.Message, error) {
	m, err := one(ctx, db, scanMessage, "SELECT "+messageColumns+ownMessages+" AND m.id = ?",
		scope.TenantID, scope.UserID, id)
	return m, found(err, noMessage(id))
}

// ListMessages gives the last messages of a session whose order is less than
// before (0: the newest), in ascending order. A session that the scope does
// not own is a core.CodeNotFound.
func (db *DB) ListMessages(ctx context.Context, scope core.Scope, sessionID string, before int64, limit int) ([]core.Message, error) {
	if _, err := db.Session(ctx, scope, sessionID); err != nil {
		return nil, err
	}
	if before <= 0 {
		before = 1<<62 - 1
	}
	list, err := all(ctx, db, scanMessage, "SELECT "+messageColumns+` FROM messages m
		WHERE m.session_id = ? AND m.message_order < ? ORDER BY m.message_order DESC LIMIT ?`,
		sessionID, before, pageSize(limit))
	slices.Reverse(list)
	return list, err
}

// PendingMessages gives the answers of all tenants that nobody writes on, the
// oldest first: those whose owner has no lease at that time. Where one process
// has the store to itself nobody has, and they are all that an earlier one
// left.
func (db *DB) PendingMessages(ctx context.Context, at time.Time) ([]core.Message, error) {
	return all(ctx, db, scanMessage, "SELECT "+messageColumns+` FROM messages m
		WHERE m.state = 'pending' AND NOT EXISTS (SELECT 1 FROM leases l WHERE l.owner = m.owner AND l.until > ?)
		ORDER BY m.created_at, m.id`, millis(at))
}

// Trace gives the account of the turn that wrote a message.
func (db *DB) Trace(ctx context.Context, scope core.Scope, messageID string) (core.Trace, error) {
	t, err := one(ctx, db, func(s scanner) (core.Trace, error) {
		var t core.Trace
		var timings, notes string
		var created int64
		if err := s.Scan(&t.ID, &t.MessageID, &timings, &notes, &created); err != nil {
			return t, err
		}
		t.CreatedAt = moment(created)
		if err := decode(timings, &t.Timings); err != nil {
			return t, err
		}
		return t, decode(notes, &t.Notes)
	}, "SELECT t.id, t.message_id, t.timings, t.notes, t.created_at"+
		` FROM traces t JOIN messages m ON m.id = t.message_id JOIN sessions s ON s.id = m.session_id
		WHERE s.tenant_id = ? AND s.user_id = ? AND m.id = ?`, scope.TenantID, scope.UserID, messageID)
	return t, found(err, noMessage(messageID))
}
