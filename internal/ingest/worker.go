// Package ingest brings documents into the index: parse → chunk → embed →
// publish.
//
//	w := ingest.New(ingest.Deps{Store: db, Parser: parser, Embedder: model, Index: engine})
//	w.Start(ctx)
//	defer w.Close() // waits
//	w.Wake()        // after a document was added
//
// Jobs are rows of the store. A job that was killed goes on at the step it was
// in: chunks are stored once they are cut, index entries batch by batch, and
// the publish is one transaction that also marks the document as ready, so
// that state and index cannot disagree. A deletion removes the job's row,
// whereupon nothing more can be stored for it.
//
// Documents that become ready close together are published in one version. A
// file that fails is marked with its reason, and the others go on. What may
// pass by itself is tried again, a few times; a file that cannot be read is
// not. While the embedding model is away or the disk is full, documents wait
// for as long as it takes, and Stalled says why. Nothing polls: workers sleep
// until Wake.
package ingest

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"kaoju/internal/chunk"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/parse"
	"kaoju/internal/store"
)

// Parser reads a file, a large one in parts.
type Parser interface {
	ParseParts(ctx context.Context, src parse.Source, each func(parse.Document) error) error
}

// Index is the part of the search engine that is told of changes.
type Index interface {
	// Refresh makes the last publish of a base searchable.
	Refresh(ctx context.Context, baseID string) error
	// Reload reads a base anew, whose passages have other terms now.
	Reload(ctx context.Context, baseID string) error
}

// Deps are what a Worker works with. Store, Parser and Index are needed.
type Deps struct {
	Store    *store.DB
	Parser   Parser
	Index    Index
	Embedder llm.Embedder // nil: keyword search only
	// Glossaries are the bases' own words; nil: there are none.
	Glossaries Glossaries
	// Recognise reads a document that has no text of its own, by a model that
	// sees; ok is false where there is none. nil: there is none.
	Recognise func(ctx context.Context, doc core.Document) (read parse.Document, ok bool, err error)
	// Reader names the version of the readers. What they made of PDF and Office
	// files is kept under it, to be cut anew; "": nothing is kept.
	Reader string
	// Published is told that documents became ready; nil: nobody is.
	Published func()
	Chunk     chunk.Settings // zero fields mean the defaults
	Workers   int            // documents at once; 0 means 2
	Log       *slog.Logger   // nil: silent
	// Backoff is the wait before the n-th attempt again, n from 1; nil means
	// seconds that double.
	Backoff func(n int) time.Duration
}

const (
	defaultWorkers = 2
	// maxAttempts bounds how often a job is begun: after failures that may
	// pass, and after starts of a server that ended without a word.
	maxAttempts = 5
	// fairTurn is how often a worker takes the oldest job, whatever its
	// priority: a bulk advances also while single documents keep coming.
	fairTurn = 4
)

// Worker owns the goroutines that ingest. Make it with New.
type Worker struct {
	deps     Deps
	wake     chan struct{}  // a token for each worker that should look
	finished chan work      // done but for the publish
	poke     chan struct{}  // the publisher should look whether work is left
	foreign  chan struct{}  // a base has vectors of another model
	outdated chan struct{}  // a publish may have brought passages that an older glossary cut
	busy     atomic.Int64   // workers that have a job or look for one
	group    sync.WaitGroup // all goroutines
	stop     context.CancelFunc
	probe    func(point string) // for tests: called at each point of a job
	watchers watchers
	stalled  atomic.Pointer[core.Error] // why no job can be begun
	told     atomic.Bool                // the log knows that the work stands still
	outage   outage                     // of the embedding model
	claim    func(ctx context.Context, oldest bool) (core.Job, core.Document, bool, error)

	mu      sync.Mutex
	running map[string]*running // by document
}

// work is a job with what belongs to it.
type work struct {
	job       core.Job
	doc       core.Document
	blameless bool // the attempt that failed does not count
}

// running is a job that a worker has in hand.
type running struct {
	step   core.Step
	cancel context.CancelFunc
}

