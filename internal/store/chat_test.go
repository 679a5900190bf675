package store

import (
	"slices"
	"sync"
	"testing"
	"time"

	"kaoju/internal/core"
)

func newSession(t testing.TB, db *DB, id string) core.Session {
	t.Helper()
	s := core.Session{ID: id, TenantID: core.DefaultTenantID, UserID: core.OwnerUserID, AssistantID: core.DefaultAssistantID,
		Title: "first", BaseIDs: []string{core.DefaultBaseName}}
	must(t, db.CreateSession(t.Context(), s))
	return s
}

func begin(t testing.TB, db *DB, session string) (core.Message, core.Message) {
	t.Helper()
	r, err := db.BeginRound(t.Context(), core.OwnerScope(), core.NewRound{
		Question: core.Message{ID: core.NewID(), SessionID: session, RequestID: "r", Content: "什么？"},
		Answer:   core.Message{ID: core.NewID(), RequestID: "r", Narrowed: &core.LastRequest{DocumentIDs: []string{"d"}}},
	})
	must(t, err)
	return r.Question, r.Answer
}

func TestSessions(t *testing.T) {
	db := open(t)
	ctx, owner := t.Context(), core.OwnerScope()
	a := newSession(t, db, "a")
	newSession(t, db, "b")
	wantCode(t, db.CreateSession(ctx, a), core.CodeConflict)

	got, err := db.Session(ctx, owner, "a")
	must(t, err)
	if got.Title != "first" || !slices.Equal(got.BaseIDs, a.BaseIDs) || got.CreatedAt.IsZero() {
		t.Errorf("session is %+v", got)
	}

	list, total, err := db.ListSessions(ctx, owner, 0, 1)
	must(t, err)
	if total != 2 || len(list) != 1 {
		t.Errorf("page of %d out of %d, want 1 of 2", len(list), total)
	}
	n, err := db.DeleteSessions(ctx, owner, []string{"a"})
	must(t, err)
	if n != 1 {
		t.Errorf("%d sessions were deleted", n)
	}
	_, err = db.Session(ctx, owner, "a")
	wantCode(t, err, core.CodeNotFound)
}

// A session, its messages and traces do not exist for anybody else.
func TestSessionsOfOthersAreNotFound(t *testing.T) {
	db := open(t)
	ctx := t.Context()
	newSession(t, db, "a")
	_, answer := begin(t, db, "a")
	must(t, db.FinishMessage(ctx, core.Message{ID: answer.ID, State: core.MessageComplete}, core.Trace{}))
	for _, scope := range []core.Scope{
		{}, {TenantID: core.DefaultTenantID, UserID: "other"}, {TenantID: "other", UserID: core.OwnerUserID},
	} {
		_, err := db.Session(ctx, scope, "a")
		wantCode(t, err, core.CodeNotFound)

		_, err = db.DeleteSessions(ctx, scope, []string{"a"})
		wantCode(t, err, core.CodeNotFound)
		_, err = db.Message(ctx, scope, answer.ID)
		wantCode(t, err, core.CodeNotFound)
		_, err = db.Trace(ctx, scope, answer.ID)
		wantCode(t, err, core.CodeNotFound)
		_, err = db.ListMessages(ctx, scope, "a", 0, 10)
		wantCode(t, err, core.CodeNotFound)
		_, err = db.BeginRound(ctx, scope, core.NewRound{Question: core.Message{ID: "q", SessionID: "a"}, Answer: core.Message{ID: "w"}})
		wantCode(t, err, core.CodeNotFound)
		list, total, err := db.ListSessions(ctx, scope, 0, 10)
		must(t, err)
		if total != 0 || len(list) != 0 {
			t.Errorf("scope %+v lists %d sessions", scope, total)
		}
	}
}

