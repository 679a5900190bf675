// Package tables computes over the rows of a document: sums, averages, counts,
// largest and smallest values, of all rows or of those that a question names.
//
//	table := tables.Of(chunks)                 // the table_row chunks of a sheet
//	query, ok := table.Plan(question)          // by rules, Chinese and English
//	result, err := table.Run(ctx, query.SQL, query.Args)
//
// What runs is one SELECT over a copy of the table in a database in memory that
// holds nothing else, within limits of time, rows and length (Run).
package tables

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// Bounds of a table that is computed with.
const (
	MaxRows    = 20_000
	maxColumns = 60
	maxCell    = 400 // bytes
)

// Table is a sheet as rows of cells, in the order of its columns. A cell that
// is missing is empty.
type Table struct {
	Columns []Column
	Rows    [][]string
}

// Column is a column with its name as it stands in the document.
type Column struct {
	Name    string
	Numbers bool // all its cells that say something are numbers
}

// Of puts a table together from its rows, whose content is "name: value", a line
// each. Rows without such lines, and what is beyond the bounds, are left out.
func Of(chunks []core.Chunk) Table {
	var t Table
	at := map[string]int{}
	rows := map[int]int{}
	chunks = slices.Clone(chunks)
	slices.SortStableFunc(chunks, func(a, b core.Chunk) int { return cmp.Compare(a.Row, b.Row) })
	for _, c := range chunks {
		if c.Type != core.ChunkTableRow {
			continue
		}
		cells := t.cells(c.Content, at)
		if len(cells) == 0 {
			continue
		}
		i, known := rows[c.Row] // a long row is several chunks
		if !known && len(t.Rows) == MaxRows {
			break
		}
		if !known {
			i = len(t.Rows)
			rows[c.Row] = i
			t.Rows = append(t.Rows, nil)
		}
		for column, value := range cells {
			for len(t.Rows[i]) <= column {
				t.Rows[i] = append(t.Rows[i], "")
			}
			t.Rows[i][column] = value
		}
	}
	for i := range t.Columns {
		t.Columns[i].Numbers = t.numeric(i)
	}
	return t
}

// cells reads a row by the columns, adding those that are new.
func (t *Table) cells(content string, at map[string]int) map[int]string {
	cells := map[int]string{}
	for line := range strings.SplitSeq(content, "\n") {
		name, value, ok := strings.Cut(line, ": ")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			continue
		}
		i, known := at[name]
		if !known && len(t.Columns) == maxColumns {
			continue
		}
		if !known {
			i = len(t.Columns)
			at[name] = i
			t.Columns = append(t.Columns, Column{Name: name})
		}
		cells[i] = cut(value, maxCell)
	}
	return cells
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// cell gives a cell of a row; "" where it is missing.
func cell(row []string, i int) string {
	if i < len(row) {
		return row[i]
	}
	return ""
}

func (t *Table) numeric(i int) bool {
	some := false
	for _, row := range t.Rows {
		if v := cell(row, i); v != "" {
			if _, ok := Number(v); !ok {
				return false
			}
			some = true
		}
	}
	return some
}

// signs stand around numbers: of money, percent, and units of count.
const signs = "¥￥$€£%％元"

// Number reads a cell as a number, with thousands separators and signs of
// money.
func Number(s string) (float64, bool) {
	s = strings.Trim(strings.TrimSpace(text.Normalize(s)), signs+" ")
	s = strings.ReplaceAll(s, ",", "")
	if s == "" || strings.ContainsAny(s, "xXpP_nNiI") {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}
