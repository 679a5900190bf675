package chunk

import (
	"strings"
	"unicode/utf8"

	"kaoju/internal/parse"
)

// tableLines reports whether the block's text is what its rows say, so that
// rows can be found in it by line.
func tableLines(b parse.Block) bool {
	return len(b.Rows) > 0 && b.Header <= len(b.Rows) && b.Text == parse.TableText(b.Rows, b.Header)
}

// tableUnits makes every row a unit. The header is one with the first row
// below it, so that it never stands alone, unless it is larger than a child.
func (p *plan) tableUnits(index int) {
	pt := &p.parts[index]
	ends := lineEnds(p.text, pt.start, pt.end)
	header := pt.block.Header
	first := min(header, len(pt.block.Rows)-1)
	if header > 0 {
		head := p.text[pt.start:ends[header]] + "\n"
		pt.columns = columnNames(pt.block.Rows[:header])
		if utf8.RuneCountInString(head) <= p.set.Child {
			pt.header = head
		} else if !pt.rows {
			first = 0
		}
	}
	start := pt.start
	for i := first; i < len(pt.block.Rows); i++ {
		end := ends[parse.RowLine(i, header)]
		if i+1 == header || i+1 == len(pt.block.Rows) {
			end = ends[min(parse.RowLine(i+1, header)-1, len(ends)-1)] // with the rule
		}
		p.rowUnit(index, start, end, i)
		start = min(end+1, pt.end)
	}
}

// rowUnit adds a row; a monstrous one is cut, unless it becomes a child of its
// own, which is cut by its cells.
func (p *plan) rowUnit(index, start, end, row int) {
	if p.parts[index].rows {
		p.add(unit{start: start, end: end, part: index, row: row})
		return
	}
	for _, c := range cuts(p.text[start:end], p.set.Child*unbreakableFactor) {
		p.add(unit{start: start + c[0], end: start + c[1], part: index, row: row})
	}
}

func lineEnds(text string, start, end int) []int {
	var ends []int
	for at := start; at < end; {
		n := strings.IndexByte(text[at:end], '\n')
		if n < 0 {
			break
		}
		ends = append(ends, at+n)
		at += n + 1
	}
	return append(ends, end)
}

// columnNames joins the header rows of each column, without repeating what
// merged cells repeat.
func columnNames(rows [][]string) []string {
	var names []string
	for _, row := range rows {
		for i, cell := range row {
			for len(names) <= i {
				names = append(names, "")
			}
			cell = strings.Join(strings.Fields(cell), " ")
			switch {
			case cell == "" || strings.HasSuffix(names[i], cell):
			case names[i] == "":
				names[i] = cell
			default:
				names[i] += " / " + cell
			}
		}
	}
	return names
}

// rowTexts writes a row as "column: value" lines, without its empty cells. A
// row without column names is one line. It is one text unless it is longer
// than limit characters.
func rowTexts(columns, row []string, limit int) []string {
	var lines []string
	for i, cell := range row {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		if i < len(columns) && columns[i] != "" {
			cell = columns[i] + ": " + cell
		}
		for _, c := range cuts(cell, limit) {
			lines = append(lines, cell[c[0]:c[1]])
		}
	}
	sep := "\n"
	if len(columns) == 0 {
		sep = " | "
	}
	return joinUpTo(lines, sep, limit)
}

func joinUpTo(lines []string, sep string, limit int) []string {
	var out []string
	var b strings.Builder
	size := 0
	for _, line := range lines {
		n := utf8.RuneCountInString(line)
		if size > 0 && size+n > limit {
			out = append(out, b.String())
			b.Reset()
			size = 0
		}
		if size > 0 {
			b.WriteString(sep)
		}
		b.WriteString(line)
		size += n
	}
	if size > 0 {
		out = append(out, b.String())
	}
	return out
}
