// Package embedded is the search engine inside the process. The SQL store
// holds the truth; memory holds what is derived from it, a knowledge base
// apart from the other: postings for BM25, int8 vectors for a flat scan with
// exact re-ranking, and the facts that filters ask for.
//
//	engine := embedded.New(source)
//	err := engine.Refresh(ctx, baseID) // after a publish
//	result, err := engine.Search(ctx, query)
//
// A base consists of immutable segments of at most 65,536 passages. A refresh
// reads what was published since the last one, appends a segment, merges
// small ones, and swaps the snapshot; searches never wait for it. A base that
// was not loaded, or whose version is newer than what memory knows, is read
// by the search that needs it, so that a search is never behind its version.
//
// Memory a passage of 400 characters: about 3 bytes a different term, 2 bytes
// a vector value, and 150 bytes for the rest.
package embedded

import (
	"context"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/store"
)

// Source is where the engine reads entries from: the store.
type Source interface {
	// EachEntry yields the entries of a base whose lives changed after
	// sinceVersion; 0 means all. An error of yield ends it and is returned.
	EachEntry(ctx context.Context, baseID string, sinceVersion int64, yield func(store.StoredEntry) error) error
}

const (
	defaultLimit = 50
	maxLimit     = 500
)

// Engine is an index.Engine in memory. It is safe for concurrent use.
type Engine struct {
	source Source
	params Params
	seed   maphash.Seed
	dot    dotter
	dot4   dotter4
	rooms  *sync.Pool // of *scores

	generations atomic.Uint64 // of snapshots, over all bases

	mu    sync.RWMutex
	bases map[string]*base
}

// New makes an engine that holds nothing yet.
func New(source Source) *Engine { return NewWith(source, DefaultParams()) }

// NewWith is New with other numbers for BM25.
func NewWith(source Source, params Params) *Engine {
	return &Engine{
		source: source, params: params, seed: maphash.MakeSeed(), dot: fastestDot(), dot4: fastestDot4(),
		rooms: newScoresPool(), bases: map[string]*base{},
	}
}

// Refresh reads what was published in a base since the last refresh. On an
// error the base stays searchable as it was.
func (e *Engine) Refresh(ctx context.Context, baseID string) error {
	err := e.base(baseID).refresh(ctx, e.source, e.seed)
	return core.Wrap(err, core.CodeInternal, "the search index of knowledge base %s could not be brought up to date", baseID)
}

// Reload reads a base anew from the start, as when its passages have other
// terms now. Searches go on with what is there until all of it is read.
func (e *Engine) Reload(ctx context.Context, baseID string) error {
	err := e.base(baseID).reload(ctx, e.source, e.seed)
	return core.Wrap(err, core.CodeInternal, "the search index of knowledge base %s could not be read anew", baseID)
}

// Drop forgets a base: after its deletion, or to have it read anew from the
// start, as when old versions were collected.
func (e *Engine) Drop(baseID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.bases, baseID)
}

// Generation changes whenever a search of a base may find something else than
// before; 0 means that the base is not loaded.
func (e *Engine) Generation(baseID string) uint64 {
	e.mu.RLock()
	b := e.bases[baseID]
	e.mu.RUnlock()
	if b == nil {
		return 0
	}
	return b.generation.Load()
}

// Stats says what memory holds of a base.
type Stats struct {
	Passages  int // without those that were replaced
	Segments  int
	Version   int64 // the newest one seen
	Dimension int   // of the vectors; 0 where there are none
}

// Stats describes a base; all zero for one that is not loaded.
func (e *Engine) Stats(baseID string) Stats {
	e.mu.RLock()
	b := e.bases[baseID]
	e.mu.RUnlock()
	if b == nil {
		return Stats{}
	}
	s := b.current.Load()
	if s == nil {
		return Stats{}
	}
	passages, _ := s.passages()
	stats := Stats{Passages: passages, Segments: len(s.parts), Version: s.seen}
	for _, p := range s.parts {
		stats.Dimension = max(stats.Dimension, p.dim)
	}
	return stats
}

