package builtin

import (
	"slices"
	"strings"

	"kaoju/internal/text"
)

// gridRow is a line of a table that stands in running text, written with bars
// between its cells.
type gridRow struct {
	text.Span
	head  bool // it names the columns, or only draws the line below the names
	cells []cellPair
}

// gridRows gives the lines of the tables in a passage. A row's cells carry the
// names of their columns; a row without a head above it is no part of a table.
func gridRows(body string) []gridRow {
	if !strings.Contains(body, "|") {
		return nil
	}
	var rows []gridRow
	var heads []string
	lines := linesOf(body)
	for i, l := range lines {
		line := body[l.Start:l.End]
		switch {
		case !strings.HasPrefix(line, "|"):
			heads = nil
		case i+1 < len(lines) && isRule(body[lines[i+1].Start:lines[i+1].End]):
			heads = barCells(line)
			rows = append(rows, gridRow{Span: l.Span, head: true})
		case isRule(line):
			rows = append(rows, gridRow{Span: l.Span, head: true})
		case heads != nil:
			rows = append(rows, gridRow{Span: l.Span, cells: named(heads, barCells(line))})
		}
	}
	return rows
}

// isRule tells whether a line draws the rule between the head of a table and
// its rows.
func isRule(line string) bool {
	return strings.HasPrefix(line, "|") && strings.Contains(line, "---") && strings.Trim(line, "|-: ") == ""
}

// barCells cuts a line at its bars, but for those that are escaped.
func barCells(line string) []string {
	const escaped = "\x00"
	line = strings.ReplaceAll(line, `\|`, escaped)
	cells := strings.Split(strings.Trim(line, "| "), "|")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cell, escaped, "|"))
	}
	return cells
}

// named pairs cells with the names of their columns; an empty cell says
// nothing, and one without a name is its own.
func named(heads, values []string) []cellPair {
	var cells []cellPair
	for i, value := range values {
		if value != "" {
			cell := cellPair{value: value}
			if i < len(heads) {
				cell.header = heads[i]
			}
			cells = append(cells, cell)
		}
	}
	return cells
}

// wholeRows makes each row of a table one span, whatever sentences its cells
// have.
func wholeRows(spans []text.Span, rows []gridRow) []text.Span {
	if len(rows) == 0 {
		return spans
	}
	out := make([]text.Span, 0, len(spans))
	for _, s := range spans {
		row := rowAt(rows, s.Start)
		switch {
		case row == nil:
			out = append(out, s)
		case len(out) == 0 || out[len(out)-1] != row.Span:
			out = append(out, row.Span)
		}
	}
	return out
}

// rowAt gives the row that has a place of the passage; nil where that is in
// none.
func rowAt(rows []gridRow, at int) *gridRow {
	i, found := slices.BinarySearchFunc(rows, at, func(r gridRow, at int) int {
		switch {
		case r.End <= at:
			return -1
		case r.Start > at:
			return 1
		}
		return 0
	})
	if !found {
		return nil
	}
	return &rows[i]
}
