package store

import (
	"testing"
	"time"

	"kaoju/internal/core"
)

func TestUsageAddsUpByDayAndTenant(t *testing.T) {
	db := open(t)
	chat := core.Spent{Kind: "chat", Model: "m", Calls: 1, Input: 10, Cached: 4, Output: 5, Reasoning: 2, Estimated: 1}
	must(t, db.RecordUsage(t.Context(), core.DefaultTenantID, nil))
	must(t, db.RecordUsage(t.Context(), core.DefaultTenantID, []core.Spent{chat, {Kind: "embedding", Model: "e", Calls: 1, Input: 7}}))
	must(t, db.RecordUsage(t.Context(), core.DefaultTenantID, []core.Spent{chat}))
	must(t, db.RecordUsage(t.Context(), "somebody else", []core.Spent{chat}))
	got, err := db.Usage(t.Context(), core.OwnerScope(), 1)
	must(t, err)
	want := chat
	want.Calls, want.Input, want.Cached, want.Output, want.Reasoning, want.Estimated = 2, 20, 8, 10, 4, 2
	if len(got) != 2 || got[0].Spent != want || got[1].Input != 7 || got[0].Day != clock().UTC().Format(time.DateOnly) {
		t.Errorf("got %+v", got)
	}
	if none, err := db.Usage(t.Context(), core.OwnerScope(), 0); err != nil || len(none) != 0 {
		t.Errorf("of no days: %+v, %v", none, err)
	}
}
