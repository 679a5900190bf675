package parse

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxJSONCell and maxJSONColumns bound what is shown as a table: longer
	// texts and wider rows read better line by line.
	maxJSONCell    = 300
	maxJSONColumns = 40
	// maxInlineArray is the length up to which an array of plain values is
	// written on one line.
	maxInlineArray = 300
)

// jsonWriter writes values as blocks.
type jsonWriter struct {
	out   *collector
	lines []string
}

// document writes the values of a file. Those of an array, or of JSON lines,
// are a table or a block each.
func (w *jsonWriter) document(values []jsonNode) {
	if len(values) == 1 && values[0].kind == '[' {
		values = values[0].kids
	}
	w.elements("", values, len(values) > 1)
	w.flush()
}

// elements writes the values of an array.
func (w *jsonWriter) elements(path string, values []jsonNode, numbered bool) {
	if rows, header := tableOfObjects(values); header > 0 {
		w.flush()
		if path != "" {
			w.out.add(Block{Kind: Paragraph, Text: path + ":"})
		}
		w.out.add(NewTable(rows, header, 1))
		return
	}
	for i, v := range values {
		at := path
		if path != "" && numbered {
			at += "[" + strconv.Itoa(i) + "]"
		}
		w.value(at, v)
		if v.kind == '{' {
			w.flush()
		}
	}
}

func (w *jsonWriter) value(path string, n jsonNode) {
	if w.out.stopped() {
		return
	}
	switch n.kind {
	case 's':
		w.line(path, n.text)
	case '[':
		if text, ok := inlineArray(n); ok {
			w.line(path, text)
			return
		}
		w.elements(path, n.kids, true)
	default:
		for _, kid := range n.kids {
			w.value(joinPath(path, kid.key), kid)
		}
	}
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// padding is white space by which programs line up text.
var padding = regexp.MustCompile(`(\S)[ \t]{3,}`)

// line adds a value. The further lines of a text are indented below it.
func (w *jsonWriter) line(path, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	text = strings.ReplaceAll(padding.ReplaceAllString(text, "$1 "), "\n", "\n  ")
	if path != "" {
		text = path + ": " + text
	}
	w.lines = append(w.lines, text)
	w.out.size += len(path) // paths count before they are written out
	if w.out.size > w.out.lim.MaxText {
		w.flush()
	}
}

func (w *jsonWriter) flush() {
	if len(w.lines) > 0 {
		w.out.add(Block{Kind: List, Text: strings.Join(w.lines, "\n")})
	}
	w.lines = nil
}

// inlineArray writes an array of plain values on one line, if it is short.
func inlineArray(n jsonNode) (string, bool) {
	size := 0
	var texts []string
	for _, kid := range n.kids {
		if size += len(kid.text) + 2; kid.kind != 's' || size > maxInlineArray || strings.Contains(kid.text, "\n") {
			return "", false
		}
		texts = append(texts, kid.text)
	}
	return strings.Join(texts, ", "), true
}

// tableOfObjects lays objects out as rows below the names of their members,
// if there are several that are alike and flat; else header is 0.
func tableOfObjects(values []jsonNode) (rows [][]string, header int) {
	if len(values) < 2 {
		return nil, 0
	}
	columns := map[string]int{}
	rows = [][]string{nil}
	filled := 0
	for _, v := range values {
		row := make([]string, len(columns))
		if v.kind != '{' || !addCells("", v, columns, &row) || len(columns) > maxJSONColumns {
			return nil, 0
		}
		for _, cell := range row {
			if cell != "" {
				filled++
			}
		}
		rows = append(rows, row)
	}
	if 2*filled < len(columns)*len(values) {
		return nil, 0
	}
	rows[0] = make([]string, len(columns))
	for name, i := range columns {
		rows[0][i] = name
	}
	return rows, 1
}

// addCells puts an object's members into the columns of their names. It
// reports whether all of them fit a cell.
func addCells(path string, n jsonNode, columns map[string]int, row *[]string) bool {
	for _, kid := range n.kids {
		name := joinPath(path, kid.key)
		text := kid.text
		switch kid.kind {
		case '{':
			if !addCells(name, kid, columns, row) {
				return false
			}
			continue
		case '[':
			inline, ok := inlineArray(kid)
			if !ok {
				return false
			}
			text = inline
		}
		i, ok := columns[name]
		if !ok {
			i = len(columns)
			columns[name] = i
		}
		if i >= maxJSONColumns || utf8.RuneCountInString(text) > maxJSONCell || strings.Contains(text, "\n") {
			return false
		}
		*row = append(*row, make([]string, max(0, i+1-len(*row)))...)
		if (*row)[i] != "" {
			return false // a second member of one name
		}
		if text != "null" {
			(*row)[i] = text
		}
	}
	return true
}

// jsonTitle is what an object says is its title.
func jsonTitle(values []jsonNode) string {
	if len(values) != 1 || values[0].kind != '{' {
		return ""
	}
	for _, name := range []string{"title", "标题", "name", "名称"} {
		i := slices.IndexFunc(values[0].kids, func(n jsonNode) bool { return strings.EqualFold(n.key, name) && n.kind == 's' })
		if i >= 0 && values[0].kids[i].text != "null" && utf8.RuneCountInString(values[0].kids[i].text) <= 200 {
			return values[0].kids[i].text
		}
	}
	return ""
}
