package indextest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
)

// testRanking checks what any BM25 does: rare words weigh more, repetition
// helps but less and less, long passages count less, more words of the
// question are better.
func testRanking(_ *testing.T, f fixture) {
	filler := []index.Entry{}
	for i := range 30 {
		filler = append(filler, entry(name(i), "common", "filler", "text"))
	}
	f.publish("b", append(filler,
		entry("rare", "rare", "filler", "text"),
		entry("common-thrice", "common", "common", "common"),
		entry("both", "rare", "common", "text"),
		entry("short", "length", "a", "b"),
		entry("long", "length", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"),
		entry("once", "repeat", "p", "q"),
		entry("twice", "repeat", "repeat", "q"),
	)...)
	f.want(f.words(at("b", 1), "rare", "common")[:3], "both", "rare", "common-thrice")
	f.want(f.words(at("b", 1), "length"), "short", "long")
	f.want(f.words(at("b", 1), "repeat"), "twice", "once")
}

// testGroups: the words of a group are one word in several forms, and count
// once, by the best.
func testGroups(t *testing.T, f fixture) {
	f.publish("b",
		entry("whole", "qtr7310", "filler", "x"),
		entry("parts", "qtr", "7310", "x"),
		entry("part", "qtr", "y", "x"),
		entry("other", "7310", "z", "x"),
	)
	grouped := []index.QueryTerm{
		{Text: "qtr7310", Weight: 1, Group: 7}, {Text: "qtr", Weight: .5, Group: 7}, {Text: "7310", Weight: .5, Group: 7},
	}
	hits := f.search(index.Query{Targets: []index.Target{at("b", 1)}, Terms: grouped}).Keyword
	scores := map[string]float64{}
	for _, h := range hits {
		scores[h.ChunkID] = h.Score
	}
	if len(hits) != 4 || hits[0].ChunkID != "whole" {
		t.Fatalf("found %v, want the whole code first", hits)
	}
	if math.Abs(scores["parts"]-scores["part"]) > 1e-6 {
		t.Errorf("two words of a group scored %v, one of them %v: a group counts once", scores["parts"], scores["part"])
	}
}

func testScoreRange(t *testing.T, f fixture) {
	e := entry("perfect", "one", "two")
	for i := range e.Terms {
		e.Terms[i].Weight = 31
	}
	e.Vector = []float32{.6, .8}
	opposite := entry("opposite", "other")
	opposite.Vector = []float32{-.6, -.8}
	f.publish("b", e, opposite)
	r := f.search(index.Query{Targets: []index.Target{at("b", 1)}, Terms: ask("one", "two"), Vector: []float32{.6, .8}})
	f.want(ids(r.Keyword), "perfect")
	f.want(ids(r.Vector), "perfect")
	if s := r.Keyword[0].Score; s < .85 || s > 1 {
		t.Errorf("a passage that says nothing but the question scores %v, want nearly 1", s)
	}
	if s := r.Vector[0].Score; s < .999 || s > 1 {
		t.Errorf("the question's own vector scores %v, want 1", s)
	}
}

// testUnknownWords: a word that no passage says costs, so that half an answer
// does not look whole; and it costs the same in a base of any size.
func testUnknownWords(t *testing.T, f fixture) {
	f.publish("b", entry("one", "pump", "works"))
	full := f.search(index.Query{Targets: []index.Target{at("b", 1)}, Terms: ask("pump")}).Keyword
	half := f.search(index.Query{Targets: []index.Target{at("b", 1)}, Terms: ask("pump", "unheard")}).Keyword
	if len(full) != 1 || len(half) != 1 {
		t.Fatalf("found %v and %v", full, half)
	}
	if ratio := half[0].Score / full[0].Score; ratio < .3 || ratio > .7 {
		t.Errorf("with an unknown word the score is %.2f of what it was, want about half", ratio)
	}
}

func testLimit(t *testing.T, f fixture) {
	r := rand.New(rand.NewPCG(1, 1))
	var all []index.Entry
	for i := range 700 {
		e := entry(name(i), "x")
		e.Vector = unitVector(r, 8)
		e.Vector[0] = 3 // all on the question's side
		all = append(all, e)
	}
	f.publish("b", all...)
	for limit, want := range map[int]int{-1: 50, 0: 50, 1: 1, 7: 7, 500: 500, 9999: 500} {
		got := f.search(index.Query{Targets: []index.Target{at("b", 1)}, Terms: ask("x"), Vector: all[0].Vector, Limit: limit})
		if len(got.Keyword) != want || len(got.Vector) != want {
			t.Errorf("limit %d gives %d and %d hits, want %d", limit, len(got.Keyword), len(got.Vector), want)
		}
	}
}

func testTies(_ *testing.T, f fixture) {
	var all []index.Entry
	for i := range 100 {
		e := entry(name(i*37%100), "x", "y")
		e.Vector = []float32{0, 1}
		all = append(all, e)
	}
	f.publish("b", all[:50]...)
	f.publish("b", lift(all[50:], 2)...)
	for range 3 {
		r := f.search(index.Query{Targets: []index.Target{at("b", 2)}, Terms: ask("x"), Vector: []float32{0, 1}, Limit: 4})
		f.want(ids(r.Keyword), name(0), name(1), name(2), name(3))
		f.want(ids(r.Vector), name(0), name(1), name(2), name(3))
	}
}

func lift(entries []index.Entry, version int64) []index.Entry {
	for i := range entries {
		entries[i] = alive(entries[i], core.Interval{Since: version})
	}
	return entries
}

// testVectorRecall compares with an exact scan over vectors in clusters,
// where neighbours are close to each other.
func testVectorRecall(t *testing.T, f fixture) {
	const n, dim, k, questions = 3000, 100, 10, 40
	r := rand.New(rand.NewPCG(7, 7))
	all := clustered(r, n, dim)
	f.publish("b", all...)
	hit := 0
	for range questions {
		q := near(r, all[r.IntN(n)].Vector)
		want := exact(all, q, k)
		got := f.search(index.Query{Targets: []index.Target{at("b", 1)}, Vector: q, Limit: k}).Vector
		for i, h := range got {
			if slices.Contains(want, h.ChunkID) {
				hit++
			}
			if i > 0 && h.Score > got[i-1].Score {
				t.Fatalf("hit %d scores more than the one before", i)
			}
		}
	}
	if recall := float64(hit) / (questions * k); recall < .98 {
		t.Errorf("recall@%d is %.3f, want at least .98", k, recall)
	}
}

func clustered(r *rand.Rand, n, dim int) []index.Entry {
	centres := make([][]float32, 50)
	for i := range centres {
		centres[i] = unitVector(r, dim)
	}
	all := make([]index.Entry, n)
	for i := range all {
		all[i] = entry(name(i))
		all[i].Vector = near(r, centres[r.IntN(len(centres))])
	}
	return all
}

// near is a unit vector close to v.
func near(r *rand.Rand, v []float32) []float32 {
	noise := unitVector(r, len(v))
	sum := 0.0
	for i := range noise {
		noise[i] = v[i] + .6*noise[i]
		sum += float64(noise[i]) * float64(noise[i])
	}
	for i := range noise {
		noise[i] /= float32(math.Sqrt(sum))
	}
	return noise
}

func exact(all []index.Entry, q []float32, k int) []string {
	type scored struct {
		id    string
		score float64
	}
	list := make([]scored, len(all))
	for i, e := range all {
		list[i].id = e.ChunkID
		for j, x := range e.Vector {
			list[i].score += float64(x) * float64(q[j])
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []string
	for _, s := range list[:k] {
		out = append(out, s.id)
	}
	return out
}

func testMixedVectors(_ *testing.T, f fixture) {
	with := entry("with", "x")
	with.Vector = []float32{0, 1, 0}
	f.publish("b", entry("without-1", "x"), with, entry("without-2", "x"))
	later := alive(entry("later", "x"), core.Interval{Since: 2})
	later.Vector = []float32{0, .8, .6}
	f.publish("b", alive(entry("without-3", "x"), core.Interval{Since: 2}), later)
	r := f.search(index.Query{Targets: []index.Target{at("b", 2)}, Terms: ask("x"), Vector: []float32{0, 1, 0}})
	f.want(ids(r.Vector), "with", "later")
	f.wantSet(ids(r.Keyword), "with", "later", "without-1", "without-2", "without-3")
}

// testOtherSpace: a question embedded by another model is refused with a
// reason, and bases without vectors do not care.
func testOtherSpace(t *testing.T, f fixture) {
	e := entry("one", "x")
	e.Vector = []float32{0, 1, 0}
	f.publish("b", e)
	f.publish("words-only", entry("two", "x"))
	_, err := f.Engine().Search(t.Context(), index.Query{Targets: []index.Target{at("b", 1)}, Vector: []float32{0, 1}})
	if core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a vector of another length gives %v, want a conflict", err)
	}
	f.search(index.Query{Targets: []index.Target{at("words-only", 1)}, Vector: []float32{0, 1}})
}
