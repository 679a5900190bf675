package embedded

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/store"
)

// world is the real store with documents on their way through it.
type world struct {
	*store.DB
	t         *testing.T
	documents []string            // published at some time and not deleted
	chunks    map[string][]string // by document
}

func openWorld(t *testing.T) *world {
	t.Helper()
	db, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &world{DB: db, t: t, chunks: map[string][]string{}}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// addDocument brings a document of n passages into a new version.
func (w *world) addDocument(name string, n int) {
	w.t.Helper()
	blob, err := w.StageBlob(w.t.Context(), strings.NewReader(name), 1<<20)
	w.must(err)
	defer blob.Discard()
	_, _, err = w.AddDocument(w.t.Context(),
		core.Document{ID: core.NewID(), BaseID: core.DefaultBaseName, Name: name, Source: "upload"}, blob)
	w.must(err)
	job, d, ok, err := w.ClaimJob(w.t.Context(), false)
	w.must(err)
	if !ok {
		w.t.Fatal("no job for a new document")
	}
	var chunks []core.Chunk
	var entries []store.Indexing
	for i := range n {
		c := core.Chunk{ID: core.NewID(), BaseID: d.BaseID, DocumentID: d.ID, Type: core.ChunkText, Index: i,
			Content: fmt.Sprintf("%s passage %d", name, i)}
		chunks = append(chunks, c)
		w.chunks[d.ID] = append(w.chunks[d.ID], c.ID)
		entries = append(entries, store.Indexing{
			ChunkID: c.ID, Terms: index.EncodeTerms(index.Analyze(name, nil, c.Content)), Vector: index.EncodeVector([]float32{.6, .8}),
		})
	}
	w.must(w.SaveChunks(w.t.Context(), job.ID, d, store.Part{Chunks: chunks, First: true, Last: true}))
	w.must(w.SaveIndexing(w.t.Context(), job.ID, "test", entries, true))
	_, err = w.PublishJobs(w.t.Context(), d.BaseID, []core.Job{job})
	w.must(err)
	w.documents = append(w.documents, d.ID)
}

// TestFollowsTheStore runs random publishes, closings, reopenings, rollbacks
// and deletions, and compares an engine that follows them with one that reads
// the outcome from the start, at every version.
func TestFollowsTheStore(t *testing.T) {
	w := openWorld(t)
	r := rand.New(rand.NewPCG(4, 2))
	follower := New(w.DB)
	for step := range 25 {
		w.step(r, step)
		mustRefresh(t, follower, core.DefaultBaseName)
	}
	last, err := w.LastVersion(t.Context(), core.DefaultBaseName)
	w.must(err)
	fresh := New(w.DB)
	hits := 0
	for version := int64(0); version <= last; version++ {
		got, want := passagesAt(t, follower, version), passagesAt(t, fresh, version)
		hits += len(want)
		if !slices.Equal(got, want) {
			t.Errorf("version %d: following gives %d passages, reading anew %d", version, len(got), len(want))
		}
	}
	if last < 20 || hits < 50 {
		t.Errorf("only %d versions and %d passages were compared", last, hits)
	}
}

func (w *world) step(r *rand.Rand, step int) {
	w.t.Helper()
	if step < 4 || len(w.documents) == 0 || r.IntN(3) == 0 {
		w.addDocument(fmt.Sprint("document ", step), 1+r.IntN(4))
		return
	}
	some := w.documents[r.IntN(len(w.documents))]
	switch r.IntN(5) {
	case 0: // a document is deleted for good
		_, err := w.DeleteDocument(w.t.Context(), core.OwnerScope(), some)
		w.must(err)
		w.documents = slices.DeleteFunc(w.documents, func(id string) bool { return id == some })
	case 1: // an older version becomes the active one; the next publish builds on it
		last, err := w.LastVersion(w.t.Context(), core.DefaultBaseName)
		w.must(err)
		w.must(w.Activate(w.t.Context(), core.OwnerScope(), core.DefaultBaseName, 1+r.Int64N(last)))
	case 2: // passages come back
		_, err := w.Publish(w.t.Context(), core.DefaultBaseName, w.chunks[some], nil, "")
		w.must(err)
	default: // a document leaves the next version
		_, err := w.Publish(w.t.Context(), core.DefaultBaseName, nil, []string{some}, "")
		w.must(err)
	}
}

func passagesAt(t *testing.T, e *Engine, version int64) []string {
	t.Helper()
	r, err := e.Search(t.Context(), index.Query{
		Targets: []index.Target{{BaseID: core.DefaultBaseName, Version: version}},
		Terms:   index.QueryTerms("passage"), Vector: []float32{.6, .8}, Limit: 500,
	})
	if err != nil {
		t.Fatal(err)
	}
	var words, near []string
	for _, h := range r.Keyword {
		words = append(words, h.ChunkID)
	}
	for _, h := range r.Vector {
		near = append(near, h.ChunkID)
	}
	slices.Sort(words)
	slices.Sort(near)
	if !slices.Equal(words, near) {
		t.Errorf("version %d: %d passages by words, %d by vectors", version, len(words), len(near))
	}
	return words
}
