package pdf

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// line is a line of text, or a row of a table: the segments of one height,
// from left to right.
type line struct {
	cells []segment
	box   box
	size  float64
	bold  bool
	aside bool // turned against the rest of the page
}

// text gives the line as it reads; wide gaps between cells are bars.
func (l line) text() string {
	parts := make([]string, len(l.cells))
	for i, c := range l.cells {
		parts[i] = c.text
	}
	return strings.Join(parts, " | ")
}

// lines joins the segments of a region into lines from top to bottom.
func lines(segs []segment) region {
	sort.SliceStable(segs, func(i, j int) bool { return segs[i].box.middle() > segs[j].box.middle() })
	var out region
	for _, s := range segs {
		if strings.TrimSpace(s.text) == "" {
			continue
		}
		at := -1
		for i := len(out) - 1; i >= max(0, len(out)-3); i-- {
			if out[i].cells[0].box.besides(s.box) && out[i].accepts(s) {
				at = i
				break
			}
		}
		if at < 0 {
			out = append(out, line{cells: []segment{s}, box: s.box, size: s.size})
			continue
		}
		out[at].cells = append(out[at].cells, s)
		out[at].box = out[at].box.union(s.box)
	}
	for i := range out {
		out[i].arrange(1.5)
	}
	for i := range out { // a lone row is a justified line with wide gaps
		alone := (i == 0 || len(out[i-1].cells) == 1) && (i+1 == len(out) || len(out[i+1].cells) == 1)
		if alone && len(out[i].cells) > 1 && len(out) > 1 {
			out[i].arrange(3)
		}
	}
	return out
}

// accepts reports whether there is room for s on the line.
func (l line) accepts(s segment) bool {
	for _, c := range l.cells {
		if min(c.box.right, s.box.right)-max(c.box.left, s.box.left) > 0.5*min(c.box.width(), s.box.width()) {
			return false
		}
	}
	return true
}

// arrange sorts the cells of a line and joins those that are less than gaps
// times their size apart.
func (l *line) arrange(gaps float64) {
	rtl, chars := 0, 0
	for _, c := range l.cells {
		chars += len(c.text)
		if c.rtl {
			rtl += len(c.text)
		}
	}
	backwards := rtl*2 > chars
	sort.SliceStable(l.cells, func(i, j int) bool {
		if backwards {
			return l.cells[i].box.right > l.cells[j].box.right
		}
		return l.cells[i].box.left < l.cells[j].box.left
	})
	joined := l.cells[:1]
	widest := len(l.cells[0].text)
	l.size, l.bold = l.cells[0].size, l.cells[0].bold
	for _, c := range l.cells[1:] {
		if len(c.text) > widest {
			widest, l.size = len(c.text), c.size
		}
		l.bold = l.bold && c.bold
		last := &joined[len(joined)-1]
		gap := max(c.box.left-last.box.right, last.box.left-c.box.right)
		if gap > gaps*max(last.size, c.size) {
			joined = append(joined, c)
			continue
		}
		last.text = joinInLine(last.text, c.text, gap > 0.15*c.size)
		last.box = last.box.union(c.box)
	}
	l.cells = joined
}

// joinInLine joins two pieces of one line.
func joinInLine(a, b string, apart bool) string {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	if !apart || isWide(last) && isWide(first) {
		return a + b
	}
	return a + " " + b
}

// joinLines joins the end of a line and the start of the next: without the
// hyphen of a divided word, and without a space between characters of scripts
// that use none.
func (v vocabulary) joinLines(a, b string) string {
	last, size := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	before, _ := utf8.DecodeLastRuneInString(a[:len(a)-size])
	word := a[strings.LastIndexByte(a, ' ')+1:]
	switch {
	case last == '-' && strings.ContainsAny(word, "/@_"):
		return a + b // an address keeps its hyphen
	case last == '-' && unicode.IsLetter(before) && unicode.IsLower(first) && !v.hyphenated(a[:len(a)-size], b):
		return a[:len(a)-size] + b
	case last == '-' && unicode.IsLetter(before):
		return a + b
	case isWide(last) && isWide(first):
		return a + b
	}
	return a + " " + b
}
