package builtin

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"kaoju/internal/llm"
)

// read takes question and evidence apart and scores every candidate.
func read(question string, evidence []llm.Evidence) *evidenceView {
	v := view(ask(question), evidence)
	v.findFacts()
	v.rank()
	return v
}

// rank turns facts into the chance that a candidate holds the answer, given
// that one of them does.
func (v *evidenceView) rank() {
	scorer := &englishScorer
	if v.q.chinese {
		scorer = &chineseScorer
	}
	most := math.Inf(-1)
	for i := range v.candidates {
		c := &v.candidates[i]
		c.score = scorer.score(&c.facts)
		most = max(most, c.score)
	}
	sum := 0.0
	for i := range v.candidates {
		c := &v.candidates[i]
		c.chance = math.Exp(c.score - most)
		sum += c.chance
	}
	for i := range v.candidates {
		v.candidates[i].chance /= sum
	}
}

// chosen gives the candidates to quote: the likeliest, but in reading order
// within a passage, the passage of the likeliest first. A standard answer
// stands alone, and is no addition to anything else.
func (v *evidenceView) chosen(evidence []llm.Evidence) []candidate {
	var picked []candidate
	for _, at := range v.byChance() {
		c := v.candidates[at]
		standard := len(evidence[c.passage].Answers) > 0
		if standard && len(picked) == 0 {
			return []candidate{c}
		}
		if !standard && len(picked) < maxSentences {
			picked = append(picked, c)
		}
	}
	rank := map[int]int{}
	for i, c := range picked {
		if _, have := rank[c.passage]; !have {
			rank[c.passage] = i
		}
	}
	slices.SortStableFunc(picked, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(rank[a.passage], rank[b.passage]), cmp.Compare(a.order, b.order))
	})
	return picked
}

// byChance gives the indexes of the candidates that may be quoted, the
// likeliest first.
func (v *evidenceView) byChance() []int {
	var order []int
	for i := range v.candidates {
		if quotable(&v.candidates[i]) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(v.candidates[b].score, v.candidates[a].score)
	})
	return order
}

// quotable leaves out what is no text: lines without words, headings, and the marks of
// a code block, which would swallow the citation behind them.
func quotable(c *candidate) bool {
	return len(c.glyphs) > 0 && !c.heading && !strings.HasPrefix(c.text, "```") && !strings.HasPrefix(c.text, "~~~")
}
