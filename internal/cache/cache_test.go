package cache_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"kaoju/internal/cache"
	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/llm"
)

// shelf is an engine that counts what it is asked.
type shelf struct {
	searches   atomic.Int64
	generation uint64
	err        error
}

func (s *shelf) Search(context.Context, index.Query) (index.Result, error) {
	n := s.searches.Add(1)
	return index.Result{Keyword: []index.Hit{{ChunkID: fmt.Sprint(n), Score: 1}}}, s.err
}
func (s *shelf) Refresh(context.Context, string) error { return nil }
func (s *shelf) Generation(string) uint64              { return s.generation }

// book is where the epoch is read from.
type book struct {
	epoch, reads int64
	err          error
}

func (b *book) Epoch(context.Context) (int64, error) { b.reads++; return b.epoch, b.err }

// bench is an engine with its cache, and a clock.
type bench struct {
	t      *testing.T
	under  *shelf
	book   *book
	epochs *cache.Epochs
	engine *cache.Engine
	now    time.Time
}

func newBench(t *testing.T, kind string, bytes int64) *bench {
	b := &bench{t: t, under: &shelf{generation: 1}, book: &book{epoch: 1}, now: time.Unix(1000, 0)}
	clock := func() time.Time { return b.now }
	b.epochs = cache.NewEpochs(b.book, clock)
	b.engine = cache.NewEngine(b.under, kind, b.epochs, bytes, clock)
	return b
}

// search asks within a boundary and says whether that was a hit.
func (b *bench) search(boundary cache.Boundary, q index.Query) bool {
	b.t.Helper()
	ctx, log := cache.With(b.t.Context(), boundary)
	before := b.under.searches.Load()
	if _, err := b.engine.Search(ctx, q); err != nil {
		b.t.Fatal(err)
	}
	hit := b.under.searches.Load() == before
	if e := log.Events(); len(e) != 1 || e[0].Hit != hit {
		b.t.Errorf("logged %+v, hit %t", e, hit)
	}
	return hit
}

func someone() cache.Boundary {
	return cache.Boundary{Tenant: "t", Assistant: "a", Datasets: []string{"d"}, Visibility: []core.Visibility{core.VisibilityInternal}, Roles: []string{"hr"}, Rerank: "r"}
}

func something() index.Query {
	return index.Query{
		Targets: []index.Target{{BaseID: "b", Version: 3, DocumentIDs: []string{"x"}, FolderIDs: []string{"f"}, TagIDs: []string{"g"}, Types: []core.ChunkType{core.ChunkText}}},
		Terms:   []index.QueryTerm{{Text: "年假", Weight: 1, Group: 1, Foreign: true}}, Vector: []float32{.5, .5}, Limit: 50,
	}
}

// The same search by the same caller is a hit; whatever differs is a miss: no
// field of the caller or of the search is left out of the key.
func TestEveryDifferenceIsAMiss(t *testing.T) {
	b := newBench(t, cache.KindDocuments, 1<<20)
	if b.search(someone(), something()) || !b.search(someone(), something()) {
		t.Fatal("the second of two equal searches is no hit")
	}
	fields := 0
	for _, root := range []any{new(cache.Boundary), new(index.Query)} {
		fields += vary(reflect.ValueOf(root).Elem(), func(change func(cache.Boundary, index.Query) (cache.Boundary, index.Query), name string) {
			who, q := change(someone(), something())
			if b.search(who, q) {
				t.Errorf("a search with another %s is a hit", name)
			}
		})
	}
	if fields != 10 {
		t.Errorf("%d fields were varied", fields)
	}
	for name, change := range map[string]func(*cache.Boundary, *index.Query){
		"all datasets instead of none": func(c *cache.Boundary, _ *index.Query) { c.Datasets = []string{} },
		"every dataset":                func(c *cache.Boundary, _ *index.Query) { c.Datasets = nil },
		"a role moved to the datasets": func(c *cache.Boundary, _ *index.Query) { c.Datasets, c.Roles = []string{"d", "hr"}, nil },
		"another version":              func(_ *cache.Boundary, q *index.Query) { q.Targets[0].Version = 4 },
		"another document":             func(_ *cache.Boundary, q *index.Query) { q.Targets[0].DocumentIDs = []string{"y"} },
		"a folder as a tag": func(_ *cache.Boundary, q *index.Query) {
			q.Targets[0].FolderIDs, q.Targets[0].TagIDs = nil, []string{"f", "g"}
		},
		"another type":   func(_ *cache.Boundary, q *index.Query) { q.Targets[0].Types = nil },
		"another weight": func(_ *cache.Boundary, q *index.Query) { q.Terms[0].Weight = .5 },
		"another group":  func(_ *cache.Boundary, q *index.Query) { q.Terms[0].Group = 2 },
		"no translation": func(_ *cache.Boundary, q *index.Query) { q.Terms[0].Foreign = false },
	} {
		who, q := someone(), something()
		change(&who, &q)
		if b.search(who, q) {
			t.Errorf("%s is a hit", name)
		}
	}
	if !b.search(someone(), something()) {
		t.Error("the first search is forgotten")
	}
}

