package builtin

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"kaoju/internal/llm"
)

// ask takes question and evidence apart and scores every candidate.
func (r *Readings) ask(question string, evidence []llm.Evidence, aliases ...llm.Alias) *evidenceView {
	q := ask(question)
	q.also(aliases)
	v := view(q, evidence, r)
	v.findFacts()
	v.rank()
	return v
}

// rank turns facts into the chance that a candidate holds the answer, given
// that one of them does.
func (v *evidenceView) rank() {
	most := math.Inf(-1)
	for i := range v.candidates {
		c := &v.candidates[i]
		c.score = v.fitted(c.passage).scorer.score(&c.facts)
		if v.bothLanguages && v.passages[c.passage].foreign {
			c.score -= foreignCost
		}
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

// foreignCost is what a sentence in another language than the question loses
// where the evidence has passages in the question's own: it is harder to read, and its score less certain.
const foreignCost = 4

// enough is the chance of the sentences chosen so far at which no more are
// looked for: docs/benchmarks.md has the curve.
const enough = .99

// chosen gives the candidates to quote: the likeliest until one of them holds
// the answer with the chance until, but in reading order within a passage,
// the passage of the likeliest first. A standard answer stands alone, and is
// no addition to anything else.
func (v *evidenceView) chosen(evidence []llm.Evidence, until float64) []candidate {
	var picked []candidate
	said := choice{q: v.q}
	for _, at := range v.byChance() {
		c := v.candidates[at]
		standard := len(evidence[c.passage].Answers) > 0
		switch {
		case standard && len(picked) == 0:
			return []candidate{c}
		case standard:
		case len(picked) == maxSentences || said.chance >= until:
			return inReadingOrder(picked)
		case len(picked) > 0 && !v.worthAdding(c, picked[0]):
		case said.adds(c, evidence[c.passage]):
			picked = append(picked, c)
		}
	}
	return inReadingOrder(picked)
}

// worth is the least chance of a sentence that is added to the first one:
// what is unlikelier is noise to a reader. docs/benchmarks.md has the curve.
const worth = .005

// worthAdding tells whether a candidate may stand beside the first one: one of
// another language only where the first one is of that too.
func (v *evidenceView) worthAdding(c, first candidate) bool {
	return c.chance >= worth && (!v.passages[c.passage].foreign || v.passages[first.passage].foreign)
}

// choice is what an answer has so far.
type choice struct {
	q      *inquiry
	gists  []string
	rows   []candidate
	chance float64 // that it holds the answer
}

// adds takes a candidate into the choice, unless the choice says the same
// already or the candidate is another row than the question is about.
func (ch *choice) adds(c candidate, e llm.Evidence) bool {
	g := gist(strings.Join(wording(ch.q, c, e), "\n"))
	if slices.ContainsFunc(ch.gists, func(have string) bool { return sameGist(have, g) }) {
		ch.chance += c.chance
		return false
	}
	if c.row {
		if slices.ContainsFunc(ch.rows, func(row candidate) bool { return hasLess(c.single, row.single) }) {
			return false
		}
		ch.rows = append(ch.rows, c)
	}
	ch.gists = append(ch.gists, g)
	ch.chance += c.chance
	return true
}

// sameGist tells whether g says nothing, or hardly anything, beyond have.
func sameGist(have, g string) bool {
	return strings.Contains(have, g) || strings.Contains(g, have) && float64(len(have)) >= mostOf*float64(len(g))
}

// mostOf is the share of a sentence from which it stands for the whole.
const mostOf = .7

// hasLess tells whether a has some of the question's items that b has, and no
// other.
func hasLess(a, b uint64) bool { return a&^b == 0 && a != b }

// gist is what two texts are compared by that may say the same.
func gist(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			return -1
		}
		return unicode.ToLower(narrow(r))
	}, simplified(s))
}

// inReadingOrder sorts candidates by passage, in the order of their first
// ones, and by place within a passage.
func inReadingOrder(picked []candidate) []candidate {
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

// quotable leaves out what says nothing by itself: lines without words,
// headings, lines that only announce what follows, and the marks of a code
// block, which would swallow the citation behind them.
func quotable(c *candidate) bool {
	return len(c.glyphs) > 0 && !c.heading && !announces(c.text) &&
		!strings.HasPrefix(c.text, "```") && !strings.HasPrefix(c.text, "~~~")
}
