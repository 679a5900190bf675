package ingest

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"kaoju/internal/chunk"
	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/llm"
	"kaoju/internal/parse"
	"kaoju/internal/store"
)

// batchSize is how many chunks are embedded and stored at once.
const batchSize = 64

// prepare does the steps of a job that are not done yet, but for the publish.
func (w *Worker) prepare(ctx context.Context, it *work) error {
	if it.job.Attempts > maxAttempts {
		return core.Errorf(core.CodeInternal, "the server ended %d times while it worked on this file", maxAttempts)
	}
	var chunks []core.Chunk
	var err error
	switch it.job.Step {
	case core.StepPublish:
		return nil
	case core.StepEmbed:
		chunks, err = w.deps.Store.UnindexedChunks(ctx, it.doc.ID)
	default:
		chunks, err = w.read(ctx, it)
	}
	if err != nil {
		return err
	}
	return w.index(ctx, it, chunks)
}

// read parses and cuts the document and stores its chunks. It gives those that
// are to be indexed.
func (w *Worker) read(ctx context.Context, it *work) ([]core.Chunk, error) {
	data, err := w.deps.Store.ReadBlob(ctx, it.doc.ContentHash)
	if err != nil {
		return nil, err
	}
	w.probe("parse")
	parsed, err := w.deps.Parser.Parse(ctx, parse.Input{Name: it.doc.Name, Data: data})
	switch core.CodeOf(err) {
	case "":
	case core.CodeUnavailable, core.CodeBusy, core.CodeDiskFull, core.CodeCanceled:
		return nil, err // of the reader, not of the file
	default:
		return nil, &permanent{err}
	}
	w.enter(it.doc.ID, core.StepChunk)
	it.job.Step = core.StepChunk
	all, indexed := w.cut(it.doc, parsed)
	if len(indexed) == 0 {
		return nil, &permanent{core.Errorf(core.CodeEmpty, "no text was found in the file")}
	}
	it.doc.Format, it.doc.Warnings, it.doc.Chunks = parsed.Format, parsed.Warnings, len(indexed)
	// A title that was given when the document was added stays.
	if title := strings.TrimSpace(parsed.Title); title != "" && it.doc.Title == it.doc.DefaultTitle() {
		it.doc.Title = title
	}
	w.probe("chunk")
	if err := w.deps.Store.SaveChunks(ctx, it.job.ID, it.doc, all); err != nil {
		return nil, err
	}
	it.job.Step = core.StepEmbed
	w.probe("chunked")
	return indexed, nil
}

// cut splits a document and names its chunks. It gives all of them, and those
// that are indexed.
func (w *Worker) cut(doc core.Document, parsed parse.Document) (all, indexed []core.Chunk) {
	pieces := chunk.Split(parsed, w.deps.Chunk)
	parents := make([]string, len(pieces.Parents))
	for i, c := range pieces.Parents {
		c.ID, c.BaseID, c.DocumentID = core.NewID(), doc.BaseID, doc.ID
		parents[i] = c.ID
		all = append(all, c)
	}
	for _, p := range pieces.Children {
		c := p.Chunk
		c.ID, c.BaseID, c.DocumentID = core.NewID(), doc.BaseID, doc.ID
		if p.Parent >= 0 && p.Parent < len(parents) {
			c.ParentID = parents[p.Parent]
		}
		indexed = append(indexed, c)
	}
	return append(all, indexed...), indexed
}

// index stores terms and vectors of the chunks, a batch at a time.
func (w *Worker) index(ctx context.Context, it *work, chunks []core.Chunk) error {
	w.enter(it.doc.ID, core.StepEmbed)
	for {
		n := min(batchSize, len(chunks))
		entries, err := w.entries(ctx, it.doc, chunks[:n])
		if err != nil {
			return err
		}
		w.probe("embed")
		last := n == len(chunks)
		if err := w.deps.Store.SaveIndexing(ctx, it.job.ID, w.model(), entries, last); err != nil {
			return err
		}
		if chunks = chunks[n:]; last {
			it.job.Step = core.StepPublish
			w.probe("embedded")
			return nil
		}
	}
}

