package parse

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxSpan bounds what a cell may claim to cover.
	maxSpan = 200
	// maxCells bounds the grid of one table; what is beyond is left out.
	maxCells = 2_000_000
)

// table takes a table of data as rows, and walks through one that only lays
// out a page.
func (w *htmlWalk) table(n *html.Node) {
	w.flush()
	rows := tableRows(n)
	if isLayout(n, rows) {
		w.layout(n, rows)
		return
	}
	w.list.flush()
	w.caption(n)
	g := grid{}
	for _, r := range rows {
		g.add(r)
	}
	g.end()
	for _, row := range g.rows {
		w.count(strings.Join(row, ""))
	}
	cells, top := trimRows(g.rows)
	if len(cells) == 0 {
		return
	}
	header := max(0, g.header-top)
	if header == 0 && len(cells) > 1 {
		header = headerRows(cells)
	}
	w.out.add(NewTable(cells, min(header, len(cells)-1), 1))
}

// layout walks through the cells as if they were parts of the page.
func (w *htmlWalk) layout(n *html.Node, rows []*html.Node) {
	w.caption(n)
	for _, r := range rows {
		for _, c := range rowCells(r) {
			w.flush()
			w.children(c)
		}
	}
	w.flush()
}

func (w *htmlWalk) caption(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Caption {
			w.children(c)
			w.flush()
		}
	}
}

// tableRows gives the table's own rows, not those of tables inside.
func tableRows(table *html.Node) []*html.Node {
	var rows []*html.Node
	for c := table.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Tr:
			rows = append(rows, c)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			for r := c.FirstChild; r != nil; r = r.NextSibling {
				if r.DataAtom == atom.Tr {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

func rowCells(row *html.Node) []*html.Node {
	var cells []*html.Node
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			cells = append(cells, c)
		}
	}
	return cells
}

// isLayout reports whether a table only places things: it says so, it has one
// cell, or it holds other tables or headings and names no column.
func isLayout(table *html.Node, rows []*html.Node) bool {
	if role := attr(table, "role"); role == "presentation" || role == "none" {
		return true
	}
	named, widest := false, 0
	for _, r := range rows {
		cells := rowCells(r)
		widest = max(widest, len(cells))
		for _, c := range cells {
			named = named || c.DataAtom == atom.Th
		}
	}
	if widest <= 1 && !named {
		return true
	}
	return !named && holdsStructure(rows)
}

func holdsStructure(rows []*html.Node) bool {
	nested, cells, long := false, 0, 0
	for _, r := range rows {
		for _, c := range rowCells(r) {
			cells++
			if textSize(c) > longCell {
				long++
			}
			for d := range c.Descendants() {
				switch d.DataAtom {
				case atom.H1, atom.H2, atom.H3, atom.H4, atom.Form, atom.Pre:
					return true
				case atom.Table:
					nested = true
				}
			}
		}
	}
	return nested && (cells <= 4 || long*3 >= cells)
}

// longCell is the size of a cell, in bytes, that holds more than a value.
const longCell = 500

// textSize counts the bytes of text below a node, up to longCell.
func textSize(n *html.Node) int {
	size := 0
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			size += len(strings.TrimSpace(d.Data))
		}
		if size > longCell {
			break
		}
	}
	return size
}

// grid lays out rows whose cells may cover several rows and columns; such a
// cell stands in every place that it covers.
type grid struct {
	rows   [][]string
	header int
	cells  int
	open   []span // by column: what reaches down from rows above
}

// span is a cell that covers more rows.
type span struct {
	text string
	left int
}

func (g *grid) add(row *html.Node) {
	if g.cells > maxCells {
		return
	}
	var out []string
	heads := true
	cells := rowCells(row)
	for _, c := range cells {
		out = g.reach(out)
		heads = heads && c.DataAtom == atom.Th
		g.place(&out, c)
	}
	for len(out) < len(g.open) && g.open[len(out)].left > 0 {
		out = g.reach(out)
	}
	inHead := row.Parent != nil && row.Parent.DataAtom == atom.Thead
	if len(cells) > 0 && g.header == len(g.rows) && (inHead || heads) {
		g.header++
	}
	g.cells += len(out)
	g.rows = append(g.rows, out)
}

// reach fills the columns that cells from above cover.
func (g *grid) reach(out []string) []string {
	for len(out) < len(g.open) && g.open[len(out)].left > 0 {
		g.open[len(out)].left--
		out = append(out, g.open[len(out)].text)
	}
	return out
}

func (g *grid) place(out *[]string, c *html.Node) {
	text := flatText(c)
	down, right := spanOf(c, "rowspan"), spanOf(c, "colspan")
	for range right {
		at := len(*out)
		for len(g.open) <= at {
			g.open = append(g.open, span{})
		}
		g.open[at] = span{text, down - 1}
		*out = append(*out, text)
	}
}

// end closes the grid: a table all of whose rows are heads has none.
func (g *grid) end() {
	if g.header == len(g.rows) && g.header > 1 {
		g.header = 1
	}
}

func spanOf(c *html.Node, key string) int {
	n, err := strconv.Atoi(attr(c, key))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, maxSpan)
}
