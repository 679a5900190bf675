package office

import (
	"encoding/xml"
	"slices"
	"strings"

	"kaoju/internal/parse"
)

// canvas is a slide or a page of notes being read.
type canvas struct {
	walker
	rels   map[string]relation
	shapes []shape
}

// shape is what stands in one place of a slide: text, or a block of another
// kind. Groups have no shape of their own.
type shape struct {
	holder string // what the layout holds this place for: title, body, ftr, …; "text" where it is free
	lines  []textLine
	block  *parse.Block // a table, a diagram or a chart
}

// textLine is a paragraph on a slide.
type textLine struct {
	text   string
	level  int
	bullet string // "none", "char" or "auto" as the paragraph says, "" where the layout decides
	auto   string // how numbers are written: arabicPeriod, …
	start  int    // number of the first item; 0 if it says none
}

// freeText is the holder of a shape that is no place of the layout.
const freeText = "text"

// read reads the shapes of the part through its end.
func (c *canvas) read() error {
	return c.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "sp", "cxnSp":
			return true, c.shape()
		case "tbl":
			return true, c.table()
		case "relIds":
			return true, c.diagram(el)
		case "chart":
			return true, c.chart(el)
		case "timing", "transition", "extLst", "pic":
			return true, c.dec.Skip()
		}
		return false, nil
	})
}

func (c *canvas) shape() error {
	s := shape{holder: freeText}
	hidden := false
	err := c.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "cNvPr":
			hidden = attr(el, "hidden") == "1" || attr(el, "hidden") == "true"
		case "ph":
			if s.holder = attr(el, "type"); s.holder == "" {
				s.holder = "obj"
			}
		case "txBody":
			lines, err := c.textBody()
			s.lines = lines
			return true, err
		case "extLst":
			return true, c.dec.Skip()
		}
		return false, nil
	})
	if !hidden && len(s.lines) > 0 {
		c.shapes = append(c.shapes, s)
	}
	return err
}

func (c *canvas) textBody() ([]textLine, error) {
	var lines []textLine
	err := c.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "p":
			l, err := c.textLine()
			lines = append(lines, l)
			return true, err
		case "bodyPr", "lstStyle":
			return true, c.dec.Skip()
		}
		return false, nil
	})
	return lines, err
}

func (c *canvas) textLine() (textLine, error) {
	var l textLine
	var text strings.Builder
	err := c.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "pPr":
			l.level = depthOf(attr(el, "lvl"))
		case "buNone":
			l.bullet = "none"
		case "buChar", "buBlip":
			l.bullet = "char"
		case "buAutoNum":
			l.bullet, l.auto, l.start = "auto", attr(el, "type"), spanOf(attr(el, "startAt"), 0)
		case "t":
			t, err := c.chars()
			text.WriteString(t)
			return true, err
		case "br":
			text.WriteByte('\n')
		case "oMath":
			n, err := c.readMath("oMath", 0)
			if err == nil {
				text.WriteString(n.linear())
			}
			return true, err
		case "fld":
			if kind := attr(el, "type"); kind == "slidenum" || strings.HasPrefix(kind, "datetime") {
				return true, c.dec.Skip()
			}
		case "rPr", "endParaRPr":
			return true, c.dec.Skip()
		}
		return false, nil
	})
	if err == nil {
		err = c.charge(0, 1)
	}
	l.text = tidy(strings.ReplaceAll(text.String(), "\v", "\n"))
	return l, err
}

// line gives all text of a shape on one line.
func (s shape) line() string {
	var words []string
	for _, l := range s.lines {
		words = append(words, strings.Fields(l.text)...)
	}
	return strings.Join(words, " ")
}

// blocks gives a shape's text as paragraphs and lists. In a place for content
// several paragraphs are items, unless they say that they are not; elsewhere
// only those with a bullet of their own.
func (s shape) blocks() []parse.Block {
	if s.block != nil {
		return []parse.Block{*s.block}
	}
	lines := slices.DeleteFunc(slices.Clone(s.lines), func(l textLine) bool { return l.text == "" })
	content := (s.holder == "body" || s.holder == "obj") && len(lines) > 1
	var out []parse.Block
	var count counter
	open := false
	for _, l := range lines {
		item := l.bullet == "char" || l.bullet == "auto" || l.bullet == "" && content
		switch {
		case !item:
			count, open = counter{}, false
			out = append(out, parse.Block{Kind: parse.Paragraph, Text: l.text})
			continue
		case !open:
			out = append(out, parse.Block{Kind: parse.List})
		}
		last := &out[len(out)-1]
		indent := strings.Repeat("  ", l.level)
		text := indent + count.marker(l) + " " + strings.ReplaceAll(l.text, "\n", "\n"+indent+"  ")
		last.Text = strings.TrimPrefix(last.Text+"\n"+text, "\n")
		open = true
	}
	return out
}

// counter numbers the items of one shape, by level.
type counter struct {
	next []int
	auto []string
}

// marker counts a paragraph and gives what stands before it.
func (c *counter) marker(l textLine) string {
	for len(c.next) <= l.level {
		c.next, c.auto = append(c.next, 0), append(c.auto, "")
	}
	c.next, c.auto = c.next[:l.level+1], c.auto[:l.level+1]
	if l.bullet != "auto" {
		c.auto[l.level] = ""
		return "-"
	}
	if c.auto[l.level] != l.auto {
		c.auto[l.level], c.next[l.level] = l.auto, max(l.start, 1)
	}
	n := c.next[l.level]
	c.next[l.level]++
	return autoNumber(l.auto, n)
}

// autoNumber writes a number as a scheme of automatic numbers asks for.
func autoNumber(scheme string, n int) string {
	number := countIn("decimal", n)
	for _, f := range [][2]string{
		{"alphaLc", "lowerLetter"}, {"alphaUc", "upperLetter"}, {"romanLc", "lowerRoman"}, {"romanUc", "upperRoman"},
		{"circleNum", "decimalEnclosedCircle"}, {"ea1", "chineseCounting"},
	} {
		if strings.HasPrefix(scheme, f[0]) {
			number = countIn(f[1], n)
		}
	}
	switch {
	case strings.HasSuffix(scheme, "ParenBoth"):
		return "(" + number + ")"
	case strings.HasSuffix(scheme, "ParenR"):
		return number + ")"
	case strings.HasSuffix(scheme, "Plain"):
		return number
	}
	return number + "."
}
