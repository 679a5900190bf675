package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"kaoju/internal/core"
)

// Retrieval is how the passages for a question were found. Raw is the whole
// of what the server said; the other fields are those that are shown.
type Retrieval struct {
	Raw           json.RawMessage `json:"-"`
	Query         string          `json:"query"`
	Question      string          `json:"question"` // as it was searched for
	Understanding struct {
		Intent string `json:"intent"`
		Reason string `json:"reason"`
	} `json:"understanding"`
	Plan struct {
		TopK     int    `json:"top_k"`
		Keep     int    `json:"keep"`
		Evidence int    `json:"evidence"`
		Reason   string `json:"reason"`
	} `json:"plan"`
	Bases []struct {
		Name    string `json:"name"`
		Version int64  `json:"version"`
	} `json:"knowledge_bases"`
	Terms    []string `json:"terms"`
	Method   string   `json:"method"`
	Degraded string   `json:"degraded"`
	Named    []string `json:"named_documents"`
	Variants []struct {
		Text   string `json:"text"`
		Reason string `json:"reason"`
	} `json:"variants"`
	Keyword    []Passage     `json:"keyword"`
	Vector     []Passage     `json:"vector"`
	Candidates []Passage     `json:"candidates"`
	Reranked   []Passage     `json:"reranked"`
	Merged     []Passage     `json:"merged"`
	Results    []Passage     `json:"results"`
	Timings    []core.Timing `json:"timings"`
}

// Passage is one that was found, with the steps of its score.
type Passage struct {
	ChunkID  string   `json:"chunk_id"`
	Document string   `json:"document"`
	Headings []string `json:"headings"`
	Page     int      `json:"page"`
	Sheet    string   `json:"sheet"`
	Row      int      `json:"row"`
	Content  string   `json:"content"`
	Score    float64  `json:"score"`
	Explain  []struct {
		Step  string  `json:"step"`
		Value float64 `json:"value"`
	} `json:"explain"`
}

// Step gives the value of the last step of a score that has the name.
func (p Passage) Step(name string) (float64, bool) {
	for i := len(p.Explain) - 1; i >= 0; i-- {
		if p.Explain[i].Step == name {
			return p.Explain[i].Value, true
		}
	}
	return 0, false
}

// Debug finds the passages for a question and tells how. No answer is written.
func (c *Client) Debug(ctx context.Context, q Question) (Retrieval, error) {
	var raw json.RawMessage
	if err := c.call(ctx, http.MethodPost, "/api/v1/retrieval/debug", body(q), &raw); err != nil {
		return Retrieval{}, err
	}
	r := Retrieval{Raw: raw}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Retrieval{}, fmt.Errorf("read how the passages were found: %w", err)
	}
	return r, nil
}
