package cache

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"kaoju/internal/llm"
)

// vectorLife is how long a question's vector is kept. It depends on the model
// and the text alone, and on no knowledge base.
const vectorLife = 3600 * time.Second

// Embedder is an llm.Embedder that keeps the vectors of questions. Callers who
// ask for the same one at once share a call.
type Embedder struct {
	llm.Embedder
	kept *layer[[]float32]

	mu      sync.Mutex
	running map[key]*call
}

// call is one that others wait for.
type call struct {
	done   chan struct{}
	vector []float32
	err    error
}

// NewEmbedder keeps vectors of a model within so many bytes.
func NewEmbedder(under llm.Embedder, bytes int64, now func() time.Time) *Embedder {
	return &Embedder{Embedder: under, kept: newLayer[[]float32](bytes, vectorLife, now), running: map[key]*call{}}
}

// Embed gives the vector that a question had before, or asks the model.
func (e *Embedder) Embed(ctx context.Context, purpose llm.Purpose, list []string) ([][]float32, error) {
	if purpose != llm.ForQuery || len(list) != 1 {
		return e.Embedder.Embed(ctx, purpose, list)
	}
	var w writing
	w.text(KindEmbedding, e.Model(), list[0])
	w.number(uint64(e.Dim()))
	k := w.key()
	log := logOf(ctx)
	if v, ok := e.kept.get(k); ok {
		log.add(Event{Kind: KindEmbedding, Hit: true})
		return [][]float32{slices.Clone(v)}, nil
	}
	log.add(Event{Kind: KindEmbedding})
	for {
		v, waited, err := e.shared(ctx, k, list)
		// Whoever made the call may have left: that is no reason for us.
		if waited && ctx.Err() == nil && (errors.Is(err, context.Canceled) || errors.Is(err, errLeft)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return [][]float32{slices.Clone(v)}, nil
	}
}

// errLeft ends a call whose caller panicked.
var errLeft = errors.New("the caller that embedded the question is gone")

// shared makes the call, or waits for the one that is running.
func (e *Embedder) shared(ctx context.Context, k key, list []string) (v []float32, waited bool, err error) {
	e.mu.Lock()
	if c := e.running[k]; c != nil {
		e.mu.Unlock()
		select {
		case <-c.done:
			return c.vector, true, c.err
		case <-ctx.Done():
			return nil, true, ctx.Err()
		}
	}
	c := &call{done: make(chan struct{}), err: errLeft}
	e.running[k] = c
	e.mu.Unlock()
	e.lead(ctx, k, c, list)
	return c.vector, false, c.err
}

// lead makes a call for all who wait for it.
func (e *Embedder) lead(ctx context.Context, k key, c *call, list []string) {
	defer func() {
		e.mu.Lock()
		delete(e.running, k)
		e.mu.Unlock()
		close(c.done)
	}()
	vectors, err := e.Embedder.Embed(ctx, llm.ForQuery, list)
	c.err = err
	if err == nil && len(vectors) != 1 {
		c.err = errors.New("the embedder gave no vector for the question")
	}
	if c.err == nil {
		c.vector = vectors[0]
		e.kept.put(k, c.vector, int64(4*len(c.vector)))
	}
}
