package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxCode bounds the bytes of a whole code as a term.
const maxCode = 128

// compound writes a word or code: whole in canonical form, and its pieces.
func (w *termWriter) compound(i int) {
	x := w.lexemes[i]
	text := w.f.slice(x.from, x.to)
	if x.kind == Word && !strings.ContainsAny(text, "-&") {
		w.add(i, x.from, x.to, w.word(text), false)
		return
	}
	whole := canonical(text)
	if len(whole) <= maxCode {
		w.add(i, x.from, x.to, whole, false)
	}
	for k := x.from; k < x.to; {
		end := w.piece(k, x.to)
		if size := end - k; size > 1 && size < x.to-x.from {
			w.add(i, k, end, w.word(w.f.slice(k, end)), true)
		}
		k = max(end, k+1)
	}
}

// piece reads one homogeneous piece: letters, a number with point, or the rest.
func (w *termWriter) piece(k, to int) int {
	cells := w.f.cells
	c := cells[k].class
	if c == other || c == space {
		return k
	}
	end := k
	for end < to && (cells[end].class == c ||
		c == digit && cells[end].r == '.' && end+1 < to && cells[end+1].class == digit) {
		end++
	}
	return end
}

// word gives the index form of a word in letters.
func (w *termWriter) word(s string) string {
	s = foldAccents(s)
	s = strings.TrimSuffix(strings.ReplaceAll(s, "’", "'"), "'s")
	s = strings.ReplaceAll(s, "'", "")
	if w.Stem {
		return stem(s)
	}
	return s
}

// foldAccents takes the marks off Latin letters: café → cafe.
func foldAccents(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// canonical makes the spellings of a code meet: separators are left out, but
// for the points and colons between digits.
func canonical(s string) string {
	s = foldAccents(s)
	var b strings.Builder
	for i, r := range s {
		if !isSeparator(r) || (r == '.' || r == ':') && betweenDigits(s, i) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isSeparator(r rune) bool {
	return strings.ContainsRune("-_/.:,&'’ \u2010\u2011", r)
}

func betweenDigits(s string, i int) bool {
	isDigit := func(k int) bool { return k >= 0 && k < len(s) && s[k] >= '0' && s[k] <= '9' }
	return isDigit(i-1) && isDigit(i+1)
}
