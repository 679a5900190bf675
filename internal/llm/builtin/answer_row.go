package builtin

import (
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/text"
)

// isTableRow tells whether evidence is a row of a table, written as lines
// "header: value".
func isTableRow(e llm.Evidence) bool { return e.Type == string(core.ChunkTableRow) }

// cellPair is one cell of a row with its header.
type cellPair struct{ header, value string }

// rowCells reads the cells of a row.
func rowCells(body string) []cellPair {
	var cells []cellPair
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		header, value, ok := strings.Cut(line, ":")
		if wide, rest, found := strings.Cut(line, "："); found && (!ok || len(wide) < len(header)) {
			header, value, ok = wide, rest, true
		}
		if ok && strings.TrimSpace(value) != "" {
			cells = append(cells, cellPair{strings.TrimSpace(header), strings.TrimSpace(value)})
		}
	}
	return cells
}

// maxCells is how many cells are given of a row whose headers the question
// does not name.
const maxCells = 8

// rowWording gives the cells of a row that the question asks for, with the
// cell that names the row; all cells where no header is asked for.
func rowWording(q *inquiry, body string) string {
	cells := rowCells(body)
	if len(cells) == 0 {
		return body
	}
	return cellWording(q, cells)
}

// cellWording is rowWording for the cells of a row.
func cellWording(q *inquiry, cells []cellPair) string {
	var wantedCells []cellPair
	for i, cell := range cells {
		if i == 0 || namedIn(q, cell.header) || namedIn(q, cell.value) {
			wantedCells = append(wantedCells, cell)
		}
	}
	if !asksForHeader(q, wantedCells) {
		wantedCells = cells[:min(len(cells), maxCells)]
	}
	if q.chinese {
		return joinCells(wantedCells, "：", "；")
	}
	return joinCells(wantedCells, ": ", "; ")
}

// asksForHeader tells whether one of the cells behind the first is there for
// its header, so that its value is news.
func asksForHeader(q *inquiry, cells []cellPair) bool {
	for _, cell := range cells[1:] {
		if namedIn(q, cell.header) {
			return true
		}
	}
	return false
}

// namedIn tells whether the question has most of the words of s.
func namedIn(q *inquiry, s string) bool {
	have, all := 0, 0
	for _, tok := range text.Tokenize(s) {
		if text.IsStop(tok.Text) {
			continue
		}
		for _, g := range readGlyphs(nil, simplified(tok.Text)) {
			all++
			if _, ok := q.single.index.find(g.key); ok {
				have++
			}
		}
	}
	return all > 0 && 2*have > all
}

// joinCells writes cells with the given signs behind a header and between two
// cells.
func joinCells(cells []cellPair, colon, comma string) string {
	parts := make([]string, len(cells))
	for i, cell := range cells {
		if parts[i] = cell.value; cell.header != "" {
			parts[i] = cell.header + colon + cell.value
		}
	}
	return strings.Join(parts, comma)
}
