package stage

import (
	"context"
	"fmt"
	"slices"

	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
)

// looser is the factor on the keyword threshold for other wordings.
const looser = .8

// expand looks for other wordings of a question for which less was found than
// is wanted, and puts what is new behind what was found.
func expand(ctx context.Context, t *pipeline.Turn, searcher Searcher, req retrieve.Request, found []retrieve.Found) ([]retrieve.Found, error) {
	if len(found) >= req.Limit {
		return found, nil
	}
	req.Variants = retrieve.Expand(req.Question)
	if len(req.Variants) == 0 {
		return found, nil
	}
	if err := t.Variants.Set(req.Variants); err != nil {
		return nil, err
	}
	req.Limit *= 2
	req.Least.Keyword *= looser
	more, _, err := searcher.Search(ctx, req)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, f := range found {
		known[f.Chunk.ID] = true
	}
	all := slices.Clone(found)
	for _, f := range more {
		if !known[f.Chunk.ID] {
			all = append(all, f)
		}
	}
	t.Note(pipeline.StageSearch, "expanded", fmt.Sprintf("%d other wordings found %d more", len(req.Variants), len(all)-len(found)))
	return all, nil
}
