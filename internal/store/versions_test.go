package store

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"kaoju/internal/core"
)

// lives reads the membership of every chunk, through the stream that engines
// read.
func lives(t testing.TB, db *DB, baseID string) *mirror {
	t.Helper()
	m := &mirror{lives: map[string][]core.Interval{}}
	m.refresh(t, db, baseID)
	return m
}

func members(t testing.TB, db *DB, baseID string, v int64) map[string]bool {
	t.Helper()
	return lives(t, db, baseID).members(v)
}

// model is the naive account of a base: every version is a set of documents.
type model struct {
	versions []map[string]bool // by number; 0 is empty
	active   int
}

func (m *model) publish(change func(map[string]bool)) {
	next := maps.Clone(m.versions[m.active])
	change(next)
	m.versions = append(m.versions, next)
	m.active = len(m.versions) - 1
}

// mirror follows a base as an engine does, from changes only.
type mirror struct {
	since int64
	lives map[string][]core.Interval
}

func (m *mirror) refresh(t testing.TB, db *DB, baseID string) {
	t.Helper()
	last, err := db.LastVersion(t.Context(), baseID)
	must(t, err)
	must(t, db.EachEntry(t.Context(), baseID, m.since, func(e StoredEntry) error {
		m.lives[e.ChunkID] = e.Lives
		return nil
	}))
	m.since = last
}

func (m *mirror) members(v int64) map[string]bool {
	set := map[string]bool{}
	for id, lives := range m.lives {
		if slices.ContainsFunc(lives, func(l core.Interval) bool { return l.Holds(v) }) {
			set[id] = true
		}
	}
	return set
}

// TestVersionsAgainstModel runs random publishes, deletions and rollbacks and
// compares every version with plain sets.
func TestVersionsAgainstModel(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			versionsAgainstModel(t, rand.New(rand.NewPCG(seed, 1)))
		})
	}
}

func versionsAgainstModel(t *testing.T, r *rand.Rand) {
	db := open(t)
	const base = core.DefaultBaseName
	chunksOf := map[string][]string{} // by document, deleted ones without
	m := &model{versions: []map[string]bool{{}}}
	seen := &mirror{lives: map[string][]core.Interval{}}
	for step := range 36 {
		switch r.IntN(6) {
		case 0, 1: // a new document, which may replace others
			d := addDocument(t, db, base, fmt.Sprint(step), fmt.Sprint(step))
			_, chunks := chunk(t, db, d, 1+r.IntN(2))
			for _, c := range chunks {
				chunksOf[d.ID] = append(chunksOf[d.ID], c.ID)
			}
			gone := pick(r, m.versions[m.active])
			_, err := db.Publish(t.Context(), base, chunksOf[d.ID], gone, "")
			must(t, err)
			m.publish(func(set map[string]bool) {
				for _, id := range gone {
					delete(set, id)
				}
				set[d.ID] = true
			})
		case 2: // documents leave, and some that left come back
			gone, back := pick(r, m.versions[m.active]), pick(r, chunksOf)
			var add []string
			for _, id := range back {
				add = append(add, chunksOf[id]...)
			}
			_, err := db.Publish(t.Context(), base, add, gone, "")
			must(t, err)
			m.publish(func(set map[string]bool) {
				for _, id := range gone {
					delete(set, id)
				}
				for _, id := range back {
					set[id] = true
				}
			})
		case 3, 4: // rollback, or forward again
			if len(m.versions) > 1 {
				m.active = 1 + r.IntN(len(m.versions)-1)
				must(t, db.Activate(t.Context(), core.OwnerScope(), base, int64(m.active)))
			}
		case 5: // a deletion, which is final in every version
			for _, id := range pick(r, chunksOf) {
				version, err := db.DeleteDocument(t.Context(), core.OwnerScope(), id)
				must(t, err)
				delete(chunksOf, id)
				if version > 0 {
					m.publish(func(map[string]bool) {})
				}
				for _, set := range m.versions {
					delete(set, id)
				}
			}
		}
		if r.IntN(3) == 0 {
			seen.refresh(t, db, base)
		}
		compare(t, db, m, chunksOf, step)
	}
	seen.refresh(t, db, base)
	now := lives(t, db, base)
	for v := range m.versions {
		if want, got := now.members(int64(v)), seen.members(int64(v)); !maps.Equal(got, want) {
			t.Errorf("an engine that follows changes holds %v in version %d, want %v", got, v, want)
		}
	}
}

