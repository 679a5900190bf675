package parse

import (
	"slices"
	"strings"
)

// NewTable makes a table block whose Text follows from its rows. The first
// header rows are header rows; rowAt is the 1-based number of rows[0] in its
// sheet or file. Rows may be of different lengths.
func NewTable(rows [][]string, header, rowAt int) Block {
	return Block{Kind: Table, Text: TableText(rows, header), Rows: rows, Header: header, RowAt: rowAt}
}

// TableText gives the Markdown of a table: one line a row, and a rule below
// the header rows where there are any. Row i therefore stands on line i, or,
// if it comes after the rule, on line i+1 (see RowLine). A cell's line breaks
// become spaces and its bars are escaped; Rows keep them as they are.
func TableText(rows [][]string, header int) string {
	var b strings.Builder
	width := tableWidth(rows)
	for i, row := range rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeRow(&b, row, width)
		if i+1 == header {
			b.WriteByte('\n')
			b.WriteString("|" + strings.Repeat(" --- |", width))
		}
	}
	return b.String()
}

// RowLine gives the line of TableText on which row i stands.
func RowLine(i, header int) int {
	if header > 0 && i >= header {
		return i + 1
	}
	return i
}

// maxPadded is the widest table whose short rows are filled up with empty
// cells: one row of a thousand columns must not make every row as long.
const maxPadded = 64

func tableWidth(rows [][]string) int {
	width := 1
	for _, row := range rows {
		width = max(width, len(row))
	}
	return width
}

func writeRow(b *strings.Builder, row []string, width int) {
	if width > maxPadded {
		width = max(len(row), 1)
	}
	b.WriteByte('|')
	for i := range width {
		b.WriteByte(' ')
		if i < len(row) {
			b.WriteString(cellText(row[i]))
		}
		b.WriteString(" |")
	}
}

// cellText puts a cell on one line.
func cellText(cell string) string {
	if strings.ContainsAny(cell, "\n\r\t\v\f\u0085\u2028\u2029") {
		cell = strings.Join(strings.Fields(cell), " ")
	}
	return strings.ReplaceAll(cell, "|", `\|`)
}

// trimRows drops rows without any text, and columns at the right that are
// empty in every row. It reports how many rows it dropped at the top.
func trimRows(rows [][]string) (kept [][]string, top int) {
	blank := func(row []string) bool {
		return !slices.ContainsFunc(row, func(c string) bool { return strings.TrimSpace(c) != "" })
	}
	for len(rows) > 0 && blank(rows[0]) {
		rows = rows[1:]
		top++
	}
	for len(rows) > 0 && blank(rows[len(rows)-1]) {
		rows = rows[:len(rows)-1]
	}
	return rows, top
}
