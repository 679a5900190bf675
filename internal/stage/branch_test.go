package stage_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
	"kaoju/internal/stage"
)

// branch is a stage.Branch that waits for its siblings, writes into all that
// it was given, and then gives what it has.
type branch struct {
	name  string
	start *sync.WaitGroup
	found []retrieve.Found
	err   error
	panic bool
}

func (b branch) Name() string { return b.name }

func (b branch) Find(_ context.Context, l stage.Lookup) ([]retrieve.Found, error) {
	b.start.Done()
	b.start.Wait() // passes only if all run at once
	l.Scope.Roles[0] = b.name
	l.Targets[0].BaseID = b.name
	l.Targets[0].DocumentIDs[0] = b.name
	if b.panic {
		panic("at once")
	}
	return b.found, b.err
}

// waiting is a searcher that waits for the branches, too.
type waiting struct {
	*searcher
	start *sync.WaitGroup
}

func (w waiting) Search(ctx context.Context, req retrieve.Request) ([]retrieve.Found, retrieve.Explain, error) {
	w.start.Done()
	w.start.Wait()
	return w.searcher.Search(ctx, req)
}

// Branches run beside the search and beside each other; they share nothing
// that they write, and one that fails, or panics, is left out. Run with -race.
func TestBranchesRunBesideTheSearch(t *testing.T) {
	start := &sync.WaitGroup{}
	start.Add(5)
	web := passage("web", "w", "from the web", .6)
	s := &searcher{found: []retrieve.Found{passage("x", "d", "from the base", .8)}}
	req := pipeline.Request{Question: "q", Scope: core.Scope{Roles: []string{"reader"}}, DocumentIDs: []string{"d"}}
	turn := pipeline.NewTurn(req, (&recorder{}).publish, time.Now)
	for _, err := range []error{
		turn.Bases.Set([]core.KnowledgeBase{{ID: "b", ActiveVersion: 1}}), turn.Plan.Set(pipeline.Plan{TopK: 1}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	search := stage.Search(waiting{s, start}, library{}, config.Default().Retrieve,
		branch{name: "web", start: start, found: []retrieve.Found{web}},
		branch{name: "entities", start: start},
		branch{name: "down", start: start, err: core.Errorf(core.CodeUnavailable, "no answer")},
		branch{name: "broken", start: start, panic: true})
	runner := pipeline.Runner{Registry: pipeline.NewRegistry(search)}
	out, err := runner.Run(t.Context(), []pipeline.Step{{Stage: pipeline.StageSearch}}, turn)
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(turn.Candidates.Value()); got != "x web" {
		t.Errorf("candidates %q", got)
	}
	if turn.Request.Scope.Roles[0] != "reader" || s.asked.Targets[0].BaseID != "b" || s.asked.Targets[0].DocumentIDs[0] != "d" {
		t.Errorf("a branch wrote into what it shares: %+v, %+v", turn.Request.Scope, s.asked.Targets)
	}
	for name, want := range map[string]string{"web": "1 found", "entities": "0 found", "down": "left out: no answer", "broken": "left out: "} {
		if got := noted(out, pipeline.StageSearch, name); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