func TestRound(t *testing.T) {
	db := open(t)
	ctx, owner := t.Context(), core.OwnerScope()
	newSession(t, db, "s")
	q, a := begin(t, db, "s")
	if q.Order != 1 || a.Order != 2 || q.State != core.MessageComplete || a.State != core.MessagePending || a.SessionID != "s" {
		t.Errorf("round is %+v and %+v", q, a)
	}
	if a.Narrowed == nil || a.Narrowed.DocumentIDs[0] != "d" {
		t.Errorf("the answer was narrowed to %+v", a.Narrowed)
	}
	a.Content, a.Thinking, a.References = "half", "it seems", []core.Reference{{Number: 1, ChunkID: "c"}}
	must(t, db.CheckpointMessage(ctx, a))
	pending, err := db.PendingMessages(ctx, time.Now())
	must(t, err)
	if len(pending) != 1 || pending[0].Content != "half" || pending[0].Thinking != "it seems" || pending[0].ID != a.ID || len(pending[0].References) != 1 {
		t.Errorf("pending messages are %+v", pending)
	}
	a.Content, a.Thinking, a.State, a.HitType = "whole", "it is so", core.MessageComplete, core.HitRAG
	a.References = []core.Reference{{Number: 1, ChunkID: "c", Quote: "引用"}}
	a.Citations = []core.Citation{{Number: 1, ChunkID: "c"}}
	a.Confidence = &core.Confidence{Score: .85, Level: core.LevelHigh}
	trace := core.Trace{Timings: []core.Timing{{Stage: "route", ElapsedMS: 1.5}}, Notes: []core.TraceNote{{Stage: "plan", Key: "k", Value: "v"}}}
	must(t, db.FinishMessage(ctx, a, trace))
	wantCode(t, db.FinishMessage(ctx, a, trace), core.CodeConflict)
	wantCode(t, db.CheckpointMessage(ctx, a), core.CodeConflict)

	got, err := db.Message(ctx, owner, a.ID)
	must(t, err)
	if got.Content != "whole" || got.Thinking != "it is so" || got.Confidence == nil || got.Confidence.Score != .85 || got.References[0].Quote != "引用" ||
		got.Citations[0].ChunkID != "c" || got.HitType != core.HitRAG {
		t.Errorf("stored message is %+v", got)
	}
	tr, err := db.Trace(ctx, owner, a.ID)
	must(t, err)
	if tr.MessageID != a.ID || len(tr.Timings) != 1 || tr.Timings[0] != trace.Timings[0] || tr.Notes[0] != trace.Notes[0] {
		t.Errorf("stored trace is %+v", tr)
	}
	if s, _ := db.Session(ctx, owner, "s"); s.Messages != 2 {
		t.Errorf("session counts %d messages, want 2", s.Messages)
	}
}

func TestFinishNeedsAFinalState(t *testing.T) {
	db := open(t)
	wantCode(t, db.FinishMessage(t.Context(), core.Message{ID: "x", State: core.MessagePending}, core.Trace{}), core.CodeInvalid)
}

func TestListMessagesPages(t *testing.T) {
	db := open(t)
	newSession(t, db, "s")
	for range 3 {
		begin(t, db, "s")
	}
	for _, c := range []struct {
		before int64
		limit  int
		want   []int64
	}{{0, 4, []int64{3, 4, 5, 6}}, {3, 10, []int64{1, 2}}, {1, 10, nil}, {0, 0, []int64{1, 2, 3, 4, 5, 6}}} {
		list, err := db.ListMessages(t.Context(), core.OwnerScope(), "s", c.before, c.limit)
		must(t, err)
		var got []int64
		for _, m := range list {
			got = append(got, m.Order)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("before %d limit %d gives orders %v, want %v", c.before, c.limit, got, c.want)
		}
	}
}

// Questions asked at once never share a number.
func TestParallelRounds(t *testing.T) {
	db := open(t)
	newSession(t, db, "s")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, err := db.BeginRound(t.Context(), core.OwnerScope(), core.NewRound{
				Question: core.Message{ID: core.NewID(), SessionID: "s"}, Answer: core.Message{ID: core.NewID()},
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := db.ListMessages(t.Context(), core.OwnerScope(), "s", 0, 100)
	must(t, err)
	for i, m := range list {
		if m.Order != int64(i+1) || (m.Role == core.RoleUser) != (i%2 == 0) {
			t.Errorf("message %d has order %d and role %s", i, m.Order, m.Role)
		}
	}
	if len(list) != 40 {
		t.Errorf("%d messages, want 40", len(list))
	}
}
