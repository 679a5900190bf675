package retrieve

import (
	"context"
	"fmt"

	"kaoju/internal/index"
	"kaoju/internal/llm"
)

// inSpace gives the targets whose vectors are of the model e, and a
// note about those that are not: numbers of two models say nothing about each
// other, so these are searched by keywords until they are embedded anew.
func inSpace(e llm.Embedder, req Request) (near []index.Target, note string) {
	if e == nil {
		return nil, ""
	}
	others := map[string]bool{}
	for _, t := range req.Targets {
		if space := req.Spaces[t.BaseID]; space == "" || space == e.Model() {
			near = append(near, t)
		} else {
			others[t.BaseID] = true
		}
	}
	if len(others) > 0 {
		note = fmt.Sprintf("keywords only in %d of the knowledge bases: they are being embedded anew by %s", len(others), e.Model())
	}
	return near, note
}

// findApart searches words everywhere and vectors only in some targets.
func (s *Searcher) findApart(ctx context.Context, q index.Query, near []index.Target, least Least) (index.Result, error) {
	words, vector := q, q
	words.Vector = nil
	result, err := s.ask(ctx, words, least)
	if err != nil {
		return result, err
	}
	vector.Terms, vector.Targets = nil, near
	found, err := s.ask(ctx, vector, least)
	result.Vector = found.Vector
	return result, err
}
