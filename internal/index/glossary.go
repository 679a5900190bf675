package index

import (
	"slices"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/text"
)

// Weights of what a glossary offers for a word, against the word.
const (
	synonymWeight  = .95
	glossaryWeight = .9 // a translation
)

// Glossary makes a base's own words known to its index and its questions:
// names that must not be cut, and what they are called elsewhere. It is
// read-only and safe for concurrent use; nil is an empty one.
type Glossary struct {
	entries [][]expression // of an entry: the term, its synonyms, its translations
	forms   []glossaryForm
	heads   map[string][]int // forms by their first two characters
}

// expression is a way to say an entry: its tokens as the index has them.
type expression struct {
	said   string // as it was entered
	terms  []string
	whole  string // the same in one term, where it is indexed so
	weight float32
}

// glossaryForm leads from a way to write an entry to the entry. Translations
// are looked for too, since a question may come in either language.
type glossaryForm struct {
	written string // as line writes it
	entry   int
	own     int  // its expression in the entry
	whole   bool // a word of its own
}

// NewGlossary compiles entries. What CheckGlossary refuses is left out.
func NewGlossary(entries []core.GlossaryEntry) *Glossary {
	g := &Glossary{heads: map[string][]int{}}
	for _, e := range entries {
		g.add(e)
	}
	return g
}

func (g *Glossary) add(e core.GlossaryEntry) {
	var said []expression
	use := func(form string, weight float32, whole bool) {
		l := newLine(text.Terms(form))
		if l.written == "" || len(said) == core.MaxGlossaryForms {
			return
		}
		x := expression{said: form, terms: l.words(), weight: weight}
		if whole && l.isCut() {
			x.whole = l.written
		}
		g.form(glossaryForm{written: l.written, entry: len(g.entries), own: len(said), whole: x.whole != ""})
		said = append(said, x)
	}
	use(e.Term, synonymWeight, !e.Split)
	if len(said) == 0 {
		return
	}
	for _, s := range e.Synonyms {
		use(s, synonymWeight, !e.Split)
	}
	for _, s := range e.Translations {
		use(s, glossaryWeight, false)
	}
	g.entries = append(g.entries, said)
}

func (g *Glossary) form(f glossaryForm) {
	head := headOf(f.written)
	g.heads[head] = append(g.heads[head], len(g.forms))
	g.forms = append(g.forms, f)
}

// headOf is the beginning under which a form is found: two characters, or all
// of a shorter one.
func headOf(s string) string {
	_, first := utf8.DecodeRuneInString(s)
	_, second := utf8.DecodeRuneInString(s[first:])
	return s[:first+second]
}

// occurrence is a form that stands in a text.
type occurrence struct {
	form glossaryForm
	stretch
}

// occurrences gives the forms that stand in a line, by where they begin.
func (g *Glossary) occurrences(l line) []occurrence {
	if g == nil || len(g.forms) == 0 {
		return nil
	}
	var out []occurrence
	for at := range l.written {
		rest := l.written[at:]
		head := headOf(rest)
		if _, n := utf8.DecodeRuneInString(rest); n < len(head) {
			out = g.startingAt(out, l, at, head[:n])
		}
		out = g.startingAt(out, l, at, head)
	}
	return out
}

func (g *Glossary) startingAt(out []occurrence, l line, at int, head string) []occurrence {
	for _, i := range g.heads[head] {
		f := g.forms[i]
		if strings.HasPrefix(l.written[at:], f.written) && l.stands(at, at+len(f.written)) {
			out = append(out, occurrence{f, l.over(at, at+len(f.written))})
		}
	}
	return out
}

// Analyze gives the terms of a passage under the default weights, with the
// glossary's own words among them.
func (g *Glossary) Analyze(title string, headings []string, content string) []Term {
	w := DefaultWeights()
	terms := w.Analyze(title, headings, content)
	if g == nil || len(g.forms) == 0 {
		return terms
	}
	c := collector{terms: terms, at: map[string]int{}, part: w.Part}
	for i, t := range terms {
		c.at[t.Text] = i
	}
	c.words(g, title, w.Title)
	for _, h := range headings {
		c.words(g, h, w.Heading)
	}
	c.words(g, content, w.Body)
	return c.terms
}

