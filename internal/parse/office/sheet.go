package office

import (
	"slices"

	"kaoju/internal/parse"
)

// sheetRow is a row of a sheet that holds anything.
type sheetRow struct {
	number int // 1-based
	cells  []string
	own    int  // cells filled before merged ones were repeated
	wide   bool // part of a merge that covers several columns
}

// maxGap is how many empty rows may stand inside one table.
const maxGap = 2

func filled(cells []string) int {
	n := 0
	for _, c := range cells {
		if c != "" {
			n++
		}
	}
	return n
}

// dropEmptyColumns removes the columns in which no row has anything.
func dropEmptyColumns(rows []sheetRow) []sheetRow {
	var used []bool
	for _, r := range rows {
		for i, c := range r.cells {
			if i >= len(used) {
				used = append(used, make([]bool, i+1-len(used))...)
			}
			used[i] = used[i] || c != ""
		}
	}
	if !slices.Contains(used, false) {
		return rows
	}
	for i, r := range rows {
		kept := make([]string, 0, len(r.cells))
		for j, c := range r.cells {
			if used[j] {
				kept = append(kept, c)
			}
		}
		rows[i].cells = kept
	}
	return rows
}

// sheetBlocks makes blocks of a sheet's rows: a heading for each title row
// that stands above a table, and the tables.
func sheetBlocks(rows []sheetRow) []parse.Block {
	var out []parse.Block
	var header []sheetRow // of the table before, to go on with after a gap
	for _, run := range splitRuns(rows) {
		titles := titleRows(run)
		for _, r := range run[:titles] {
			out = append(out, parse.Block{Kind: parse.Heading, Level: 1, Text: firstFilled(r.cells)})
		}
		run = run[titles:]
		n := tableHeader(run)
		if len(out) == 0 || titles > 0 || header == nil || n > 0 && namesColumns(run, n) {
			header = run[:n]
			out = append(out, tableOf(run, n))
			continue
		}
		out = append(out, tableOf(append(slices.Clone(header), run...), len(header)))
	}
	return out
}

// splitRuns cuts rows where more than maxGap rows are empty, or where a table
// of its own begins after any gap.
func splitRuns(rows []sheetRow) [][]sheetRow {
	var out [][]sheetRow
	from := 0
	for i := 1; i < len(rows); i++ {
		gap := rows[i].number - rows[i-1].number - 1
		if gap == 0 {
			continue
		}
		next := nextGap(rows, i)
		if gap > maxGap || titleRows(rows[i:next]) > 0 || namesColumns(rows[i:next], tableHeader(rows[i:next])) {
			out = append(out, rows[from:i])
			from = i
		}
	}
	return append(out, rows[from:])
}

// nextGap gives the index of the first row after i that does not follow
// directly on the one before.
func nextGap(rows []sheetRow, i int) int {
	for i++; i < len(rows) && rows[i].number == rows[i-1].number+1; i++ {
	}
	return i
}

// titleRows counts the rows with a single cell above a table of several
// columns, three at most.
func titleRows(run []sheetRow) int {
	n := 0
	for n < len(run) && n < 3 && run[n].own == 1 {
		n++
	}
	if n == len(run) || run[n].own < 2 {
		return 0
	}
	return n
}

// tableHeader counts the rows at the top that name the columns: 0 to 2.
func tableHeader(run []sheetRow) int {
	switch {
	case len(run) < 2:
		return 0
	case len(run) > 2 && run[0].wide && looksLikeHeader(run[1].cells, 1) && !looksLikeHeader(run[2].cells, 1):
		return 2
	case looksLikeHeader(run[0].cells, len(run[0].cells)):
		return 1
	}
	return 0
}

// namesColumns reports whether the first n rows are surely a header and not
// data: they hold no numbers where rows below do.
func namesColumns(run []sheetRow, n int) bool {
	if n == 0 || run[0].own < 2 {
		return false
	}
	for _, r := range run[n:min(len(run), n+5)] {
		for i, c := range r.cells {
			if isNumeric(c) && i < len(run[0].cells) && run[0].cells[i] != "" && !isNumeric(run[0].cells[i]) {
				return true
			}
		}
	}
	return false
}

// tableOf makes a table of rows. Empty rows inside are kept, and a header
// repeated from above is counted as standing right over its rows, so that
// RowAt gives the true number of every row below the header.
func tableOf(run []sheetRow, header int) parse.Block {
	at := run[0].number
	var cells [][]string
	for i, r := range run {
		if i == header {
			at = r.number - header
		}
		if i > header {
			for range r.number - run[i-1].number - 1 {
				cells = append(cells, nil)
			}
		}
		cells = append(cells, r.cells)
	}
	return parse.NewTable(cells, header, max(at, 1))
}

func firstFilled(cells []string) string {
	for _, c := range cells {
		if c != "" {
			return c
		}
	}
	return ""
}
