package ingest

import (
	"context"

	"kaoju/internal/knowledge"
	"kaoju/internal/store"
)

// Glossaries are the words that bases cut their passages by.
type Glossaries interface {
	knowledge.Glossary
	// Changes gives a value after glossaries have changed.
	Changes() <-chan struct{}
}

// reindexAll is the reindexer's life: bases whose passages are cut by another
// glossary than theirs, then sleep until one changes.
func (w *Worker) reindexAll(ctx context.Context) {
	for {
		bases, err := w.deps.Store.StaleBases(ctx)
		for _, b := range bases {
			if err == nil {
				err = w.reindex(ctx, b)
			}
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			w.deps.Log.Error("passages could not be indexed anew by a glossary", "error", err)
			w.sleep(ctx, maxAttempts)
			continue
		case len(bases) > 0:
			continue // a glossary may have changed, or a document come, meanwhile
		}
		select {
		case <-w.deps.Glossaries.Changes():
		case <-w.outdated:
		case <-ctx.Done():
			return
		}
	}
}

// reindex makes the terms of a base's passages anew, a batch at a time, and
// then lets the engine read them. What was done before a crash stays done.
func (w *Worker) reindex(ctx context.Context, b store.StaleBase) error {
	g, segmentation, err := w.deps.Glossaries.Of(ctx, b.ID)
	if err != nil {
		return err
	}
	for after := ""; ; {
		stale, err := w.deps.Store.StaleChunks(ctx, b.ID, segmentation, after, batchSize)
		if err != nil {
			return err
		}
		if len(stale) == 0 {
			break
		}
		list := make([]store.Indexing, len(stale))
		for i, c := range stale {
			list[i] = store.Indexing{ChunkID: c.ID, Terms: knowledge.Terms(g, c.Title, c.Chunk), Segmentation: segmentation}
		}
		if err := w.deps.Store.SaveTerms(ctx, list); err != nil {
			return err
		}
		after = stale[len(stale)-1].ID
	}
	if err := w.deps.Index.Reload(ctx, b.ID); err != nil {
		return err
	}
	if err := w.deps.Store.FinishReindexing(ctx, b, segmentation); err != nil {
		return err
	}
	w.probe("reindexed")
	return nil
}
