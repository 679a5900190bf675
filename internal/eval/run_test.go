package eval_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/eval"
)

// oracle is a System with scripted replies, made of func fields.
type oracle struct {
	search func(eval.Question) eval.Ranking
	answer func(eval.Question) (eval.Answer, error)

	mu    sync.Mutex
	docs  int
	asked []eval.Question
}

func (o *oracle) Ingest(_ context.Context, docs []eval.Doc) error {
	o.docs = len(docs)
	return nil
}

func (o *oracle) Search(_ context.Context, q eval.Question, _ int) (eval.Ranking, error) {
	return o.search(q), nil
}

func (o *oracle) Ask(_ context.Context, q eval.Question) (eval.Answer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, q)
	return o.answer(q)
}

func newOracle() *oracle {
	return &oracle{
		search: func(eval.Question) eval.Ranking {
			return eval.Ranking{Docs: []string{"p1", "p2"}, Timings: []core.Timing{{Stage: "find", ElapsedMS: 2}}}
		},
		answer: func(q eval.Question) (eval.Answer, error) {
			if strings.Contains(q.Text, "sick") || strings.Contains(q.Text, "founded") {
				return eval.Answer{Text: "I do not know.", Probability: .1, Refused: true}, nil
			}
			return eval.Answer{Text: "You have 15 days; 须在 30 天 内。", Probability: .8}, nil
		},
	}
}

func TestRunMeasuresRetrievalAndAnswers(t *testing.T) {
	o := newOracle()
	var last int
	res, err := eval.Run(t.Context(), load(t, "plain"), o, eval.Options{
		Answers: true, Parallel: 3, Progress: func(done, total int) { last = done*100 + total },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		eval.MetricRecall1: 1. / 3, eval.MetricRecall5: 2. / 3, eval.MetricRecall10: 2. / 3, eval.MetricMRR: .5,
		eval.MetricGold: 1, eval.MetricAUROC: 1, eval.MetricRefusedYes: 0, eval.MetricRefusedNo: 1,
		eval.MetricECE: (3*.2 + 2*.1) / 5,
	}
	for name, v := range want {
		near(t, name, res.Metrics[name], v)
	}
	if res.Queries != 3 || res.Probes != 5 || res.Golds != 2 || o.docs != 3 || last != 808 {
		t.Errorf("queries %d, probes %d, golds %d, docs %d, progress %d", res.Queries, res.Probes, res.Golds, o.docs, last)
	}
	if len(res.Stages) != 1 || res.Stages[0] != (eval.StageTime{Call: "search", Stage: "find", P50: 2, P95: 2, Count: 3}) {
		t.Errorf("stages: %+v", res.Stages)
	}
}

func TestRunWithoutAnswersAsksNothing(t *testing.T) {
	o := newOracle()
	res, err := eval.Run(t.Context(), load(t, "plain"), o, eval.Options{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(o.asked) != 0 || res.Queries != 2 {
		t.Errorf("asked %d, queries %d", len(o.asked), res.Queries)
	}
	for _, name := range []string{eval.MetricGold, eval.MetricAUROC, eval.MetricECE} {
		if v, ok := res.Metrics[name]; ok {
			t.Errorf("%s = %v, want none", name, v)
		}
	}
}

func TestRunHandsContextsAndHistoryToProbes(t *testing.T) {
	o := newOracle()
	if _, err := eval.Run(t.Context(), load(t, "pairs"), o, eval.Options{Answers: true}); err != nil {
		t.Fatal(err)
	}
	if len(o.asked) != 2 || len(o.asked[0].OnlyDocs) != 2 {
		t.Errorf("asked: %+v", o.asked)
	}
}

func TestGoldIsLeftOutWhereAnswersAreNotText(t *testing.T) {
	res, err := eval.Run(t.Context(), load(t, "faq"), newOracle(), eval.Options{Answers: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := res.Metrics[eval.MetricGold]; ok {
		t.Error("labels as answers cannot be contained in an answer")
	}
}

func TestRunNamesTheQuestionThatFailed(t *testing.T) {
	broken := errors.New("no disk")
	o := newOracle()
	o.answer = func(eval.Question) (eval.Answer, error) { return eval.Answer{}, broken }
	_, err := eval.Run(t.Context(), load(t, "plain"), o, eval.Options{Answers: true})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "question q1") {
		t.Errorf("err = %v", err)
	}
}

func TestRunStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := eval.Run(ctx, load(t, "plain"), newOracle(), eval.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func TestContainsGold(t *testing.T) {
	tests := []struct {
		answer string
		golds  []string
		want   bool
	}{
		{"It takes 14 Days.", []string{"14 days"}, true},
		{"光荣和ω-Force开发", []string{"光荣和 ω-force"}, true},
		{"ＡＢＣ１２", []string{"abc12"}, true},
		{"It takes days.", []string{"14 days", "two weeks"}, false},
		{"anything", []string{"", "。"}, false},
		{"anything", nil, false},
	}
	for _, tt := range tests {
		if got := eval.ContainsGold(tt.answer, tt.golds); got != tt.want {
			t.Errorf("ContainsGold(%q, %q) = %v", tt.answer, tt.golds, got)
		}
	}
}