// words adds the glossary's own words of a field.
func (c *collector) words(g *Glossary, s string, weight float32) {
	l := newLine(text.Terms(s))
	for _, o := range g.occurrences(l) {
		if !o.form.whole || l.isToken(o) {
			continue
		}
		i, ok := c.at[o.form.written]
		if !ok {
			i = len(c.terms)
			c.at[o.form.written] = i
			c.terms = append(c.terms, Term{Text: strings.Clone(o.form.written)})
		}
		each := weight
		if ok && utf8.RuneCountInString(o.form.written) == pair {
			each -= weight * c.part // every pair is there already, as a part
		}
		c.terms[i].Weight += each
	}
}

// QueryTerms gives the terms that a question asks for under the default
// weights, as the glossaries of the bases that are asked have its words: each
// a word of its own, and what it is called elsewhere beside it.
func (g *Glossary) QueryTerms(question string, others ...*Glossary) []QueryTerm {
	terms := QueryTerms(question)
	for _, g := range append([]*Glossary{g}, others...) {
		terms = g.whole(question, g.Extend(question, terms))
	}
	return terms
}

// Aliases gives what words of a question are called elsewhere.
func (g *Glossary) Aliases(question string) []llm.Alias {
	if g == nil || len(g.forms) == 0 {
		return nil
	}
	var out []llm.Alias
	terms := text.Terms(question)
	for _, o := range g.occurrences(newLine(terms)) {
		of := question[startOf(terms, o.from):endOf(terms, o.to-1)]
		for i, e := range g.entries[o.form.entry] {
			if i != o.form.own {
				out = append(out, llm.Alias{Of: of, Said: e.said})
			}
		}
	}
	return out
}

// startOf is where the token at a position begins.
func startOf(terms []text.Term, pos int) int {
	i := slices.IndexFunc(terms, func(t text.Term) bool { return t.Pos == pos && !t.Part })
	return terms[i].Start
}

// endOf is where the token at a position ends.
func endOf(terms []text.Term, pos int) int {
	i := slices.IndexFunc(terms, func(t text.Term) bool { return t.Pos == pos && !t.Part })
	return terms[i].End
}

// CutsAs reports whether two glossaries cut passages into the same terms.
func (g *Glossary) CutsAs(other *Glossary) bool {
	return slices.Equal(g.wholes(), other.wholes())
}

// wholes are the words that must not be cut, in order, each once.
func (g *Glossary) wholes() []string {
	if g == nil {
		return nil
	}
	var out []string
	for _, f := range g.forms {
		if f.whole {
			out = append(out, f.written)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// whole puts words that must not be cut in the place of their parts, which
// then count as parts do, once a passage.
func (g *Glossary) whole(question string, terms []QueryTerm) []QueryTerm {
	if g == nil || len(g.forms) == 0 {
		return terms
	}
	weight := DefaultWeights().QueryPart
	for _, o := range g.occurrences(newLine(text.Terms(question))) {
		if !o.form.whole {
			continue
		}
		for i, t := range terms {
			if at := t.Group % apart; at < o.from || at >= o.to {
				continue
			}
			terms[i].Group = o.from + t.Group - t.Group%apart
			if !t.Foreign {
				terms[i].Weight *= weight
			}
		}
		terms = append(terms, QueryTerm{Text: o.form.written, Weight: 1, Group: o.from})
	}
	return terms
}

// Extend adds to the terms of a question what its words are called elsewhere,
// by the glossary, in the groups of the words. The terms are left as they are;
// the result may be they.
func (g *Glossary) Extend(question string, terms []QueryTerm) []QueryTerm {
	if g == nil || len(g.forms) == 0 {
		return terms
	}
	c := translator{at: map[foreignKey]int{}}
	for _, o := range g.occurrences(newLine(text.Terms(question))) {
		for i, e := range g.entries[o.form.entry] {
			if i != o.form.own {
				c.addExpression(o.stretch, e)
			}
		}
	}
	return append(slices.Clip(terms), c.out...)
}

// addExpression adds a way to say the tokens of a stretch. One word stands for
// each of them, the first of several for the first.
func (c *translator) addExpression(s stretch, e expression) {
	if e.whole != "" {
		c.term(foreignKey{e.whole, s.from}, e.weight)
	}
	for pos := s.from; pos < s.to; pos++ {
		for i, t := range e.terms {
			c.term(foreignKey{t, pos + i*apart}, e.weight/float32(len(e.terms)))
		}
	}
}
