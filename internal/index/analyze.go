package index

import (
	"strings"

	"kaoju/internal/text"
)

// Weights say how much a term counts by where it stands.
type Weights struct {
	Title   float32
	Heading float32
	Body    float32
	Part    float32 // factor for a part of a word or code, in passages
	// QueryPart is the weight in a question of a part, against its whole.
	QueryPart float32
}

// DefaultWeights are the product's. Passages must be analysed anew when those
// of passages change.
func DefaultWeights() Weights {
	return Weights{Title: 1, Heading: 1, Body: 1, Part: 1, QueryPart: .6}
}

// Analyze gives the terms of a passage under the default weights.
func Analyze(title string, headings []string, content string) []Term {
	return DefaultWeights().Analyze(title, headings, content)
}

// Analyze gives the terms of a passage, each once, in order of first
// occurrence, with their weights added up over the fields.
func (w Weights) Analyze(title string, headings []string, content string) []Term {
	c := collector{at: map[string]int{}, part: w.Part}
	c.field(title, w.Title)
	for _, h := range headings {
		c.field(h, w.Heading)
	}
	c.field(content, w.Body)
	return c.terms
}

type collector struct {
	terms []Term
	at    map[string]int
	part  float32
}

func (c *collector) field(s string, weight float32) {
	if weight <= 0 || s == "" {
		return
	}
	for _, t := range text.Terms(s) {
		w := weight
		if t.Part {
			w *= c.part
		}
		i, ok := c.at[t.Text]
		if !ok {
			i = len(c.terms)
			c.at[t.Text] = i
			c.terms = append(c.terms, Term{Text: t.Text})
		}
		c.terms[i].Weight += w
	}
}

// QueryTerms gives the terms that a question asks for under the default
// weights.
func QueryTerms(question string) []QueryTerm { return DefaultWeights().QueryTerms(question) }

// QueryTerms gives the terms that a question asks for, each once. Stop words
// are left out unless nothing else is there. The parts of a word or code share
// its group, at a lower weight: a passage with the whole is not also paid for
// the parts.
func (w Weights) QueryTerms(question string) []QueryTerm {
	terms := text.Terms(question)
	if out := w.queryTerms(terms, true); len(out) > 0 {
		return out
	}
	return w.queryTerms(terms, false)
}

func (w Weights) queryTerms(terms []text.Term, skipStops bool) []QueryTerm {
	stopped := map[int]bool{} // positions whose whole token is a stop word
	at := map[string]int{}
	var out []QueryTerm
	for _, t := range terms {
		if !t.Part && skipStops && text.IsStop(t.Text) {
			stopped[t.Pos] = true
		}
		if stopped[t.Pos] {
			continue
		}
		weight := float32(1)
		if t.Part {
			weight = w.QueryPart
		}
		if i, ok := at[t.Text]; ok {
			out[i].Weight = max(out[i].Weight, weight)
			continue
		}
		at[t.Text] = len(out)
		out = append(out, QueryTerm{Text: strings.Clone(t.Text), Weight: weight, Group: t.Pos})
	}
	return out
}
