package office

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/parse"
)

// maxColumns bounds the width that spans can give a table.
const maxColumns = 1024

// cell is a w:tc that was read.
type cell struct {
	blocks []parse.Block
	text   string
	span   int
	above  bool // goes on from the cell above (w:vMerge)
	left   bool // goes on from the cell at its left (w:hMerge)
}

// row is a w:tr that was read.
type row struct {
	cells  []cell
	before int // empty grid columns at its left
	header bool
	gone   bool // deleted by a tracked change
}

// table reads a w:tbl and adds it as a table block. A table of one cell is a
// frame around text, so its content is added as it is.
func (s *story) table(b *builder) error {
	var rows []row
	err := s.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "tr":
			r, err := s.row()
			if !r.gone && len(r.cells) > 0 {
				rows = append(rows, r)
			}
			return true, err
		case "tblPr", "tblGrid":
			return true, s.dec.Skip()
		}
		return false, nil
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	if len(rows) == 1 && len(rows[0].cells) == 1 {
		b.add(rows[0].cells[0].blocks...)
		return nil
	}
	grid, err := s.expand(rows)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(grid, func(r []string) bool { return strings.Join(r, "") != "" }) {
		return nil
	}
	b.add(parse.NewTable(grid, headerRows(rows, grid), 1))
	return nil
}

func (s *story) row() (row, error) {
	var r row
	err := s.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "trPr":
			return true, s.rowProperties(&r)
		case "tblPrEx":
			return true, s.dec.Skip()
		case "tc":
			c, err := s.cell()
			r.cells = append(r.cells, c)
			return true, err
		}
		return false, nil
	})
	return r, err
}

// rowProperties reads w:trPr by itself, because w:del is a mark here.
func (s *story) rowProperties(r *row) error {
	for open := 0; ; {
		tok, err := s.next()
		if err != nil {
			return err
		}
		switch el := tok.(type) {
		case xml.StartElement:
			open++
			switch el.Name.Local {
			case "tblHeader":
				r.header = isOn(el)
			case "del":
				r.gone = true
			case "gridBefore":
				r.before = spanOf(attr(el, "val"), 0)
			}
		case xml.EndElement:
			if open == 0 {
				return nil
			}
			open--
		}
	}
}

func (s *story) cell() (cell, error) {
	c := cell{span: 1}
	b := &builder{doc: s.doc}
	err := s.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "p":
			return true, s.paragraph(b)
		case "tbl":
			return true, s.table(b)
		case "altChunk":
			return true, s.altChunk(el, b)
		case "gridSpan":
			c.span = spanOf(attr(el, "val"), 1)
		case "vMerge":
			c.above = attr(el, "val") != "restart"
		case "hMerge":
			c.left = attr(el, "val") != "restart"
		case "tcPrChange":
			return true, s.dec.Skip()
		}
		return false, nil
	})
	c.blocks = b.finish()
	c.text = flatten(c.blocks, "\n")
	return c, err
}

func spanOf(val string, least int) int {
	n, err := strconv.Atoi(val)
	if err != nil {
		return least
	}
	return min(max(n, least), maxColumns)
}

// expand lays the rows out on the grid and repeats each merged cell wherever
// it reaches. The repeated text counts against the limits.
func (g *reading) expand(rows []row) ([][]string, error) {
	grid := make([][]string, 0, len(rows))
	var above []string
	for _, r := range rows {
		line := make([]string, min(r.before, maxColumns), len(above)+1)
		for _, c := range r.cells {
			text := c.text
			if c.above && len(line) < len(above) {
				text = above[len(line)]
			}
			if c.left && len(line) > 0 {
				text = line[len(line)-1]
			}
			for range min(c.span, maxColumns-len(line)) {
				line = append(line, text)
			}
			if err := g.charge(len(text)*(c.span-1), 0); err != nil {
				return nil, err
			}
		}
		if err := g.charge(0, 1); err != nil {
			return nil, err
		}
		grid = append(grid, line)
		above = line
	}
	return grid, nil
}

// headerRows counts the rows that name the columns: those that are marked so,
// else the first if it looks like names, and the second with it where the
// first is only half of a two-line head.
func headerRows(rows []row, grid [][]string) int {
	marked := 0
	for marked < len(rows) && rows[marked].header {
		marked++
	}
	if marked > 0 && marked < len(rows) {
		return marked
	}
	if len(rows) < 2 {
		return 0
	}
	spans := func(c cell) bool { return c.span > 1 }
	above := func(c cell) bool { return c.above }
	if len(rows) > 2 && slices.ContainsFunc(rows[0].cells, spans) && slices.ContainsFunc(rows[1].cells, above) &&
		looksLikeHeader(grid[1], 1) {
		return 2
	}
	if looksLikeHeader(grid[0], len(grid[0])) {
		return 1
	}
	return 0
}

// looksLikeHeader reports whether a row names its columns: short texts, most
// of them not numbers, at least distinct of them different, few empty.
func looksLikeHeader(cells []string, distinct int) bool {
	seen := map[string]bool{}
	filled, words := 0, 0
	for _, c := range cells {
		c = strings.TrimSpace(c)
		if c == "" {
			continue
		}
		filled++
		seen[c] = true
		if utf8.RuneCountInString(c) > 60 {
			return false
		}
		if !isNumeric(c) {
			words++
		}
	}
	empty := len(cells) - filled
	return filled > 0 && len(seen) >= distinct-empty && empty <= len(cells)/2 && words*2 > filled
}

// isNumeric reports whether a cell is a quantity or a date and not a name.
func isNumeric(c string) bool {
	digits, letters := 0, 0
	for _, r := range c {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > 0 && letters <= digits/3
}
