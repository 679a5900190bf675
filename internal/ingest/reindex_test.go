package ingest

import (
	"slices"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/knowledge"
	"kaoju/internal/store"
)

// worded is a rig whose worker knows glossaries.
type worded struct {
	*rig
	words     *knowledge.Glossaries
	reindexed chan struct{}
}

func newWorded(t *testing.T, dir string) worded {
	w := worded{rig: newRig(t, dir), reindexed: make(chan struct{}, 1)}
	w.words = knowledge.NewGlossaries(w.db)
	w.deps.Glossaries = w.words
	w.at("", nil)
	return w
}

// at calls do when a job comes to a point.
func (w worded) at(point string, do func()) {
	w.probe = func(p string) {
		if p == "reindexed" {
			signal(w.reindexed)
		}
		if p == point {
			do()
		}
	}
}

// set gives the default base terms of which none may be cut.
func (w worded) set(terms ...string) {
	w.t.Helper()
	var entries []core.GlossaryEntry
	for _, term := range terms {
		entries = append(entries, core.GlossaryEntry{Term: term})
	}
	_, err := w.words.Set(w.t.Context(), core.OwnerScope(), core.DefaultBaseName, entries)
	must(w.t, err)
}

// indexedTerms gives the terms of every passage of the default base.
func (r *rig) indexedTerms() (all []string) {
	r.t.Helper()
	must(r.t, r.db.EachEntry(r.t.Context(), core.DefaultBaseName, 0, func(e store.StoredEntry) error {
		terms, err := index.DecodeTerms(e.Terms)
		for _, t := range terms {
			all = append(all, t.Text)
		}
		return err
	}))
	return all
}

// followed waits until the passages follow the glossary.
func (w worded) followed() {
	w.t.Helper()
	for {
		g, err := w.db.Glossary(w.t.Context(), core.DefaultBaseName)
		must(w.t, err)
		if !g.Pending {
			return
		}
		<-w.reindexed
	}
}

// A glossary cuts the passages that come, those that were there, and, after a
// crash, those that were left.
func TestGlossaryIndexesAnew(t *testing.T) {
	dir := t.TempDir()
	r := newWorded(t, dir)
	r.start()
	r.add("a.txt", "珠海洋桐测试基金公司")
	r.settled()
	r.set("洋桐测试")
	r.followed()
	if !slices.Contains(r.indexedTerms(), "洋桐测试") {
		t.Errorf("the passage has the terms %v", r.indexedTerms())
	}
	r.add("b.txt", "新的洋桐测试")
	r.settled()
	n := 0
	for _, term := range r.indexedTerms() {
		if term == "洋桐测试" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d passages have the word", n)
	}
	r.Close()
	r.set("基金公司") // while nobody works
	again := newWorded(t, t.TempDir())
	again.db, again.deps.Store = r.db, r.db
	again.words = knowledge.NewGlossaries(r.db)
	again.deps.Glossaries = again.words
	again.start()
	again.followed()
	if terms := again.indexedTerms(); slices.Contains(terms, "洋桐测试") || !slices.Contains(terms, "基金公司") {
		t.Errorf("after a restart: %v", terms)
	}
}

// What does not change how passages are cut costs no indexing; what does, and
// comes in the middle of a document, is caught up with.
func TestGlossaryFollowsDocumentsUnderWay(t *testing.T) {
	r := newWorded(t, t.TempDir())
	g, err := r.words.Set(t.Context(), core.OwnerScope(), core.DefaultBaseName,
		[]core.GlossaryEntry{{Term: "Horizon", Translations: []string{"地平线平台"}}})
	if err != nil || g.Pending {
		t.Errorf("a synonym alone makes %+v, %v", g, err)
	}
	r.at("embed", func() { r.set("洋桐测试") })
	r.add("a.txt", "珠海洋桐测试基金公司")
	r.start()
	r.settled()
	r.followed()
	if !slices.Contains(r.indexedTerms(), "洋桐测试") {
		t.Errorf("the passage has the terms %v", r.indexedTerms())
	}
}