// vary calls try once for each field of a struct, with a change of that field.
func vary(of reflect.Value, try func(func(cache.Boundary, index.Query) (cache.Boundary, index.Query), string)) int {
	for i := range of.NumField() {
		name := of.Type().Name() + "." + of.Type().Field(i).Name
		try(func(who cache.Boundary, q index.Query) (cache.Boundary, index.Query) {
			root := reflect.ValueOf(&who).Elem()
			if of.Type() == reflect.TypeFor[index.Query]() {
				root = reflect.ValueOf(&q).Elem()
			}
			change(root.Field(i))
			return who, q
		}, name)
	}
	return of.NumField()
}

func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	default:
		panic("a field of kind " + v.Kind().String() + " is not varied")
	}
}

// A change is seen at once by the process that made it, after at most 3 s by
// others; and so is another state of the index.
func TestAChangeIsAMiss(t *testing.T) {
	b := newBench(t, cache.KindDocuments, 1<<20)
	b.search(someone(), something())
	b.book.epoch++
	b.epochs.Forget()
	if b.search(someone(), something()) {
		t.Error("a change of our own is not seen")
	}
	b.under.generation++
	if b.search(someone(), something()) {
		t.Error("another state of the index is not seen")
	}
	b.book.epoch++ // by another process
	b.now = b.now.Add(2 * time.Second)
	if reads := b.book.reads; !b.search(someone(), something()) || b.book.reads != reads {
		t.Error("the epoch is read more often than every 3 s")
	}
	b.now = b.now.Add(time.Second)
	if b.search(someone(), something()) {
		t.Error("a change of another process is not seen after 3 s")
	}
}

// Candidates have a life, and a bound of memory.
func TestEntriesEnd(t *testing.T) {
	for kind, life := range map[string]time.Duration{cache.KindDocuments: 900 * time.Second, cache.KindFAQ: 1800 * time.Second} {
		b := newBench(t, kind, 1<<20)
		b.search(someone(), something())
		b.now = b.now.Add(life - time.Second)
		if !b.search(someone(), something()) {
			t.Errorf("%s: gone before its time", kind)
		}
		b.now = b.now.Add(2 * time.Second)
		if b.search(someone(), something()) {
			t.Errorf("%s: there after its time", kind)
		}
	}
	b := newBench(t, cache.KindDocuments, 4096)
	for i := range 1000 {
		q := something()
		q.Limit = i
		b.search(someone(), q)
	}
	hits := 0
	for i := range 1000 {
		q := something()
		q.Limit = i
		before := b.under.searches.Load()
		ctx, _ := cache.With(t.Context(), someone())
		if _, err := b.engine.Search(ctx, q); err != nil {
			t.Fatal(err)
		}
		if b.under.searches.Load() == before {
			hits++
		}
	}
	if hits > 4096/100 {
		t.Errorf("%d of 1000 entries are kept in 4 KiB", hits)
	}
}

// What cannot be kept is searched for, and the log says why; errors are not kept.
func TestLeftAside(t *testing.T) {
	b := newBench(t, cache.KindDocuments, 1<<20)
	ctx, log := cache.With(t.Context(), someone())
	b.under.generation = 0
	_, _ = b.engine.Search(ctx, something())
	b.under.generation, b.book.err = 1, errors.New("no database")
	b.epochs.Forget()
	_, _ = b.engine.Search(ctx, something())
	_, _ = b.engine.Search(ctx, index.Query{})
	for i, e := range log.Events() {
		if e.Bypass == "" || e.Hit {
			t.Errorf("event %d: %+v", i, e)
		}
	}
	b.book.err, b.under.err = nil, errors.New("broken")
	for range 2 {
		if _, err := b.engine.Search(ctx, something()); err == nil {
			t.Error("an error was kept as a result")
		}
	}
	b.under.err = nil
	if _, err := b.engine.Search(t.Context(), something()); err != nil || len(log.Events()) != 5 || b.under.searches.Load() != 6 {
		t.Errorf("%v, %d events, %d searches", err, len(log.Events()), b.under.searches.Load())
	}
}

// What a caller does with a result changes nothing for the next.
func TestResultsAreTheCallersOwn(t *testing.T) {
	b := newBench(t, cache.KindFAQ, 1<<20)
	ctx, _ := cache.With(t.Context(), someone())
	for range 3 {
		r, err := b.engine.Search(ctx, something())
		if err != nil || r.Keyword[0].ChunkID != "1" {
			t.Fatalf("%+v, %v", r, err)
		}
		r.Keyword[0].ChunkID = "changed"
	}
}

