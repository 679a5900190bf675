package office

import (
	"cmp"
	"encoding/xml"
	"errors"
	"slices"
	"strconv"
	"strings"

	"kaoju/internal/parse"
)

// table reads an a:tbl. Every column has a cell in every row; those that a
// merge covers say so.
func (c *canvas) table() error {
	var rows []row
	firstRow := false
	err := c.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "tblPr":
			firstRow = attr(el, "firstRow") == "1" || attr(el, "firstRow") == "true"
			return true, c.dec.Skip()
		case "tr":
			r, err := c.tableRow()
			rows = append(rows, r)
			return true, err
		}
		return false, nil
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	rows[0].header = firstRow
	grid, err := c.expand(rows)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(grid, func(r []string) bool { return strings.Join(r, "") != "" }) {
		return nil
	}
	block := parse.NewTable(grid, headerRows(rows, grid), 1)
	c.shapes = append(c.shapes, shape{holder: freeText, block: &block})
	return nil
}

func (c *canvas) tableRow() (row, error) {
	var r row
	err := c.inside(func(el xml.StartElement) (bool, error) {
		if el.Name.Local != "tc" {
			return false, nil
		}
		is := func(name string) bool { return attr(el, name) == "1" || attr(el, name) == "true" }
		out := cell{span: 1, left: is("hMerge"), above: is("vMerge")}
		err := c.inside(func(el xml.StartElement) (bool, error) {
			switch el.Name.Local {
			case "txBody":
				lines, err := c.textBody()
				out.text = joinLines(lines)
				return true, err
			case "tcPr":
				return true, c.dec.Skip()
			}
			return false, nil
		})
		r.cells = append(r.cells, out)
		return true, err
	})
	return r, err
}

func joinLines(lines []textLine) string {
	var out []string
	for _, l := range lines {
		if l.text != "" {
			out = append(out, l.text)
		}
	}
	return strings.Join(out, "\n")
}

// node is a point of a SmartArt diagram.
type node struct {
	text string
	kids []link
}

// link leads from a point to one below it.
type link struct {
	to    string
	order int
}

// diagram reads the data of a SmartArt diagram as a nested list.
func (c *canvas) diagram(el xml.StartElement) error {
	if err := c.dec.Skip(); err != nil {
		return err
	}
	return c.companion(c.rels[attr(el, "dm")].target, func(part *canvas) error {
		nodes, root, order, err := part.diagramNodes()
		lines := outlineOfNodes(nodes, root, order)
		if len(lines) > 0 {
			block := parse.Block{Kind: parse.List, Text: strings.Join(lines, "\n")}
			c.shapes = append(c.shapes, shape{holder: freeText, block: &block})
		}
		return err
	})
}

// companion reads a part that a shape refers to. A missing or broken part
// only costs its own text.
func (c *canvas) companion(name string, read func(part *canvas) error) error {
	dec, closer, err := c.archive.decoder(name)
	if errors.Is(err, errNoPart) {
		return nil
	}
	if err != nil {
		return err
	}
	defer closer.Close() //nolint:errcheck // reading only
	part := &canvas{walker: walker{reading: c.reading, dec: dec, depth: c.depth}}
	if err = part.enter(); err == nil {
		err = read(part)
	}
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	return limitOnly(err)
}

// diagramNodes reads the points that hold text, and how they hang together.
func (c *canvas) diagramNodes() (nodes map[string]*node, root string, order []string, err error) {
	nodes = map[string]*node{}
	at := func(id string) *node {
		if nodes[id] == nil {
			nodes[id] = &node{}
		}
		return nodes[id]
	}
	err = c.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "pt":
			id, kind := attr(el, "modelId"), attr(el, "type")
			if kind == "doc" {
				root = id
			}
			lines, err := c.textBody()
			if kind == "" || kind == "node" || kind == "asst" {
				at(id).text = strings.ReplaceAll(joinLines(lines), "\n", " ")
				order = append(order, id)
			}
			return true, err
		case "cxn":
			if kind := attr(el, "type"); kind == "" || kind == "parOf" {
				n, _ := strconv.Atoi(attr(el, "srcOrd"))
				from := at(attr(el, "srcId"))
				from.kids = append(from.kids, link{to: attr(el, "destId"), order: n})
			}
		}
		return false, nil
	})
	return nodes, root, order, err
}

// outlineOfNodes writes a tree of points as the lines of a list. Points that
// hang on nothing follow at the end.
func outlineOfNodes(nodes map[string]*node, root string, order []string) []string {
	var lines []string
	done := map[string]bool{}
	var write func(id string, depth int)
	write = func(id string, depth int) {
		n := nodes[id]
		if n == nil || done[id] || depth > maxDiagramDepth {
			return
		}
		done[id] = true
		if n.text != "" {
			lines = append(lines, strings.Repeat("  ", max(depth, 0))+"- "+n.text)
		}
		slices.SortStableFunc(n.kids, func(a, b link) int { return cmp.Compare(a.order, b.order) })
		for _, k := range n.kids {
			write(k.to, depth+1)
		}
	}
	write(root, -1)
	for _, id := range order {
		write(id, 0)
	}
	return lines
}

// maxDiagramDepth is more than a diagram on a slide can show.
const maxDiagramDepth = 20
