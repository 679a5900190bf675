package openai_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/openai"
)

type meter struct{ all []llm.Usage }

func (m *meter) add(_ context.Context, u llm.Usage) { m.all = append(m.all, u) }

func newReranker(t testing.TB, e *llmtest.Endpoint, o openai.RerankOptions, env openai.Env) *openai.Reranker {
	t.Helper()
	env.HTTP = e.Client
	m, err := openai.NewReranker(openai.Options{BaseURL: e.URL, Model: "m", Rerank: o, Limit: openai.Limits{Attempts: 1}}, env)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func passages(texts ...string) []llm.Passage {
	var out []llm.Passage
	for _, s := range texts {
		out = append(out, llm.Passage{Text: s})
	}
	return out
}

// TestRerankShapes: every shape of an answer comes back in the order of the
// passages, within [0,1].
func TestRerankShapes(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	tests := []struct {
		name, answer, scores string
		want                 []float64
	}{
		{"jina", `{"results":[{"index":1,"relevance_score":0.9,"document":{"text":"b"}},{"index":0,"relevance_score":0.2}],"usage":{"total_tokens":8}}`, "", []float64{.2, .9}},
		{"cohere", `{"id":"x","results":[{"index":0,"relevance_score":1},{"index":1,"relevance_score":0}],"meta":{"tokens":{"input_tokens":8}}}`, "", []float64{1, 0}},
		{"tei", `[{"index":1,"score":0.7},{"index":0,"score":0.1}]`, "", []float64{.1, .7}},
		{"dashscope", `{"output":{"results":[{"index":1,"relevance_score":0.5},{"index":0,"relevance_score":0.4}]}}`, "", []float64{.4, .5}},
		{"voyage", `{"object":"list","data":[{"index":1,"relevance_score":0.5},{"index":0,"relevance_score":0.4}]}`, "", []float64{.4, .5}},
		{"logits are seen", `{"results":[{"index":0,"relevance_score":-4},{"index":1,"relevance_score":0.5}]}`, "", []float64{sigmoid(-4), sigmoid(.5)}},
		{"logits are said", `{"results":[{"index":0,"relevance_score":0.1},{"index":1,"relevance_score":0.5}]}`, "logits", []float64{sigmoid(.1), sigmoid(.5)}},
		{"unit is said", `{"results":[{"index":0,"relevance_score":1.0000001},{"index":1,"relevance_score":-0.0001}]}`, "unit", []float64{1, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := llmtest.Start(t, jsonScript(t, tt.answer))
			m := newReranker(t, e, openai.RerankOptions{Scores: tt.scores}, openai.Env{})
			got, err := m.Rerank(t.Context(), "q", passages("a", "b"))
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

// TestRerankLogitsStay: once a model showed logits, a later call whose logits
// happen to lie in [0,1] is read in the same way.
func TestRerankLogitsStay(t *testing.T) {
	e := llmtest.Start(t, parse(t, "---\n"+`[{"index":0,"score":-4}]`+"\n===\n---\n"+`[{"index":0,"score":0.5}]`+"\n"))
	m := newReranker(t, e, openai.RerankOptions{}, openai.Env{})
	var last []float64
	for range 2 {
		var err error
		if last, err = m.Rerank(t.Context(), "q", passages("a")); err != nil {
			t.Fatal(err)
		}
	}
	if last[0] < .6 {
		t.Errorf("score %v: the logit .5 was read as a probability", last)
	}
}

func TestRerankRequests(t *testing.T) {
	answer := jsonScript(t, `[{"index":0,"score":0.5}]`)
	tests := []struct {
		options    openai.RerankOptions
		path, body string
	}{
		{openai.RerankOptions{}, "/v1/rerank", `{"model":"m","query":"q","documents":["T \u003e H\nabc"],"top_n":1,"return_documents":false}`},
		{openai.RerankOptions{Style: "tei", MaxRunes: 6}, "/rerank", `{"query":"q","texts":["T \u003e H\n"],"raw_scores":false,"truncate":true}`},
		{openai.RerankOptions{Affixes: &openai.Affixes{QueryPrefix: "Q:", PassagePrefix: "P:", PassageSuffix: "."}}, "/v1/rerank",
			`{"model":"m","query":"Q:q","documents":["P:T \u003e H\nabc."],"top_n":1,"return_documents":false}`},
	}
	for _, tt := range tests {
		e := llmtest.Start(t, answer)
		m := newReranker(t, e, tt.options, openai.Env{})
		if _, err := m.Rerank(t.Context(), "q", []llm.Passage{{Title: "T", Headings: []string{"H"}, Text: "abc"}}); err != nil {
			t.Error(err)
		}
		if r := e.Requests()[0]; r.Path != tt.path || r.Body != tt.body {
			t.Errorf("%s %s; want %s %s", r.Path, r.Body, tt.path, tt.body)
		}
	}
}

func TestRerankInBatches(t *testing.T) {
	e := llmtest.Start(t, nil, llmtest.Answer(func(r llmtest.Request) llmtest.Script {
		if strings.Contains(r.Body, `"c"`) {
			return jsonScript(t, `{"results":[{"index":0,"relevance_score":0.3}]}`)
		}
		return jsonScript(t, `{"results":[{"index":1,"relevance_score":0.2},{"index":0,"relevance_score":0.1}]}`)
	}))
	meter := &meter{}
	m := newReranker(t, e, openai.RerankOptions{Batch: 2}, openai.Env{OnUsage: meter.add})
	got, err := m.Rerank(t.Context(), "q", passages("a", "b", "c"))
	if err != nil || !slices.Equal(got, []float64{.1, .2, .3}) || len(meter.all) != 2 || !meter.all[0].Estimated {
		t.Errorf("%v, %v, usage %+v", got, err, meter.all)
	}
	if none, err := m.Rerank(t.Context(), "q", nil); err != nil || len(none) != 0 || e.Calls() != 2 {
		t.Errorf("no passages: %v, %v, %d calls", none, err, e.Calls())
	}
}

func TestRerankSenselessAnswers(t *testing.T) {
	for _, answer := range []string{
		`{}`, `[]`, `{"results":[{"index":0,"relevance_score":0.1}]}`, `[{"index":0,"score":1},{"index":0,"score":1}]`,
		`[{"index":0,"score":1},{"index":2,"score":1}]`, `[{"score":1},{"score":1}]`, `[{"index":0},{"index":1}]`, `"x"`, `{"results":1}`,
	} {
		m := newReranker(t, llmtest.Start(t, jsonScript(t, answer)), openai.RerankOptions{}, openai.Env{})
		if got, err := m.Rerank(t.Context(), "q", passages("a", "b")); core.CodeOf(err) != core.CodeUnavailable || got != nil {
			t.Errorf("%s: %v, %v", answer, got, err)
		}
	}
}
