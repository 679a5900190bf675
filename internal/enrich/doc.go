// Package enrich has models add to documents what their text does not say: a
// summary, questions that passages answer, what tables and pictures hold, tags.
//
//	e := enrich.New(enrich.Options{Store: db, Index: engine, Indexer: indexer, Chat: chat, Vision: vision, Prompts: prompts})
//	e.Start(ctx)
//	defer e.Close() // waits
//	e.Wake()        // after a publish
//
// A document is searchable before any of this begins. Each step is a row of the
// store with its state; what a model said about a passage, a table or a picture
// is stored at once, so that a step that was killed asks nothing twice, and its
// result enters the base in one transaction with the end of the step. Without a
// model a step is skipped, and says so; one that fails leaves the document as it
// is. What documents hold goes to models as data between tags.
package enrich

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
	"kaoju/internal/llm"
	"kaoju/internal/parse"
	"kaoju/internal/prompt"
	"kaoju/internal/store"
)

// Index is told of new versions.
type Index interface {
	Refresh(ctx context.Context, baseID string) error
}

// Pictures takes the pictures out of a file. *parse.Parser is one.
type Pictures interface {
	Pictures(ctx context.Context, in parse.Input) ([]parse.Picture, error)
}

// Options are what an Enricher works with. Store, Index and Prompts are needed.
type Options struct {
	Store   *store.DB
	Index   Index
	Indexer knowledge.Indexer
	Prompts *prompt.Library
	// Chat and Vision give the models of the moment; nil, or giving nil, means
	// that there is none.
	Chat     func() llm.Chat
	Vision   func() llm.Vision
	Pictures Pictures
	// Spent hears what the models cost.
	Spent func(ctx context.Context, spent []core.Spent)
	Log   *slog.Logger // nil: silent
	// Backoff is the wait before the n-th attempt again, n from 1; nil means
	// seconds that double.
	Backoff func(n int) time.Duration
}

const (
	// maxAttempts bounds how often a step is begun.
	maxAttempts = 3
	// atOnce is how many calls of a model one step makes at once: documents must
	// not take the model from questions.
	atOnce = 2
	// plans is how many documents are planned in one transaction.
	plans = 256
)

// Enricher owns the goroutine that enriches. Make it with New.
type Enricher struct {
	Options
	wake  chan struct{}
	stop  context.CancelFunc
	group sync.WaitGroup
	probe func(point string) // for tests: called at each point of a step
}

// New makes an Enricher that does nothing yet.
func New(o Options) *Enricher {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Backoff == nil {
		o.Backoff = func(n int) time.Duration { return time.Second << n }
	}
	if o.Spent == nil {
		o.Spent = func(context.Context, []core.Spent) {}
	}
	return &Enricher{Options: o, wake: make(chan struct{}, 1), probe: func(string) {}}
}

// Start begins to work, first on what an earlier process left. The work ends
// with ctx, or with Close.
func (e *Enricher) Start(ctx context.Context) {
	ctx, e.stop = context.WithCancel(ctx)
	e.group.Go(func() { e.work(ctx) })
}

// Close stops all work and waits for it. What was begun goes on at the next
// start.
func (e *Enricher) Close() {
	if e.stop != nil {
		e.stop()
	}
	e.group.Wait()
}

// Wake says that there may be work. It never blocks.
func (e *Enricher) Wake() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// work is the life of the Enricher: documents while there are any, then sleep.
func (e *Enricher) work(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; {
		busy, err := e.once(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			failures = min(failures+1, maxAttempts)
			e.Log.Warn("documents could not be enriched; it goes on later", "error", err)
			e.sleep(ctx, failures)
		case !busy:
			select {
			case <-e.wake:
			case <-ctx.Done():
			}
		default:
			failures = 0
		}
	}
}

// once plans what is new, and else does the steps of the next document. It
// reports whether there was anything to do; an error is the store's.
func (e *Enricher) once(ctx context.Context) (busy bool, err error) {
	fresh, err := e.Store.Unplanned(ctx, plans)
	if err != nil {
		return false, err
	}
	if len(fresh) > 0 {
		return true, e.plan(ctx, fresh)
	}
	next, ok, err := e.Store.NextEnrichment(ctx)
	if err != nil || !ok {
		return false, err
	}
	return true, e.document(ctx, next)
}

