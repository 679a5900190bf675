package builtin

import (
	"strings"

	"kaoju/internal/llm"
)

// alias is another name for some of a question's words, as sentences are
// searched for it.
type alias struct {
	glyphs []uint64 // keys, in their order
	cover  cover    // what it stands for in the question
}

// aliases are those of a question, by the key of their first glyph.
type aliases map[uint64][]alias

// also makes other names of the question's words known. One that does not stand
// in the question is left out.
func (q *inquiry) also(list []llm.Alias) {
	for _, a := range list {
		of, said := keysOf(a.Of), keysOf(a.Said)
		from := q.find(of)
		if from < 0 || len(said) == 0 {
			continue
		}
		if q.aliases == nil {
			q.aliases = aliases{}
		}
		for i, names := range q.codes {
			if strings.Contains(squeezed(a.Of), names[0]) {
				q.codes[i] = append(names, squeezed(a.Said))
			}
		}
		last := from + len(of) - 1
		c := q.cover(int(q.glyphs[from].start), int(q.glyphs[last].end))
		q.aliases[said[0]] = append(q.aliases[said[0]], alias{said, c})
	}
}

func keysOf(s string) []uint64 {
	glyphs := readGlyphs(nil, simplified(s))
	keys := make([]uint64, len(glyphs))
	for i, g := range glyphs {
		keys[i] = g.key
	}
	return keys
}

// find gives the first glyph of words in the question, -1 where they do not
// stand there.
func (q *inquiry) find(keys []uint64) int {
	for i := 0; len(keys) > 0 && i+len(keys) <= len(q.glyphs); i++ {
		if standAt(q.glyphs[i:], keys) {
			return i
		}
	}
	return -1
}

func standAt(glyphs []glyph, keys []uint64) bool {
	if len(keys) > len(glyphs) {
		return false
	}
	for i, key := range keys {
		if glyphs[i].key != key {
			return false
		}
	}
	return true
}

// matchAliases writes into a sentence what its other names for the question's
// words say, as if it had those.
func (v *evidenceView) matchAliases(c *candidate) {
	if v.q.aliases == nil {
		return
	}
	for i, g := range c.glyphs {
		for _, a := range v.q.aliases[g.key] {
			if !standAt(c.glyphs[i:], a.glyphs) {
				continue
			}
			c.single |= a.cover.single
			c.pairs |= a.cover.pairs
			c.words |= a.cover.words
			for k := range a.glyphs {
				if n := len(a.cover.items); n > 0 {
					c.marks = append(c.marks, occurrence{i + k, a.cover.items[k%n]})
				}
			}
		}
	}
}
