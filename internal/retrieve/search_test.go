package retrieve_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/llm"
	"kaoju/internal/retrieve"
)

// fixedEmbedder gives one vector for everything.
type fixedEmbedder struct{ vector []float32 }

func (e fixedEmbedder) Embed(_ context.Context, _ llm.Purpose, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = e.vector
	}
	return out, nil
}
func (e fixedEmbedder) Dim() int    { return len(e.vector) }
func (fixedEmbedder) Model() string { return "fixed" }

type brokenEmbedder struct{ fixedEmbedder }

func (brokenEmbedder) Embed(context.Context, llm.Purpose, []string) ([][]float32, error) {
	return nil, core.Errorf(core.CodeUnavailable, "the model does not answer")
}

func (l *library) vectorOf(t *testing.T, id string) []float32 {
	t.Helper()
	for _, entries := range l.entries {
		for _, e := range entries {
			if e.ChunkID == id {
				v, err := index.DecodeVector(e.Vector)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
		}
	}
	t.Fatalf("no chunk %s", id)
	return nil
}

// TestDegradesToKeywords: whatever is wrong with the vector, words still find
// their passage, and the reason is told.
func TestDegradesToKeywords(t *testing.T) {
	for name, c := range map[string]struct {
		embedder llm.Embedder
		reason   string
	}{
		"none":        {nil, ""},
		"broken":      {brokenEmbedder{}, "does not answer"},
		"other space": {fixedEmbedder{[]float32{1, 0, 0}}, "embed the base again"},
	} {
		s := searcher(corpus(t))
		s.Embedder = c.embedder
		found, explain, err := s.Search(t.Context(), retrieve.Request{Targets: bases("devices"), Question: "QTR-7310"})
		if err != nil || len(found) == 0 || found[0].Chunk.ID != "relay-7310" {
			t.Errorf("%s: found %v, %v", name, foundIDs(found), err)
		}
		if !strings.Contains(explain.Degraded, c.reason) || (c.reason == "") != (explain.Degraded == "") {
			t.Errorf("%s: degraded %q, want %q", name, explain.Degraded, c.reason)
		}
		if explain.Vector != 0 {
			t.Errorf("%s: %d vector hits", name, explain.Vector)
		}
	}
}

func TestSearchCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := searcher(corpus(t)).Search(ctx, retrieve.Request{Targets: bases("hr"), Question: "年假"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search gives %v", err)
	}
}

// limits records what a search asks an engine for.
type limits struct {
	mu    sync.Mutex
	asked []index.Query
}

func (l *limits) Search(_ context.Context, q index.Query) (index.Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, q)
	return index.Result{}, nil
}
func (*limits) Refresh(context.Context, string) error { return nil }

func TestOverFetch(t *testing.T) {
	for limit, want := range map[int]int{-3: 250, 0: 250, 1: 50, 10: 50, 20: 100, 100: 500, 4000: 500} {
		engine := &limits{}
		s := retrieve.Searcher{Engine: engine, Chunks: newLibrary()}
		if _, _, err := s.Search(t.Context(), retrieve.Request{Question: "pump", Limit: limit}); err != nil {
			t.Fatal(err)
		}
		if got := engine.asked[0].Limit; got != want {
			t.Errorf("limit %d asks the engine for %d, want %d", limit, got, want)
		}
	}
}

// TestVariantsFindMore: other wordings find passages too, at a lower score,
// and never more than MaxVariants are tried.
func TestVariantsFindMore(t *testing.T) {
	s := searcher(corpus(t))
	s.Embedder = nil
	variant := retrieve.Variant{Text: "继电器", Terms: index.QueryTerms("继电器"), Weight: .8}
	req := retrieve.Request{Targets: bases("devices"), Question: "cat", Variants: []retrieve.Variant{variant}}
	found, explain, err := s.Search(t.Context(), req)
	if err != nil || len(found) < 5 || explain.Variants != 1 {
		t.Fatalf("found %v, %+v, %v", foundIDs(found), explain, err)
	}
	engine := &limits{}
	s.Engine = engine
	for range 20 {
		req.Variants = append(req.Variants, variant)
	}
	if _, _, err := s.Search(t.Context(), req); err != nil || len(engine.asked) != 1+retrieve.MaxVariants {
		t.Errorf("%d searches for 21 variants, %v", len(engine.asked), err)
	}
}
