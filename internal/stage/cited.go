package stage

import (
	"context"
	"fmt"
	"slices"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
	"kaoju/internal/text"
)

// How a passage that the last answer cited may stand for a follow-up again.
const (
	citedAgain  = 3   // at most
	citedLike   = .15 // its sentence that is most like the question is so like it
	citedWeight = .6  // of the score that it had
)

// citedBefore gives the passages that the last answer with sources cited,
// where the question goes on from it and one of their sentences is like it.
// They are found anew, so that what has left the base, or the caller's sight,
// since then does not come back.
func citedBefore(ctx context.Context, t *pipeline.Turn, searcher Searcher, chunks Chunks) ([]retrieve.Found, error) {
	references := lastCited(t.History.Value())
	if len(references) == 0 || !t.Understanding.Value().Rewritten {
		return nil, nil
	}
	where := targetsOf(t, references)
	if len(where) == 0 {
		return nil, nil
	}
	found, _, err := searcher.Search(ctx, retrieve.Request{Targets: where, Spaces: spaces(t), Question: t.Question(), Limit: t.Plan.Value().TopK})
	if err != nil {
		return nil, err
	}
	if found, err = lift(ctx, chunks, found); err != nil {
		return nil, err
	}
	var again []retrieve.Found
	for _, f := range found {
		i := slices.IndexFunc(references, func(r core.Reference) bool { return r.ChunkID == f.Chunk.ID })
		if i < 0 || len(again) == citedAgain || sentenceLike(f.Text, t.Question()) < citedLike {
			continue
		}
		f.Score = citedWeight * min(1, references[i].Score)
		f.Steps = []retrieve.Step{{Name: "cited before", Value: f.Score}}
		again = append(again, f)
	}
	t.Note(pipeline.StageMerge, "cited_before", fmt.Sprintf("%d of %d", len(again), len(references)))
	return again, nil
}

// lastCited gives what the last answer with sources cited.
func lastCited(said []pipeline.Round) []core.Reference {
	for _, r := range slices.Backward(said) {
		if len(r.Cited) > 0 {
			return r.Cited
		}
	}
	return nil
}

// targetsOf narrows the turn's targets to the documents of references.
func targetsOf(t *pipeline.Turn, references []core.Reference) []index.Target {
	var out []index.Target
	for _, target := range targets(t) {
		var documents []string
		for _, r := range references {
			allowed := len(target.DocumentIDs) == 0 || slices.Contains(target.DocumentIDs, r.DocumentID)
			if r.BaseID == target.BaseID && allowed && !slices.Contains(documents, r.DocumentID) {
				documents = append(documents, r.DocumentID)
			}
		}
		if len(documents) > 0 {
			target.DocumentIDs = documents
			out = append(out, target)
		}
	}
	return out
}

// sentenceLike is the likeness, by their words, of the question and the
// sentence of a passage that is most like it. A whole passage has too many
// words to be like any question.
func sentenceLike(passage, question string) float64 {
	asked, best := contentTerms(question), 0.0
	for _, s := range text.Sentences(passage) {
		best = max(best, text.Jaccard(asked, contentTerms(passage[s.Start:s.End])))
	}
	return best
}

func contentTerms(s string) []string {
	var out []string
	for _, term := range text.Terms(s) {
		if !term.Part && !text.IsStop(term.Text) {
			out = append(out, term.Text)
		}
	}
	return out
}