func compare(t *testing.T, db *DB, m *model, chunksOf map[string][]string, step int) {
	t.Helper()
	b, err := db.Base(t.Context(), core.OwnerScope(), core.DefaultBaseName)
	must(t, err)
	if b.ActiveVersion != int64(m.active) || b.Documents != len(m.versions[m.active]) {
		t.Fatalf("step %d: active version %d with %d documents, want %d with %d", step,
			b.ActiveVersion, b.Documents, m.active, len(m.versions[m.active]))
	}
	if _, total, err := db.ListDocuments(t.Context(), core.OwnerScope(), b.ID, 0, 1); err != nil || total < b.Documents {
		t.Fatalf("step %d: %d documents are listed, %v", step, total, err)
	}
	list, err := db.ListVersions(t.Context(), core.OwnerScope(), b.ID)
	must(t, err)
	if len(list) != len(m.versions)-1 {
		t.Fatalf("step %d: %d versions, want %d", step, len(list), len(m.versions)-1)
	}
	now := lives(t, db, b.ID)
	for v, docs := range m.versions {
		n, err := db.count(t.Context(), "SELECT COALESCE(MAX(documents), 0) FROM versions WHERE base_id = ? AND number = ?", b.ID, v)
		must(t, err)
		if n != len(docs) {
			t.Fatalf("step %d: version %d counts %d documents, want %d", step, v, n, len(docs))
		}
		want := map[string]bool{}
		for id := range docs {
			for _, c := range chunksOf[id] {
				want[c] = true
			}
		}
		if got := now.members(int64(v)); !maps.Equal(got, want) {
			t.Fatalf("step %d: version %d holds %d chunks, want %d", step, v, len(got), len(want))
		}
	}
}

// pick gives up to two keys of a map, in a fixed order.
func pick[V any](r *rand.Rand, m map[string]V) []string {
	keys := slices.Sorted(maps.Keys(m))
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys[:min(len(keys), r.IntN(3))]
}

func TestActivateUnknownVersion(t *testing.T) {
	db := open(t)
	wantCode(t, db.Activate(t.Context(), core.OwnerScope(), core.DefaultBaseName, 7), core.CodeNotFound)
	wantCode(t, db.Activate(t.Context(), core.OwnerScope(), "nowhere", 1), core.CodeNotFound)
	_, err := db.LastVersion(context.Background(), "nowhere")
	wantCode(t, err, core.CodeNotFound)
}

func TestActivationsAreLogged(t *testing.T) {
	db := open(t)
	publish(t, db, core.DefaultBaseName, "a", "a", 1)
	publish(t, db, core.DefaultBaseName, "b", "b", 1)
	must(t, db.Activate(t.Context(), core.OwnerScope(), core.DefaultBaseName, 1))
	n, err := db.count(t.Context(), "SELECT COUNT(*) FROM activations WHERE version = 1 AND previous = 2 AND user_id = ?", core.OwnerUserID)
	must(t, err)
	if n != 1 {
		t.Errorf("%d log entries, want 1", n)
	}
	list, err := db.ListVersions(t.Context(), core.OwnerScope(), core.DefaultBaseName)
	must(t, err)
	if len(list) != 2 || list[0].Number != 2 || list[0].BuiltOn != 1 {
		t.Errorf("versions are %+v", list)
	}
}
