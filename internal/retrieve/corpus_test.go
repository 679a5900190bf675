package retrieve_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/index/embedded"
	"kaoju/internal/llm"
	"kaoju/internal/llm/builtin"
	"kaoju/internal/retrieve"
	"kaoju/internal/store"
)

// library is a store in memory: what an engine reads and what a search reads.
type library struct {
	entries   map[string][]store.StoredEntry // by base
	chunks    map[string]core.Chunk
	documents map[string]core.Document
	reads     int // chunks read
}

func newLibrary() *library {
	return &library{
		entries: map[string][]store.StoredEntry{}, chunks: map[string]core.Chunk{}, documents: map[string]core.Document{},
	}
}

// add puts a passage of a titled document into a base.
func (l *library) add(t testing.TB, base, title, id, content string) {
	t.Helper()
	d := core.Document{ID: base + "/" + title, BaseID: base, Title: title, Name: title + ".md", State: core.DocumentReady}
	l.documents[d.ID] = d
	c := core.Chunk{ID: id, BaseID: base, DocumentID: d.ID, Type: core.ChunkText, Index: len(l.chunks), Content: content}
	l.chunks[id] = c
	vectors, err := builtin.Embedder{}.Embed(t.Context(), llm.ForPassage, []string{title + "\n" + content})
	if err != nil {
		t.Fatal(err)
	}
	l.entries[base] = append(l.entries[base], store.StoredEntry{
		ChunkID: id, DocumentID: d.ID, Type: c.Type, Terms: index.EncodeTerms(index.Analyze(title, nil, content)),
		Vector: index.EncodeVector(vectors[0]), Lives: []core.Interval{{Since: 1}},
	})
}

func (l *library) EachEntry(_ context.Context, base string, since int64, yield func(store.StoredEntry) error) error {
	if since > 0 {
		return nil
	}
	for _, e := range l.entries[base] {
		if err := yield(e); err != nil {
			return err
		}
	}
	return nil
}

func (l *library) ChunksByID(_ context.Context, ids []string) ([]core.Chunk, error) {
	l.reads += len(ids)
	var out []core.Chunk
	for _, id := range ids {
		if c, ok := l.chunks[id]; ok {
			out = append(out, c)
		}
	}
	return out, nil
}

func (l *library) DocumentsByID(_ context.Context, ids []string) ([]core.Document, error) {
	var out []core.Document
	for _, id := range ids {
		if d, ok := l.documents[id]; ok {
			out = append(out, d)
		}
	}
	return out, nil
}

// corpus reads testdata/corpus.txt.
func corpus(t testing.TB) *library {
	t.Helper()
	raw, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	l := newLibrary()
	base, title := "", ""
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "= "); ok {
			base, title, _ = strings.Cut(heading, " | ")
		} else if id, content, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") {
			l.add(t, base, title, id, content)
		}
	}
	return l
}

func searcher(l *library) *retrieve.Searcher {
	return &retrieve.Searcher{Engine: embedded.New(l), Embedder: builtin.Embedder{}, Chunks: l}
}

func bases(names ...string) []index.Target {
	var out []index.Target
	for _, n := range names {
		out = append(out, index.Target{BaseID: n, Version: 1})
	}
	return out
}

var everything = []string{"hr", "devices", "reports", "city"}

// find searches all bases, or those named.
func find(t testing.TB, s *retrieve.Searcher, question string, limit int, names ...string) []retrieve.Found {
	t.Helper()
	if len(names) == 0 {
		names = everything
	}
	found, _, err := s.Search(t.Context(), retrieve.Request{Targets: bases(names...), Question: question, Limit: limit})
	if err != nil {
		t.Fatalf("search %q: %v", question, err)
	}
	return found
}

func foundIDs(found []retrieve.Found) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Chunk.ID)
	}
	return out
}
