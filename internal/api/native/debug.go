package native

import (
	"cmp"
	"context"
	"slices"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
)

// DebugInput searches as a question would, to show how.
type DebugInput struct {
	Body struct {
		Question
		SessionID string `json:"session_id,omitempty" doc:"the question follows what was said there; nothing is added to it"`
	}
}

// Retrieval is what became of a question on its way to the passages, list by
// list. Each passage carries the steps of its score.
type Retrieval struct {
	Query         string           `json:"query" doc:"as it was asked"`
	Question      string           `json:"question" doc:"as it was searched for"`
	Understanding Understanding    `json:"understanding"`
	Plan          DebugPlan        `json:"plan"`
	Bases         []DebugBase      `json:"knowledge_bases"`
	Terms         []string         `json:"terms" doc:"words that were looked for"`
	Method        string           `json:"method" doc:"how the retrievers' lists were joined"`
	Degraded      string           `json:"degraded,omitempty" doc:"why a retriever was left out"`
	Named         []string         `json:"named_documents" doc:"documents that the question names"`
	Variants      []Variant        `json:"variants" doc:"other wordings that were tried"`
	Keyword       []Found          `json:"keyword" doc:"what the keyword search found, by its own score"`
	Vector        []Found          `json:"vector" doc:"what the vector search found, by its own score"`
	Fused         []Found          `json:"fused" doc:"both together"`
	Candidates    []Found          `json:"candidates" doc:"children lifted to their parents"`
	Reranked      []Found          `json:"reranked" doc:"what passed the threshold"`
	Merged        []Found          `json:"merged" doc:"without what stands there twice"`
	Results       []Found          `json:"results" doc:"chosen: what an answer would be written from"`
	Timings       []core.Timing    `json:"timings"`
	Notes         []core.TraceNote `json:"notes" doc:"sizes, decisions and reasons of the stages"`
}

// Understanding is how the question was taken.
type Understanding struct {
	Intent    string `json:"intent"`
	Rewritten bool   `json:"rewritten"`
	Reason    string `json:"reason"`
	Rounds    int    `json:"rounds" doc:"earlier rounds that were looked at"`
}

// DebugPlan is what the search was told to do.
type DebugPlan struct {
	TopK     int    `json:"top_k" doc:"passages to find"`
	Keep     int    `json:"keep" doc:"passages to keep after ranking"`
	Evidence int    `json:"evidence" doc:"passages in the prompt"`
	Scoped   bool   `json:"scoped" doc:"the documents were chosen by hand: thresholds do not apply"`
	Reason   string `json:"reason"`
}

// DebugBase is a base that was searched, and in which version.
type DebugBase struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version int64  `json:"version"`
}

// Variant is another wording of the question.
type Variant struct {
	Text   string  `json:"text"`
	Reason string  `json:"reason"`
	Weight float64 `json:"weight" doc:"factor on the scores that it finds"`
}

// Debug shows how the passages for a question are found. No chat model writes
// an answer, and nothing is stored.
func (h *Handlers) Debug(ctx context.Context, in *DebugInput) (*Reply[Retrieval], error) {
	req, err := h.request(ctx, in.Body.Question, in.Body.SessionID)
	if err != nil {
		return nil, err
	}
	out, err := h.Chat.Search(ctx, scopeOf(ctx), req)
	if err != nil {
		return nil, err
	}
	var d pipeline.Debug
	if out.Debug != nil {
		d = *out.Debug
	}
	r := Retrieval{
		Query: in.Body.Query, Question: cmp.Or(d.Question, in.Body.Query),
		Understanding: Understanding{
			Intent: string(d.Understanding.Intent), Rewritten: d.Understanding.Rewritten,
			Reason: d.Understanding.Reason, Rounds: len(d.History),
		},
		Plan:  DebugPlan{TopK: d.Plan.TopK, Keep: d.Plan.Keep, Evidence: d.Plan.Evidence, Scoped: d.Plan.Scoped, Reason: d.Plan.Reason},
		Bases: []DebugBase{}, Terms: orEmpty(d.Explain.Terms), Method: string(d.Explain.Method),
		Degraded: d.Explain.Degraded, Named: orEmpty(d.Explain.Named), Variants: []Variant{},
		Keyword: by(d.Fused, "keyword"), Vector: by(d.Fused, "vector"),
		Fused: foundAll(d.Fused), Candidates: foundAll(d.Candidates), Reranked: foundAll(d.Reranked),
		Merged: foundAll(d.Merged), Results: foundAll(out.Ranked),
		Timings: orEmpty(out.Timings), Notes: orEmpty(out.Notes),
	}
	for _, b := range d.Bases {
		r.Bases = append(r.Bases, DebugBase{ID: b.ID, Name: b.Name, Version: b.ActiveVersion})
	}
	for _, v := range d.Variants {
		r.Variants = append(r.Variants, Variant{Text: v.Text, Reason: v.Reason, Weight: v.Weight})
	}
	return reply(r, nil)
}

func foundAll(list []retrieve.Found) []Found {
	out := make([]Found, len(list))
	for i, p := range list {
		out[i] = found(p)
	}
	return out
}

// by gives the passages that one retriever found, with its score, best first.
func by(fused []retrieve.Found, retriever string) []Found {
	out := []Found{}
	for _, p := range fused {
		i := slices.IndexFunc(p.Steps, func(s retrieve.Step) bool { return s.Name == retriever })
		if i < 0 {
			continue
		}
		f := found(p)
		f.Score, f.Explain = p.Steps[i].Value, f.Explain[i:i+1]
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b Found) int { return cmp.Compare(b.Score, a.Score) })
	return out
}
