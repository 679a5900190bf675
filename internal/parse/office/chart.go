package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"kaoju/internal/parse"
)

// maxPoints bounds the points of one series.
const maxPoints = 10_000

// series is one row of values of a chart.
type series struct {
	name   string
	labels map[int]string
	values map[int]string
}

// chart reads the values that a chart shows as a table with a column a
// series, below its title. The file keeps them beside the embedded workbook.
func (c *canvas) chart(el xml.StartElement) error {
	if err := c.dec.Skip(); err != nil {
		return err
	}
	return c.companion(c.rels[relationID(el, "id")].target, func(part *canvas) error {
		title, all, err := part.chartSeries()
		if title != "" {
			c.shapes = append(c.shapes, shape{holder: freeText, lines: []textLine{{text: title}}})
		}
		if rows := chartRows(all); len(rows) > 1 {
			if err := c.charge(0, len(rows)); err != nil {
				return err
			}
			block := parse.NewTable(rows, 1, 1)
			c.shapes = append(c.shapes, shape{holder: freeText, block: &block})
		}
		return err
	})
}

func (c *canvas) chartSeries() (title string, all []series, err error) {
	err = c.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "title":
			text, err := c.allText()
			if title == "" {
				title = text
			}
			return true, err
		case "ser":
			s, err := c.oneSeries()
			all = append(all, s)
			return true, err
		case "valAx", "catAx", "dateAx", "extLst":
			return true, c.dec.Skip()
		}
		return false, nil
	})
	return title, all, err
}

// allText gives the character data of all a:t and c:v below an element.
func (c *canvas) allText() (string, error) {
	var words []string
	err := c.inside(func(el xml.StartElement) (bool, error) {
		if el.Name.Local != "t" && el.Name.Local != "v" {
			return false, nil
		}
		text, err := c.chars()
		words = append(words, strings.Fields(text)...)
		return true, err
	})
	return strings.Join(words, " "), err
}

func (c *canvas) oneSeries() (series, error) {
	var s series
	err := c.inside(func(el xml.StartElement) (bool, error) {
		var err error
		switch el.Name.Local {
		case "tx":
			s.name, err = c.allText()
		case "cat", "xVal":
			s.labels, err = c.points()
		case "val", "yVal":
			s.values, err = c.points()
		case "dLbls", "extLst":
			err = c.dec.Skip()
		default:
			return false, nil
		}
		return true, err
	})
	return s, err
}

// points reads the values that are kept with a series, by their place.
func (c *canvas) points() (map[int]string, error) {
	out := map[int]string{}
	err := c.inside(func(el xml.StartElement) (bool, error) {
		if el.Name.Local != "pt" {
			return false, nil
		}
		i, err := strconv.Atoi(attr(el, "idx"))
		if err != nil || i < 0 || i >= maxPoints {
			return true, c.dec.Skip()
		}
		out[i], err = c.allText()
		return true, err
	})
	return out, err
}

// chartRows lays series out side by side: the names in the first row, then
// the values beside their labels.
func chartRows(all []series) [][]string {
	last, names := -1, []string{""}
	for _, s := range all {
		for i := range s.values {
			last = max(last, i)
		}
		names = append(names, s.name)
	}
	rows := [][]string{names}
	for i := range last + 1 {
		line := make([]string, 1, len(names))
		for _, s := range all {
			if line[0] == "" {
				line[0] = s.labels[i]
			}
			line = append(line, s.values[i])
		}
		if strings.Join(line, "") != "" {
			rows = append(rows, line)
		}
	}
	return rows
}
