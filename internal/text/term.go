package text

import (
	"strings"
	"unicode/utf8"
)

// Term is an entry of the search index.
type Term struct {
	Text       string // canonical: code without separators, stem without accents
	Start, End int    // byte range in the original string
	Pos        int    // index of the token that it comes from
	Kind       Kind
	Part       bool // an addition to the term that stands for the whole token
}

// Reach says for which stretches of Chinese something is done.
type Reach uint8

// The reaches.
const (
	Nowhere Reach = iota
	Unsure        // around single characters and words that the dictionary lacks
	Everywhere
)

// Terminology is a choice of the terms that a text gives. Documents and
// queries must be read with the same one. Use DefaultTerminology and change it.
type Terminology struct {
	Bigrams  Reach // pairs of neighbouring Chinese characters
	Unigrams Reach // single Chinese characters
	Subwords bool  // dictionary words inside Chinese words
	Stem     bool  // English stems in place of words
	Joins    bool  // "qtr 7310" also as "qtr7310"
}

// DefaultTerminology is what the product's index uses.
func DefaultTerminology() Terminology {
	return Terminology{Bigrams: Unsure, Unigrams: Nowhere, Subwords: true, Stem: true, Joins: true}
}

// Terms gives the terms of s under the default terminology, in order of Pos.
func Terms(s string) []Term { return DefaultTerminology().Terms(s) }

// Terms gives the terms under which s is indexed and searched, in order of
// Pos; the first term of a Pos is the whole token, the rest are its parts.
func (t Terminology) Terms(s string) []Term {
	f := fold(s)
	defer f.release()
	lexemes := scan(f, s)
	w := termWriter{Terminology: t, f: f, s: s, lexemes: lexemes, out: make([]Term, 0, len(lexemes)*3/2)}
	for i := range lexemes {
		w.write(i)
	}
	return w.out
}

type termWriter struct {
	Terminology
	f       *folded
	s       string
	lexemes []lexeme
	out     []Term
}

func (w *termWriter) write(i int) {
	x := w.lexemes[i]
	switch {
	case x.kind == Han:
		w.chinese(i)
	case x.kind == Number:
		w.add(i, x.from, x.to, strings.ReplaceAll(w.f.slice(x.from, x.to), ",", ""), false)
	case w.f.cells[x.from].class == kana || w.f.cells[x.from].class == hangul:
		w.syllables(i)
	default:
		w.compound(i)
	}
	if w.Joins && i+1 < len(w.lexemes) {
		w.join(i)
	}
}

func (w *termWriter) add(pos, from, to int, text string, part bool) {
	if text == "" {
		return
	}
	w.out = append(w.out, Term{Text: text, Start: int(w.f.cells[from].start), End: int(w.f.cells[to-1].end),
		Pos: pos, Kind: w.lexemes[pos].kind, Part: part})
}

// syllables writes a run of kana or hangul: whole, and in pairs.
func (w *termWriter) syllables(i int) {
	x := w.lexemes[i]
	w.add(i, x.from, x.to, w.f.slice(x.from, x.to), false)
	for k := x.from; k+2 <= x.to && x.to-x.from > 2; k++ {
		w.add(i, k, k+2, w.f.slice(k, k+2), true)
	}
}

// join writes a short word and the number after it, or a number and the unit
// after it, as one code too.
func (w *termWriter) join(i int) {
	a, b := w.lexemes[i], w.lexemes[i+1]
	if b.from != a.to+1 || w.f.cells[a.to].r != ' ' {
		return
	}
	first, second := w.f.slice(a.from, a.to), w.f.slice(b.from, b.to)
	switch {
	case a.kind == Word && len(first) <= 8 && !IsStop(first) && b.kind != Word && w.f.cells[b.from].class == digit:
	case a.kind == Number && b.kind == Word && len(second) <= 3 && !IsStop(second):
	default:
		return
	}
	w.add(i, a.from, b.to, canonical(first)+canonical(second), true)
}

// chinese writes a word, the words inside it, and the pairs and single
// characters that the terminology asks for.
func (w *termWriter) chinese(i int) {
	x := w.lexemes[i]
	w.add(i, x.from, x.to, w.f.slice(x.from, x.to), false)
	n := x.to - x.from
	for size := 2; size <= 3 && w.Subwords && n > size; size++ {
		for k := x.from; k+size <= x.to; k++ {
			if isWord(w.f.cells[k : k+size]) {
				w.add(i, k, k+size, w.f.slice(k, k+size), true)
			}
		}
	}
	w.pairs(i)
	if n > 1 && (w.Unigrams == Everywhere || w.Unigrams == Unsure && x.guess) {
		for k := x.from; k < x.to; k++ {
			w.add(i, k, k+1, w.f.slice(k, k+1), true)
		}
	}
}

// pairs writes the pairs that begin in lexeme i and are not written yet.
func (w *termWriter) pairs(i int) {
	x := w.lexemes[i]
	if w.Bigrams == Nowhere {
		return
	}
	for k := x.from; k < x.to && k+1 < len(w.f.cells) && w.f.cells[k+1].class == han; k++ {
		inside := k+2 <= x.to
		if inside && (x.to-x.from == 2 || w.Subwords && isWord(w.f.cells[k:k+2])) {
			continue
		}
		if w.Bigrams == Everywhere || inside && x.guess || !inside && w.unsure(i) {
			w.add(i, k, k+2, w.f.slice(k, k+2), true)
		}
	}
}

// unsure says whether the border after lexeme i may be wrong.
func (w *termWriter) unsure(i int) bool {
	if i+1 >= len(w.lexemes) {
		return false
	}
	a, b := w.lexemes[i], w.lexemes[i+1]
	return a.guess || b.guess || a.to-a.from == 1 || b.to-b.from == 1
}

// runeCount is the length of a term in characters.
func runeCount(s string) int { return utf8.RuneCountInString(s) }