func (e *Engine) base(id string) *base {
	e.mu.RLock()
	b := e.bases[id]
	e.mu.RUnlock()
	if b != nil {
		return b
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if b = e.bases[id]; b == nil {
		b = &base{id: id, counter: &e.generations}
		e.bases[id] = b
	}
	return b
}

// Search answers a query over all its targets with shared statistics. A
// passage that several targets allow is found once. A vector of another
// length than those of a target's base is a core.CodeConflict.
func (e *Engine) Search(ctx context.Context, q index.Query) (index.Result, error) {
	snapshots, scans, err := e.open(ctx, q.Targets)
	if err != nil {
		return index.Result{}, err
	}
	limit := min(q.Limit, maxLimit)
	if limit <= 0 {
		limit = defaultLimit
	}
	words, err := e.keyword(ctx, e.params.plan(snapshots, q.Terms), scans, limit)
	if err != nil {
		return index.Result{}, err
	}
	near, err := e.vectors(ctx, q.Vector, scans, limit)
	if err != nil {
		return index.Result{}, err
	}
	return index.Result{Keyword: hits(words), Vector: hits(near)}, nil
}

// open gives the snapshots of the targets' bases, each once, and the parts
// that can hold a hit.
func (e *Engine) open(ctx context.Context, targets []index.Target) ([]*snapshot, []*scan, error) {
	byBase := map[string][]index.Target{}
	var order []string
	for _, t := range targets {
		if len(byBase[t.BaseID]) == 0 {
			order = append(order, t.BaseID)
		}
		byBase[t.BaseID] = append(byBase[t.BaseID], t)
	}
	var snapshots []*snapshot
	var scans []*scan
	for _, id := range order {
		s, err := e.snapshot(ctx, id, byBase[id])
		if err != nil {
			return nil, nil, err
		}
		snapshots = append(snapshots, s)
		scans = append(scans, scansOf(s, byBase[id])...)
	}
	return snapshots, scans, ctx.Err()
}

func (e *Engine) snapshot(ctx context.Context, baseID string, targets []index.Target) (*snapshot, error) {
	newest := int64(0)
	for _, t := range targets {
		newest = max(newest, t.Version)
	}
	s, err := e.base(baseID).at(ctx, newest, e.source, e.seed)
	return s, core.Wrap(err, core.CodeInternal, "the search index of knowledge base %s could not be read", baseID)
}

func scansOf(s *snapshot, targets []index.Target) []*scan {
	var scans []*scan
	for _, p := range s.parts {
		one := &scan{part: p, baseID: s.baseID, narrow: true}
		for _, t := range targets {
			if f, ok := resolve(p, t); ok {
				one.filters = append(one.filters, f)
				one.narrow = one.narrow && f.narrow
			}
		}
		if len(one.filters) > 0 {
			scans = append(scans, one)
		}
	}
	return scans
}

func hits(list []found) []index.Hit {
	if len(list) == 0 {
		return nil
	}
	out := make([]index.Hit, len(list))
	for i, f := range list {
		facts := &f.scan.facts
		out[i] = index.Hit{
			BaseID:     f.scan.baseID,
			ChunkID:    string(f.id()),
			DocumentID: string(facts.documents.at(facts.document[f.doc])),
			Score:      min(float64(f.score), 1),
		}
	}
	return out
}

func passagesOf(scans []*scan) int {
	n := 0
	for _, s := range scans {
		n += s.len()
	}
	return n
}

// largeScan is the number of passages from which on more than one core is
// worth waking: below it a scan takes less than a millisecond.
const largeScan = 20_000

// inParallel does work(top, i) for every i below n. Large jobs go to several
// goroutines, each with a top list of its own; it returns when all are done.
func inParallel(ctx context.Context, n, size int, work func(top *best, i int), k int) ([]*best, error) {
	workers := 1
	if size >= largeScan {
		workers = max(1, min(n, runtime.GOMAXPROCS(0)))
	}
	tops := make([]*best, workers)
	var group sync.WaitGroup
	for w := range workers {
		tops[w] = &best{k: k}
		run := func() {
			for i := w; i < n && ctx.Err() == nil; i += workers {
				work(tops[w], i)
			}
		}
		if w == workers-1 {
			run()
		} else {
			group.Go(run)
		}
	}
	group.Wait()
	return tops, ctx.Err()
}
