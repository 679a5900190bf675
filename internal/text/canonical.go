package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of what a code gives to the index.
const (
	maxCode   = 128 // bytes of a whole code; the rest is left to its pieces
	maxJoined = 5   // pieces of a code whose beginnings are terms as well
)

// canonical makes the spellings of a code meet ("QTR-7310", "qtr 7310"):
// separators are left out, but for points and colons between digits and the
// point that opens a name (.NET).
func canonical(s string) string {
	s = foldAccents(s)
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		if !isSeparator(r) || (r == '.' || r == ':') && betweenDigits(s, i) || r == '.' && i == 0 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isSeparator(r rune) bool {
	switch r {
	case '-', '_', '/', '.', ':', ',', '&', '\'', '’', ' ', '\u2010', '\u2011':
		return true
	}
	return false
}

func betweenDigits(s string, i int) bool {
	isDigit := func(k int) bool { return k >= 0 && k < len(s) && s[k] >= '0' && s[k] <= '9' }
	return isDigit(i-1) && isDigit(i+1)
}

// bareAddress leaves out what writers of an address leave out; other codes
// stay as they are.
func bareAddress(s string) string {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	return strings.TrimPrefix(s, "www.")
}

// foldAccents takes the marks off letters: café → cafe.
func foldAccents(s string) string {
	if isASCII(s) {
		return s
	}
	decomposed := norm.NFD.String(s)
	if decomposed == s {
		return s
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, decomposed))
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// wordForm gives the index form of a word in letters: without accents,
// possessive and apostrophes, and as a stem if that is asked.
func wordForm(s string, stemmed bool) string {
	s = foldAccents(s)
	if strings.ContainsAny(s, "'’") {
		s = strings.ReplaceAll(s, "’", "'")
		s = strings.ReplaceAll(strings.TrimSuffix(s, "'s"), "'", "")
	}
	if stemmed && !IsStop(s) {
		return stem(s)
	}
	return s
}

// compound writes a word or code: whole in canonical form, then its pieces.
func (w *termWriter) compound(i int) {
	x := w.lexemes[i]
	text := w.f.slice(x.from, x.to)
	if x.kind != Word || strings.ContainsAny(text, "-&\u2010\u2011") {
		text = clip(canonical(bareAddress(text)))
	}
	w.add(i, x.from, x.to, wordForm(text, w.Stem), false)
	w.pieces(i)
	if x.kind == Code {
		w.beginnings(i)
	}
}

// clip keeps the beginning of a code that is longer than anybody would type.
func clip(s string) string {
	if len(s) <= maxCode {
		return s
	}
	end := maxCode
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// pieces writes the words and numbers inside a code, and its mixed segments
// ("m3" of "bge-m3"). Single characters and stop words say nothing and are left
// out.
func (w *termWriter) pieces(i int) {
	x := w.lexemes[i]
	for k := x.from; k < x.to; {
		segment := w.segmentEnd(k, x.to)
		first := w.piece(k, segment)
		if first > k && first < segment && segment-k < x.to-x.from {
			w.add(i, k, segment, canonical(w.f.slice(k, segment)), true)
		}
		for k < segment {
			end := max(w.piece(k, segment), k+1)
			if size := end - k; size > 1 && size < x.to-x.from {
				w.addPiece(i, k, end)
			}
			k = end
		}
		k++ // the separator
	}
}

func (w *termWriter) addPiece(i, from, to int) {
	text := strings.ReplaceAll(w.f.slice(from, to), ",", "")
	if !IsStop(text) && text != "http" && text != "https" && text != "www" {
		w.add(i, from, to, wordForm(text, w.Stem), true)
	}
}

// segmentEnd gives the next sign after k that is not inside a number.
func (w *termWriter) segmentEnd(k, to int) int {
	cells := w.f.cells
	for k < to {
		inNumber := (cells[k].r == '.' || cells[k].r == ',') && k > 0 && k+1 < to &&
			cells[k-1].class == digit && cells[k+1].class == digit
		if c := cells[k].class; (c == other || c == space) && !inNumber {
			return k
		}
		k++
	}
	return k
}

// piece gives the end of the homogeneous piece at k: letters up to a capital
// in the middle, or a number with its points.
func (w *termWriter) piece(k, to int) int {
	cells := w.f.cells
	c := cells[k].class
	if c == other || c == space {
		return k
	}
	end := k + 1
	for end < to {
		switch r := cells[end].r; {
		case cells[end].class == c && (c != letter || !w.camel(k, end)):
			end++
		case c == digit && (r == '.' || r == ',') && end+1 < to && cells[end+1].class == digit:
			end += 2
		default:
			return end
		}
	}
	return end
}

// camel says whether a capital at cell i begins a new piece after the lower
// case that began at k; "iPhone" is not torn.
func (w *termWriter) camel(k, i int) bool {
	isUpper := func(i int) bool { c := w.s[w.f.cells[i].start]; return 'A' <= c && c <= 'Z' }
	return i-k >= 2 && isUpper(i) && !isUpper(i-1)
}

// beginnings writes the joined beginnings of a code of several segments, or
// pieces if it has one segment only, so that "GB/T 28181" finds
// "GB/T 28181-2016" and "iPhone 15" finds "iPhone15Pro".
func (w *termWriter) beginnings(i int) {
	x := w.lexemes[i]
	next := w.segmentEnd
	if next(x.from, x.to) == x.to {
		next = w.piece
	}
	var ends []int
	for k := x.from; k < x.to && len(ends) <= maxJoined; {
		end := next(k, x.to)
		if end > k {
			ends = append(ends, end)
		}
		k = max(end, k+1)
	}
	if len(ends) < 3 || len(ends) > maxJoined {
		return
	}
	for _, end := range ends[1 : len(ends)-1] {
		w.add(i, x.from, end, canonical(w.f.slice(x.from, end)), true)
	}
}
