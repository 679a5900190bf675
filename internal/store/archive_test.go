package store

import (
	"slices"
	"sync"
	"testing"
	"time"

	"kaoju/internal/core"
)

var stranger = core.Scope{TenantID: core.DefaultTenantID, UserID: "stranger"}

// said stores a round and gives its two messages.
func said(t *testing.T, db *DB, session, question, answer string) (q, a core.Message) {
	t.Helper()
	q = core.Message{ID: core.NewID(), SessionID: session, RequestID: core.NewID(), Content: question}
	a = core.Message{ID: core.NewID(), RequestID: q.RequestID}
	r, err := db.BeginRound(t.Context(), core.OwnerScope(), core.NewRound{Question: q, Answer: a})
	must(t, err)
	q, a = r.Question, r.Answer
	a.Content, a.State = answer, core.MessageComplete
	must(t, db.FinishMessage(t.Context(), a, core.Trace{}))
	return q, a
}

func titled(t *testing.T, db *DB, title string) core.Session {
	t.Helper()
	s := core.Session{ID: core.NewID(), TenantID: core.DefaultTenantID, UserID: core.OwnerUserID, Title: title}
	must(t, db.CreateSession(t.Context(), s))
	return s
}

func TestUpdateSession(t *testing.T) {
	db := open(t)
	a, b := titled(t, db, "a"), titled(t, db, "b")
	got, err := db.UpdateSession(t.Context(), core.OwnerScope(), a.ID, func(s *core.Session) error {
		s.Pinned, s.BaseIDs, s.LastRequest = true, []string{"x"}, &core.LastRequest{TopK: 7}
		return nil
	})
	must(t, err)
	read, err := db.Session(t.Context(), core.OwnerScope(), a.ID)
	must(t, err)
	if !got.Pinned || !read.Pinned || read.BaseIDs[0] != "x" || read.LastRequest.TopK != 7 || read.Title != "a" {
		t.Fatalf("gave %+v, stored %+v", got, read)
	}
	// The pinned one is first although the other is used later.
	said(t, db, b.ID, "q", "a")
	list, total, err := db.ListSessions(t.Context(), core.OwnerScope(), 0, 10)
	must(t, err)
	if total != 2 || list[0].ID != a.ID {
		t.Fatalf("%d sessions, first %q", total, list[0].Title)
	}
	_, err = db.UpdateSession(t.Context(), core.OwnerScope(), a.ID, func(s *core.Session) error {
		s.Title = "changed"
		return core.Errorf(core.CodeInvalid, "no")
	})
	wantCode(t, err, core.CodeInvalid)
	_, err = db.UpdateSession(t.Context(), stranger, a.ID, func(*core.Session) error { return nil })
	wantCode(t, err, core.CodeNotFound)
	if read, _ = db.Session(t.Context(), core.OwnerScope(), a.ID); read.Title != "a" {
		t.Error("an update that failed left something behind")
	}
}

func TestDeleteSessions(t *testing.T) {
	db := open(t)
	a, b, c := titled(t, db, "a"), titled(t, db, "b"), titled(t, db, "c")
	_, m := said(t, db, a.ID, "q", "a")
	_, err := db.DeleteSessions(t.Context(), core.OwnerScope(), []string{a.ID, "nobody"})
	wantCode(t, err, core.CodeNotFound)
	_, err = db.DeleteSessions(t.Context(), stranger, []string{a.ID})
	wantCode(t, err, core.CodeNotFound)
	if _, err := db.Message(t.Context(), core.OwnerScope(), m.ID); err != nil {
		t.Fatalf("a deletion that failed deleted: %v", err)
	}
	n, err := db.DeleteSessions(t.Context(), core.OwnerScope(), []string{a.ID, b.ID})
	must(t, err)
	_, err = db.Message(t.Context(), core.OwnerScope(), m.ID)
	wantCode(t, err, core.CodeNotFound)
	if others, _ := db.DeleteSessions(t.Context(), stranger, nil); n != 2 || others != 0 {
		t.Fatalf("deleted %d, and %d of the owner's for a stranger", n, others)
	}
	all, err := db.DeleteSessions(t.Context(), core.OwnerScope(), nil)
	must(t, err)
	_, err = db.Session(t.Context(), core.OwnerScope(), c.ID)
	wantCode(t, err, core.CodeNotFound)
	if all != 1 {
		t.Fatalf("deleted %d", all)
	}
}

