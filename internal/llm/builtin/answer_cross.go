package builtin

import (
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
	covers []cover     // by concept
	last   []crossMark // by concept: where it stood last in the sentence
}

// cover is what a concept stands for in the question.
type cover struct {
	items  []int // single glyphs
	single uint64
	pairs  uint64 // inside the concept
	words  uint64
	bridge uint64 // pairs that lead to the next concept
}

// crossMark is a glyph that may mean a concept, and how surely.
type crossMark struct {
	at     int
	weight float64
}

// sure is how surely a word must mean a concept to stand for it.
const sure = .2

// newCrossMatch reads a question for sentences in the other language; nil
// where nothing of it can be translated.
func newCrossMatch(q *inquiry) *crossMatch {
	c := newCrossing(q.text, DefaultRerankWeights())
	if c == nil {
		return nil
	}
	x := &crossMatch{crossing: c, covers: make([]cover, len(c.concepts)), last: make([]crossMark, len(c.concepts))}
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

// match finds the question in a sentence; stems are those of its glyphs.
func (x *crossMatch) match(c *candidate, stems []uint64) {
	for i := range x.last {
		x.last[i] = crossMark{at: -1}
	}
	inside := 0
	for i, g := range c.glyphs {
		if g.class != glyphHan {
			if at, ok := x.keys.find(stems[i]); ok {
				x.mean(c, i, x.uses[at])
			}
			continue
		}
		if !x.sieve[byte(g.key)] {
			continue
		}
		for _, w := range x.chars[rune(g.key)] {
			if i+len(w.atoms) > inside && w.standsAt(c.glyphs[i:]) {
				inside = max(inside, i+len(w.atoms))
				for k := range w.atoms {
					x.mean(c, i+k, w.uses)
				}
				break
			}
		}
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

// mean notes that glyph i may mean concepts.
func (x *crossMatch) mean(c *candidate, i int, uses []use) {
	for _, u := range uses {
		if u.weight < sure {
			continue
		}
		v := &x.covers[u.concept]
		c.single |= v.single
		c.pairs |= v.pairs
		c.words |= v.words
		for _, item := range v.items {
			c.marks = append(c.marks, occurrence{i, item})
		}
		x.last[u.concept] = crossMark{i, u.weight}
		x.join(c, u.concept-1, i)
		x.join(c, u.concept, i)
	}
}

// join notes that a concept and the one after it stand close together, where
// one of them stands at glyph i.
func (x *crossMatch) join(c *candidate, first, i int) {
	if first < 0 || first+1 >= len(x.last) {
		return
	}
	a, b := x.last[first].at, x.last[first+1].at
	if a >= 0 && b >= 0 && a != b && i-min(a, b) <= crossNearby {
		c.pairs |= x.covers[first].bridge
	}
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
