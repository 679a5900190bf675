package retrieve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/index"
)

// crowd is an engine that counts who is in it; it takes a second a search.
type crowd struct {
	index.Engine
	mu       sync.Mutex
	in, most int
	asked    []index.Query
	fail     string // base that cannot be searched
	slow     string // base that never answers
}

func (c *crowd) Search(ctx context.Context, q index.Query) (index.Result, error) {
	c.enter(q, 1)
	defer c.enter(q, -1)
	wait := time.Second
	if len(q.Targets) > 0 && q.Targets[0].BaseID == c.slow {
		wait = time.Hour
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return index.Result{}, ctx.Err()
	}
	var r index.Result
	for i, t := range q.Targets {
		if t.BaseID == c.fail {
			return r, errors.New("no disk")
		}
		r.Keyword = append(r.Keyword, index.Hit{BaseID: t.BaseID, ChunkID: fmt.Sprint(t.BaseID, t.DocumentIDs), Score: .5 - float64(i)/10})
	}
	r.Vector = slices.Clone(r.Keyword)
	return r, nil
}

func (c *crowd) enter(q index.Query, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.in += n; n > 0 {
		c.asked, c.most = append(c.asked, q), max(c.most, c.in)
	}
}

func narrowed(base, document string) index.Target {
	return index.Target{BaseID: base, DocumentIDs: []string{document}}
}

// Whole bases are asked in one call, narrowed ones one by one, four at a time,
// and the lists become one.
func TestFanOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &crowd{}
		s := &Searcher{Engine: engine}
		targets := []index.Target{{BaseID: "a"}, {BaseID: "b"}}
		for i := range 6 {
			targets = append(targets, narrowed("n", fmt.Sprint(i)))
		}
		began := time.Now()
		r, err := s.ask(t.Context(), index.Query{Targets: targets, Limit: 7}, Least{Keyword: .45, Vector: .3})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); len(engine.asked) != 7 || engine.most != maxGroups || took != 2*time.Second {
			t.Errorf("%d calls, %d at once, in %s", len(engine.asked), engine.most, took)
		}
		// b has .4: below the keyword threshold, above that of vectors.
		if len(r.Keyword) != 7 || len(r.Vector) != 7 || r.Keyword[0].ChunkID != "a[]" {
			t.Errorf("keyword %v, vector %v", r.Keyword, r.Vector)
		}
		for _, h := range r.Keyword {
			if h.BaseID == "b" {
				t.Error("a hit below the threshold was kept")
			}
		}
	})
}

// A narrowed target has no thresholds.
func TestNarrowedTargetsHaveNoThresholds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Searcher{Engine: &crowd{}}
		for _, c := range []struct {
			target index.Target
			want   int
		}{
			{index.Target{BaseID: "a"}, 0}, {narrowed("a", "d"), 1},
			{index.Target{BaseID: "a", FolderIDs: []string{"f"}}, 1}, {index.Target{BaseID: "a", TagIDs: []string{"t"}}, 1},
		} {
			r, err := s.ask(t.Context(), index.Query{Targets: []index.Target{c.target}, Limit: 9}, Least{.9, .9})
			if err != nil || len(r.Keyword) != c.want || len(r.Vector) != c.want {
				t.Errorf("%+v found %v, %v", c.target, r, err)
			}
		}
	})
}

// All or nothing: a group that fails, or takes more than its time, fails the
// search.
func TestFanOutIsAllOrNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		targets := []index.Target{narrowed("a", "d"), narrowed("b", "d"), narrowed("c", "d")}
		s := &Searcher{Engine: &crowd{fail: "b"}}
		if r, err := s.ask(t.Context(), index.Query{Targets: targets, Limit: 9}, Least{}); err == nil || len(r.Keyword) > 0 {
			t.Errorf("a failing group gives %v, %v", r, err)
		}
		s = &Searcher{Engine: &crowd{slow: "c"}}
		began := time.Now()
		_, err := s.ask(t.Context(), index.Query{Targets: targets, Limit: 9}, Least{})
		if took := time.Since(began); core.CodeOf(err) != core.CodeTimeout || took != groupTimeout {
			t.Errorf("a slow group gives %v after %s", err, took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.ask(ctx, index.Query{Targets: targets, Limit: 9}, Least{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled search gives %v", err)
		}
	})
}

// Other wordings run beside each other, over inputs that all of them read, and
// their order decides nothing (run with -race).
func TestVariantsRunTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &crowd{}
		s := &Searcher{Engine: engine}
		req := Request{Targets: []index.Target{{BaseID: "a"}, narrowed("b", "d")}, Limit: 5}
		for i := range 9 {
			req.Variants = append(req.Variants, Variant{Terms: index.QueryTerms(fmt.Sprint("pump ", i)), Weight: .8})
		}
		began := time.Now()
		results, err := s.askVariants(t.Context(), req)
		if err != nil || len(results) != MaxVariants || time.Since(began) != time.Second {
			t.Errorf("%d results in %s, %v", len(results), time.Since(began), err)
		}
		if len(engine.asked) != 2*MaxVariants || engine.most > maxInFlight*maxGroups {
			t.Errorf("%d calls, %d at once", len(engine.asked), engine.most)
		}
		first, err := s.withVariants(t.Context(), req, nil)
		again, err2 := s.withVariants(t.Context(), req, nil)
		if err != nil || err2 != nil || fmt.Sprint(first) != fmt.Sprint(again) {
			t.Errorf("%v then %v (%v, %v)", first, again, err, err2)
		}
	})
}
