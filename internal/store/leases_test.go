package store

import (
	"testing"
	"time"

	"kaoju/internal/core"
)

// Fault 4: an answer is somebody's as long as its owner's lease lasts, and
// nobody's after that.
func TestLeases(t *testing.T) {
	db := open(t)
	ctx, now := t.Context(), time.Now()
	newSession(t, db, "s")
	answers := map[string]string{}
	for _, owner := range []string{"a", "b", ""} {
		r, err := db.BeginRound(ctx, core.OwnerScope(), core.NewRound{
			Question: core.Message{ID: core.NewID(), SessionID: "s"}, Answer: core.Message{ID: core.NewID()}, Owner: owner,
		})
		must(t, err)
		answers[r.Answer.ID] = owner
	}
	nobodys := func(at time.Time) string {
		t.Helper()
		list, err := db.PendingMessages(ctx, at)
		must(t, err)
		owners := ""
		for _, m := range list {
			owners += answers[m.ID] + ","
		}
		return owners
	}
	must(t, db.RenewLease(ctx, "a", now.Add(time.Minute)))
	must(t, db.RenewLease(ctx, "b", now.Add(time.Minute)))
	must(t, db.RenewLease(ctx, "b", now.Add(2*time.Minute)))
	for at, want := range map[time.Duration]string{0: ",", 90 * time.Second: "a,,", time.Hour: "a,b,,"} {
		if got := nobodys(now.Add(at)); got != want {
			t.Errorf("after %s the answers of %q are nobody's, want %q", at, got, want)
		}
	}
	must(t, db.EndLease(ctx, "b"))
	if got := nobodys(now); got != "b,," {
		t.Errorf("with the lease given up: %q", got)
	}
	must(t, db.RenewLease(ctx, "c", now.Add(2*time.Hour)))
	if n, err := db.count(ctx, "SELECT COUNT(*) FROM leases"); err != nil || n != 1 {
		t.Errorf("%d leases are kept, %v", n, err)
	}
}

// The first round names a session that has no title, and no later one does.
func TestRoundChangesItsSession(t *testing.T) {
	db := open(t)
	must(t, db.CreateSession(t.Context(), core.Session{ID: "s", TenantID: core.DefaultTenantID, UserID: core.OwnerUserID}))
	for i, r := range []core.NewRound{
		{Title: "first", Chosen: &core.LastRequest{TopK: 3}}, {Title: "second"}, {Chosen: &core.LastRequest{TopK: 4}},
	} {
		r.Question, r.Answer = core.Message{ID: core.NewID(), SessionID: "s"}, core.Message{ID: core.NewID()}
		r, err := db.BeginRound(t.Context(), core.OwnerScope(), r)
		must(t, err)
		s, err := db.Session(t.Context(), core.OwnerScope(), "s")
		must(t, err)
		if want := []int{3, 3, 4}[i]; r.Title != "first" || s.Title != "first" || s.LastRequest.TopK != want {
			t.Errorf("round %d: title %q, session %+v", i, r.Title, s)
		}
	}
}
