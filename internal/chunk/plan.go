package chunk

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/parse"
)

// plan is a document prepared for cutting.
type plan struct {
	text  string
	set   Settings
	parts []part
	units []unit
}

// part is a block with its place in the text.
type part struct {
	kind       parse.Kind
	start, end int
	section    int // blocks of one section have the same heading path
	path       []string
	page       int
	sheet      string
	rows       bool   // a table whose rows are children of their own
	header     string // what a later piece of the table repeats, with its line break
	columns    []string
	block      parse.Block
}

// unit is what is not cut any more: a sentence, an item, a line of code, a
// row, a formula, a heading.
type unit struct {
	start, end int
	size       int // characters
	part       int
	row        int  // of a table: index into the block's Rows, else -1
	first      bool // of its part
	glue       bool // belongs with the unit before it
}

func newPlan(doc parse.Document, s Settings, path *headingPath) *plan {
	p := &plan{text: doc.Text(), set: s}
	for i, at := range doc.Offsets() {
		b := doc.Blocks[i]
		path.enter(b, s.HeadingLevel)
		p.addPart(doc.Format, b, at, path)
	}
	p.glueParts()
	return p
}

// headingPath follows the headings of a document.
type headingPath struct {
	texts   []string
	levels  []int
	sheet   string
	section int
}

// maxHeading is how many characters of a heading go into a path.
const maxHeading = 200

// enter goes on to a block. A heading down to the smallest level that parts
// text begins a section, and so does another sheet.
func (h *headingPath) enter(b parse.Block, smallest int) {
	parts := b.Kind == parse.Heading && (smallest == 0 || b.Level <= smallest)
	if parts || b.Sheet != h.sheet {
		h.section++
	}
	h.sheet = b.Sheet
	if b.Kind != parse.Heading {
		return
	}
	level := b.Level
	for len(h.levels) > 0 && h.levels[len(h.levels)-1] >= level {
		h.levels = h.levels[:len(h.levels)-1]
		h.texts = h.texts[:len(h.texts)-1]
	}
	h.levels = append(h.levels, level)
	h.texts = append(slices.Clip(h.texts), firstRunes(strings.Join(strings.Fields(b.Text), " "), maxHeading))
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func (p *plan) addPart(format string, b parse.Block, at int, path *headingPath) {
	pt := part{
		kind: b.Kind, start: at, end: at + len(b.Text), section: path.section, path: path.texts,
		page: b.Page, sheet: b.Sheet, block: b,
	}
	index, before := len(p.parts), len(p.units)
	p.parts = append(p.parts, pt)
	switch {
	case b.Kind == parse.Table && tableLines(b):
		pt.rows = p.set.Rows == RowsOfAll || p.set.Rows == RowsOfData && (b.Sheet != "" || rowsOfData(format))
		p.parts[index] = pt
		p.tableUnits(index)
	case b.Kind == parse.Code, b.Kind == parse.Table:
		p.lineUnits(index)
	case b.Kind == parse.Formula:
		p.fixedUnit(index, pt.start, pt.end)
	case b.Kind == parse.List:
		p.itemUnits(index)
	default:
		p.proseUnits(index, pt.start, pt.end)
	}
	if len(p.units) > before {
		p.units[before].first = true
	}
}

// rowsOfData reports whether the rows of a format's tables are records that
// stand for themselves.
func rowsOfData(format string) bool {
	return format == parse.FormatCSV || format == parse.FormatXLSX || format == parse.FormatJSON
}

// add appends the unit text[start:end] without the white space around it.
func (p *plan) add(u unit) {
	piece := p.text[u.start:u.end]
	u.end = u.start + len(strings.TrimRightFunc(piece, unicode.IsSpace))
	piece = p.text[u.start:u.end]
	if strings.TrimSpace(piece) == "" {
		return
	}
	u.size = utf8.RuneCountInString(piece)
	p.units = append(p.units, u)
}

// fixedUnit adds what must not be cut, unless it is monstrous.
func (p *plan) fixedUnit(index, start, end int) {
	limit := p.set.Child * unbreakableFactor
	for _, c := range cuts(p.text[start:end], limit) {
		p.add(unit{start: start + c[0], end: start + c[1], part: index, row: -1})
	}
}

// lineUnits makes every line a unit.
func (p *plan) lineUnits(index int) {
	at := p.parts[index].start
	for line := range strings.Lines(p.text[at:p.parts[index].end]) {
		p.fixedUnit(index, at, at+len(line))
		at += len(line)
	}
}

// itemUnits makes every line of a list a unit, and cuts those that are too
// long like running text.
func (p *plan) itemUnits(index int) {
	at := p.parts[index].start
	for line := range strings.Lines(p.text[at:p.parts[index].end]) {
		if utf8.RuneCountInString(line) <= p.set.Child {
			p.add(unit{start: at, end: at + len(line), part: index, row: -1})
		} else {
			p.proseUnits(index, at, at+len(line))
		}
		at += len(line)
	}
}

// glueParts ties a list, table, code or formula to the line that introduces
// it, and what stands below a heading that does not part text to the heading.
func (p *plan) glueParts() {
	for i := 1; i < len(p.units); i++ {
		u, before := &p.units[i], p.units[i-1]
		if !u.first || p.parts[before.part].section != p.parts[u.part].section {
			continue
		}
		if p.set.HeadingLevel != 0 && p.parts[before.part].kind == parse.Heading {
			u.glue = true
			continue
		}
		switch p.parts[u.part].kind {
		case parse.List, parse.Table, parse.Code, parse.Formula:
			lead := p.text[before.start:before.end]
			u.glue = strings.HasSuffix(lead, "：") || strings.HasSuffix(lead, ":")
		}
	}
}
