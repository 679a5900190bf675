package app

import (
	"context"
	"strings"
	"testing"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// asks gives what a question came to, by an assistant in a scope.
func (d desk) asks(scope core.Scope, question string) pipeline.Outcome {
	d.t.Helper()
	out, err := d.answerer.Answer(d.t.Context(), pipeline.Request{
		Scope: scope, Assistant: core.DefaultAssistant(core.DefaultTenantID), Question: question, RequestID: core.NewID()}, discard)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// The second of two equal questions finds what the first one did, and gives the
// same answer; the account, the trace and the closing event say so.
func TestTheSecondQuestionIsAHit(t *testing.T) {
	d := newDesk(t, leaveRules)
	first, second := d.asks(core.OwnerScope(), asked), d.asks(core.OwnerScope(), asked)
	if c := first.Account.Cache; !c.Enabled || c.Hits != 0 || c.Misses == 0 || len(c.Events) != c.Misses {
		t.Errorf("first %+v", c)
	}
	if c := second.Account.Cache; c.Misses != 0 || c.Hits != first.Account.Cache.Misses {
		t.Errorf("second %+v", c)
	}
	if first.Answer != second.Answer || first.Confidence.Score != second.Confidence.Score || noteOf(second, pipeline.StageSearch, "cache") != "doc: hit" {
		t.Errorf("%q and %q, notes %+v", first.Answer, second.Answer, second.Notes)
	}
	if got := string(pipeline.Data(second.Account)); !strings.Contains(got, `"cache":{"enabled":true,"hit_count":`) {
		t.Errorf("the closing event says %s", got)
	}
}

// An edit is visible to the next question, and what was found before it is not
// used again: a document added, edited, deleted, a version activated, a term of
// the glossary.
func TestAnEditIsVisibleAtOnce(t *testing.T) {
	d := newDesk(t, map[string]string{"年假.md": leaveRules["年假.md"]})
	ctx, owner := t.Context(), core.OwnerScope()
	ask := func(step, want string, hit bool) {
		t.Helper()
		for range 2 { // the second is a hit, and must not be of another state
			out := d.asks(owner, asked)
			if !strings.Contains(out.Answer, want) {
				t.Errorf("after %s: %q", step, out.Answer)
			}
			if c := out.Account.Cache; (c.Hits > 0) != hit {
				t.Errorf("after %s: %+v", step, c)
			}
			hit = true
		}
	}
	ask("the first document", "5 天", false)
	doc := d.add("年假新规.md", "# 年假\n\n员工年假有 17 天，自今年起执行。\n")
	d.settle()
	ask("another document", "17 天", false)
	if err := d.knowledge.Delete(ctx, owner, doc.ID); err != nil {
		t.Fatal(err)
	}
	ask("its deletion", "5 天", false)
	if err := d.db.AdvanceEpoch(ctx); err != nil {
		t.Fatal(err)
	}
	ask("a call of the epoch", "5 天", false)
	b, err := d.db.Base(ctx, owner, core.DefaultBaseName)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.db.Activate(ctx, owner, b.ID, b.ActiveVersion-1); err != nil {
		t.Fatal(err)
	}
	ask("a rollback", "天", false)
}

// Two callers never share what was found, even where they may see the same.
func TestScopesShareNothing(t *testing.T) {
	d := newDesk(t, leaveRules)
	owner := core.OwnerScope()
	d.asks(owner, asked)
	for name, change := range map[string]func(*core.Scope){
		"roles":      func(s *core.Scope) { s.Roles = append([]string{"hr"}, s.Roles...) },
		"visibility": func(s *core.Scope) { s.Visibility = s.Visibility[:1] },
		"datasets":   func(s *core.Scope) { s.Datasets = []string{core.DefaultDatasetID} },
	} {
		scope := core.OwnerScope()
		change(&scope)
		if c := d.asks(scope, asked).Account.Cache; c.Hits != 0 || c.Misses == 0 {
			t.Errorf("other %s: %+v", name, c)
		}
	}
	if c := d.asks(owner, asked).Account.Cache; c.Misses != 0 {
		t.Errorf("the owner again: %+v", c)
	}
}

// Without room nothing is kept, and the account says so.
func TestCachesSwitchedOff(t *testing.T) {
	cfg := config.Default()
	cfg.Data, cfg.Memory.Candidates = t.TempDir(), 0
	a, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	d := desk{t, a}
	d.add("年假.md", leaveRules["年假.md"])
	d.settle()
	for range 2 {
		if c := d.asks(core.OwnerScope(), asked).Account.Cache; c.Enabled || c.Hits+c.Misses != 0 || c.Events == nil {
			t.Errorf("%+v", c)
		}
	}
}
