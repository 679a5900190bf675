package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
	"kaoju/internal/llm"
	"kaoju/internal/parse"
	"kaoju/internal/store"
)

// embedder is a model made of a function; nil gives unit vectors.
type embedder struct {
	name  string // of the model; "" means "test"
	embed func(ctx context.Context, texts []string) ([][]float32, error)
	calls atomic.Int64
}

func (e *embedder) Embed(ctx context.Context, _ llm.Purpose, texts []string) ([][]float32, error) {
	e.calls.Add(1)
	if e.embed != nil {
		return e.embed(ctx, texts)
	}
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = []float32{1, 0, 0, 0}
	}
	return vectors, nil
}

func (*embedder) Dim() int        { return 4 }
func (e *embedder) Model() string { return cmp.Or(e.name, "test") }

// parser takes each line as a paragraph and each page as a part, and fails
// where the text says so.
type parser struct{ calls atomic.Int64 }

func (p *parser) ParseParts(ctx context.Context, src parse.Source, each func(parse.Document) error) error {
	data := make([]byte, src.Size)
	if _, err := src.Bytes.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for part := range bytes.SplitSeq(data, []byte("\f")) {
		doc, err := p.parse(ctx, parse.Input{Name: src.Name, Data: part})
		if err == nil {
			err = each(doc)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) parse(ctx context.Context, in parse.Input) (parse.Document, error) {
	p.calls.Add(1)
	if bytes.Contains(in.Data, []byte("poison")) {
		return parse.Document{}, core.Errorf(core.CodeCorrupt, "the file is damaged")
	}
	doc := parse.Document{Format: "text"}
	for line := range strings.Lines(string(in.Data)) {
		if line = strings.TrimSpace(line); line != "" {
			doc.Blocks = append(doc.Blocks, parse.Block{Kind: parse.Paragraph, Text: line})
		}
	}
	return doc, ctx.Err()
}

// engine remembers what it was told.
type engine struct {
	mu        sync.Mutex
	refreshed []string
	dropped   []string
}

func (*engine) Reload(context.Context, string) error { return nil }

func (e *engine) Refresh(_ context.Context, baseID string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refreshed = append(e.refreshed, baseID)
	return nil
}

func (e *engine) Drop(baseID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dropped = append(e.dropped, baseID)
}

// rig is a worker with all that belongs to it.
type rig struct {
	t testing.TB
	*Worker
	db       *store.DB
	k        *knowledge.Service
	parser   *parser
	embedder *embedder
	engine   *engine
}

func newRig(t testing.TB, dir string) *rig {
	t.Helper()
	db, err := store.Open(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	r := &rig{t: t, db: db, parser: &parser{}, embedder: &embedder{}, engine: &engine{}}
	r.Worker = New(Deps{Store: db, Parser: r.parser, Index: r.engine, Embedder: r.embedder,
		Backoff: func(int) time.Duration { return time.Microsecond }})
	r.k = knowledge.New(knowledge.Options{Store: db, Work: r.Worker, Index: r.engine, Limit: 16 << 20})
	return r
}

func (r *rig) start() *rig {
	r.t.Helper()
	must(r.t, r.Start(r.t.Context()))
	r.t.Cleanup(r.Close)
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (r *rig) add(name, content string) core.Document {
	r.t.Helper()
	d, _, err := r.k.Add(r.t.Context(), core.OwnerScope(), knowledge.AddRequest{
		Base: core.DefaultBaseName, Name: name, Content: strings.NewReader(content)})
	must(r.t, err)
	return d
}

// settled waits until nothing is left to do.
func (r *rig) settled() Progress {
	r.t.Helper()
	for {
		changes := r.Changed()
		p, err := r.Progress(r.t.Context(), core.DefaultBaseName)
		must(r.t, err)
		if p.Left() == 0 {
			return p
		}
		select {
		case <-changes:
		case <-time.After(20 * time.Second):
			r.t.Fatalf("stuck at %+v", p)
		}
	}
}

func (r *rig) document(id string) core.Document {
	r.t.Helper()
	d, err := r.db.Document(r.t.Context(), core.OwnerScope(), id)
	must(r.t, err)
	return d
}

// live gives the contents of the chunks that the active version holds.
func (r *rig) live() []string {
	r.t.Helper()
	b, err := r.db.Base(r.t.Context(), core.OwnerScope(), core.DefaultBaseName)
	must(r.t, err)
	var ids []string
	must(r.t, r.db.EachEntry(r.t.Context(), b.ID, 0, func(e store.StoredEntry) error {
		for _, l := range e.Lives {
			if l.Holds(b.ActiveVersion) {
				ids = append(ids, e.ChunkID)
			}
		}
		return nil
	}))
	chunks, err := r.db.ChunksByID(r.t.Context(), ids)
	must(r.t, err)
	var texts []string
	for _, c := range chunks {
		texts = append(texts, c.Content)
	}
	return texts
}

// long is a text of n paragraphs that become a chunk each.
func long(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "第%d段 %s。\n", i, strings.Repeat("考据问答", 90))
	}
	return b.String()
}
