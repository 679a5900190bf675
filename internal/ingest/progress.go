package ingest

import (
	"context"
	"sync"

	"kaoju/internal/core"
	"kaoju/internal/store"
)

// Progress is where the documents of a base stand. Steps holds those that are
// being worked on, by document id; they are of any base.
type Progress struct {
	store.DocumentCounts
	Steps map[string]core.Step `json:"steps"`
}

// Left is how many documents are not done.
func (p Progress) Left() int { return p.Queued + p.Processing }

// Stalled says why the work stands still, a full disk for one: no job can be
// begun, and documents wait. It is nil while the work goes on.
func (w *Worker) Stalled() error {
	if err := w.stalled.Load(); err != nil {
		return err
	}
	return nil
}

// stall notes why the work stands still, or with nil that it goes on. The log
// hears of it once, until something was published again, however many jobs
// meet the same fault.
func (w *Worker) stall(ctx context.Context, err error) {
	var why *core.Error
	if err != nil && ctx.Err() == nil {
		why = &core.Error{Code: core.CodeOf(err), Message: "documents wait: " + core.PublicMessage(err), Err: err}
		if !w.told.Swap(true) {
			w.deps.Log.Error("ingestion stands still; it tries again until it can go on", "code", why.Code, "error", err)
		}
	}
	if was := w.stalled.Swap(why); (was == nil) != (why == nil) {
		w.watchers.changed()
	}
}

// Progress gives a snapshot for one base. Authorise the base before.
func (w *Worker) Progress(ctx context.Context, baseID string) (Progress, error) {
	counts, err := w.deps.Store.CountDocuments(ctx, baseID)
	if err != nil {
		return Progress{}, err
	}
	p := Progress{DocumentCounts: counts, Steps: map[string]core.Step{}}
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, r := range w.running {
		p.Steps[id] = r.step
	}
	return p, nil
}

// Changed gives a channel that is closed when something changes. Take it
// before reading Progress, so that no change is missed.
func (w *Worker) Changed() <-chan struct{} { return w.watchers.next() }

// watchers are those who follow the progress.
type watchers struct {
	mu     sync.Mutex
	change chan struct{} // closed by the next change; nil while nobody waits
}

func (w *watchers) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.change == nil {
		w.change = make(chan struct{})
	}
	return w.change
}

func (w *watchers) changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.change != nil {
		close(w.change)
		w.change = nil
	}
}
