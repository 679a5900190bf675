package embedded

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/store"
)

func TestDotsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	dot := fastestDot()
	for _, dim := range []int{0, 1, 31, 32, 33, 64, 100, 384, 512, 4096} {
		query, row := make([]int16, padded(dim)), make([]int8, padded(dim))
		for i := range dim {
			query[i], row[i] = int16(r.IntN(2*fineSteps+1)-fineSteps), int8(r.IntN(255)-127)
		}
		if got, want := dot(query, row), dotPlain(query, row); got != want {
			t.Errorf("dim %d: %d, want %d", dim, got, want)
		}
		for i := range dim { // the largest sums that can come up
			query[i], row[i] = fineSteps, 127
		}
		if got, want := int64(dot(query, row)), int64(dim)*fineSteps*127; dim <= 4096 && got != want {
			t.Errorf("dim %d, largest: %d, want %d", dim, got, want)
		}
	}
}

func TestFourDotsAreFourTimesOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, dot4 := range map[string]dotter4{"fastest": fastestDot4(), "plain": four(dotPlain)} {
		for _, dim := range []int{0, 1, 32, 33, 384, 512} {
			query, rows := make([]int16, padded(dim)), make([]int8, 4*padded(dim))
			for i := range query {
				query[i] = int16(r.IntN(2*fineSteps+1) - fineSteps)
			}
			for i := range rows {
				rows[i] = int8(r.IntN(255) - 127)
			}
			var got [4]int32
			dot4(query, rows, &got)
			for i, product := range got {
				if want := dotPlain(query, rows[i*len(query):(i+1)*len(query)]); product != want {
					t.Errorf("%s, dim %d, row %d: %d, want %d", name, dim, i, product, want)
				}
			}
		}
	}
}

func TestDict(t *testing.T) {
	var d dict
	if _, ok := d.find([]byte("a")); ok {
		t.Error("an empty dictionary knows a")
	}
	for round := range 2 {
		for i := range uint32(1000) {
			if got := d.add(fmt.Append(nil, "key", i)); got != i {
				t.Fatalf("round %d: key%d has number %d", round, i, got)
			}
		}
	}
	d.trim()
	for i := range uint32(1000) {
		if n, ok := d.find(fmt.Append(nil, "key", i)); !ok || n != i || string(d.at(i)) != fmt.Sprint("key", i) {
			t.Fatalf("key%d: %d, %v, %s", i, n, ok, d.at(i))
		}
	}
	if _, ok := d.find([]byte("key1000")); ok {
		t.Error("a key that was never added is known")
	}
	if n := d.add(nil); string(d.at(n)) != "" {
		t.Error("the empty key does not come back")
	}
}

func TestBestKeepsTheBest(t *testing.T) {
	b := newBuilder()
	for i := range 500 {
		if err := b.add(store.StoredEntry{ChunkID: fmt.Sprintf("c%03d", i), Lives: []core.Interval{{Since: 1}}}, 0); err != nil {
			t.Fatal(err)
		}
	}
	s := &scan{part: b.finish()}
	r := rand.New(rand.NewPCG(5, 5))
	var all []found
	top := &best{k: 20}
	for doc := range uint32(500) {
		f := found{score: float32(1 + r.IntN(40)), doc: doc, scan: s} // many ties
		all = append(all, f)
		if f.score >= top.floor() {
			top.offer(f)
		}
	}
	sortFound(all)
	if got := join(20, []*best{top}); !slices.Equal(got, all[:20]) {
		t.Errorf("kept %v, want %v", got, all[:20])
	}
}

// TestRefreshReadsOnlyChanges: what was seen is not read again.
func TestRefreshReadsOnlyChanges(t *testing.T) {
	s := newShelf()
	e := New(s)
	for i := range 50 {
		s.write("b", stored(passage(i, 1)))
	}
	mustRefresh(t, e, "b")
	s.write("b", stored(passage(99, 2)))
	s.reads = 0
	mustRefresh(t, e, "b")
	if s.reads != 1 {
		t.Errorf("the second refresh read %d entries, want 1", s.reads)
	}
	if got := e.Stats("b"); got.Passages != 51 || got.Version != 2 {
		t.Errorf("stats %+v", got)
	}
}

