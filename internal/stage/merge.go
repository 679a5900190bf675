package stage

import (
	"context"
	"fmt"
	"slices"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
)

// Merge takes the ranked passages, or the candidates where ranking was left
// out, adds those that the last answer cited where the question goes on from
// it, and drops what stands there twice: the same passage, the same text, or
// text that something better contains.
func Merge(searcher Searcher, chunks Chunks, sketches *retrieve.Sketches) pipeline.Plugin {
	return step{"merge", pipeline.StageMerge, func(ctx context.Context, t *pipeline.Turn) error {
		input, ranked := t.Reranked.Get()
		if !ranked {
			input = t.Candidates.Value()
		}
		cited, err := citedBefore(ctx, t, searcher, chunks)
		if err != nil {
			t.Note(pipeline.StageMerge, "cited_before", "left out: "+core.PublicMessage(err))
		}
		input = append(slices.Clip(input), cited...)
		merged := sketches.DropContained(sketches.Dedup(input))
		t.Note(pipeline.StageMerge, "kept", fmt.Sprintf("%d of %d", len(merged), len(input)))
		return t.Merged.Set(merged)
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
