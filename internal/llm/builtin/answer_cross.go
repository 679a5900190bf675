package builtin

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"kaoju/internal/text"
)

// crossMatch finds the items of a question in sentences of the other language,
// by translation. What it finds is written into a candidate as if the sentence
// said the question's words, so that everything behind it works as in one
// language.
type crossMatch struct {
	*crossing
	covers   []cover    // by concept
	hits     []crossHit // in the sentence at hand
	strength []float64  // by concept: how surely that sentence means it
	last     []int      // by concept: the glyph where it stood last, -1 for none
}

// cover is what a concept stands for in the question.
type cover struct {
	items  []int // single glyphs
	single uint64
	pairs  uint64 // inside the concept
	words  uint64
	bridge uint64 // pairs that lead to the next concept
}

// crossHit is a glyph that may mean a concept, and how surely.
type crossHit struct {
	at      int
	concept int
	weight  float64
	term    *use // tells terms apart
}

const (
	// sure is how surely the words of a sentence must mean a concept to stand
	// for it.
	sure = .3
	// crossThin makes one word of a translation of several count less than its
	// share: a certificate is no stock certificate.
	crossThin = 1.5
)

// newCrossMatch reads a question for sentences in the other language; nil
// where nothing of it can be translated.
func newCrossMatch(q *inquiry) *crossMatch {
	c := newCrossing(q.text, DefaultRerankWeights(), crossThin)
	if c == nil {
		return nil
	}
	x := &crossMatch{crossing: c, covers: make([]cover, len(c.concepts)),
		strength: make([]float64, len(c.concepts)), last: make([]int, len(c.concepts))}
	for i, p := range c.concepts {
		x.covers[i] = q.cover(p.from, p.to)
	}
	for i := range len(x.covers) - 1 {
		both := q.cover(c.concepts[i].from, c.concepts[i+1].to)
		x.covers[i].bridge = both.pairs &^ (x.covers[i].pairs | x.covers[i+1].pairs)
	}
	return x
}

// cover gives the items of the question that lie in a range of its bytes.
func (q *inquiry) cover(from, to int) cover {
	inside := func(at, size int) bool {
		return int(q.glyphs[at].start) >= from && int(q.glyphs[at+size-1].end) <= to
	}
	var c cover
	for item, at := range q.single.at {
		if inside(at, 1) {
			c.single |= 1 << item
			c.items = append(c.items, item)
		}
	}
	for item, at := range q.pairs.at {
		if inside(at, 2) {
			c.pairs |= 1 << item
		}
	}
	for item, at := range q.words.at {
		if inside(at, q.words.size[item]) {
			c.words |= 1 << item
		}
	}
	return c
}

// match finds the question in a sentence; stems are those of its glyphs. What
// several words say together ("stock code") counts by how many of them stand
// there.
func (x *crossMatch) match(c *candidate, stems []uint64) {
	x.find(c.glyphs, stems)
	clear(x.strength)
	for i, h := range x.hits {
		if !slices.ContainsFunc(x.hits[:i], func(o crossHit) bool { return o.term == h.term && o.concept == h.concept }) {
			x.strength[h.concept] = min(1, x.strength[h.concept]+h.weight)
		}
	}
	for i := range x.last {
		x.last[i] = -1
	}
	for _, h := range x.hits {
		if x.strength[h.concept] >= sure {
			x.mean(c, h)
		}
	}
}

// find fills hits.
func (x *crossMatch) find(glyphs []glyph, stems []uint64) {
	x.hits = x.hits[:0]
	inside := 0
	for i, g := range glyphs {
		if g.class != glyphHan {
			if at, ok := x.keys.find(stems[i]); ok {
				x.hit(i, x.uses[at])
			}
			continue
		}
		if !x.sieve[byte(g.key)] {
			continue
		}
		for _, w := range x.chars[rune(g.key)] {
			if i+len(w.atoms) > inside && w.standsAt(glyphs[i:]) {
				inside = max(inside, i+len(w.atoms))
				for k := range w.atoms {
					x.hit(i+k, w.uses)
				}
				break
			}
		}
	}
}

func (x *crossMatch) hit(at int, uses []use) {
	for i, u := range uses {
		x.hits = append(x.hits, crossHit{at, u.concept, u.weight, &uses[i]})
	}
}

// standsAt tells whether the word opens a list of glyphs.
func (w *chineseWord) standsAt(glyphs []glyph) bool {
	if len(w.atoms) > len(glyphs) || len(w.words) > 0 {
		return false
	}
	for k, atom := range w.atoms {
		if glyphs[k].key != uint64(atom&atomics) || glyphs[k].class != glyphHan || k > 0 && glyphs[k].start != glyphs[k-1].end {
			return false
		}
	}
	return true
}

// mean notes that a glyph means a concept.
func (x *crossMatch) mean(c *candidate, h crossHit) {
	v := &x.covers[h.concept]
	c.single |= v.single
	c.pairs |= v.pairs
	c.words |= v.words
	for _, item := range v.items {
		c.marks = append(c.marks, occurrence{h.at, item})
	}
	x.last[h.concept] = h.at
	x.join(c, h.concept-1, h.at)
	x.join(c, h.concept, h.at)
}

// join notes that a concept and the one after it stand close together, where
// one of them stands at glyph i.
func (x *crossMatch) join(c *candidate, first, i int) {
	if first < 0 || first+1 >= len(x.last) {
		return
	}
	a, b := x.last[first], x.last[first+1]
	if a >= 0 && b >= 0 && a != b && i-min(a, b) <= crossNearby {
		c.pairs |= x.covers[first].bridge
	}
}

// certainty is the share of the question, by weight, that strengths by concept
// stand for.
func (x *crossMatch) certainty(strength, weights []float64) float64 {
	sum, all := 0.0, 0.0
	for i, c := range x.covers {
		w := weigh(c.single, weights)
		all += w
		sum += w * strength[i]
	}
	return ratio(sum, all)
}

// sentences are what a text is cut into.
type sentences struct {
	list     []sentence
	language text.Language

	stemming sync.Once
	stemKeys [][]uint64 // by sentence and glyph
}

// stems gives the keys of the stems of all words, as a crossing has them. Only
// questions in another language ask for them.
func (s *sentences) stems() [][]uint64 {
	s.stemming.Do(func() {
		s.stemKeys = make([][]uint64, len(s.list))
		for i, part := range s.list {
			s.stemKeys[i] = stemsOf(part.text, part.glyphs)
		}
	})
	return s.stemKeys
}

func stemsOf(s string, glyphs []glyph) []uint64 {
	keys := make([]uint64, len(glyphs))
	for i, g := range glyphs {
		if g.class == glyphHan {
			continue
		}
		word := s[g.start:g.end]
		if terms := text.Terms(word); len(terms) > 0 {
			word = terms[0].Text
		}
		keys[i] = keyOf(word)
	}
	return keys
}

// languageOf tells the language of a text by its beginning.
func languageOf(s string) text.Language {
	if len(s) > sampleBytes {
		end := sampleBytes
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end]
	}
	return text.DetectLanguage(strings.ToValidUTF8(s, ""))
}
