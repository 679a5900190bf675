package stage

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
)

// Weights of a passage's final score.
const (
	weightModel  = .6 // the reranker's
	weightBase   = .3 // of the search
	weightSource = .1 // how far the kind of source is trusted
	trustWeb     = .95
	trustOwn     = 1.0
)

// wikiBoost is the factor on pages of a wiki: they were written from many
// documents and say in one place what these say in several.
const wikiBoost = 1.3

// How far the threshold gives way, once, where no passage reaches it.
const (
	thresholdShare = .7
	thresholdFloor = .3
)

// Rerank scores the candidates against the question and drops those below the
// threshold. Where none reaches it, the best one is kept if it is not worse
// than the rescue; in a scope that the user chose, whatever its score.
func Rerank(model llm.Reranker, cfg config.Retrieve) pipeline.Plugin {
	return step{"rerank", pipeline.StageRerank, func(ctx context.Context, t *pipeline.Turn) error {
		candidates := t.Candidates.Value()
		if len(candidates) == 0 {
			return nil
		}
		scores, err := model.Rerank(ctx, withNames(t), passages(candidates))
		if err != nil {
			return core.Wrap(err, core.CodeOf(err), "the passages could not be ranked; they keep the order of the search")
		}
		if len(scores) != len(candidates) {
			return core.Errorf(core.CodeUnavailable, "the reranker gave %d scores for %d passages", len(scores), len(candidates))
		}
		ranked := composite(candidates, scores)
		kept, reason := threshold(ranked, cfg, t.Plan.Value().Scoped)
		t.Note(pipeline.StageRerank, "kept", strconv.Itoa(len(kept))+" of "+strconv.Itoa(len(ranked)))
		t.Note(pipeline.StageRerank, "reason", reason)
		return t.Reranked.Set(kept)
	}}
}

// withNames is the question with what its words are called elsewhere behind
// it.
func withNames(t *pipeline.Turn) string {
	question := t.Question()
	for _, a := range t.Aliases.Value() {
		question += " (" + a.Of + " = " + a.Said + ")"
	}
	return question
}

func passages(candidates []retrieve.Found) []llm.Passage {
	out := make([]llm.Passage, len(candidates))
	for i, f := range candidates {
		out[i] = llm.Passage{Title: title(f.Document), Headings: f.Chunk.Headings, Text: readByRanker(f)}
	}
	return out
}

// mostAsked bounds the questions that a reranker reads with a passage.
const mostAsked = 6

// readByRanker is a passage with the questions that it answers: a question is
// more like another question than like its answer. Captions and texts of
// pictures are passages of their own.
func readByRanker(f retrieve.Found) string {
	asked := f.Asked
	if len(asked) == 0 {
		asked = f.Chunk.Questions
	}
	if len(asked) == 0 {
		return f.Text
	}
	return f.Text + "\n\n" + strings.Join(asked[:min(len(asked), mostAsked)], "\n")
}

// Clean has a reranker read passages without the signs of Markdown and HTML.
// It is for trained models: the built-in one compares words, which the signs
// are not, and gains nothing for the time that cleaning takes.
func Clean(model llm.Reranker) llm.Reranker { return cleaned{model} }

type cleaned struct{ llm.Reranker }

// Rerank cleans the passages and asks the model.
func (c cleaned) Rerank(ctx context.Context, question string, passages []llm.Passage) ([]float64, error) {
	clean := slices.Clone(passages)
	for i := range clean {
		clean[i].Text = retrieve.CleanPassage(clean[i].Text)
	}
	return c.Reranker.Rerank(ctx, question, clean)
}

// composite joins the reranker's score, the search's and the trust in the
// source; each lies in [0,1], and so does the sum.
func composite(candidates []retrieve.Found, scores []float64) []retrieve.Found {
	ranked := make([]retrieve.Found, len(candidates))
	for i, f := range candidates {
		trust := trustOwn
		if f.Chunk.Type == core.ChunkWebSearch {
			trust = trustWeb
		}
		score := min(1, weightModel*scores[i]+weightBase*f.Score+weightSource*trust)
		f.Steps = append(slices.Clip(f.Steps),
			retrieve.Step{Name: "rerank", Value: scores[i]}, retrieve.Step{Name: "composite", Value: score})
		f.Score = score
		ranked[i] = boosted(f)
	}
	return retrieve.SortTop(ranked, 0)
}

// boosted raises what is preferred by its kind, before anything is chosen, and
// never above 1.
func boosted(f retrieve.Found) retrieve.Found {
	if f.Chunk.Type != core.ChunkWikiPage {
		return f
	}
	f.Score = min(1, f.Score*wikiBoost)
	f.Steps = append(slices.Clip(f.Steps), retrieve.Step{Name: "wiki boost", Value: f.Score})
	return f
}

// threshold drops what is too weak. The scores are those that the model gave
// once: a lower threshold asks it nothing again.
func threshold(ranked []retrieve.Found, cfg config.Retrieve, scoped bool) (kept []retrieve.Found, reason string) {
	if scoped {
		return ranked, "no threshold in what the user chose"
	}
	if kept := retrieve.AtLeast(ranked, cfg.RerankThreshold); len(kept) > 0 {
		return kept, fmt.Sprintf("score at least %.2f", cfg.RerankThreshold)
	}
	lower := max(thresholdFloor, thresholdShare*cfg.RerankThreshold)
	if kept := retrieve.AtLeast(ranked, lower); lower < cfg.RerankThreshold && len(kept) > 0 {
		return kept, fmt.Sprintf("none reaches %.2f; score at least %.2f", cfg.RerankThreshold, lower)
	}
	if kept := retrieve.AtLeast(ranked[:1], cfg.RerankRescue); len(kept) > 0 {
		return kept, fmt.Sprintf("none reaches %.2f; the best is kept", cfg.RerankThreshold)
	}
	return nil, fmt.Sprintf("none reaches %.2f, and the best not %.2f", cfg.RerankThreshold, cfg.RerankRescue)
}
