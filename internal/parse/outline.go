package parse

import (
	"strconv"
	"strings"
)

// maxIndent is the deepest level that is indented further than the one above
// it.
const maxIndent = 10

// outline writes nested lists as text: one line an item, with its marker,
// indented by two spaces a level. Markdown and HTML both end in it.
type outline struct {
	out    *collector
	levels []level
	lines  []string
	marker string // of an item that has no text yet
}

// level is one list that is open.
type level struct {
	ordered bool
	next    int // number of the next item
}

func (o *outline) open() bool { return len(o.levels) > 0 }

func (o *outline) enter(ordered bool, start int) {
	o.levels = append(o.levels, level{ordered: ordered, next: start})
}

func (o *outline) leave() {
	o.levels = o.levels[:len(o.levels)-1]
	o.marker = ""
	if !o.open() {
		o.flush()
	}
}

// item starts an item; its first text goes on the marker's line.
func (o *outline) item() {
	if !o.open() {
		return
	}
	l := &o.levels[len(o.levels)-1]
	o.marker = "-"
	if l.ordered {
		o.marker = strconv.Itoa(l.next) + "."
		l.next++
	}
}

// text adds a paragraph to the item that is open.
func (o *outline) text(s string) {
	s = strings.TrimSpace(s)
	if s == "" {
		return
	}
	indent := strings.Repeat("  ", min(len(o.levels)-1, maxIndent))
	lines := strings.Split(s, "\n")
	first := indent + "  "
	if o.marker != "" {
		first = indent + o.marker + " "
		o.marker = ""
	}
	o.lines = append(o.lines, first+strings.TrimSpace(lines[0]))
	for _, line := range lines[1:] {
		if !isBlank(line) {
			o.lines = append(o.lines, indent+"  "+strings.TrimSpace(line))
		}
	}
}

// flush ends the block so far. A list that holds code or a table goes on
// after it as another block, with its numbers.
func (o *outline) flush() {
	if len(o.lines) > 0 {
		o.out.add(Block{Kind: List, Text: strings.Join(o.lines, "\n")})
	}
	o.lines = nil
}
