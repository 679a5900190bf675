package ingest

import (
	"context"
	"time"

	"kaoju/internal/core"
)

const (
	// maxBatch documents or maxBatchChunks chunks are enough for one version:
	// its transaction takes some twenty milliseconds, for which a question may
	// have to wait.
	maxBatch       = 256
	maxBatchChunks = 2000
	// maxLinger is how long a finished document waits for others while the
	// workers have more in hand. With nothing in hand, it does not wait.
	maxLinger = 200 * time.Millisecond
)

// publishAll is the publisher's life: it gathers finished documents and
// publishes them together once no worker is busy, enough have come, or the
// first of them has waited long enough. So a single upload is searchable at
// once, and a thousand do not make a thousand versions.
func (w *Worker) publishAll(ctx context.Context) {
	var batch []work
	var linger <-chan time.Time
	for {
		due := false
		select {
		case it := <-w.finished:
			batch = append(batch, it)
			if linger == nil {
				linger = time.After(maxLinger)
			}
		case <-w.poke:
		case <-linger:
			due = true
		case <-ctx.Done():
			w.putBack(ctx, batch)
			return
		}
		if !due && !enough(batch) && (w.busy.Load() > 0 || len(w.finished) > 0) || len(batch) == 0 {
			continue
		}
		w.publish(ctx, batch)
		batch, linger = nil, nil
	}
}

func enough(batch []work) bool {
	chunks := 0
	for _, it := range batch {
		chunks += it.doc.Chunks
	}
	return len(batch) >= maxBatch || chunks >= maxBatchChunks
}

// putBack returns what was finished and not published to the queue.
func (w *Worker) putBack(ctx context.Context, batch []work) {
	for {
		for _, it := range batch {
			w.settle(ctx, &it, ctx.Err())
		}
		select {
		case it := <-w.finished:
			batch = []work{it}
		default:
			return
		}
	}
}

// publish makes one version of each base that the batch touches.
func (w *Worker) publish(ctx context.Context, batch []work) {
	byBase := map[string][]work{}
	var order []string
	for _, it := range batch {
		if byBase[it.doc.BaseID] == nil {
			order = append(order, it.doc.BaseID)
		}
		byBase[it.doc.BaseID] = append(byBase[it.doc.BaseID], it)
	}
	for _, id := range order {
		w.publishBase(ctx, id, byBase[id])
	}
	w.watchers.changed()
}

func (w *Worker) publishBase(ctx context.Context, baseID string, batch []work) {
	jobs := make([]core.Job, len(batch))
	for i, it := range batch {
		jobs[i] = it.job
	}
	w.probe("publish")
	version, err := w.deps.Store.PublishJobs(ctx, baseID, jobs)
	if core.CodeOf(err) == core.CodeNotFound {
		return // the base was deleted, and all of this with it
	}
	if err != nil {
		var rest []work
		for _, it := range batch {
			if w.settle(ctx, &it, err) {
				rest = append(rest, it)
			}
		}
		w.again(ctx, rest...)
		return
	}
	w.told.Store(false)
	w.probe("published")
	if version == 0 {
		return
	}
	if err := w.deps.Index.Refresh(ctx, baseID); err != nil && ctx.Err() == nil {
		// The next search of the version catches up, or reports it.
		w.deps.Log.Error("the search index could not follow a publish", "base", baseID, "version", version, "error", err)
	}
	signal(w.outdated)
	if w.deps.Published != nil {
		w.deps.Published()
	}
}
