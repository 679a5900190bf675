package ingest

import (
	"context"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/llm"
	"kaoju/internal/store"
)

// remodelled is a rig whose worker has another embedding model.
func remodelled(t *testing.T, dir string) (r *rig, points chan string) {
	r = newRig(t, dir)
	r.embedder.name = "new"
	r.embedder.embed = func(_ context.Context, texts []string) ([][]float32, error) {
		vectors := make([][]float32, len(texts))
		for i := range vectors {
			vectors[i] = []float32{0, 0, 0, 1}
		}
		return vectors, nil
	}
	points = make(chan string, 100)
	r.probe = func(p string) {
		if p == "switched" || p == "reembedded" {
			points <- p
		}
	}
	return r, points
}

// searched gives the model by which the default base is searched, and the
// first vectors that the engine would read.
func (r *rig) searched() (model string, vectors [][]float32) {
	r.t.Helper()
	b, err := r.db.Base(r.t.Context(), core.OwnerScope(), core.DefaultBaseName)
	must(r.t, err)
	must(r.t, r.db.EachEntry(r.t.Context(), b.ID, 0, func(e store.StoredEntry) error {
		v, err := index.DecodeVector(e.Vector)
		vectors = append(vectors, v)
		return err
	}))
	return b.EmbeddingModel, vectors
}

// A62: another embedding model leaves the base searchable by the old vectors,
// embeds all passages anew, and then switches; what comes meanwhile and after
// that is embedded by the new model.
func TestAnotherEmbeddingModel(t *testing.T) {
	dir := t.TempDir()
	first := newRig(t, dir)
	must(t, first.Start(t.Context()))
	first.add("long", long(batchSize+3))
	first.settled()
	if model, vectors := first.searched(); model != "test" || len(vectors) != batchSize+3 || vectors[0][0] != 1 {
		t.Fatalf("before: %d vectors of %q", len(vectors), model)
	}
	first.Close()
	must(t, first.db.Close())

	r, points := remodelled(t, dir)
	asked := 0
	give := r.embedder.embed
	r.embedder.embed = func(ctx context.Context, texts []string) ([][]float32, error) {
		if asked++; asked == 2 { // the model is away in the middle of it
			if model, vectors := r.searched(); model != "test" || vectors[0] == nil {
				t.Errorf("while it is embedded anew the base is searched by %d vectors of %q", len(vectors), model)
			}
			return nil, core.Errorf(core.CodeUnavailable, "the model is away")
		}
		return give(ctx, texts)
	}
	r.start()
	for p := range points {
		if p == "switched" {
			break
		}
	}
	model, vectors := r.searched()
	if model != "new" || len(vectors) != batchSize+3 {
		t.Fatalf("after: %d vectors of %q", len(vectors), model)
	}
	for _, v := range vectors {
		if v == nil || v[3] != 1 {
			t.Fatalf("a vector of the old model is left: %v", v)
		}
	}
	r.add("later", "text")
	r.settled()
	if _, vectors := r.searched(); len(vectors) != batchSize+4 {
		t.Errorf("%d vectors after another document", len(vectors))
	}
}

// What was embedded before a crash stays embedded.
func TestReembeddingGoesOnAfterACrash(t *testing.T) {
	dir := t.TempDir()
	first := newRig(t, dir)
	must(t, first.Start(t.Context()))
	first.add("long", long(2*batchSize))
	first.settled()
	first.Close()
	must(t, first.db.Close())

	second, _ := remodelled(t, dir)
	some, err := second.db.UnembeddedChunks(t.Context(), core.DefaultBaseName, "new", "", batchSize)
	must(t, err)
	entries := make([]store.Indexing, len(some))
	for i, c := range some {
		entries[i] = store.Indexing{ChunkID: c.ID, Vector: index.EncodeVector([]float32{0, 0, 0, 1})}
	}
	must(t, second.db.SaveVectors(t.Context(), "new", entries)) // and here it crashed
	must(t, second.db.Close())

	r, points := remodelled(t, dir)
	r.start()
	for p := range points {
		if p == "switched" {
			break
		}
	}
	if n := r.embedder.calls.Load(); n != 1 {
		t.Errorf("%d batches were embedded after the crash, want 1", n)
	}
	if model, vectors := r.searched(); model != "new" || len(vectors) != 2*batchSize {
		t.Errorf("%d vectors of %q", len(vectors), model)
	}
}

// A60: a model that gives other vectors than it declared changes nothing: the
// base stays as it was, and nothing comes back after a deletion.
func TestReembeddingByAWrongModel(t *testing.T) {
	dir := t.TempDir()
	first := newRig(t, dir)
	must(t, first.Start(t.Context()))
	d := first.add("a", "text")
	first.settled()
	first.Close()
	must(t, first.db.Close())

	r, _ := remodelled(t, dir)
	tried := make(chan struct{})
	r.embedder.embed = func(_ context.Context, texts []string) ([][]float32, error) {
		defer close(tried)
		return [][]float32{{1, 2}}, nil
	}
	r.start()
	<-tried
	if model, vectors := r.searched(); model != "test" || len(vectors) != 1 || vectors[0][0] != 1 {
		t.Errorf("%d vectors of %q", len(vectors), model)
	}
	_, err := r.db.DeleteDocument(t.Context(), core.OwnerScope(), d.ID)
	must(t, err)
	if _, vectors := r.searched(); len(vectors) != 1 || vectors[0] != nil {
		t.Errorf("after the deletion there are %v", vectors)
	}
}

// A62: a model that gives vectors of another length under its old name is
// noticed with the first document, whose error says what to do; the base stays
// as it was.
func TestAModelThatChangesUnderItsName(t *testing.T) {
	dir := t.TempDir()
	first := newRig(t, dir)
	must(t, first.Start(t.Context()))
	first.add("a", "text")
	first.settled()
	first.Close()
	must(t, first.db.Close())

	r := newRig(t, dir)
	r.deps.Embedder = longer{r.embedder}
	r.start()
	d := r.add("b", "more")
	r.settled()
	got := r.document(d.ID)
	if got.State != core.DocumentFailed || got.ErrorCode != core.CodeConflict || !strings.Contains(got.Error, "embedding_model.dimensions") {
		t.Errorf("the document is %s: %q %q", got.State, got.ErrorCode, got.Error)
	}
	if model, vectors := r.searched(); model != "test" || len(vectors) != 1 || len(vectors[0]) != 4 {
		t.Errorf("%d vectors of %q", len(vectors), model)
	}
}

// longer is the same model with longer vectors.
type longer struct{ *embedder }

func (longer) Dim() int { return 6 }

func (longer) Embed(_ context.Context, _ llm.Purpose, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = make([]float32, 6)
		vectors[i][0] = 1
	}
	return vectors, nil
}
