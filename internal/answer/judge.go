package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/text"
)

// maxQuote is the length in bytes of the longest span that is kept as a
// quote; a longer sentence is cut at a rune.
const maxQuote = 1500

// sourceTerms holds what is known of each source while an answer is judged.
type sourceTerms struct {
	sources   *Sources
	all       []map[string]bool // terms, by number-1
	sentences [][]sentenceTerms
	details   []detailSet
}

type sentenceTerms struct {
	span  text.Span
	terms map[string]bool
}

func newSourceTerms(sources *Sources) *sourceTerms {
	n := sources.Len()
	return &sourceTerms{
		sources:   sources,
		all:       make([]map[string]bool, n),
		sentences: make([][]sentenceTerms, n),
		details:   make([]detailSet, n),
	}
}

// read makes the terms of source number, once.
func (t *sourceTerms) read(number int) {
	if t.all[number-1] != nil {
		return
	}
	ref, _ := t.sources.ByNumber(number)
	content := t.sources.Content(number)
	all := map[string]bool{}
	for _, span := range text.Sentences(content) {
		span = trimmed(content, span.Start, span.End)
		terms := contentTerms(content[span.Start:span.End])
		for term := range terms {
			all[term] = true
		}
		t.sentences[number-1] = append(t.sentences[number-1], sentenceTerms{span, terms})
	}
	heading := strings.Join(append([]string{ref.Title}, ref.Headings...), "\n")
	for term := range contentTerms(heading) {
		all[term] = true
	}
	t.all[number-1] = all
	t.details[number-1] = newDetailSet(heading + "\n" + content)
}

// judge fills the findings of a claim and gives the number of its terms.
func (t *sourceTerms) judge(c *Claim) int {
	terms := contentTerms(c.words)
	against := c.Cited
	if len(against) == 0 {
		against = t.everySource()
	}
	if t.quoted(c.words, c.Cited) {
		c.Support = 1 // word for word: nothing can be missing
	} else {
		for _, number := range against {
			t.read(number)
		}
		c.Support = t.containment(terms, against)
		c.Missing = t.missing(c.words, against)
	}
	c.Supported = len(c.Cited) > 0 && c.Support >= minSupport && len(c.Missing) == 0
	for _, number := range c.Cited {
		c.spans = append(c.spans, t.carrier(c.words, terms, number))
	}
	return len(terms)
}

// quoted tells whether one of the sources has the claim word for word.
func (t *sourceTerms) quoted(claim string, numbers []int) bool {
	claim = strings.TrimSpace(claim)
	for _, number := range numbers {
		content := t.sources.Content(number)
		at := strings.Index(content, claim)
		if at >= 0 && claim != "" && !joined(content, at) && !joined(content, at+len(claim)) {
			return true
		}
	}
	return false
}

// joined tells whether the letters or digits on both sides of a place are of
// one word or number.
func joined(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	inside := func(r rune) bool {
		return unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) || unicode.IsNumber(r)
	}
	return inside(before) && inside(after)
}

func (t *sourceTerms) everySource() []int {
	numbers := make([]int, t.sources.Len())
	for i := range numbers {
		numbers[i] = i + 1
	}
	return numbers
}

// containment is the share of the terms that one of the sources holds. A
// claim without terms of its own ("好的，是的。") says nothing to support.
func (t *sourceTerms) containment(terms map[string]bool, numbers []int) float64 {
	if len(terms) == 0 {
		return 1
	}
	held := 0
	for term := range terms {
		for _, number := range numbers {
			if t.all[number-1][term] {
				held++
				break
			}
		}
	}
	return float64(held) / float64(len(terms))
}

// missing gives the numbers, dates and names of a claim that none of the
// sources has; a number with its unit where they have it with others only.
func (t *sourceTerms) missing(claim string, numbers []int) []string {
	var list []string
	for _, d := range claimDetails(claim) {
		found, otherwise := false, false
		for _, number := range numbers {
			found = found || t.details[number-1].has(d)
			otherwise = otherwise || t.details[number-1].hasNumber(d)
		}
		switch {
		case found:
		case otherwise: // it counts something else
			list = append(list, d.text+d.what)
		default:
			list = append(list, d.text)
		}
	}
	return list
}

// carrier is the span of a source that carries a claim: the claim itself
// where it is quoted, else the sentence that holds most of its terms.
func (t *sourceTerms) carrier(claim string, terms map[string]bool, number int) text.Span {
	content := t.sources.Content(number)
	claim = strings.TrimSpace(claim)
	if at := strings.Index(content, claim); at >= 0 && claim != "" {
		return text.Span{Start: at, End: at + len(claim)}
	}
	t.read(number)
	best, most := text.Span{}, -1
	for _, s := range t.sentences[number-1] {
		held := 0
		for term := range terms {
			if s.terms[term] {
				held++
			}
		}
		if held > most {
			best, most = s.span, held
		}
	}
	if best.End-best.Start > maxQuote {
		best.End = best.Start + len(cutRunes(content[best.Start:best.End], maxQuote))
	}
	return best
}

// cutRunes cuts s to at most n bytes without splitting a rune.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// contentTerms gives the terms of s that carry meaning.
func contentTerms(s string) map[string]bool {
	terms := map[string]bool{}
	for _, t := range text.Terms(s) {
		if !text.IsStop(t.Text) {
			terms[t.Text] = true
		}
	}
	return terms
}
