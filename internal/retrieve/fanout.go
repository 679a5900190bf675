package retrieve

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"kaoju/internal/core"
	"kaoju/internal/index"
)

// Limits of what one search asks of an engine.
const (
	maxGroups    = 4  // groups of targets at once
	maxInFlight  = 16 // other wordings at once
	groupTimeout = 30 * time.Second
)

// Least are the scores of the engine below which a hit of a whole base does
// not count; each lies in [0,1], and 0 lets all pass. What the caller narrowed
// to documents, tags or folders has none: there, little is better than
// nothing.
type Least struct{ Keyword, Vector float64 }

// group are targets that are asked together.
type group struct {
	targets  []index.Target
	narrowed bool
}

// groups puts whole bases together, for which the engine has one scale of
// rare and common words, and each narrowed target alone. A process has one
// engine, and a search one tenant.
func groups(targets []index.Target) []group {
	whole := group{}
	var list []group
	for _, t := range targets {
		if len(t.DocumentIDs)+len(t.TagIDs)+len(t.FolderIDs) > 0 {
			list = append(list, group{[]index.Target{t}, true})
		} else {
			whole.targets = append(whole.targets, t)
		}
	}
	if len(whole.targets) > 0 || len(list) == 0 {
		list = append([]group{whole}, list...)
	}
	return list
}

// ask takes a query to the engine, a group of targets at a time, and makes one
// result of theirs. It is all or nothing: half an answer would look like a
// whole one.
func (s *Searcher) ask(ctx context.Context, q index.Query, least Least) (index.Result, error) {
	list := groups(q.Targets)
	results := make([]index.Result, len(list))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(maxGroups)
	for i, g := range list {
		own := q
		own.Targets = g.targets
		if len(list) == 1 { // nothing to run beside it
			result, err := s.askGroup(ctx, own)
			return passing(result, g, least), err
		}
		work.Go(func() error {
			result, err := s.askGroup(ctx, own)
			results[i] = passing(result, g, least)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return index.Result{}, err
	}
	return united(results, q.Limit), nil
}

func (s *Searcher) askGroup(ctx context.Context, q index.Query) (index.Result, error) {
	own, cancel := context.WithTimeout(ctx, groupTimeout)
	defer cancel()
	result, err := s.Engine.Search(own, q)
	if err != nil && own.Err() != nil && ctx.Err() == nil {
		return result, core.Wrap(err, core.CodeTimeout, "the search took longer than %s; ask fewer knowledge bases at once", groupTimeout)
	}
	return result, err
}

// passing leaves out what is below the thresholds.
func passing(r index.Result, g group, least Least) index.Result {
	if g.narrowed {
		return r
	}
	r.Keyword = reaching(r.Keyword, least.Keyword)
	r.Vector = reaching(r.Vector, least.Vector)
	return r
}

// reaching cuts a list, best first, where it falls below a score.
func reaching(hits []index.Hit, least float64) []index.Hit {
	if least <= 0 {
		return hits
	}
	end, _ := slices.BinarySearchFunc(hits, least, func(h index.Hit, least float64) int {
		if h.Score >= least {
			return -1
		}
		return 1
	})
	return hits[:end]
}

// united makes one list of several, of each kind.
func united(results []index.Result, limit int) index.Result {
	var all index.Result
	for _, r := range results {
		all.Keyword, all.Vector = append(all.Keyword, r.Keyword...), append(all.Vector, r.Vector...)
	}
	return index.Result{Keyword: bestHits(all.Keyword, limit), Vector: bestHits(all.Vector, limit)}
}

func bestHits(hits []index.Hit, limit int) []index.Hit {
	slices.SortFunc(hits, func(a, b index.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ChunkID, b.ChunkID))
	})
	return hits[:min(len(hits), limit)]
}

// askVariants looks for other wordings by keywords, several at once. The
// results stand in the order of the variants.
func (s *Searcher) askVariants(ctx context.Context, req Request) ([]index.Result, error) {
	variants := req.Variants[:min(len(req.Variants), MaxVariants)]
	results := make([]index.Result, len(variants))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(maxInFlight)
	for i, v := range variants {
		work.Go(func() (err error) {
			results[i], err = s.ask(ctx, index.Query{Targets: req.Targets, Terms: v.Terms, Limit: req.fetch()}, Least{Keyword: req.Least.Keyword})
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return results, nil
}
