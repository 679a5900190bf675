package chunk

import (
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// draft is a child before it is written: units[from:to], after an overlap
// that begins at byte start.
type draft struct {
	from, to int
	start    int
	end      int
	content  string // of a row; else it follows from the range
	size     int    // characters, with overlap and repeated header
}

// pack puts the units into children.
func (p *plan) pack() []draft {
	var out []draft
	for from := 0; from < len(p.units); {
		to := p.withInnerHeadings(from, p.sectionEnd(from))
		if to < len(p.units) && p.isRow(to) && p.onlyHeadings(from, to) {
			// no child holds a heading alone: the first row covers it
			end := p.sectionEnd(to)
			out = p.packRows(out, p.units[from].start, to, end)
			from = end
			continue
		}
		if p.isRow(from) {
			out = p.packRows(out, p.units[from].start, from, to)
		} else {
			out = p.packText(out, from, to)
		}
		from = to
	}
	return out
}

// sectionEnd is where the units that share the section of unit from end, or
// where rows and text meet in it.
func (p *plan) sectionEnd(from int) int {
	to := from
	for to < len(p.units) && p.section(to) == p.section(from) && p.isRow(to) == p.isRow(from) {
		to++
	}
	return to
}

func (p *plan) section(u int) int { return p.parts[p.units[u].part].section }

func (p *plan) isRow(u int) bool { return p.parts[p.units[u].part].rows }

// withInnerHeadings widens a run of headings only by the section below it, so
// that their lines stand before the first text that they cover.
func (p *plan) withInnerHeadings(from, to int) int {
	for to < len(p.units) && p.onlyHeadings(from, to) && p.below(to) && !p.isRow(to) {
		to = p.sectionEnd(to)
	}
	return to
}

func (p *plan) onlyHeadings(from, to int) bool {
	for _, u := range p.units[from:to] {
		if p.parts[u.part].kind != parse.Heading {
			return false
		}
	}
	return true
}

// below reports whether the heading at unit to lies below the one before it.
func (p *plan) below(to int) bool {
	return len(p.parts[p.units[to].part].path) > len(p.parts[p.units[to-1].part].path)
}

// packRows makes a child of each row, or several of one that is monstrous.
// The first covers the text from start on. A blank row has no child; the one
// above covers it.
func (p *plan) packRows(out []draft, start, from, to int) []draft {
	mine := len(out)
	for i := from; i < to; i++ {
		u := p.units[i]
		texts := p.rowContents(u)
		if len(texts) == 0 && len(out) > mine {
			out[len(out)-1].end = u.end
			continue
		}
		if len(texts) == 0 && i+1 == to {
			texts = []string{p.text[start:u.end]} // nothing but a header
		}
		for _, content := range texts {
			out = append(out, draft{from: i, to: i + 1, start: start, end: u.end, content: content, size: u.size})
		}
		if len(texts) > 0 && i+1 < to {
			start = p.units[i+1].start
		}
	}
	return out
}

func (p *plan) rowContents(u unit) []string {
	pt := p.parts[u.part]
	columns := pt.columns
	if u.row < pt.block.Header {
		columns = nil
	}
	return rowTexts(columns, pt.block.Rows[u.row], p.set.Child*unbreakableFactor)
}

// packText fills children from units[from:to], which share a heading.
func (p *plan) packText(out []draft, from, to int) []draft {
	for from < to {
		d := p.open(out, from)
		end := from
		for end < to && p.takes(d, end) {
			d.size = p.sizeWith(d, end)
			end++
			d.to = end
		}
		for end < to && end-1 > from && p.units[end].glue && !p.headingRun(from, end-1) {
			end-- // what introduces the next unit goes with it
			d.to = end
		}
		d.end = p.units[end-1].end
		out = append(out, d)
		from = end
	}
	return out
}

// open starts a child at a unit, with the overlap that fits.
func (p *plan) open(out []draft, from int) draft {
	d := draft{from: from, to: from, start: p.units[from].start}
	if len(out) == 0 || out[len(out)-1].to != from {
		return d
	}
	last := out[len(out)-1]
	for i := from - 1; i > last.from && p.isProse(i) && p.isProse(from); i-- {
		size := utf8.RuneCountInString(p.text[p.units[i].start:p.units[from].start])
		if size > p.set.Overlap || size+p.units[from].size > p.set.Child || p.section(i) != p.section(from) {
			break
		}
		d.start, d.size = p.units[i].start, size
	}
	return d
}

func (p *plan) isProse(u int) bool {
	switch p.parts[p.units[u].part].kind {
	case parse.Paragraph, parse.Quote:
		return true
	}
	return false
}

// sizeWith is the child's size after it takes unit u.
func (p *plan) sizeWith(d draft, u int) int {
	if u == d.from {
		return d.size + p.units[u].size + utf8.RuneCountInString(p.repeated(u))
	}
	return d.size + p.units[u].size + utf8.RuneCountInString(p.text[p.units[u-1].end:p.units[u].start])
}

// repeated is the table header that a child which starts at u repeats.
func (p *plan) repeated(u int) string {
	if p.units[u].row >= 0 && !p.units[u].first {
		return p.parts[p.units[u].part].header
	}
	return ""
}

// takes reports whether the child goes on with unit u: always with its first,
// and with what follows headings; else if it fits. A block that would not fit
// as a whole starts a child of its own where this one is half full.
func (p *plan) takes(d draft, u int) bool {
	if u == d.from {
		return true
	}
	size := p.sizeWith(d, u)
	if p.headingRun(d.from, u) {
		return size <= p.set.Child || d.size <= p.set.Child/2
	}
	if size > p.set.Child {
		return false
	}
	end, enough := p.wholeFrom(u)
	return end == 0 || d.size < enough || d.size+p.runes(p.units[u-1].end, end) <= p.set.Child
}

// wholeFrom gives the end of what starts with unit u and should not be cut
// (the block, or what the unit introduces), and how full a child must be to
// end before it: half for running text, a quarter for lists, tables, code and
// formulas. The end is 0 where nothing starts, or where that is larger than a
// child anyway.
func (p *plan) wholeFrom(u int) (end, enough int) {
	introduces := u+1 < len(p.units) && p.units[u+1].glue
	if p.units[u].glue || !p.units[u].first && !introduces {
		return 0, 0
	}
	last := u
	if introduces {
		last = u + 1
	}
	end = p.parts[p.units[last].part].end
	if p.runes(p.units[u].start, end) > p.set.Child {
		return 0, 0
	}
	if p.isProse(last) {
		return end, p.set.Child / 2
	}
	return end, p.set.Child / 4
}

func (p *plan) headingRun(from, to int) bool { return from < to && p.onlyHeadings(from, to) }

// child writes a draft as a chunk.
func (p *plan) child(d draft, index int) core.Chunk {
	last := p.parts[p.units[d.to-1].part]
	first := p.units[d.from]
	c := core.Chunk{
		Type: core.ChunkText, Index: index, Start: d.start, End: d.end, Content: d.content,
		Headings: p.pathOf(d), Page: p.parts[first.part].page, Sheet: last.sheet,
	}
	if d.content == "" {
		c.Content = p.content(d)
		return c
	}
	c.Type = core.ChunkTableRow
	c.Row = max(last.block.RowAt, 1) + first.row
	return c
}

// pathOf is the path of the headings that all of a draft's text stands below.
// Lines of headings stand with the text below them.
func (p *plan) pathOf(d draft) []string {
	path := p.parts[p.units[d.to-1].part].path
	for _, u := range p.units[d.from : d.to-1] {
		if pt := p.parts[u.part]; pt.kind != parse.Heading {
			path = commonPath(path, pt.path)
		}
	}
	return path
}

// content is the draft's text, below the table header that it lacks.
func (p *plan) content(d draft) string {
	return p.repeated(d.from) + strings.TrimRight(p.text[d.start:d.end], "\n")
}
