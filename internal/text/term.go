package text

import "strings"

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

// DefaultTerminology is what the product's index uses. On the public sets
// (BM25, mean MRR@10 of four Chinese ones, postings a passage of drcd_dev, part
// weight .3 and stop weight .2): unsure/unsure .948, 388; everywhere/unsure
// .952, 471; unsure/everywhere .953, 685; everywhere/everywhere .955, 768.
func DefaultTerminology() Terminology {
	return Terminology{Bigrams: Everywhere, Unigrams: Unsure, Subwords: true, Stem: true, Joins: true}
}

// Terms gives the terms of s under the default terminology, in order of Pos.
func Terms(s string) []Term { return DefaultTerminology().Terms(s) }

// Terms gives the terms under which s is indexed and searched, in order of
// Pos; the first term of a Pos is the whole token, the rest are its parts.
func (t Terminology) Terms(s string) []Term {
	f := fold(s)
	defer f.release()
	lexemes := scan(f, s)
	w := termWriter{Terminology: t, f: f, s: s, lexemes: lexemes, out: make([]Term, 0, estimate(lexemes))}
	for i := range lexemes {
		w.write(i)
	}
	return w.out
}

// estimate guesses the number of terms, so that their list seldom grows: a
// Chinese character begins about one term, and a code has parts.
func estimate(lexemes []lexeme) int {
	n := 8
	for _, x := range lexemes {
		switch x.kind {
		case Han:
			n += x.to - x.from
		case Code:
			n += 4
		default:
			n++
		}
	}
	return n + n/6
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

// The longest partners that may have been written apart.
const (
	maxPrefix = 8  // bytes of the word before a number: "qtr 7310"
	maxSerial = 12 // bytes of that number
	maxUnit   = 3  // bytes of the unit after a number: "220 V"
)

// join writes neighbours that others may write as one code, as one code too:
// a short word and its number, a number and its unit, a letter and Chinese
// ("T恤", "维生素C").
func (w *termWriter) join(i int) {
	a, b := w.lexemes[i], w.lexemes[i+1]
	gap := b.from == a.to+1 && w.f.gap(w.s, a.to)
	touching := b.from == a.to
	if gap && w.apart(a, b) || touching && (b.kind == Han && w.isMark(a) || a.kind == Han && w.isMark(b)) {
		w.add(i, a.from, b.to, canonical(w.f.slice(a.from, a.to))+canonical(w.f.slice(b.from, b.to)), true)
	}
}

// apart says whether a and b may be one code that was written apart.
func (w *termWriter) apart(a, b lexeme) bool {
	first, second := w.f.slice(a.from, a.to), w.f.slice(b.from, b.to)
	serial := a.kind == Word && len(first) <= maxPrefix && !IsStop(first) &&
		b.kind != Word && len(second) <= maxSerial && w.f.cells[b.from].class == digit
	measured := a.kind == Number && b.kind == Word && len(second) <= maxUnit && !IsStop(second)
	return serial || measured
}

// isMark says whether x is a letter, or a letter with a number of one digit or
// two: what a Chinese name may carry.
func (w *termWriter) isMark(x lexeme) bool {
	n := x.to - x.from
	return w.f.cells[x.from].class == letter && (n == 1 || n <= 3 && w.f.cells[x.from+1].class == digit)
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

// unsure says whether the border after lexeme i may be wrong: beside a guess,
// or beside a single character that is no particle.
func (w *termWriter) unsure(i int) bool {
	return i+1 < len(w.lexemes) && (w.doubtful(i) || w.doubtful(i+1)) && !w.particle(i) && !w.particle(i+1)
}

func (w *termWriter) doubtful(i int) bool {
	x := w.lexemes[i]
	return x.guess || x.to-x.from == 1
}

func (w *termWriter) particle(i int) bool {
	x := w.lexemes[i]
	return x.to-x.from == 1 && IsStop(w.f.slice(x.from, x.to))
}
