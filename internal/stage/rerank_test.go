package stage_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
	"kaoju/internal/stage"
)

// counted counts the calls of a reranker.
type counted struct {
	*reranker
	calls int
}

func (c *counted) Rerank(ctx context.Context, question string, passages []llm.Passage) ([]float64, error) {
	c.calls++
	return c.reranker.Rerank(ctx, question, passages)
}

// reranked ranks candidates under a threshold.
func reranked(t *testing.T, threshold float64, r llm.Reranker, candidates ...retrieve.Found) pipeline.Outcome {
	t.Helper()
	cfg := config.Default().Retrieve
	cfg.RerankThreshold, cfg.RerankRescue = threshold, .15
	turn := pipeline.NewTurn(pipeline.Request{Question: "q", RetrieveOnly: true}, (&recorder{}).publish, time.Now)
	if err := turn.Candidates.Set(candidates); err != nil {
		t.Fatal(err)
	}
	out, err := pipeline.Runner{Registry: pipeline.NewRegistry(stage.Rerank(r, cfg))}.
		Run(t.Context(), []pipeline.Step{{Stage: pipeline.StageRerank}}, turn)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A05: where nothing reaches a strict threshold it gives way once, to
// max(.3, .7t), and the model is not asked again.
func TestThresholdGivesWayOnce(t *testing.T) {
	tests := []struct {
		name      string
		threshold float64
		scores    map[string]float64 // s becomes .6s+.1
		want      string
	}{
		{"reached: it stays", .6, map[string]float64{"a": .9, "b": .7}, "a"},
		{"not reached: lower", .6, map[string]float64{"a": .8, "b": .55, "c": .5}, "a b"},
		{"never below .3", .35, map[string]float64{"a": .4, "b": .33}, "a"},
		{"not reached either: the best is rescued", .6, map[string]float64{"a": .3, "b": .2}, "a"},
		{"a low threshold is not raised", .2, map[string]float64{"a": .1, "b": .05}, "a"},
	}
	for _, tt := range tests {
		r := &counted{reranker: &reranker{scores: tt.scores}}
		out := reranked(t, tt.threshold, r, passage("a", "d1", "a", 0), passage("b", "d2", "b", 0), passage("c", "d3", "c", 0))
		if got := ids(out.Debug.Reranked); got != tt.want {
			t.Errorf("%s: kept %q, want %q", tt.name, got, tt.want)
		}
		if r.calls != 1 {
			t.Errorf("%s: the model was asked %d times", tt.name, r.calls)
		}
	}
}

// Peer fault 17: boosts come before the choice and never lead above 1.
func TestBoostsComeBeforeSelectionAndAreClamped(t *testing.T) {
	wiki := passage("wiki", "w", "wiki", .9)
	wiki.Chunk.Type = core.ChunkWikiPage
	weak := passage("weak", "v", "weak", 0)
	weak.Chunk.Type = core.ChunkWikiPage
	r := &reranker{scores: map[string]float64{"wiki": .9, "text": .95, "weak": .25}}
	out := reranked(t, .3, r, wiki, passage("text", "d", "text", .9), weak)
	if got := ids(out.Debug.Reranked); got != "wiki text weak" {
		t.Errorf("ranked %q", got)
	}
	top := out.Debug.Reranked[0]
	if last := top.Steps[len(top.Steps)-1]; top.Score != 1 || last.Name != "wiki boost" || last.Value != 1 {
		t.Errorf("score %v, steps %+v", top.Score, top.Steps)
	}
}

// A trained reranker reads what a passage says, without the signs of its format; the
// passage itself stays as it is cited.
func TestRerankerReadsCleanPassages(t *testing.T) {
	r := &reranker{scores: map[string]float64{"型号, 电压\nA, 220V": .9}}
	out := reranked(t, .3, stage.Clean(r), passage("x", "d", "| 型号 | 电压 |\n|---|---|\n| A | 220V |", .5))
	if len(out.Debug.Reranked) != 1 || !strings.HasPrefix(out.Debug.Reranked[0].Text, "| 型号") {
		t.Errorf("read %+v, kept %+v", r.read, out.Debug.Reranked)
	}
}
