package stage

import (
	"context"
	"fmt"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
)

// Passages reads what stands around and above passages that were found.
type Passages interface {
	Chunks
	retrieve.NeighbourReader
}

// Merge makes of the ranked passages, or the candidates where ranking was left
// out, what the answer may be written from, in steps: duplicates out, what the
// last answer cited in, children and pictures to the text that they stand in,
// neighbours joined, questions of FAQ entries to their answers, short passages
// widened, and out with what something better contains. A step that fails
// leaves the passages as they are; the trace says what each step did.
func Merge(searcher Searcher, passages Passages, sketches *retrieve.Sketches, cfg config.Retrieve) pipeline.Plugin {
	m := merging{searcher, passages, sketches, cfg}
	return step{"merge", pipeline.StageMerge, func(ctx context.Context, t *pipeline.Turn) error {
		list, ranked := t.Reranked.Get()
		if !ranked {
			list = t.Candidates.Value()
		}
		all := len(list)
		t.Note(pipeline.StageMerge, "input", fmt.Sprintf("%d, ranked %t", all, ranked))
		for _, s := range m.steps() {
			before := len(list)
			after, err := s.work(ctx, t, list)
			if err := ctx.Err(); err != nil {
				return err
			}
			if err != nil {
				t.Note(pipeline.StageMerge, s.name, "left out: "+core.PublicMessage(err))
				continue
			}
			t.Note(pipeline.StageMerge, s.name, fmt.Sprintf("%d to %d", before, len(after)))
			list = after
		}
		t.Note(pipeline.StageMerge, "kept", fmt.Sprintf("%d of %d", len(list), all))
		return t.Merged.Set(list)
	}}
}

// TopK keeps the best passages, chosen for relevance and diversity, in an
// order that repeats. lambda weighs the two: 1 is relevance alone.
func TopK(lambda float64, sketches *retrieve.Sketches) pipeline.Plugin {
	return step{"top_k", pipeline.StageTopK, func(_ context.Context, t *pipeline.Turn) error {
		chosen := sketches.MMR(t.Merged.Value(), t.Plan.Value().Keep, lambda)
		t.Note(pipeline.StageTopK, "kept", fmt.Sprintf("%d of %d", len(chosen), len(t.Merged.Value())))
		if len(chosen) == 0 {
			return pipeline.ErrNothingFound
		}
		return t.Ranked.Set(retrieve.SortTop(chosen, 0))
	}}
}