// plan decides which steps are to be done for documents.
func (e *Enricher) plan(ctx context.Context, fresh []store.Enriching) error {
	wanted := map[string]core.Enrichment{}
	for i, d := range fresh {
		own, known := wanted[d.BaseID]
		if !known {
			var err error
			if own, err = e.Store.Enrichment(ctx, d.BaseID); err != nil && core.CodeOf(err) != core.CodeNotFound {
				return err
			}
			wanted[d.BaseID] = own
		}
		for _, s := range core.EnrichSteps() {
			step := core.Enriched{Step: s, State: core.EnrichPending, UpdatedAt: time.Now().UTC()}
			if why := e.without(s); !own.Wants(s) {
				step.State, step.Reason = core.EnrichSkipped, "switched off for this knowledge base"
			} else if why != "" {
				step.State, step.Reason = core.EnrichSkipped, why
			}
			fresh[i].Steps = append(fresh[i].Steps, step)
		}
	}
	return e.Store.SaveEnrichments(ctx, fresh...)
}

// without says which model is missing for a step; "" for none.
func (e *Enricher) without(s core.EnrichStep) string {
	switch {
	case s == core.EnrichPictures && e.vision() == nil:
		return "no vision model is set (vision_model)"
	case s != core.EnrichPictures && e.chat() == nil:
		return "no chat model is set (chat_model)"
	}
	return ""
}

func (e *Enricher) chat() llm.Chat {
	if e.Chat == nil {
		return nil
	}
	return e.Chat()
}

func (e *Enricher) vision() llm.Vision {
	if e.Vision == nil {
		return nil
	}
	return e.Vision()
}

// document does the steps of one document.
func (e *Enricher) document(ctx context.Context, d store.Enriching) error {
	for i := range d.Steps {
		s := &d.Steps[i]
		if s.State != core.EnrichPending && s.State != core.EnrichRunning {
			continue
		}
		if err := e.attempts(ctx, d, s); err != nil {
			return err
		}
	}
	return nil
}

// attempts does one step, again where its failure may pass. It fails only
// where the store does, or the work ends.
func (e *Enricher) attempts(ctx context.Context, d store.Enriching, s *core.Enriched) error {
	for {
		if s.Attempts >= maxAttempts {
			s.Reason = or(s.Reason, "the server ended while it worked on this")
			return e.settle(ctx, d, s, core.EnrichFailed)
		}
		s.Attempts++
		if err := e.settle(ctx, d, s, core.EnrichRunning); err != nil {
			return err
		}
		e.probe(string(s.Step))
		counted, meter := llm.WithMeter(llm.WithBase(ctx, d.BaseID))
		err := e.step(counted, d, s)
		e.Spent(counted, meter.Sum())
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		s.Reason = core.PublicMessage(err)
		code := core.CodeOf(err)
		if code == core.CodeNotFound || code == core.CodeCanceled {
			return e.settle(ctx, d, s, core.EnrichSkipped) // the document is gone
		}
		e.Log.Warn("a document could not be enriched", "document", d.DocumentID, "step", s.Step, "attempt", s.Attempts, "code", code, "error", err)
		if !mayPass(code) {
			return e.settle(ctx, d, s, core.EnrichFailed)
		}
		e.sleep(ctx, s.Attempts)
	}
}

func (e *Enricher) settle(ctx context.Context, d store.Enriching, s *core.Enriched, state core.EnrichState) error {
	s.State, s.UpdatedAt = state, time.Now().UTC()
	return e.Store.SaveEnrichments(ctx, d)
}

func mayPass(code core.Code) bool {
	return slices.Contains([]core.Code{core.CodeUnavailable, core.CodeTimeout, core.CodeBusy, core.CodeDiskFull, core.CodeInternal, core.CodeConflict}, code)
}

func (e *Enricher) sleep(ctx context.Context, n int) {
	timer := time.NewTimer(e.Backoff(n))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
