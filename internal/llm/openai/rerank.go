package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"sync/atomic"

	"kaoju/internal/llm"
)

// Reranker is a rerank model behind an endpoint.
type Reranker struct {
	c       *client
	affixes Affixes
	logits  atomic.Bool
	fitter  fitter
}

var _ llm.Reranker = (*Reranker)(nil)

// NewReranker gives a rerank model. Nothing is called yet.
func NewReranker(o Options, e Env) (*Reranker, error) {
	if o.Rerank.Style == "tei" && o.Path == "" {
		o.Path = "/rerank"
	}
	c, err := newClient(o, e, llm.KindRerank, "/rerank")
	if err != nil {
		return nil, err
	}
	m := &Reranker{c: c}
	if o.Rerank.Affixes != nil {
		m.affixes = *o.Rerank.Affixes
	}
	m.fitter.runes.Store(int64(c.Rerank.MaxRunes))
	m.logits.Store(o.Rerank.Scores == "logits")
	return m, nil
}

// Model gives the model's name as the endpoint knows it.
func (m *Reranker) Model() string { return m.c.Model }

// Rerank gives one score in [0,1] a passage, in order, with as many calls as
// the batch size takes.
func (m *Reranker) Rerank(ctx context.Context, question string, passages []llm.Passage) ([]float64, error) {
	question = m.affixes.query(cut(question, m.c.Rerank.MaxRunes))
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = flat(p)
	}
	scores := make([]float64, 0, len(texts))
	for len(texts) > 0 {
		n := min(len(texts), m.c.Rerank.Batch)
		s, err := fit(&m.fitter, texts[:n], func(short []string) ([]float64, error) { return m.batch(ctx, question, short) })
		if err != nil {
			return nil, err
		}
		scores, texts = append(scores, s...), texts[n:]
	}
	m.toUnit(scores)
	return scores, nil
}

// flat gives a passage as one text: what it belongs to, then what it says.
func flat(p llm.Passage) string {
	where := strings.Join(append([]string{p.Title}, p.Headings...), " > ")
	if where = strings.Trim(where, " >"); where == "" {
		return p.Text
	}
	return where + "\n" + p.Text
}

// toUnit brings scores into [0,1]. Whether a model gives logits is settled once
// for all its scores: a call whose logits happen to lie in [0,1] must not be
// read in another way than the next.
func (m *Reranker) toUnit(scores []float64) {
	if m.c.Rerank.Scores == "auto" {
		for _, s := range scores {
			if s < 0 || s > 1 {
				m.logits.Store(true)
			}
		}
	}
	for i, s := range scores {
		if m.logits.Load() {
			s = 1 / (1 + math.Exp(-s))
		}
		scores[i] = min(max(s, 0), 1)
	}
}

type wireJinaRequest struct {
	Model     string   `json:"model"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
	Return    bool     `json:"return_documents"`
}

type wireTEIRequest struct {
	Query    string   `json:"query"`
	Texts    []string `json:"texts"`
	Raw      bool     `json:"raw_scores"`
	Truncate bool     `json:"truncate"`
}

// wireRanks takes both shapes of an answer.
type wireRanks struct {
	results []wireRank
	usage   json.RawMessage
}

type wireRank struct {
	Index     *int     `json:"index"`
	Relevance *float64 `json:"relevance_score"`
	Score     *float64 `json:"score"`
}

// UnmarshalJSON takes a plain list, {results: …}, {data: …} or {output:
// {results: …}}.
func (w *wireRanks) UnmarshalJSON(b []byte) error {
	if b = bytes.TrimSpace(b); len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, &w.results)
	}
	var object struct {
		Results []wireRank      `json:"results"`
		Data    []wireRank      `json:"data"`
		Output  *wireRanks      `json:"output"`
		Usage   json.RawMessage `json:"usage"`
		Meta    struct {
			Tokens json.RawMessage `json:"tokens"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(b, &object); err != nil {
		return err
	}
	w.results, w.usage = append(object.Results, object.Data...), object.Usage
	if object.Output != nil {
		w.results = append(w.results, object.Output.results...)
	}
	if !present(w.usage) {
		w.usage = object.Meta.Tokens
	}
	return nil
}

func (m *Reranker) batch(ctx context.Context, question string, texts []string) ([]float64, error) {
	for i, t := range texts {
		texts[i] = m.affixes.passage(t) // fit gives us a slice of our own
	}
	var request any = wireJinaRequest{Model: m.c.Model, Query: question, Documents: texts, TopN: len(texts)}
	if m.c.Rerank.Style == "tei" {
		request = wireTEIRequest{Query: question, Texts: texts, Raw: m.c.Rerank.Scores == "logits", Truncate: true}
	}
	body, err := m.c.body(request, nil)
	if err != nil {
		return nil, err
	}
	var scores []float64
	err = m.c.run(ctx, func(ctx context.Context, _ *attempt) error {
		var answer wireRanks
		if err := m.c.exchange(ctx, http.MethodPost, m.c.url, body, &answer); err != nil {
			return err
		}
		m.c.account(ctx, answer.usage, append([]string{question}, texts...)...)
		scores, err = m.scores(answer.results, len(texts))
		return err
	})
	return scores, err
}

// scores puts an answer, which is sorted by score, in the order of the
// passages.
func (m *Reranker) scores(ranks []wireRank, n int) ([]float64, error) {
	out, seen := make([]float64, n), make([]bool, n)
	for i, r := range ranks {
		score := r.Relevance
		if score == nil {
			score = r.Score
		}
		if r.Index == nil || *r.Index < 0 || *r.Index >= n || seen[*r.Index] || score == nil {
			return nil, m.c.senseless("result %d has no usable index or score", i)
		}
		out[*r.Index], seen[*r.Index] = *score, true
	}
	if len(ranks) != n {
		return nil, m.c.senseless("%d scores for %d passages", len(ranks), n)
	}
	return out, nil
}