// model is an embedder that waits to be let go.
type model struct {
	calls atomic.Int64
	gate  chan struct{} // nil: it does not wait
	name  string
}

func (m *model) Embed(ctx context.Context, _ llm.Purpose, texts []string) ([][]float32, error) {
	m.calls.Add(1)
	if m.gate != nil {
		select {
		case <-m.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = []float32{float32(len(s))}
	}
	return out, nil
}
func (m *model) Dim() int      { return 1 }
func (m *model) Model() string { return m.name }

func TestQuestionsAreEmbeddedOnce(t *testing.T) {
	now := time.Unix(0, 0)
	m := &model{name: "m"}
	e := cache.NewEmbedder(m, 1<<20, func() time.Time { return now })
	ask := func(ctx context.Context, purpose llm.Purpose, texts ...string) int64 {
		before := m.calls.Load()
		v, err := e.Embed(ctx, purpose, texts)
		if err != nil || len(v) != len(texts) || v[0][0] != float32(len(texts[0])) {
			t.Fatalf("%v, %v", v, err)
		}
		v[0][0] = -1 // ours to change
		return m.calls.Load() - before
	}
	ctx, log := cache.With(t.Context(), someone())
	other, _ := cache.With(t.Context(), cache.Boundary{Tenant: "other"})
	steps := []struct {
		name string
		got  func() int64
		want int64
	}{
		{"first", func() int64 { return ask(ctx, llm.ForQuery, "年假") }, 1},
		{"again", func() int64 { return ask(ctx, llm.ForQuery, "年假") }, 0},
		{"by another tenant: a vector says nothing of anybody", func() int64 { return ask(other, llm.ForQuery, "年假") }, 0},
		{"another text", func() int64 { return ask(ctx, llm.ForQuery, "病假") }, 1},
		{"several texts", func() int64 { return ask(ctx, llm.ForQuery, "a", "b") }, 1},
		{"a passage", func() int64 { return ask(ctx, llm.ForPassage, "年假") }, 1},
		{"another model", func() int64 { m.name = "n"; return ask(ctx, llm.ForQuery, "年假") }, 1},
		{"an hour later", func() int64 { now = now.Add(time.Hour); return ask(ctx, llm.ForQuery, "年假") }, 1},
	}
	for _, s := range steps {
		if got := s.got(); got != s.want {
			t.Errorf("%s: %d calls, want %d", s.name, got, s.want)
		}
	}
	if events := log.Events(); len(events) != 5 || events[0].Hit || !events[1].Hit {
		t.Errorf("%+v", events)
	}
}

// Callers who ask the same at once share a call; where the one who made it
// leaves, another makes it.
func TestOneCallForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{name: "m", gate: make(chan struct{})}
		e := cache.NewEmbedder(m, 1<<20, time.Now)
		leaving, leave := context.WithCancel(t.Context())
		results := make(chan error, 11)
		ask := func(ctx context.Context) {
			_, err := e.Embed(ctx, llm.ForQuery, []string{"年假"})
			results <- err
		}
		go ask(leaving)
		synctest.Wait()
		for range 10 {
			go ask(t.Context())
		}
		synctest.Wait()
		if m.calls.Load() != 1 {
			t.Errorf("%d calls", m.calls.Load())
		}
		leave()
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
		synctest.Wait()
		close(m.gate)
		for range 10 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		if m.calls.Load() != 2 {
			t.Errorf("%d calls", m.calls.Load())
		}
	})
}

// full is an engine with a full result.
type full struct{ shelf }

func (f *full) Search(context.Context, index.Query) (index.Result, error) {
	hits := make([]index.Hit, 250)
	for i := range hits {
		hits[i] = index.Hit{BaseID: "b", ChunkID: fmt.Sprintf("%036d", i), DocumentID: "d", Score: .5}
	}
	return index.Result{Keyword: hits, Vector: hits}, nil
}

// BenchmarkHit is what a look-up costs: a full result, 30 terms, 384 values.
func BenchmarkHit(b *testing.B) {
	under := &full{shelf{generation: 1}}
	e := cache.NewEngine(under, cache.KindDocuments, cache.NewEpochs(&book{epoch: 1}, time.Now), 1<<24, time.Now)
	q := index.Query{Targets: something().Targets, Vector: make([]float32, 384), Limit: 250}
	for i := range 30 {
		q.Terms = append(q.Terms, index.QueryTerm{Text: fmt.Sprintf("term%d", i), Weight: 1})
	}
	ctx, _ := cache.With(b.Context(), someone())
	for b.Loop() {
		if _, err := e.Search(ctx, q); err != nil {
			b.Fatal(err)
		}
	}
}
