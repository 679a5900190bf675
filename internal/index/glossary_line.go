package index

import (
	"slices"
	"strings"
	"unicode/utf8"

	"kaoju/internal/text"
)

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

// isCut says that a text is more than one token, or may be in other company:
// Chinese of several characters.
func (l line) isCut() bool {
	return len(l.tokens) > 1 || len(l.tokens) == 1 && l.tokens[0].Kind == text.Han && utf8.RuneCountInString(l.written) > 1
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

// stands reports whether a range of bytes is a word of its own: from one
// border of tokens to another. Chinese may reach into a token at one end,
// since the segmenter may have joined it with its neighbour there; at both, it
// is a chance meeting of other words (年假 in 新年假期).
func (l line) stands(start, end int) bool {
	opens, closes := l.isBorder(start), l.isBorder(end)
	return opens && closes || opens && l.inChinese(end) || closes && l.inChinese(start)
}

// isToken says that a form stands there as one token, and is indexed.
func (l line) isToken(o occurrence) bool {
	if o.to != o.from+1 {
		return false
	}
	i, _ := slices.BinarySearchFunc(l.tokens, o.from, func(t text.Term, pos int) int { return t.Pos - pos })
	return l.tokens[i].Text == o.form.written
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
