package eval

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"kaoju/internal/core"
)

// Question is what a System is asked.
type Question struct {
	Text     string
	History  []Turn   // earlier messages, oldest first
	OnlyDocs []string // ids of the passages that may be used; nil means all
}

// Ranking is what a search found: ids of passages, best first, each once.
type Ranking struct {
	Docs    []string
	Stages  []Ranked // the same after each stage, in their order; may be empty
	Timings []core.Timing
}

// Ranked is what a stage of a search left, best first, each id once.
type Ranked struct {
	Stage string
	Docs  []string
}

// Answer is what a System says.
type Answer struct {
	Text        string
	Probability float64 // the stated chance that the evidence answers the question
	Refused     bool    // it said that it does not know
	// Nearest are the ids of the FAQ entry that the question is most like; nil
	// where none was looked for. Direct says that its answer was given as it
	// stands.
	Nearest []string
	Direct  bool
	Timings []core.Timing
}

// System is what is measured. One System holds one set. Search and Ask are
// called from several goroutines; Ingest is called once, before them.
type System interface {
	// Ingest takes all passages of a set and returns when they are searchable.
	Ingest(ctx context.Context, docs []Doc) error
	// Search gives the k best passages, each ranked by its best chunk.
	Search(ctx context.Context, q Question, k int) (Ranking, error)
	// Ask answers a question.
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Options says how a run is done. The zero Options measures retrieval only,
// one question at a time.
type Options struct {
	Answers  bool // ask for answers, too
	Limit    int  // questions of a kind; 0 means all. The same ones each time, spread over the set
	Parallel int  // questions at once; 0 means 1
	// Progress, if set, is called after each question with the number done
	// and the number in all; calls do not overlap.
	Progress func(done, total int)
}

// depth is how many passages a search is asked for.
const depth = 10

// Run ingests a set and asks its questions. It returns the first error of the
// System, naming the question.
func Run(ctx context.Context, set Set, sys System, opts Options) (SetResult, error) {
	started := time.Now()
	if err := sys.Ingest(ctx, set.Docs); err != nil {
		return SetResult{}, fmt.Errorf("ingest set %s: %w", set.Name, err)
	}
	r := &run{set: set, sys: sys, opts: opts, gold: extractive(set), ingest: time.Since(started)}
	if err := r.ask(ctx); err != nil {
		return SetResult{}, fmt.Errorf("run set %s: %w", set.Name, err)
	}
	return r.result(), nil
}

// outcome is what came of one query or probe.
type outcome struct {
	query   *Query // nil for a probe
	probe   *Probe // nil for a query
	hasGold bool   // the answer can be compared with gold
	asked   bool   // answer is set
	ranking Ranking
	answer  Answer
}

type run struct {
	set    Set
	sys    System
	opts   Options
	gold   []bool
	ingest time.Duration

	mu       sync.Mutex
	done     int
	outcomes []outcome
}

// tasks lists what is to be asked, in the set's order.
func (r *run) tasks() []outcome {
	var tasks []outcome
	for _, i := range spread(len(r.set.Queries), r.opts.Limit) {
		o := outcome{query: &r.set.Queries[i], hasGold: r.gold != nil && r.gold[i]}
		tasks = append(tasks, o)
	}
	if r.opts.Answers {
		for _, i := range spread(len(r.set.Probes), r.opts.Limit) {
			tasks = append(tasks, outcome{probe: &r.set.Probes[i]})
		}
	}
	return tasks
}

// spread picks limit indices below n at even distances.
func spread(n, limit int) []int {
	if limit <= 0 || limit > n {
		limit = n
	}
	at := make([]int, limit)
	for i := range at {
		at[i] = i * n / limit
	}
	return at
}

func (r *run) ask(ctx context.Context) error {
	r.outcomes = r.tasks()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(r.opts.Parallel, 1))
	for i := range r.outcomes {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			defer r.advance()
			return r.one(ctx, &r.outcomes[i])
		})
	}
	return g.Wait()
}

func (r *run) one(ctx context.Context, o *outcome) error {
	var err error
	if o.probe != nil {
		p := o.probe
		o.answer, err = r.sys.Ask(ctx, Question{Text: p.Text, History: p.History, OnlyDocs: p.Contexts})
		o.asked = true
		return named(err, p.ID)
	}
	q := Question{Text: o.query.Text, History: o.query.History}
	if o.ranking, err = r.sys.Search(ctx, q, depth); err != nil {
		return named(err, o.query.ID)
	}
	if r.opts.Answers && (o.hasGold || r.set.Kind == KindFAQ) {
		o.answer, err = r.sys.Ask(ctx, q)
		o.asked = true
	}
	return named(err, o.query.ID)
}

func named(err error, id string) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("question %s: %w", id, err)
}

func (r *run) advance() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.opts.Progress != nil {
		r.opts.Progress(r.done, len(r.outcomes))
	}
}
