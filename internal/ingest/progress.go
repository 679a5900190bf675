package ingest

import (
	"context"
	"maps"
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

// Progress gives a snapshot for one base. Authorise the base before.
func (w *Worker) Progress(ctx context.Context, baseID string) (Progress, error) {
	counts, err := w.Store.CountDocuments(ctx, baseID)
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

// Watch gives a channel that holds a token whenever something may have changed
// since the last one was taken; read Progress then. Call stop when done.
func (w *Worker) Watch() (changes <-chan struct{}, stop func()) { return w.watchers.add() }

// watchers are those who follow the progress.
type watchers struct {
	mu   sync.Mutex
	list map[chan struct{}]bool
}

func (w *watchers) add() (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil {
		w.list = map[chan struct{}]bool{}
	}
	w.list[c] = true
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.list, c)
	}
}

func (w *watchers) changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range maps.Keys(w.list) {
		signal(c)
	}
}
