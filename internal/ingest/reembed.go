package ingest

import (
	"cmp"
	"context"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

// reembedding is the life of what embeds bases anew: those that are there, then
// sleep until one comes.
func (w *Worker) reembedding(ctx context.Context) {
	lost := map[string]bool{} // bases that failed for good, which hold up no others
	for {
		w.reembedAll(ctx, lost)
		select {
		case <-w.foreign:
		case <-ctx.Done():
			return
		}
	}
}

// reembedAll gives the bases that are searched by another model's vectors those
// of ours, one base after the other. A model that does not answer is asked
// again until it does: the bases stay searchable as they are.
func (w *Worker) reembedAll(ctx context.Context, lost map[string]bool) {
	for attempt := 1; ctx.Err() == nil; attempt++ {
		indexer := w.indexer().Now()
		bases, err := w.deps.Store.OtherSpaces(ctx, indexer.Model())
		for _, b := range bases {
			if lost[b.ID] || ctx.Err() != nil {
				continue
			}
			failed := w.reembed(ctx, indexer, b)
			if failed != nil && ctx.Err() == nil && !mayPass(core.CodeOf(failed)) {
				w.deps.Log.Error("a knowledge base could not be embedded anew; it stays as it was", "base", b.ID, "error", failed)
				lost[b.ID] = true
				continue
			}
			err = cmp.Or(err, failed)
		}
		if err == nil || ctx.Err() != nil {
			return
		}
		w.deps.Log.Warn("a knowledge base is embedded anew later", "error", err)
		w.sleep(ctx, min(attempt, maxAttempts))
	}
}

// reembed embeds the passages of a base that have no vector of ours, lets
// searches read the new ones, and removes the old. What was done before a
// crash stays done.
func (w *Worker) reembed(ctx context.Context, indexer knowledge.Indexer, b core.KnowledgeBase) error {
	model := indexer.Model()
	left, err := w.deps.Store.CountUnembedded(ctx, b.ID, model)
	if err != nil {
		return err
	}
	w.deps.Log.Info("a knowledge base is embedded anew", "base", b.ID, "from", b.EmbeddingModel, "to", model, "passages", left)
	for {
		if err := w.embedRest(ctx, indexer, b.ID); err != nil {
			return err
		}
		w.probe("reembedded")
		done, err := w.deps.Store.SwitchSpace(ctx, b.ID, model)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	if err := w.deps.Index.Reload(ctx, b.ID); err != nil {
		return err
	}
	w.probe("switched")
	w.watchers.changed()
	return w.deps.Store.DropOtherVectors(ctx, b.ID)
}

// embedRest embeds what has no vector yet, a batch at a time.
func (w *Worker) embedRest(ctx context.Context, indexer knowledge.Indexer, baseID string) error {
	model := indexer.Model()
	for after := ""; ; {
		some, err := w.deps.Store.UnembeddedChunks(ctx, baseID, model, after, batchSize)
		if err != nil || len(some) == 0 {
			return err
		}
		chunks, titles := make([]core.Chunk, len(some)), make([]string, len(some))
		for i, c := range some {
			chunks[i], titles[i] = c.Chunk, c.Title
		}
		entries, err := indexer.Vectors(ctx, titles, chunks)
		if err != nil {
			return err
		}
		if err := w.deps.Store.SaveVectors(ctx, model, entries); err != nil {
			return err
		}
		after = some[len(some)-1].ID
	}
}