// TestSearchCatchesUp: without any Refresh, a search reads what its version
// needs, and asks only once for a version that changed nothing.
func TestSearchCatchesUp(t *testing.T) {
	s := newShelf()
	e := New(s)
	s.write("b", stored(passage(1, 1)))
	find := func(version int64) int {
		r, err := e.Search(t.Context(), index.Query{
			Targets: []index.Target{{BaseID: "b", Version: version}}, Terms: []index.QueryTerm{{Text: "common", Weight: 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Keyword)
	}
	if got := find(1); got != 1 {
		t.Errorf("the first search found %d", got)
	}
	s.write("b", stored(passage(2, 2)))
	if got := find(2); got != 2 {
		t.Errorf("after an untold publish the search found %d", got)
	}
	find(7)
	s.write("b", stored(passage(3, 8)))
	s.reads = 0
	if find(7); s.reads != 0 {
		t.Errorf("a version that changed nothing was looked for again")
	}
	if got := find(8); got != 3 {
		t.Errorf("version 8 gives %d hits", got)
	}
}

func TestFailedRefreshKeepsTheOldState(t *testing.T) {
	s := newShelf()
	e := New(s)
	s.write("b", stored(passage(1, 1)))
	mustRefresh(t, e, "b")
	s.fail = errors.New("disk on fire")
	s.write("b", stored(passage(2, 2)))
	if err := e.Refresh(t.Context(), "b"); err == nil || strings.Contains(core.PublicMessage(err), "fire") {
		t.Errorf("refresh gives %v", err)
	}
	if got := e.Stats("b"); got.Passages != 1 || got.Version != 1 {
		t.Errorf("after a failed refresh: %+v", got)
	}
	s.fail = nil
	mustRefresh(t, e, "b")
	if got := e.Stats("b"); got.Passages != 2 {
		t.Errorf("after the next refresh: %+v", got)
	}
}

func TestDamagedEntries(t *testing.T) {
	for name, entry := range map[string]store.StoredEntry{
		"terms":  {ChunkID: "x", Terms: []byte{9, 9}, Lives: []core.Interval{{Since: 1}}},
		"vector": {ChunkID: "x", Vector: []byte{9, 9}, Lives: []core.Interval{{Since: 1}}},
	} {
		s := newShelf()
		s.write("b", entry)
		if err := New(s).Refresh(t.Context(), "b"); err == nil {
			t.Errorf("damaged %s were taken", name)
		}
	}
}

// TestDeletedMark: the store marks a deleted chunk by lives that hold no
// version, and without terms.
func TestDeletedMark(t *testing.T) {
	s := newShelf()
	e := New(s)
	s.write("b", stored(passage(1, 1)), stored(passage(2, 1)))
	mustRefresh(t, e, "b")
	s.write("b", store.StoredEntry{ChunkID: passage(1, 1).ChunkID, Lives: []core.Interval{{Since: 2, Until: 2}}})
	mustRefresh(t, e, "b")
	if got := e.Stats("b"); got.Passages != 1 || got.Version != 2 {
		t.Errorf("after a deletion: %+v", got)
	}
}

func TestSegmentsStayFew(t *testing.T) {
	s := newShelf()
	e := New(s)
	for i := range 300 {
		s.write("b", stored(passage(i, int64(i+1))))
		mustRefresh(t, e, "b")
	}
	if got := e.Stats("b"); got.Segments > 10 || got.Passages != 300 {
		t.Errorf("300 publishes leave %+v", got)
	}
	for i := range 290 {
		p := passage(i, 1)
		p.Lives = nil
		s.write("b", stored(p))
	}
	mustRefresh(t, e, "b")
	total := 0
	for _, p := range e.base("b").current.Load().parts {
		total += p.len()
	}
	if total > 30 {
		t.Errorf("10 passages are left, but %d are kept in memory", total)
	}
}

func TestDrop(t *testing.T) {
	s := newShelf()
	e := New(s)
	s.write("b", stored(passage(1, 1)))
	mustRefresh(t, e, "b")
	e.Drop("b")
	if got := e.Stats("b"); got != (Stats{}) {
		t.Errorf("after Drop: %+v", got)
	}
	mustRefresh(t, e, "b")
	if got := e.Stats("b"); got.Passages != 1 {
		t.Errorf("read again after Drop: %+v", got)
	}
}

func mustRefresh(t testing.TB, e *Engine, baseID string) {
	t.Helper()
	if err := e.Refresh(context.Background(), baseID); err != nil {
		t.Fatal(err)
	}
}

func passage(i int, since int64) index.Entry {
	return index.Entry{
		ChunkID: fmt.Sprintf("c%06d", i), DocumentID: fmt.Sprintf("d%d", i/20), Type: core.ChunkText,
		Terms: []index.Term{{Text: "common", Weight: 1}, {Text: fmt.Sprintf("w%d", i), Weight: 1}},
		Lives: []core.Interval{{Since: since}},
	}
}
