package stage

import (
	"context"
	"strconv"

	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
)

// Merge takes the ranked passages, or the candidates where ranking was left
// out, and drops what stands there twice: the same passage, the same text, or
// text that something better contains.
func Merge() pipeline.Plugin {
	return step{"merge", pipeline.StageMerge, func(_ context.Context, t *pipeline.Turn) error {
		input, ranked := t.Reranked.Get()
		if !ranked {
			input = t.Candidates.Value()
		}
		merged := retrieve.DropContained(retrieve.Dedup(input))
		t.Note(pipeline.StageMerge, "dropped", strconv.Itoa(len(input)-len(merged)))
		return t.Merged.Set(merged)
	}}
}

// TopK keeps the best passages, chosen for relevance and diversity, in an
// order that repeats. lambda weighs the two: 1 is relevance alone.
func TopK(lambda float64) pipeline.Plugin {
	return step{"top_k", pipeline.StageTopK, func(_ context.Context, t *pipeline.Turn) error {
		chosen := retrieve.MMR(t.Merged.Value(), t.Plan.Value().Keep, lambda, retrieve.TermSimilarity())
		if len(chosen) == 0 {
			return pipeline.ErrNothingFound
		}
		return t.Ranked.Set(retrieve.SortTop(chosen, 0))
	}}
}