func TestSearchMessages(t *testing.T) {
	db := open(t)
	a, b := titled(t, db, "人事"), titled(t, db, "b")
	said(t, db, a.ID, "年假几天？", "年假为 5 天。")
	said(t, db, b.ID, "Price of QTR-7310?", "100% of 5_000")
	for _, c := range []struct {
		query, session string
		want           int
	}{
		{"年假", "", 2}, {"年假 天", "", 2}, {"年假 为", "", 1}, {"qtr-7310 PRICE", "", 1}, {"年假", b.ID, 0},
		{"0% of", "", 1}, {"%", "", 1}, {"5_000", "", 1}, {"5?000", "", 0}, {`\`, "", 0}, {"'; --", "", 0},
	} {
		found, err := db.SearchMessages(t.Context(), core.OwnerScope(), c.query, c.session, 10)
		must(t, err)
		if len(found) != c.want {
			t.Errorf("%q in %q: %d messages, want %d", c.query, c.session, len(found), c.want)
		}
	}
	found, err := db.SearchMessages(t.Context(), core.OwnerScope(), "年假", "", 1)
	must(t, err)
	if len(found) != 1 || found[0].SessionTitle != "人事" || found[0].Role != core.RoleAssistant {
		t.Fatalf("the newest is %+v", found)
	}
	if found, _ := db.SearchMessages(t.Context(), stranger, "年假", "", 10); len(found) != 0 {
		t.Error("a stranger reads along")
	}
	_, err = db.SearchMessages(t.Context(), stranger, "年假", a.ID, 10)
	wantCode(t, err, core.CodeNotFound)
}

func TestHiddenSessions(t *testing.T) {
	db := open(t)
	hidden := func(updated time.Time) core.Session {
		return core.Session{ID: core.NewID(), TenantID: core.DefaultTenantID, UserID: core.OwnerUserID, UpdatedAt: updated}
	}
	old, s := hidden(time.Now().Add(-25*time.Hour)), hidden(time.Time{})
	must(t, db.OpenHidden(t.Context(), old, nil))
	must(t, db.OpenHidden(t.Context(), s, []core.Message{
		{ID: core.NewID(), RequestID: "r", Role: core.RoleUser, Content: "before"},
		{ID: core.NewID(), RequestID: "r", Role: core.RoleAssistant, Content: "said"},
	}))
	_, err := db.Session(t.Context(), core.OwnerScope(), old.ID)
	wantCode(t, err, core.CodeNotFound)
	if q, _ := said(t, db, s.ID, "before again", "a"); q.Order != 3 {
		t.Errorf("the question behind two messages has order %d", q.Order)
	}
	_, total, err := db.ListSessions(t.Context(), core.OwnerScope(), 0, 10)
	must(t, err)
	found, err := db.SearchMessages(t.Context(), core.OwnerScope(), "before", "", 10)
	must(t, err)
	if total != 0 || len(found) != 0 {
		t.Errorf("%d hidden sessions in the list, %d of their messages found", total, len(found))
	}
}

// TestNumbersAreNeverShared numbers objects from many goroutines at once.
func TestNumbersAreNeverShared(t *testing.T) {
	db := open(t)
	var ids []string
	for range 40 {
		ids = append(ids, titled(t, db, "").ID)
	}
	results := make([][]int64, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			numbers, err := db.Numbers(t.Context(), NumberedSessions, ids)
			if err != nil {
				t.Error(err)
			}
			results[i] = numbers
		})
	}
	wg.Wait()
	sorted := slices.Sorted(slices.Values(results[0]))
	if len(slices.Compact(sorted)) != len(ids) || sorted[0] < 1 {
		t.Fatalf("numbers %v", results[0])
	}
	for _, r := range results {
		if !slices.Equal(r, results[0]) {
			t.Fatalf("the same sessions have numbers %v and %v", results[0], r)
		}
	}
	id, err := db.NumberedID(t.Context(), NumberedSessions, results[0][3])
	must(t, err)
	if id != ids[3] {
		t.Fatalf("number %d is %s, want %s", results[0][3], id, ids[3])
	}
	_, err = db.DeleteSessions(t.Context(), core.OwnerScope(), ids[39:40])
	must(t, err)
	_, err = db.NumberedID(t.Context(), NumberedSessions, results[0][39])
	wantCode(t, err, core.CodeNotFound)
	again, err := db.Numbers(t.Context(), NumberedSessions, []string{titled(t, db, "").ID})
	must(t, err)
	if again[0] <= sorted[len(sorted)-1] {
		t.Errorf("number %d was used before", again[0])
	}
	bases, err := db.Numbers(t.Context(), NumberedBases, []string{core.DefaultBaseName})
	must(t, err)
	if bases[0] != 1 {
		t.Errorf("bases count from %d", bases[0])
	}
}
