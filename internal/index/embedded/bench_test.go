package embedded

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/store"
)

// The benchmarks make passages of 400 characters: 160 words a passage, drawn
// from 60,000 with Zipf frequencies, and vectors of 384 values in clusters.
// KAOJU_BENCH_PASSAGES sets how many (100,000; a million takes 8 GB and some
// minutes). recall@10 is that of the vector list against exact cosines.
//
//	go test ./internal/index/embedded -run xxx -bench . -benchtime 300x

const (
	benchWords = 160
	benchDim   = 384
	vocabulary = 60_000
)

func benchSize() int {
	if n, err := strconv.Atoi(os.Getenv("KAOJU_BENCH_PASSAGES")); err == nil && n > 0 {
		return n
	}
	return 100_000
}

type synthetic struct {
	r       *rand.Rand
	zipf    *rand.Zipf
	centres [][]float32
}

func newSynthetic() *synthetic {
	r := rand.New(rand.NewPCG(11, 13))
	s := &synthetic{r: r, zipf: rand.NewZipf(r, 1.07, 4, vocabulary-1)}
	for range 200 {
		s.centres = append(s.centres, s.vector(nil))
	}
	return s
}

func (s *synthetic) vector(around []float32) []float32 {
	v := make([]float32, benchDim)
	sum := 0.0
	for i := range v {
		v[i] = float32(s.r.NormFloat64())
		if around != nil {
			v[i] = around[i]*float32(math.Sqrt(benchDim)) + .8*v[i]
		}
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func (s *synthetic) entry(i int) store.StoredEntry {
	seen := map[uint64]float32{}
	for range benchWords {
		seen[s.zipf.Uint64()]++
	}
	var terms []index.Term
	for w, n := range seen {
		terms = append(terms, index.Term{Text: fmt.Sprintf("w%05d", w), Weight: n})
	}
	return store.StoredEntry{
		ChunkID: fmt.Sprintf("0199f3a2-7c1e-7000-8000-%012d", i), DocumentID: fmt.Sprintf("d%06d", i/30),
		Type: core.ChunkText, Terms: index.EncodeTerms(terms),
		Vector: index.EncodeVector(s.vector(s.centres[s.r.IntN(len(s.centres))])),
		Lives:  []core.Interval{{Since: 1}},
	}
}

func (s *synthetic) shelf(n int) *shelf {
	out := newShelf()
	for i := range n {
		out.write("b", s.entry(i))
	}
	return out
}

// question draws 5 to 12 words, skipping the 20 most frequent as stop words.
func (s *synthetic) question() []index.QueryTerm {
	var terms []index.QueryTerm
	for len(terms) < 5+s.r.IntN(8) {
		if w := s.zipf.Uint64(); w >= 20 {
			terms = append(terms, index.QueryTerm{Text: fmt.Sprintf("w%05d", w), Weight: 1, Group: len(terms)})
		}
	}
	return terms
}

func percentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

func BenchmarkSearch(b *testing.B) {
	s := newSynthetic()
	shelf := s.shelf(benchSize())
	e := New(shelf)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	mustRefresh(b, e, "b")
	loaded := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.Run("load", func(b *testing.B) {
		b.ReportMetric(float64(loaded.Milliseconds()), "load-ms")
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(benchSize()), "bytes/passage")
	})
	target := []index.Target{{BaseID: "b", Version: 1}}
	run := func(name string, query func() index.Query) {
		queries := make([]index.Query, 200)
		for i := range queries {
			queries[i] = query()
		}
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				if _, err := e.Search(b.Context(), queries[i%len(queries)]); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			percentiles(b, took)
		})
	}
	vector := func() []float32 { return s.vector(s.centres[s.r.IntN(len(s.centres))]) }
	b.Run("recall", func(b *testing.B) { b.ReportMetric(recall(b, e, shelf, s, 20), "recall@10") })
	run("keyword", func() index.Query { return index.Query{Targets: target, Terms: s.question()} })
	run("vector", func() index.Query { return index.Query{Targets: target, Vector: vector()} })
	run("hybrid", func() index.Query { return index.Query{Targets: target, Terms: s.question(), Vector: vector()} })
	narrow := []index.Target{{BaseID: "b", Version: 1, DocumentIDs: []string{"d000007", "d000100"}}}
	run("hybrid-two-documents", func() index.Query {
		return index.Query{Targets: narrow, Terms: s.question(), Vector: vector()}
	})
	// Last: it changes the base.
	b.Run("publish-30", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			var news batch
			for k := range 30 {
				one := s.entry(1_000_000 + i*30 + k)
				one.Lives = []core.Interval{{Since: int64(i + 2)}}
				news = append(news, one)
			}
			e.source = news
			b.StartTimer()
			mustRefresh(b, e, "b")
		}
	})
}

// recall is the share of the ten nearest passages, by exact cosines, that a
// search finds, over n questions.
func recall(b *testing.B, e *Engine, shelf *shelf, s *synthetic, n int) float64 {
	questions := make([][]float32, n)
	exact := make([][]index.Hit, n)
	for i := range questions {
		questions[i] = s.vector(s.centres[s.r.IntN(len(s.centres))])
	}
	err := shelf.EachEntry(b.Context(), "b", 0, func(entry store.StoredEntry) error {
		v, err := index.DecodeVector(entry.Vector)
		for i, q := range questions {
			cosine := 0.0
			for k, x := range v {
				cosine += float64(x) * float64(q[k])
			}
			exact[i] = nearest(exact[i], index.Hit{ChunkID: entry.ChunkID, Score: cosine})
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	found := 0
	for i, q := range questions {
		result, err := e.Search(b.Context(), index.Query{Targets: []index.Target{{BaseID: "b", Version: 1}}, Vector: q, Limit: 10})
		if err != nil {
			b.Fatal(err)
		}
		for _, hit := range result.Vector {
			if slices.ContainsFunc(exact[i], func(h index.Hit) bool { return h.ChunkID == hit.ChunkID }) {
				found++
			}
		}
	}
	return float64(found) / float64(10*n)
}

// nearest keeps the ten best.
func nearest(list []index.Hit, h index.Hit) []index.Hit {
	if len(list) == 10 && h.Score <= list[9].Score {
		return list
	}
	list = append(list, h)
	slices.SortFunc(list, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return list[:min(len(list), 10)]
}

// batch is a source of what was published last.
type batch []store.StoredEntry

func (s batch) EachEntry(_ context.Context, _ string, _ int64, yield func(store.StoredEntry) error) error {
	for _, e := range s {
		if err := yield(e); err != nil {
			return err
		}
	}
	return nil
}

func BenchmarkDot(b *testing.B) {
	query, row := make([]int16, benchDim), make([]int8, benchDim)
	for name, dot := range map[string]dotter{"plain": dotPlain, "fastest": fastestDot()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				dot(query, row)
			}
		})
	}
	rows := make([]int8, 4*benchDim)
	b.Run("four", func(b *testing.B) {
		var products [4]int32
		for b.Loop() {
			fastestDot4()(query, rows, &products)
		}
	})
}
