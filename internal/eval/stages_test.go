package eval

import (
	"context"
	"strings"
	"testing"
)

// staged ranks worse after the second stage.
type staged struct{}

func (staged) Ingest(context.Context, []Doc) error { return nil }
func (staged) Search(context.Context, Question, int) (Ranking, error) {
	return Ranking{Docs: []string{"b", "a"}, Stages: []Ranked{{"fused", []string{"a", "b"}}, {"merged", []string{"b", "a"}}}}, nil
}
func (staged) Ask(context.Context, Question) (Answer, error) { return Answer{}, nil }

func TestRankingsAfterEachStage(t *testing.T) {
	set := Set{Name: "s", Docs: []Doc{{ID: "a"}, {ID: "b"}}, Queries: []Query{{ID: "q", Relevant: []string{"a"}}}}
	r, err := Run(t.Context(), set, staged{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Steps) != 2 || r.Steps[0].Metrics[MetricRecall1] != 1 || r.Steps[1].Metrics[MetricMRR] != .5 {
		t.Fatalf("stages %+v", r.Steps)
	}
	var b strings.Builder
	if err := WriteStages(&b, Results{Sets: []SetResult{r, {Name: "none"}}}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "1.000 / 1.000 / 1.000") || !strings.Contains(got, "0.000 / 1.000 / 0.500") || strings.Contains(got, "none") {
		t.Errorf("table\n%s", got)
	}
}
