package pdf

import (
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// box is a rectangle in points; y grows upwards.
type box struct{ left, bottom, right, top float64 }

func (b box) height() float64 { return b.top - b.bottom }
func (b box) width() float64  { return b.right - b.left }
func (b box) middle() float64 { return (b.top + b.bottom) / 2 }

func (b box) union(o box) box {
	return box{min(b.left, o.left), min(b.bottom, o.bottom), max(b.right, o.right), max(b.top, o.top)}
}

// besides reports whether two boxes stand on one line: half of the lower one
// overlaps.
func (b box) besides(o box) bool {
	overlap := min(b.top, o.top) - max(b.bottom, o.bottom)
	return overlap > 0.5*min(b.height(), o.height())
}

// glyph is a character on a page.
type glyph struct {
	char  rune
	box   box
	turn  int  // quarter turns of its baseline
	space bool // white space stands before it
	em    float64
	bold  bool
}

// segment is a run of characters on one line without a wide gap: a line of a
// column, or a cell of a row.
type segment struct {
	text string
	box  box
	size float64 // of most characters, in points
	rtl  bool
	bold bool // all of it
}

// direction is where the next character of a line stands.
type direction int

const (
	right direction = iota
	left
	up
	down
)

// layout puts the characters of a page into regions in reading order. Text
// that is turned against the rest comes last.
func layout(glyphs []glyph) []region {
	byTurn := map[int][]glyph{}
	for _, g := range glyphs {
		byTurn[g.turn] = append(byTurn[g.turn], g)
	}
	turns := []int{0, 1, 2, 3}
	main := true
	sort.SliceStable(turns, func(i, j int) bool { return len(byTurn[turns[i]]) > len(byTurn[turns[j]]) })
	var out []region
	for _, t := range turns {
		group := upright(byTurn[t])
		for _, segs := range readingOrder(segments(group), 0) {
			if r := lines(segs); len(r) > 0 {
				for i := range r {
					r[i].aside = !main
				}
				out = append(out, r)
			}
		}
		main = false
	}
	return out
}

// upright turns characters so that their lines run from left to right and
// follow from top to bottom. It goes by how the characters follow each other,
// which tells turned pages and vertical writing alike.
func upright(glyphs []glyph) []glyph {
	switch flow(glyphs) {
	case down:
		for i, g := range glyphs {
			glyphs[i].box = box{-g.box.top, g.box.left, -g.box.bottom, g.box.right}
		}
	case up:
		for i, g := range glyphs {
			glyphs[i].box = box{g.box.bottom, -g.box.right, g.box.top, -g.box.left}
		}
	case left:
		if len(glyphs) > 0 && glyphs[0].turn == 2 {
			for i, g := range glyphs {
				glyphs[i].box = box{-g.box.right, -g.box.top, -g.box.left, -g.box.bottom}
			}
		}
	}
	return glyphs
}

// flow finds the direction in which most characters follow each other.
func flow(glyphs []glyph) direction {
	var votes [4]int
	for i := 1; i < len(glyphs); i++ {
		a, b := glyphs[i-1].box, glyphs[i].box
		em := max(a.height(), a.width())
		dx, dy := (b.left+b.right-a.left-a.right)/2, b.middle()-a.middle()
		switch {
		case math.Abs(dx)+math.Abs(dy) > 2.5*em:
		case math.Abs(dy) < 0.3*em && dx > 0:
			votes[right]++
		case math.Abs(dy) < 0.3*em && dx < 0:
			votes[left]++
		case math.Abs(dx) < 0.3*em && dy > 0:
			votes[up]++
		case math.Abs(dx) < 0.3*em && dy < 0 && (glyphs[i].turn != 0 || isWide(glyphs[i].char)):
			votes[down]++ // upright Latin is never written downwards
		}
	}
	best := right
	for d := left; d <= down; d++ {
		if votes[d] > votes[best] {
			best = d
		}
	}
	return best
}

// segments joins characters that follow each other on a line. Characters that
// are drawn twice, a cheap way of bold print, count once.
func segments(glyphs []glyph) []segment {
	var out []segment
	var open []glyph
	var area box
	flush := func() {
		if len(open) > 0 {
			out = append(out, newSegment(open, area))
		}
		open = nil
	}
	for _, g := range glyphs {
		if n := len(open); n > 0 && drawnAgain(open[max(0, n-2):], g) {
			continue
		}
		if len(open) > 0 && !goesOn(open, area, g) {
			flush()
		}
		if len(open) == 0 {
			area = g.box
		}
		open = append(open, g)
		area = area.union(g.box)
	}
	flush()
	return onlyOnce(out)
}

func drawnAgain(before []glyph, g glyph) bool {
	near := min(0.15*g.box.height(), 0.4*g.box.width())
	return slices.ContainsFunc(before, func(o glyph) bool {
		if o.box == g.box && strings.ContainsRune("filt", g.char) {
			return false // the letters of one ligature share its box
		}
		return o.char == g.char && math.Abs(o.box.left-g.box.left) < near && math.Abs(o.box.bottom-g.box.bottom) < near
	})
}

// goesOn reports whether g continues the run of characters that is open.
func goesOn(open []glyph, area box, g glyph) bool {
	last := open[len(open)-1].box
	em := max(last.height(), g.box.height())
	if !last.besides(g.box) && !area.besides(g.box) {
		return false
	}
	if isRTL(g.char) || isRTL(open[len(open)-1].char) {
		return max(g.box.left-area.right, area.left-g.box.right) < 0.95*em
	}
	gap := g.box.left - last.right
	return gap < 0.95*em && gap > -em && g.box.left > last.left-0.5*em
}

func newSegment(glyphs []glyph, area box) segment {
	var b strings.Builder
	sizes := make([]float64, 0, len(glyphs))
	rtl, bold := 0, 0
	for i, g := range glyphs {
		if i > 0 && isSpace(glyphs[i-1], g) {
			b.WriteByte(' ')
		}
		b.WriteRune(g.char)
		sizes = append(sizes, g.em)
		if isRTL(g.char) {
			rtl++
		}
		if g.bold {
			bold++
		}
	}
	slices.Sort(sizes)
	return segment{
		text: b.String(), box: area, size: sizes[len(sizes)/2],
		rtl: rtl*2 > len(glyphs), bold: bold == len(glyphs),
	}
}

// isSpace reports whether a word space stands between two characters of a
// line: one that pdfium told, or a gap that is wide enough. Between characters
// of scripts that use none only a wide gap counts, because pdfium tells spaces
// in spaced-out text.
func isSpace(a, b glyph) bool {
	gap := b.box.left - a.box.right
	switch {
	case (isWide(a.char) || isDots(a.char)) && (isWide(b.char) || isDots(b.char)):
		return gap > 0.45*max(a.em, b.em)
	case isWide(a.char) || isWide(b.char) || isRTL(b.char):
		return b.space
	}
	return b.space || gap > 0.35*max(a.em, b.em)
}

func isDots(r rune) bool { return r == '…' || r == '—' }

// onlyOnce drops segments that repeat another in the same place.
func onlyOnce(segs []segment) []segment {
	type key struct {
		text string
		x, y int
	}
	seen := map[key]bool{}
	kept := segs[:0]
	for _, s := range segs {
		x, y := int(math.Round(s.box.left/4)), int(math.Round(s.box.bottom/4))
		again := false
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				again = again || seen[key{s.text, x + dx, y + dy}]
			}
		}
		seen[key{s.text, x, y}] = true
		if !again {
			kept = append(kept, s)
		}
	}
	return kept
}

// isWide reports whether a character is written without word spaces around.
func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
		r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF
}

func isRTL(r rune) bool {
	if r < 0x590 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}
