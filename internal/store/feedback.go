package store

import (
	"context"
	"slices"

	"kaoju/internal/core"
)

// PutFeedback stores what the scope's user thinks of one of its answers, in
// place of what it said before. A message that is not its own, or is no
// answer, is a core.CodeNotFound.
func (db *DB) PutFeedback(ctx context.Context, scope core.Scope, f core.Feedback) (core.Feedback, error) {
	m, err := db.Message(ctx, scope, f.MessageID)
	if err != nil {
		return core.Feedback{}, err
	}
	if m.Role != core.RoleAssistant {
		return core.Feedback{}, core.Errorf(core.CodeNotFound, "message %q is no answer", f.MessageID)
	}
	now := millis(clock())
	err = db.write(ctx, "store the feedback", func(tx *tx) error {
		return tx.exec(`INSERT INTO feedback (id, tenant_id, user_id, message_id, rating, comment, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (message_id, user_id) DO UPDATE SET rating = excluded.rating, comment = excluded.comment, updated_at = excluded.updated_at`,
			core.NewID(), scope.TenantID, scope.UserID, f.MessageID, f.Rating, f.Comment, now, now)
	})
	if err != nil {
		return core.Feedback{}, err
	}
	return db.Feedback(ctx, scope, f.MessageID)
}

// Feedback gives what the scope's user thinks of an answer.
func (db *DB) Feedback(ctx context.Context, scope core.Scope, messageID string) (core.Feedback, error) {
	all, err := db.Ratings(ctx, scope, []string{messageID})
	if f, ok := all[messageID]; ok || err != nil {
		return f, err
	}
	return core.Feedback{}, core.Errorf(core.CodeNotFound, "message %q was not rated", messageID)
}

// Ratings gives what the scope's user thinks of answers, by message; those
// that were not rated are left out.
func (db *DB) Ratings(ctx context.Context, scope core.Scope, messageIDs []string) (map[string]core.Feedback, error) {
	if len(messageIDs) == 0 {
		return nil, nil
	}
	args := []any{scope.TenantID, scope.UserID}
	for _, id := range messageIDs {
		args = append(args, id)
	}
	list, err := all(ctx, db, func(s scanner) (core.Feedback, error) {
		var f core.Feedback
		var created, updated int64
		err := s.Scan(&f.MessageID, &f.Rating, &f.Comment, &created, &updated)
		f.CreatedAt, f.UpdatedAt = moment(created), moment(updated)
		return f, err
	}, "SELECT message_id, rating, comment, created_at, updated_at FROM feedback WHERE tenant_id = ? AND user_id = ? AND message_id IN ("+placeholders(len(messageIDs))+")", args...)
	byMessage := make(map[string]core.Feedback, len(list))
	for _, f := range list {
		byMessage[f.MessageID] = f
	}
	return byMessage, err
}

// An open question: its answer found nothing, or was rated as not useful, and
// nobody has dealt with it.
const openQuestions = ` FROM messages m JOIN sessions s ON s.id = m.session_id
	JOIN messages q ON q.session_id = m.session_id AND q.request_id = m.request_id AND q.role = 'user'
	WHERE s.tenant_id = ? AND (s.user_id = ? OR ? = 1) AND m.role = 'assistant' AND m.state = 'complete'
	AND NOT EXISTS (SELECT 1 FROM question_reviews r WHERE r.message_id = m.id)`

const (
	unanswered = ` m.hit_type IN ('insufficient_context', 'fallback')`
	notUseful  = ` EXISTS (SELECT 1 FROM feedback f WHERE f.message_id = m.id AND f.rating = 'not_useful')`
)

const openColumns = `m.id, m.session_id, q.content, m.content, m.hit_type, m.created_at,
	(SELECT COUNT(*) FROM feedback f WHERE f.message_id = m.id AND f.rating = 'not_useful')`

func scanOpen(s scanner) (core.OpenQuestion, error) {
	var q core.OpenQuestion
	var asked int64
	err := s.Scan(&q.MessageID, &q.SessionID, &q.Question, &q.Answer, &q.HitType, &asked, &q.Ratings)
	q.AskedAt = moment(asked)
	return q, err
}

// openArgs narrows to the scope's user, but for the owner of the tenant.
func openArgs(scope core.Scope) []any {
	return []any{scope.TenantID, scope.UserID, flag(slices.Contains(scope.Roles, core.RoleOwner))}
}

// ListOpenQuestions gives a page of the open questions, the newest first, and
// how many there are: those of the whole tenant for its owner, else the
// user's own.
func (db *DB) ListOpenQuestions(ctx context.Context, scope core.Scope, kind core.OpenKind, offset, limit int) ([]core.OpenQuestion, int, error) {
	where := " AND (" + unanswered + " OR" + notUseful + ")"
	switch kind {
	case core.OpenUnanswered:
		where = " AND" + unanswered
	case core.OpenRated:
		where = " AND" + notUseful
	}
	args := openArgs(scope)
	total, err := one(ctx, db, func(s scanner) (n int, err error) { return n, s.Scan(&n) }, "SELECT COUNT(*)"+openQuestions+where, args...)
	if err != nil {
		return nil, 0, err
	}
	list, err := all(ctx, db, scanOpen, "SELECT "+openColumns+openQuestions+where+" ORDER BY m.created_at DESC, m.id DESC LIMIT ? OFFSET ?",
		append(args, pageSize(limit), max(offset, 0))...)
	if err != nil {
		return nil, 0, err
	}
	for i := range list {
		if err := db.comments(ctx, &list[i]); err != nil {
			return nil, 0, err
		}
	}
	return list, total, nil
}

// OpenQuestion gives one question by its answer, as far as the scope sees it;
// also one whose answer was never rated.
func (db *DB) OpenQuestion(ctx context.Context, scope core.Scope, messageID string) (core.OpenQuestion, error) {
	q, err := one(ctx, db, scanOpen, "SELECT "+openColumns+openQuestions+" AND m.id = ?", append(openArgs(scope), messageID)...)
	if err != nil {
		return q, found(err, core.Errorf(core.CodeNotFound, "there is no open question %q", messageID))
	}
	return q, db.comments(ctx, &q)
}

func (db *DB) comments(ctx context.Context, q *core.OpenQuestion) error {
	list, err := all(ctx, db, func(s scanner) (c string, err error) { return c, s.Scan(&c) },
		"SELECT comment FROM feedback WHERE message_id = ? AND comment <> '' ORDER BY updated_at, id", q.MessageID)
	q.Comments = list
	return err
}

// CloseQuestion notes that the scope's user has dealt with a question, with
// the FAQ entry that it became; "" for none. It happens once: a second call is
// a core.CodeNotFound.
func (db *DB) CloseQuestion(ctx context.Context, scope core.Scope, messageID, entryID string) error {
	if _, err := db.OpenQuestion(ctx, scope, messageID); err != nil {
		return err
	}
	return db.write(ctx, "close the question", func(tx *tx) error {
		n, err := tx.change(`INSERT INTO question_reviews (message_id, tenant_id, user_id, entry_id, created_at)
			VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, messageID, scope.TenantID, scope.UserID, entryID, millis(clock()))
		if err == nil && n == 0 {
			return core.Errorf(core.CodeNotFound, "there is no open question %q", messageID)
		}
		return err
	})
}
