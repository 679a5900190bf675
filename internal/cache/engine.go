package cache

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/index"
)

// Lives of candidates.
const (
	faqLife      = 1800 * time.Second
	documentLife = 900 * time.Second
)

// Kinds of look-ups.
const (
	KindEmbedding = "embedding"
	KindFAQ       = "faq"
	KindDocuments = "doc"
)

// schema is what entries are made by: how passages are cut and scored. It
// changes with the code that does.
const schema = "parent-child-1"

// Index is an engine whose state can be told apart: Generation changes whenever
// a search of a base may find something else; 0 means that it is not known.
type Index interface {
	index.Engine
	Generation(baseID string) uint64
}

// Engine is an index.Engine that keeps the candidates of searches.
type Engine struct {
	Index
	kind   string
	epochs *Epochs
	kept   *layer[index.Result]
}

// NewEngine keeps the candidates of one kind, KindFAQ or KindDocuments, within
// so many bytes; 0 keeps none.
func NewEngine(under Index, kind string, epochs *Epochs, bytes int64, now func() time.Time) *Engine {
	life := documentLife
	if kind == KindFAQ {
		life = faqLife
	}
	return &Engine{Index: under, kind: kind, epochs: epochs, kept: newLayer[index.Result](bytes, life, now)}
}

// Search gives what the same search came to before, or searches.
func (e *Engine) Search(ctx context.Context, q index.Query) (index.Result, error) {
	log := logOf(ctx)
	if log == nil {
		return e.Index.Search(ctx, q)
	}
	k, bypass := e.key(ctx, log.boundary, q)
	if bypass != "" {
		log.add(Event{Kind: e.kind, Bypass: bypass})
		return e.Index.Search(ctx, q)
	}
	if r, ok := e.kept.get(k); ok {
		log.add(Event{Kind: e.kind, Hit: true})
		return own(r), nil
	}
	log.add(Event{Kind: e.kind})
	r, err := e.Index.Search(ctx, q)
	if err == nil {
		e.kept.put(k, own(r), sizeOf(r))
	}
	return r, err
}

// own is a result that nobody else changes.
func own(r index.Result) index.Result {
	return index.Result{Keyword: slices.Clone(r.Keyword), Vector: slices.Clone(r.Vector)}
}

// sizeOf counts the bytes of a result.
func sizeOf(r index.Result) int64 {
	const hit, id = 56, 36
	return int64(len(r.Keyword)+len(r.Vector)) * (hit + id)
}

// key is all that a search depends on, or why it cannot be told.
func (e *Engine) key(ctx context.Context, b Boundary, q index.Query) (k key, bypass string) {
	if len(q.Targets) == 0 {
		return k, "nothing to search"
	}
	epoch, err := e.epochs.current(ctx)
	if err != nil {
		return k, "the epoch could not be read: " + core.PublicMessage(err)
	}
	w := make(writing, 0, 512+32*len(q.Terms)+4*len(q.Vector))
	w.text(e.kind, schema)
	b.write(&w)
	w.number(uint64(epoch))
	w.number(uint64(q.Limit))
	w.number(uint64(len(q.Targets)))
	for _, t := range q.Targets {
		generation := e.Generation(t.BaseID)
		if generation == 0 {
			return k, "the index is not loaded"
		}
		w.number(generation)
		w.target(t)
	}
	w.terms(q.Terms)
	w.vector(q.Vector)
	return w.key(), ""
}

func (w *writing) target(t index.Target) {
	w.text(t.BaseID)
	w.number(uint64(t.Version))
	w.texts(t.DocumentIDs)
	w.texts(t.FolderIDs)
	w.texts(t.TagIDs)
	w.number(uint64(len(t.Types)))
	for _, kind := range t.Types {
		w.text(string(kind))
	}
}

func (w *writing) terms(list []index.QueryTerm) {
	w.number(uint64(len(list)))
	for _, t := range list {
		w.text(t.Text)
		w.number(uint64(math.Float32bits(t.Weight)))
		w.number(uint64(t.Group))
		w.flag(t.Foreign)
	}
}

func (w *writing) vector(values []float32) {
	w.number(uint64(len(values)))
	for _, v := range values {
		*w = binary.LittleEndian.AppendUint32(*w, math.Float32bits(v))
	}
}
