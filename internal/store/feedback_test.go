package store

import (
	"testing"

	"kaoju/internal/core"
)

func TestFeedbackAndOpenQuestions(t *testing.T) {
	db := open(t)
	ctx, owner := t.Context(), core.OwnerScope()
	other := core.Scope{TenantID: owner.TenantID, UserID: "colleague"}
	s := core.Session{ID: "s-1", TenantID: other.TenantID, UserID: other.UserID, AssistantID: core.DefaultAssistantID}
	if err := db.CreateSession(ctx, s); err != nil {
		t.Fatal(err)
	}
	ask := func(question string, hit core.HitType) core.Message {
		t.Helper()
		request := core.NewID()
		r, err := db.BeginRound(ctx, other, core.NewRound{
			Question: core.Message{ID: core.NewID(), SessionID: s.ID, RequestID: request, Content: question},
			Answer:   core.Message{ID: core.NewID(), SessionID: s.ID, RequestID: request},
		})
		if err != nil {
			t.Fatal(err)
		}
		m := r.Answer
		m.Content, m.State, m.HitType = "answer to "+question, core.MessageComplete, hit
		m.Unsupported = []core.Unsupported{{Text: "x", Reason: "low_support"}}
		if err := db.FinishMessage(ctx, m, core.Trace{}); err != nil {
			t.Fatal(err)
		}
		stored, err := db.Message(ctx, other, m.ID)
		if err != nil || len(stored.Unsupported) != 1 {
			t.Errorf("stored %+v, %v", stored, err)
		}
		return m
	}
	none, bad, good := ask("no answer", core.HitInsufficient), ask("bad answer", core.HitRAG), ask("good answer", core.HitRAG)
	for _, rating := range []core.Rating{core.RatingUseful, core.RatingNotUseful} { // the second counts
		if _, err := db.PutFeedback(ctx, other, core.Feedback{MessageID: bad.ID, Rating: rating, Comment: "wrong"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.PutFeedback(ctx, other, core.Feedback{MessageID: good.ID, Rating: core.RatingUseful}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutFeedback(ctx, owner, core.Feedback{MessageID: good.ID, Rating: core.RatingUseful}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("another user's message was rated: %v", err)
	}
	check := func(scope core.Scope, kind core.OpenKind, want ...string) {
		t.Helper()
		list, total, err := db.ListOpenQuestions(ctx, scope, kind, 0, 10)
		if err != nil || total != len(want) || len(list) != len(want) {
			t.Fatalf("%+v, %d, %v; want %v", list, total, err, want)
		}
		for i, q := range list {
			if q.Question != want[i] || q.Answer != "answer to "+want[i] {
				t.Errorf("%+v, want %s", q, want[i])
			}
		}
	}
	check(other, "", "bad answer", "no answer")
	check(owner, "", "bad answer", "no answer") // the owner sees the tenant's
	check(core.Scope{TenantID: owner.TenantID, UserID: "third"}, "")
	check(core.Scope{TenantID: "other", UserID: other.UserID, Roles: []string{core.RoleOwner}}, "")
	check(other, core.OpenUnanswered, "no answer")
	check(other, core.OpenRated, "bad answer")
	q, err := db.OpenQuestion(ctx, owner, bad.ID)
	if err != nil || q.Ratings != 1 || len(q.Comments) != 1 || q.Comments[0] != "wrong" {
		t.Errorf("%+v, %v", q, err)
	}
	if err := db.CloseQuestion(ctx, core.Scope{TenantID: owner.TenantID, UserID: "third"}, none.ID, ""); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a third user closed it: %v", err)
	}
	if err := db.CloseQuestion(ctx, owner, none.ID, "entry"); err != nil {
		t.Fatal(err)
	}
	if err := db.CloseQuestion(ctx, owner, none.ID, ""); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("closed twice: %v", err)
	}
	check(other, "", "bad answer")
}
