package index

import (
	"math"

	"kaoju/internal/text"
	"kaoju/internal/text/bilingual"
)

// What a translation counts for, against what the dictionary says.
const (
	// innerShare is for a part of something that is translated as a whole.
	innerShare = .5
	// phraseShare is the exponent with which the words of a translation of
	// several share its weight: 1 shares it out, 0 gives all of it to each.
	phraseShare = .7
	// maxOptions bounds the translations of a word.
	maxOptions = 12
	// apart lies between the group of a word and those of the further words
	// of its translation. No question has as many tokens.
	apart = 1 << 20
)

// translations gives the terms of the other language that the question may be
// asking for. They stand in the group of the word that they translate, and
// count where passages say them. Of a translation of several words, those
// after the first stand in groups of their own.
func (w Weights) translations(terms []text.Term) []QueryTerm {
	if w.QueryForeign <= 0 {
		return nil
	}
	wanted := wantedTokens(terms)
	c := translator{at: map[foreignKey]int{}}
	for _, r := range bilingual.Render(terms) {
		weight := w.QueryForeign
		if r.Inner {
			weight *= innerShare
		}
		for pos := r.From; pos < r.To; pos++ {
			if wanted[pos] {
				c.add(pos, r.Options, weight)
			}
		}
	}
	return c.out
}

// wantedTokens are the content words, each where it comes first.
func wantedTokens(terms []text.Term) map[int]bool {
	wanted, seen := map[int]bool{}, map[string]bool{}
	for _, t := range terms {
		if !t.Part && !text.IsStop(t.Text) && !seen[t.Text] {
			wanted[t.Pos], seen[t.Text] = true, true
		}
	}
	return wanted
}

type foreignKey struct {
	text  string
	group int
}

type translator struct {
	out []QueryTerm
	at  map[foreignKey]int
}

func (c *translator) add(group int, options []bilingual.Option, weight float32) {
	for _, o := range options[:min(len(options), maxOptions)] {
		each := weight * o.Weight * float32(math.Pow(float64(len(o.Terms)), -phraseShare))
		for i, t := range o.Terms {
			c.term(foreignKey{t, group + i*apart}, each)
		}
	}
}

// term adds a term to a group once, by its best weight.
func (c *translator) term(key foreignKey, weight float32) {
	i, ok := c.at[key]
	if !ok {
		i = len(c.out)
		c.at[key] = i
		c.out = append(c.out, QueryTerm{Text: key.text, Group: key.group, Foreign: true})
	}
	c.out[i].Weight = max(c.out[i].Weight, weight)
}
