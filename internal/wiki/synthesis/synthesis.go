// Package synthesis has a chat model write the pages of a wiki from the
// documents of another base: a page for each document, a page for each topic
// that documents share, and an index.
//
//	w := synthesis.New(synthesis.Deps{Store: db, Pages: wiki, Chat: model, Prompts: prompts}) // model gives the chat model
//	err := w.Start(ctx)
//	defer w.Close() // waits
//	job, err := w.Begin(ctx, scope, synthesis.Request{Wiki: "handbook", Source: "files"})
//
// A job is durable: what the model said of a document is stored before the next
// is read, so that a killed process goes on where it was and asks nothing
// twice. Every statement of a page names the passage that it rests on; what
// names none is left out, links lead only to pages that are there, and what
// people wrote is never replaced (see wiki.Service.Offer). One document or topic
// that the model makes nothing usable of does not stop the others. A model that
// is away is tried again a few times; then the job fails, and can be resumed.
package synthesis

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/prompt"
	"kaoju/internal/store"
)

// Pages takes the pages that are written. *wiki.Service is one.
type Pages interface {
	Offer(ctx context.Context, b core.KnowledgeBase, p core.WikiPage, note string) (did string, err error)
}

// Deps are what a Worker works with. Store, Pages, Prompts and Chat are needed.
type Deps struct {
	Store *store.DB
	Pages Pages
	// Chat gives the model; nil where there is none, and no job can be begun.
	Chat    func() llm.Chat
	Prompts *prompt.Library
	// Spent books what the calls of a job cost; nil books nothing.
	Spent func(ctx context.Context, tenantID string, spent []core.Spent)
	Log   *slog.Logger // nil: silent
	// Backoff is the wait before the n-th attempt again, n from 1; nil means
	// seconds that double.
	Backoff func(n int) time.Duration
}

// Worker owns the goroutine that writes. Make it with New. Its methods are safe
// from any number of goroutines.
type Worker struct {
	deps  Deps
	wake  chan struct{}
	group sync.WaitGroup
	stop  context.CancelFunc
	probe func(point string) // for tests: called at each point of a job

	mu      sync.Mutex
	running map[string]context.CancelFunc
	change  chan struct{} // closed by the next change; nil while nobody waits
}

// New makes a Worker that does nothing yet.
func New(d Deps) *Worker {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Backoff == nil {
		d.Backoff = func(n int) time.Duration { return time.Second << n }
	}
	if d.Spent == nil {
		d.Spent = func(context.Context, string, []core.Spent) {}
	}
	return &Worker{deps: d, wake: make(chan struct{}, 1), running: map[string]context.CancelFunc{}, probe: func(string) {}}
}

// Start recovers the jobs that an earlier process left and begins to work. The
// work ends with ctx, or with Close. It is called once, by the owner of the
// data folder.
func (w *Worker) Start(ctx context.Context) error {
	if err := w.deps.Store.RecoverWikiJobs(ctx); err != nil {
		return err
	}
	ctx, w.stop = context.WithCancel(ctx)
	w.group.Go(func() { w.work(ctx) })
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

// Changed gives a channel that is closed when a job changes. Take it before
// reading the job, so that no change is missed.
func (w *Worker) Changed() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.change == nil {
		w.change = make(chan struct{})
	}
	return w.change
}

func (w *Worker) changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.change != nil {
		close(w.change)
		w.change = nil
	}
}

// work is the worker's life: jobs while there are any, then sleep.
func (w *Worker) work(ctx context.Context) {
	for ctx.Err() == nil {
		job, ok, err := w.deps.Store.ClaimWikiJob(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			w.deps.Log.Error("no job can be begun that writes wiki pages", "error", err)
			w.sleep(ctx, maxAttempts)
		case ok:
			w.do(ctx, job)
		default:
			select {
			case <-w.wake:
			case <-ctx.Done():
			}
		}
	}
}

// do works on one job and stores how it ended.
func (w *Worker) do(ctx context.Context, job core.WikiJob) {
	jobCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	w.running[job.ID] = cancel
	w.mu.Unlock()
	w.changed()
	counted, meter := llm.WithMeter(jobCtx)
	r := &run{w: w, job: job}
	err := r.all(counted)
	w.deps.Spent(ctx, job.TenantID, meter.Sum())
	w.mu.Lock()
	delete(w.running, job.ID)
	w.mu.Unlock()
	w.settle(ctx, job, err)
	w.changed()
}

// settle stores what became of a job. One that was stopped by a user has its
// state already, and one whose wiki was deleted is gone.
func (w *Worker) settle(ctx context.Context, job core.WikiJob, err error) {
	to, why := core.JobDone, (*core.Error)(nil)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		to = core.JobQueued
	case core.CodeOf(err) == core.CodeCanceled || errors.Is(err, context.Canceled):
		return
	default:
		to, why = core.JobFailed, &core.Error{Code: core.CodeOf(err), Message: core.PublicMessage(err)}
		w.deps.Log.Warn("wiki pages could not be written", "job", job.ID, "code", why.Code, "error", err)
	}
	if _, err := w.deps.Store.EndWikiJob(context.WithoutCancel(ctx), job.ID, []core.JobState{core.JobRunning}, to, why); err != nil {
		w.deps.Log.Error("the state of a job that writes wiki pages is lost until the next start", "job", job.ID, "error", err)
	}
}

// maxAttempts bounds how often a model that is away is asked again for one
// item.
const maxAttempts = 4

// sleep waits before the n-th attempt again, or until ctx ends.
func (w *Worker) sleep(ctx context.Context, n int) {
	timer := time.NewTimer(w.deps.Backoff(n))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
