package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// cell is one rune of the normalised text and where it came from.
type cell struct {
	r          rune
	code       uint16 // lexicon code, 0 outside the lexicon
	class      class
	start, end int32 // byte range in the original
	pos        int32 // byte offset in the normalised text
}

// folded is a text in normalised form, rune by rune, before white space is
// squeezed. It is pooled: release it when the tokens are made.
type folded struct {
	cells   []cell
	text    string
	buf     []byte
	seg     segmenter
	lexemes []lexeme
}

var foldedPool = sync.Pool{New: func() any { return new(folded) }}

// fold normalises s and keeps the way back to its bytes.
func fold(s string) *folded {
	f := foldedPool.Get().(*folded)
	f.cells, f.buf = f.cells[:0], f.buf[:0]
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if composes(s, i+n, r) {
			i = f.addSegment(s, i)
			continue
		}
		f.add(r, i, i+n)
		i += n
	}
	f.text = string(f.buf)
	return f
}

func (f *folded) release() {
	f.text = ""
	if cap(f.cells) <= 1<<16 { // one huge text must not stay in memory
		foldedPool.Put(f)
	}
}

// composes says whether r, or r together with the rune at next, needs the full
// normalisation tables.
func composes(s string, next int, r rune) bool {
	if !plain(r) {
		return true
	}
	if next >= len(s) || s[next] < utf8.RuneSelf {
		return false
	}
	follower, _ := utf8.DecodeRuneInString(s[next:])
	return !plain(follower) && !norm.NFKC.PropertiesString(s[next:]).BoundaryBefore()
}

// plain says whether the normal form of r is a matter of r alone and handled
// by foldRune: ASCII, Chinese, kana, wide ASCII and usual punctuation.
func plain(r rune) bool {
	switch {
	case r < 0x80:
		return true
	case isHan(r):
		return true
	case r >= 0x3000 && r <= 0x3029, r >= 0xff01 && r <= 0xff5e:
		return true
	case r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fe:
		return true
	case r == 0x2014 || r >= 0x2018 && r <= 0x201d, r == 0xb7, r == utf8.RuneError:
		return true
	}
	return false
}

// addSegment adds the normal form of the next segment of s, a base with its
// marks, and gives the offset after it.
func (f *folded) addSegment(s string, i int) int {
	n := norm.NFKC.NextBoundaryInString(s[i:], true)
	end := i + max(n, 1)
	var scratch [64]byte
	out := norm.NFKC.AppendString(scratch[:0], s[i:end])
	for len(out) > 0 {
		r, n := utf8.DecodeRune(out)
		f.add(r, i, end)
		out = out[n:]
	}
	return end
}

// add appends the simple form of r unless r is a format character, which no
// reader sees.
func (f *folded) add(r rune, start, end int) {
	if r >= 0x80 && !isHan(r) && unicode.Is(unicode.Cf, r) {
		return
	}
	r, code := foldRune(r)
	f.cells = append(f.cells, cell{r: r, code: code, class: classify(r),
		start: int32(start), end: int32(end), pos: int32(len(f.buf))})
	f.buf = utf8.AppendRune(f.buf, r)
}

// foldRune gives the narrow, lower-case, simplified form of r; control
// characters and broken bytes become spaces.
func foldRune(r rune) (rune, uint16) {
	switch {
	case r < 0x80:
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A', 0
		}
		if r < ' ' || r == 0x7f {
			return ' ', 0
		}
		return r, 0
	case isHan(r):
		return words.Fold(r)
	case r >= 0xff01 && r <= 0xff5e:
		return foldRune(r - 0xfee0)
	case r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r):
		return ' ', 0
	case r >= 0x2e80:
		return words.Fold(r)
	}
	return unicode.ToLower(r), 0
}

// gap says whether cell i is a space inside a line of the original.
func (f *folded) gap(original string, i int) bool {
	return f.cells[i].class == space && original[f.cells[i].start] != '\n' && original[f.cells[i].start] != '\t'
}

// slice gives the normalised text of cells[i:j].
func (f *folded) slice(i, j int) string {
	if i >= j {
		return ""
	}
	end := len(f.text)
	if j < len(f.cells) {
		end = int(f.cells[j].pos)
	}
	return f.text[f.cells[i].pos:end]
}

// normalRounds bounds the search for a stable form; lower case and removed
// characters can open the way for one more composition.
const normalRounds = 4

// Normalize gives the form in which texts are compared: NFKC (width), lower
// case, simplified Chinese, white space and control characters squeezed to one
// space, trimmed. It is idempotent.
func Normalize(s string) string {
	if isNormalASCII(s) {
		return s
	}
	for range normalRounds {
		f := fold(s)
		next := squeeze(f.text)
		f.release()
		if next == s {
			break
		}
		s = next
	}
	return s
}

// isNormalASCII is the fast way out for what needs no change.
func isNormalASCII(s string) bool {
	space := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c >= 0x7f || 'A' <= c && c <= 'Z' || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return s == "" || !space
}

func squeeze(s string) string {
	if !strings.Contains(s, "  ") {
		return strings.Trim(s, " ")
	}
	return strings.Join(strings.Fields(s), " ")
}

// Simplify turns traditional characters into simplified ones, one by one, and
// leaves everything else, invalid bytes too, as it is.
func Simplify(s string) string {
	for i, r := range s {
		if t, _ := words.Fold(r); r >= 0x2e80 && t != r {
			return s[:i] + simplifyRest(s[i:])
		}
	}
	return s
}

func simplifyRest(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if t, _ := words.Fold(r); r >= 0x2e80 && t != r {
			b.WriteRune(t)
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}
