package indextest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
)

func testVersions(_ *testing.T, f fixture) {
	f.publish("b",
		alive(entry("old", "rule"), core.Interval{Since: 1, Until: 3}),
		alive(entry("always", "rule", "rule"), core.Interval{Since: 1}),
		alive(entry("new", "rule"), core.Interval{Since: 3}),
		alive(entry("twice", "rule"), core.Interval{Since: 1, Until: 2}, core.Interval{Since: 4, Until: 5}),
	)
	for version, want := range map[int64][]string{
		0: nil,
		1: {"always", "old", "twice"},
		2: {"always", "old"},
		3: {"always", "new"},
		4: {"always", "new", "twice"},
		5: {"always", "new"},
	} {
		f.wantSet(f.words(at("b", version), "rule"), want...)
	}
	// The same base at two versions at once.
	q := index.Query{Targets: []index.Target{at("b", 2), at("b", 3)}, Terms: ask("rule")}
	f.wantSet(ids(f.search(q).Keyword), "always", "old", "new")
}

// testRollback publishes over an older version: what came later is closed,
// what was closed opens again, and only lives change.
func testRollback(_ *testing.T, f fixture) {
	first, second := entry("first", "tariff"), entry("second", "tariff")
	f.publish("b", alive(first, core.Interval{Since: 1}))
	f.publish("b", alive(first, core.Interval{Since: 1, Until: 2}), alive(second, core.Interval{Since: 2}))
	f.want(f.words(at("b", 2), "tariff"), "second")
	f.publish("b",
		alive(first, core.Interval{Since: 1, Until: 2}, core.Interval{Since: 3}),
		alive(second, core.Interval{Since: 2, Until: 3}))
	f.want(f.words(at("b", 3), "tariff"), "first")
	f.want(f.words(at("b", 2), "tariff"), "second")
	f.want(f.words(at("b", 1), "tariff"), "first")
}

func testUpsert(t *testing.T, f fixture) {
	one := entry("one", "valve", "red")
	one.Vector = []float32{1, 0}
	f.publish("b", one, entry("two", "valve"))
	before := f.search(index.Query{Targets: []index.Target{at("b", 1)}, Terms: ask("valve", "red"), Vector: []float32{1, 0}})
	for range 3 { // the same again changes nothing, not even the scores
		f.publish("b", alive(one, core.Interval{Since: 1}))
	}
	after := f.search(index.Query{Targets: []index.Target{at("b", 1)}, Terms: ask("valve", "red"), Vector: []float32{1, 0}})
	if !slices.Equal(before.Keyword, after.Keyword) || !slices.Equal(before.Vector, after.Vector) {
		t.Errorf("writing the same again: %v became %v", before, after)
	}
	changed := alive(entry("one", "pump", "blue"), core.Interval{Since: 2})
	changed.Vector = []float32{0, 1}
	changed.TagIDs = []string{"new"}
	f.publish("b", changed)
	f.want(f.words(at("b", 2), "red"))
	f.want(f.words(at("b", 2), "pump"), "one")
	f.want(f.words(index.Target{BaseID: "b", Version: 2, TagIDs: []string{"new"}}, "blue"), "one")
	f.want(ids(f.search(index.Query{Targets: []index.Target{at("b", 2)}, Vector: []float32{0, 1}}).Vector), "one")
	f.want(ids(f.search(index.Query{Targets: []index.Target{at("b", 2)}, Vector: []float32{1, 0}}).Vector))
}

func testDelete(_ *testing.T, f fixture) {
	gone := entry("gone", "secret")
	f.publish("b", gone, entry("stays", "secret"))
	for range 2 { // deleting twice is deleting
		f.publish("b", alive(gone))
		f.want(f.words(at("b", 1), "secret"), "stays")
	}
	f.publish("b", alive(entry("never-was", "secret")))
	f.want(f.words(at("b", 1), "secret"), "stays")
	f.publish("b", alive(gone, core.Interval{Since: 2}))
	f.wantSet(f.words(at("b", 2), "secret"), "gone", "stays")
}

func testReadYourWrites(_ *testing.T, f fixture) {
	for i := range 20 {
		version := int64(i + 1)
		word := fmt.Sprintf("word%d", i)
		f.publish("b", alive(entry(name(i), word, "common"), core.Interval{Since: version}))
		f.want(f.words(at("b", version), word), name(i))
	}
	if got := f.words(at("b", 20), "common"); len(got) != 20 {
		f.t.Errorf("found %d of 20 passages", len(got))
	}
}

// testManyPublishes closes and adds passages over many versions and compares
// every version with a plain account of what lives.
func testManyPublishes(_ *testing.T, f fixture) {
	const versions = 60
	since := map[string]int64{}
	members := make([][]string, versions+1)
	for v := int64(1); v <= versions; v++ {
		var batch []index.Entry
		for i := range int(v)%4 + 1 {
			id := fmt.Sprintf("v%02d-%d", v, i)
			since[id] = v
			batch = append(batch, alive(entry(id, "x", id), core.Interval{Since: v}))
		}
		if closed := fmt.Sprintf("v%02d-0", v/2); since[closed] != 0 && v%2 == 0 {
			batch = append(batch, alive(entry(closed, "x", closed), core.Interval{Since: since[closed], Until: v}))
			delete(since, closed)
		}
		f.publish("b", batch...)
		for id := range since {
			members[v] = append(members[v], id)
		}
	}
	for v := int64(1); v <= versions; v++ {
		q := index.Query{Targets: []index.Target{at("b", v)}, Terms: ask("x"), Limit: 500}
		f.wantSet(ids(f.search(q).Keyword), members[v]...)
	}
}

// testConcurrency searches while versions are published: a search of version
// v finds exactly the v passages of it, and nothing of later ones.
func testConcurrency(t *testing.T, f fixture) {
	const versions, searchers = 40, 4
	f.publish("b", alive(entry(name(1), "x"), core.Interval{Since: 1}))
	published := make(chan int64, versions*searchers)
	var group sync.WaitGroup
	for range searchers {
		group.Go(func() {
			for v := range published {
				q := index.Query{Targets: []index.Target{at("b", v)}, Terms: ask("x"), Limit: 500}
				r, err := f.Engine().Search(context.Background(), q)
				if err != nil || len(r.Keyword) != int(v) {
					t.Errorf("version %d: %d hits, %v", v, len(r.Keyword), err)
				}
			}
		})
	}
	for v := int64(2); v <= versions; v++ {
		f.publish("b", alive(entry(name(int(v)), "x"), core.Interval{Since: v}))
		for range searchers {
			published <- v
		}
	}
	close(published)
	group.Wait()
}

func testCancellation(t *testing.T, f fixture) {
	f.publish("b", entry("one", "x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.Engine().Search(ctx, index.Query{Targets: []index.Target{at("b", 1)}, Terms: ask("x")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("search after cancellation: %v", err)
	}
}
