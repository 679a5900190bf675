package ingest

import (
	"context"
	"time"

	"kaoju/internal/chunk"
	"kaoju/internal/core"
	"kaoju/internal/knowledge"
	"kaoju/internal/parse"
)

// batchSize is how many chunks are embedded and stored at once.
const batchSize = 64

// pageSize is how many chunks are taken from the store at once to be indexed.
const pageSize = 64 * batchSize

// prepare does the steps of a job that are not done yet, but for the publish.
func (w *Worker) prepare(ctx context.Context, it *work) error {
	if it.job.Attempts > maxAttempts {
		return core.Errorf(core.CodeInternal, "the server ended %d times while it worked on this file", maxAttempts)
	}
	var some page
	var err error
	switch it.job.Step {
	case core.StepPublish:
		return nil
	case core.StepEmbed:
		some, err = w.page(ctx, it.doc, -1)
	default:
		some, err = w.read(ctx, it)
	}
	if err != nil {
		return err
	}
	return w.index(ctx, it, some)
}

// page is some of the chunks of a document that are to be indexed.
type page struct {
	chunks []core.Chunk
	more   bool // there may be others behind them in the store
}

// page gives the chunks after a position that are not indexed yet.
func (w *Worker) page(ctx context.Context, doc core.Document, after int) (page, error) {
	chunks, err := w.deps.Store.UnindexedChunks(ctx, doc.ID, after, pageSize)
	return page{chunks: chunks, more: len(chunks) == pageSize}, err
}

// read parses and cuts the document and stores its chunks, a part at a time.
// It gives those that are indexed first: all of a document that comes in one
// part.
func (w *Worker) read(ctx context.Context, it *work) (page, error) {
	src, err := w.deps.Store.OpenBlob(ctx, it.doc.ContentHash)
	if err != nil {
		return page{}, err
	}
	defer src.Close() //nolint:errcheck // reading only
	w.probe("parse")
	own, err := w.deps.Store.Chunking(ctx, it.doc.BaseID)
	if err != nil {
		return page{}, err
	}
	r := &reading{w: w, it: it, cutter: chunk.NewCutter(knowledge.ChunkSettings(w.deps.Chunk, own))}
	again, err := w.replay(ctx, it.doc.ContentHash, func(part parse.Document) error { return r.add(ctx, part) })
	if !again {
		err = r.parse(ctx, src)
	}
	if err == nil {
		err = r.finish(ctx)
	}
	if err != nil {
		return page{}, r.explain(err)
	}
	it.job.Step = core.StepEmbed
	w.probe("chunked")
	if r.stored {
		return w.page(ctx, it.doc, -1)
	}
	return page{chunks: r.indexed}, nil
}

// index stores terms and vectors of the chunks of a page and of all behind it,
// a batch at a time.
func (w *Worker) index(ctx context.Context, it *work, p page) error {
	w.enter(it.doc.ID, core.StepEmbed)
	for {
		n, indexer := min(batchSize, len(p.chunks)), w.indexer().Now()
		entries, err := indexer.Entries(ctx, it.doc, p.chunks[:n])
		if err != nil {
			return err
		}
		w.outage.over()
		w.probe("embed")
		last := n == len(p.chunks) && !p.more
		if err := w.deps.Store.SaveIndexing(ctx, it.job.ID, indexer.Model(), entries, last); err != nil {
			return err
		}
		if last {
			it.job.Step = core.StepPublish
			w.probe("embedded")
			return nil
		}
		if n == len(p.chunks) {
			p, err = w.page(ctx, it.doc, p.chunks[n-1].Index)
		} else {
			p.chunks = p.chunks[n:]
		}
		if err != nil {
			return err
		}
	}
}

func (w *Worker) indexer() knowledge.Indexer {
	return knowledge.Indexer{Embedder: w.deps.Embedder, Glossaries: w.deps.Glossaries}
}

// permanent is a failure that would come again.
type permanent struct{ err error }

func (p *permanent) Error() string { return p.err.Error() }
func (p *permanent) Unwrap() error { return p.err }

// sleep waits before the n-th attempt again, or until ctx ends.
func (w *Worker) sleep(ctx context.Context, n int) { w.sleepUnless(ctx, n, nil) }

// sleepUnless is sleep that early ends before its time; nil never does.
func (w *Worker) sleepUnless(ctx context.Context, n int, early <-chan struct{}) {
	timer := time.NewTimer(w.deps.Backoff(n))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-early:
	case <-ctx.Done():
	}
}

// mayPass reports whether a failure with this code is worth another attempt.
func mayPass(code core.Code) bool {
	switch code {
	case core.CodeUnavailable, core.CodeTimeout, core.CodeBusy, core.CodeDiskFull, core.CodeInternal:
		return true
	}
	return false
}