// New makes a Worker that does nothing yet.
func New(d Deps) *Worker {
	if d.Workers <= 0 {
		d.Workers = defaultWorkers
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Backoff == nil {
		d.Backoff = func(n int) time.Duration { return time.Second << (n - 1) }
	}
	return &Worker{
		deps: d, claim: d.Store.ClaimJob, wake: make(chan struct{}, d.Workers), poke: make(chan struct{}, 1), outdated: make(chan struct{}, 1), foreign: make(chan struct{}, 1),
		finished: make(chan work, maxBatch), running: map[string]*running{}, probe: func(string) {},
	}
}

// Start recovers the jobs that an earlier process left and begins to work. The
// work ends with ctx, or with Close. It is called once, by the owner of the
// data folder.
func (w *Worker) Start(ctx context.Context) error {
	if err := w.deps.Store.RecoverJobs(ctx); err != nil {
		return err
	}
	ctx, w.stop = context.WithCancel(ctx)
	w.busy.Store(int64(w.deps.Workers))
	for range w.deps.Workers {
		w.group.Go(func() { w.work(ctx) })
	}
	w.group.Go(func() { w.publishAll(ctx) })
	if w.deps.Glossaries != nil {
		w.group.Go(func() { w.reindexAll(ctx) })
	}
	if w.deps.Embedder != nil {
		w.group.Go(func() { w.reembedding(ctx) })
	}
	w.group.Go(func() {
		if err := w.deps.Store.FinishDeletions(ctx); err != nil && ctx.Err() == nil {
			w.deps.Log.Warn("a deletion that was broken off could not be finished", "error", err)
		}
		if err := w.deps.Store.DropImports(ctx); err != nil && ctx.Err() == nil {
			w.deps.Log.Warn("an import that was broken off could not be removed", "error", err)
		}
		if err := w.deps.Store.SweepBlobs(ctx); err != nil && ctx.Err() == nil {
			w.deps.Log.Warn("originals that nobody needs could not be removed", "error", err)
		}
	})
	return nil
}

// Close stops all work and waits for it. What was begun goes on at the next
// start.
func (w *Worker) Close() {
	if w.stop != nil {
		w.stop()
	}
	w.group.Wait()
}

// Wake says that a job waits. It never blocks.
func (w *Worker) Wake() {
	signal(w.wake)
	w.watchers.changed()
}

// Reembed says that a base has vectors of another model. It never blocks.
func (w *Worker) Reembed() { signal(w.foreign) }

// Cancel stops work on a document that was deleted. The store refuses its
// results already; this only saves the effort.
func (w *Worker) Cancel(documentID string) {
	w.mu.Lock()
	if r := w.running[documentID]; r != nil {
		r.cancel()
	}
	w.mu.Unlock()
	w.watchers.changed()
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// work is a worker's life: jobs while there are any, then sleep.
func (w *Worker) work(ctx context.Context) {
	for turn := 1; ; turn++ {
		job, doc, ok, err := w.claim(ctx, turn%fairTurn == 0)
		w.stall(ctx, err)
		if err != nil && ctx.Err() == nil {
			w.sleep(ctx, maxAttempts)
			continue
		}
		if ok {
			w.do(ctx, work{job: job, doc: doc})
			continue
		}
		w.busy.Add(-1)
		signal(w.poke)
		select {
		case <-w.wake:
			w.busy.Add(1)
		case <-ctx.Done():
			return
		}
	}
}

// do works on one job up to its publish and settles what failed.
func (w *Worker) do(ctx context.Context, it work) {
	jobCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	w.running[it.doc.ID] = &running{step: it.job.Step, cancel: cancel}
	w.mu.Unlock()
	w.watchers.changed()
	err := w.prepare(jobCtx, &it)
	w.mu.Lock()
	delete(w.running, it.doc.ID)
	w.mu.Unlock()
	if err == nil {
		select {
		case w.finished <- it:
			return
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if w.settle(ctx, &it, err) {
		w.again(ctx, it)
	}
	w.watchers.changed()
}

func (w *Worker) enter(documentID string, step core.Step) {
	w.mu.Lock()
	if r := w.running[documentID]; r != nil {
		r.step = step
	}
	w.mu.Unlock()
	w.watchers.changed()
}
