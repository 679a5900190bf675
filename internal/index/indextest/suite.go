// Package indextest is the suite that every search engine passes. An engine's
// own test says how entries reach it:
//
//	indextest.Run(t, func(t *testing.T) indextest.Harness { … })
package indextest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
)

// Harness is an engine over a store of its own, empty at first.
type Harness interface {
	Engine() index.Engine
	// Write stores entries as a publish would, without telling the engine.
	// An entry replaces the one with the same chunk id in its base; an entry
	// without lives says that the chunk was deleted.
	Write(ctx context.Context, baseID string, entries ...index.Entry) error
}

// Run puts an engine through the suite; open makes a fresh harness.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	for _, c := range []struct {
		name string
		test func(*testing.T, fixture)
	}{
		{"empty", testEmpty},
		{"filters", testFilters},
		{"filters of several targets", testSeveralTargets},
		{"filter before top k", testFilterBeforeTop},
		{"isolation", testIsolation},
		{"versions", testVersions},
		{"rollback", testRollback},
		{"upsert", testUpsert},
		{"delete", testDelete},
		{"read your writes", testReadYourWrites},
		{"ranking", testRanking},
		{"groups", testGroups},
		{"translations", testForeign},
		{"rarity of translations", testForeignRarity},
		{"score range", testScoreRange},
		{"unknown words", testUnknownWords},
		{"limit", testLimit},
		{"ties", testTies},
		{"vector recall", testVectorRecall},
		{"vector and keyword-only passages", testMixedVectors},
		{"other embedding space", testOtherSpace},
		{"many small publishes", testManyPublishes},
		{"concurrency", testConcurrency},
		{"cancellation", testCancellation},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, fixture{open(t), t}) })
	}
}

// fixture adds to a harness what nearly every test does.
type fixture struct {
	Harness
	t *testing.T
}

func (f fixture) publish(baseID string, entries ...index.Entry) {
	f.t.Helper()
	if err := f.Write(f.t.Context(), baseID, entries...); err != nil {
		f.t.Fatalf("write to %s: %v", baseID, err)
	}
	if err := f.Engine().Refresh(f.t.Context(), baseID); err != nil {
		f.t.Fatalf("refresh %s: %v", baseID, err)
	}
}

func (f fixture) search(q index.Query) index.Result {
	f.t.Helper()
	r, err := f.Engine().Search(f.t.Context(), q)
	if err != nil {
		f.t.Fatalf("search: %v", err)
	}
	return r
}

// words gives the ids that a keyword search for words finds in one target.
func (f fixture) words(target index.Target, words ...string) []string {
	f.t.Helper()
	return ids(f.search(index.Query{Targets: []index.Target{target}, Terms: ask(words...)}).Keyword)
}

func (f fixture) want(got []string, want ...string) {
	f.t.Helper()
	if !slices.Equal(got, want) {
		f.t.Errorf("found %v, want %v", got, want)
	}
}

// wantSet is want in any order.
func (f fixture) wantSet(got []string, want ...string) {
	f.t.Helper()
	got, want = slices.Clone(got), slices.Clone(want)
	slices.Sort(got)
	slices.Sort(want)
	f.want(got, want...)
}

func ids(hits []index.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.ChunkID)
	}
	return out
}

func ask(words ...string) []index.QueryTerm {
	var terms []index.QueryTerm
	for i, w := range words {
		terms = append(terms, index.QueryTerm{Text: w, Weight: 1, Group: i})
	}
	return terms
}

// entry makes a passage that says words, alive since version 1.
func entry(id string, words ...string) index.Entry {
	e := index.Entry{ChunkID: id, DocumentID: "doc-" + id, Type: core.ChunkText, Lives: []core.Interval{{Since: 1}}}
	count := map[string]float32{}
	for _, w := range words {
		count[w]++
	}
	for w, n := range count {
		e.Terms = append(e.Terms, index.Term{Text: w, Weight: n})
	}
	return e
}

func alive(e index.Entry, lives ...core.Interval) index.Entry {
	e.Lives = lives
	return e
}

func at(baseID string, version int64) index.Target {
	return index.Target{BaseID: baseID, Version: version}
}

// unitVector is a random direction.
func unitVector(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	sum := 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func name(i int) string { return fmt.Sprintf("c%05d", i) }