func (w *Worker) model() string {
	if w.deps.Embedder == nil {
		return ""
	}
	return w.deps.Embedder.Model()
}

func (w *Worker) entries(ctx context.Context, doc core.Document, chunks []core.Chunk) ([]store.Indexing, error) {
	glossary, segmentation, err := w.glossary(ctx, doc.BaseID)
	if err != nil {
		return nil, err
	}
	entries := make([]store.Indexing, len(chunks))
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = passage(doc.Title, c)
		entries[i] = store.Indexing{ChunkID: c.ID, Terms: terms(glossary, doc.Title, c), Segmentation: segmentation}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if w.deps.Embedder == nil || len(chunks) == 0 {
		return entries, nil
	}
	vectors, err := w.deps.Embedder.Embed(ctx, llm.ForPassage, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(chunks) {
		return nil, &permanent{core.Errorf(core.CodeInternal, "the embedding model gave %d vectors for %d passages", len(vectors), len(chunks))}
	}
	for i, v := range vectors {
		if len(v) != w.deps.Embedder.Dim() {
			return nil, &permanent{core.Errorf(core.CodeInvalid, "the embedding model gave a vector of %d values; it was declared with %d", len(v), w.deps.Embedder.Dim())}
		}
		entries[i].Vector = index.EncodeVector(v)
	}
	return entries, nil
}

// passage is the text that is embedded for a chunk: where it stands, then what
// it says.
func passage(title string, c core.Chunk) string {
	var b strings.Builder
	for _, line := range append([]string{title}, c.Headings...) {
		if line != "" && !strings.HasPrefix(c.Content, line) {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	b.WriteString(c.Content)
	return b.String()
}

// permanent is a failure that would come again.
type permanent struct{ err error }

func (p *permanent) Error() string { return p.err.Error() }
func (p *permanent) Unwrap() error { return p.err }

// settle decides what becomes of a job that did not get through: a stopped
// one goes back as it was, what may pass is tried again, and the rest has
// failed. It reports whether the next attempt should wait. Of a deleted
// document there is no job any more, and nothing happens.
func (w *Worker) settle(ctx context.Context, it work, err error) (wait bool) {
	// The decision must be stored even while the server stops.
	keep := context.WithoutCancel(ctx)
	var lasting *permanent
	code := core.CodeOf(err)
	log := w.deps.Log.With("document", it.doc.ID, "step", it.job.Step, "attempt", it.job.Attempts)
	switch {
	case ctx.Err() != nil:
		err = w.deps.Store.RequeueJob(keep, it.job.ID, true)
	case code == core.CodeCanceled || errors.Is(err, context.Canceled):
		err = w.deps.Store.RequeueJob(keep, it.job.ID, false)
	case !errors.As(err, &lasting) && mayPass(code) && it.job.Attempts < maxAttempts:
		log.Warn("ingestion tries again later", "code", code, "error", err)
		wait, err = true, nil
	default:
		level := slog.LevelWarn
		if errors.As(err, &lasting) && code != core.CodeInternal {
			level = slog.LevelInfo // the file is at fault, and its owner is told
		}
		log.Log(keep, level, "ingestion failed", "code", code, "error", err)
		err = w.deps.Store.FailJob(keep, it.job, code, core.PublicMessage(err))
	}
	if err != nil {
		log.Error("ingestion cannot record the state of a job", "error", err)
	}
	return wait
}

// again waits and puts jobs back in the queue. The wait keeps the caller: a
// model or disk that fails one document fails the next as well.
func (w *Worker) again(ctx context.Context, list ...work) {
	if len(list) == 0 {
		return
	}
	w.sleep(ctx, list[0].job.Attempts)
	for _, it := range list {
		if err := w.deps.Store.RequeueJob(context.WithoutCancel(ctx), it.job.ID, false); err != nil {
			w.deps.Log.Error("ingestion cannot queue a job again", "document", it.doc.ID, "error", err)
		}
		signal(w.wake)
	}
}

// sleep waits before the n-th attempt again, or until ctx ends.
func (w *Worker) sleep(ctx context.Context, n int) {
	timer := time.NewTimer(w.deps.Backoff(n))
	defer timer.Stop()
	select {
	case <-timer.C:
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
