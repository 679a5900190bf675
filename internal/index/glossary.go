package index

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"kaoju/internal/text"
)

// Weights of what a glossary offers for a word, against the word.
const (
	synonymWeight  = .95
	glossaryWeight = .9 // a translation
)

// Limits of a glossary.
const (
	maxGlossaryRows  = 10_000
	maxGlossaryForms = 32 // of an entry
)

// Glossary is what the owner of a base knows about its words: names, products,
// abbreviations, and what they are called elsewhere. It is read-only and safe
// for concurrent use; nil is an empty one.
type Glossary struct {
	entries []glossaryEntry
	forms   []glossaryForm
}

type glossaryEntry struct {
	forms []expression // the term, its synonyms, its translations
}

// expression is a way to say an entry: its tokens as the index has them.
type expression struct {
	terms  []string
	weight float32
}

// glossaryForm leads from a way to write an entry to the entry. Only the term
// and its synonyms are looked for; translations are, too, since a question may
// come in either language.
type glossaryForm struct {
	written string // as line writes it
	entry   int
	own     int // its expression in the entry
}

// ReadGlossary reads a table in CSV with the columns term, synonyms and
// translations, in any order, the first row naming them. Synonyms and
// translations may be several, with semicolons or vertical bars between. Other
// columns and rows without a term are left out. An error names the row.
func ReadGlossary(r io.Reader) (*Glossary, error) {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = -1
	rows.TrimLeadingSpace = true
	head, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read the head of the glossary: %w", err)
	}
	columns := columnsOf(head)
	if columns["term"] < 0 {
		return nil, errors.New("the glossary has no column \"term\"; its first row must name the columns term, synonyms, translations")
	}
	g := &Glossary{}
	for n := 2; ; n++ {
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return g, nil
		case err != nil:
			return nil, fmt.Errorf("read row %d of the glossary: %w", n, err)
		case n > maxGlossaryRows+1:
			return nil, fmt.Errorf("the glossary has more than %d rows", maxGlossaryRows)
		}
		g.add(cell(row, columns["term"]), cell(row, columns["synonyms"]), cell(row, columns["translations"]))
	}
}

func columnsOf(head []string) map[string]int {
	columns := map[string]int{"term": -1, "synonyms": -1, "translations": -1}
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
		if at, known := columns[name]; known && at < 0 {
			columns[name] = i
		}
	}
	return columns
}

func cell(row []string, i int) string {
	if i < 0 || i >= len(row) {
		return ""
	}
	return row[i]
}

func (g *Glossary) add(term, synonyms, translations string) {
	e := glossaryEntry{}
	use := func(form string, weight float32) {
		l := newLine(text.Terms(form))
		if l.written == "" || len(e.forms) == maxGlossaryForms {
			return
		}
		g.forms = append(g.forms, glossaryForm{written: l.written, entry: len(g.entries), own: len(e.forms)})
		e.forms = append(e.forms, expression{terms: l.words(), weight: weight})
	}
	use(term, synonymWeight)
	if len(e.forms) == 0 {
		return
	}
	for _, s := range several(synonyms) {
		use(s, synonymWeight)
	}
	for _, s := range several(translations) {
		use(s, glossaryWeight)
	}
	g.entries = append(g.entries, e)
}

func several(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(";；|", r) })
}

// Extend adds to the terms of a question what its words are called elsewhere,
// by the glossary, in the groups of the words. The terms are left as they are;
// the result may be they.
func (g *Glossary) Extend(question string, terms []QueryTerm) []QueryTerm {
	if g == nil || len(g.forms) == 0 {
		return terms
	}
	l := newLine(text.Terms(question))
	c := translator{at: map[foreignKey]int{}}
	for _, f := range g.forms {
		for _, s := range l.find(f.written) {
			for i, e := range g.entries[f.entry].forms {
				if i != f.own {
					c.addExpression(s, e)
				}
			}
		}
	}
	return append(slices.Clip(terms), c.out...)
}

// addExpression adds a way to say the tokens of a stretch. One word stands for
// each of them, the first of several for the first.
func (c *translator) addExpression(s stretch, e expression) {
	for pos := s.from; pos < s.to; pos++ {
		for i, t := range e.terms {
			c.term(foreignKey{t, pos + i*apart}, e.weight/float32(len(e.terms)))
		}
	}
}

// pair is the number of characters of which the index has every combination.
const pair = 2

// line is a text as its tokens say it: Chinese without gaps, since a glossary
// may cut it elsewhere, and the rest with blanks around each token.
type line struct {
	written string
	tokens  []text.Term
	ends    []int // of each token in written
}

func newLine(terms []text.Term) line {
	var l line
	var b strings.Builder
	for _, t := range terms {
		if t.Part {
			continue
		}
		last := len(l.tokens) - 1
		if last >= 0 && (t.Kind != text.Han || l.tokens[last].Kind != text.Han || l.tokens[last].End != t.Start) {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
		l.tokens = append(l.tokens, t)
		l.ends = append(l.ends, b.Len())
	}
	l.written = b.String()
	return l
}

// words are the terms under which passages have a text. The index has every
// pair of Chinese characters.
func (l line) words() []string {
	if len(l.tokens) == pair && utf8.RuneCountInString(l.written) == pair {
		return []string{l.written}
	}
	out := make([]string, len(l.tokens))
	for i, t := range l.tokens {
		out[i] = strings.Clone(t.Text)
	}
	return out
}

// stretch is a range of tokens.
type stretch struct{ from, to int }

// find gives where something is written, from one border of tokens to
// another. Chinese may reach into a token at one end, since the segmenter may
// have joined it with its neighbour there; at both, it is a chance meeting of
// other words (年假 in 新年假期).
func (l line) find(written string) []stretch {
	var out []stretch
	for from := 0; ; {
		at := strings.Index(l.written[from:], written)
		if at < 0 {
			return out
		}
		start := from + at
		end := start + len(written)
		opens, closes := l.isBorder(start), l.isBorder(end)
		if opens && closes || opens && l.inChinese(end) || closes && l.inChinese(start) {
			out = append(out, l.over(start, end))
		}
		from = end
	}
}

// isBorder says whether a token begins or ends at a place.
func (l line) isBorder(at int) bool {
	if at == 0 || l.written[at-1] == ' ' {
		return true
	}
	_, found := slices.BinarySearch(l.ends, at)
	return found
}

// inChinese says whether the token that holds a place is Chinese.
func (l line) inChinese(at int) bool {
	i, _ := slices.BinarySearch(l.ends, at)
	return i < len(l.tokens) && l.tokens[i].Kind == text.Han
}

// over gives the tokens that a range of bytes touches.
func (l line) over(start, end int) stretch {
	first, found := slices.BinarySearch(l.ends, start)
	if found {
		first++
	}
	last, _ := slices.BinarySearch(l.ends, end)
	return stretch{l.tokens[first].Pos, l.tokens[min(last, len(l.tokens)-1)].Pos + 1}
}
