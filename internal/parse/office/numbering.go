package office

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// level is how one depth of a list counts.
type level struct {
	start   int
	format  string // w:numFmt
	text    string // w:lvlText, with %1 … %9 for the numbers
	restart int    // the depth (1-based) whose new item restarts this one; -1 if not given
	legal   bool   // all numbers in decimal digits
	style   string // the paragraph style that this depth belongs to
}

// levels of a list; depth 0 to 8.
type levels [9]level

// list is an instance of a numbering (w:num).
type list struct {
	abstract string
	levels   levels
	starts   [9]int // startOverride, -1 if none
}

// numbering is numbering.xml, and the counters of a document being read.
type numbering struct {
	lists    map[string]*list // by numId
	counters map[string]*[9]int
	used     map[string]bool // overrides of a numId that were applied
}

func newLevels() levels {
	var l levels
	for i := range l {
		l[i] = level{start: 1, format: "decimal", restart: -1}
	}
	return l
}

// readNumbering reads numbering.xml; a missing part gives no lists.
func readNumbering(a *archive, part string) (*numbering, error) {
	p := numberingParser{abstracts: map[string]*levels{}, links: map[string]string{}, styles: map[string]string{}}
	p.out = &numbering{lists: map[string]*list{}, counters: map[string]*[9]int{}, used: map[string]bool{}}
	err := a.eachElement(part, func(_ *xml.Decoder, el xml.StartElement) error {
		p.visit(el)
		return nil
	})
	p.resolve()
	return p.out, err
}

// numberingParser reads the elements of numbering.xml in order.
type numberingParser struct {
	out       *numbering
	abstracts map[string]*levels
	links     map[string]string // abstractNumId → numStyleLink
	styles    map[string]string // styleLink → abstractNumId
	overrides []func()
	abstract  string  // the abstractNum that is open
	num       *list   // or the num that is open
	lvl       *level  // the level that is open in either
	replaced  *levels // levels of the open num that replace the abstract's
	depth     int
}

func (p *numberingParser) visit(el xml.StartElement) {
	switch el.Name.Local {
	case "abstractNum":
		l := newLevels()
		p.abstract, p.num, p.lvl = attr(el, "abstractNumId"), nil, nil
		p.abstracts[p.abstract] = &l
	case "num":
		p.num, p.lvl, p.replaced = &list{starts: [9]int{-1, -1, -1, -1, -1, -1, -1, -1, -1}}, nil, nil
		p.out.lists[attr(el, "numId")] = p.num
	case "abstractNumId":
		if p.num != nil {
			p.num.abstract = attr(el, "val")
		}
	case "numStyleLink":
		p.links[p.abstract] = attr(el, "val")
	case "styleLink":
		p.styles[attr(el, "val")] = p.abstract
	case "lvlOverride":
		p.depth, p.lvl = depthOf(attr(el, "ilvl")), nil
	case "startOverride":
		if n, err := strconv.Atoi(attr(el, "val")); err == nil && p.num != nil {
			p.num.starts[p.depth] = n
		}
	case "lvl":
		p.openLevel(depthOf(attr(el, "ilvl")))
	default:
		p.property(el)
	}
}

func (p *numberingParser) openLevel(depth int) {
	if p.num == nil {
		if l := p.abstracts[p.abstract]; l != nil {
			p.lvl = &l[depth]
		}
		return
	}
	fresh := level{start: 1, format: "decimal", restart: -1}
	p.lvl = &fresh
	num := p.num
	p.overrides = append(p.overrides, func() { num.levels[depth] = fresh })
}

func (p *numberingParser) property(el xml.StartElement) {
	if p.lvl == nil {
		return
	}
	switch el.Name.Local {
	case "start":
		if n, err := strconv.Atoi(attr(el, "val")); err == nil {
			p.lvl.start = n
		}
	case "numFmt":
		p.lvl.format = attr(el, "val")
	case "lvlText":
		p.lvl.text = attr(el, "val")
	case "lvlRestart":
		if n, err := strconv.Atoi(attr(el, "val")); err == nil {
			p.lvl.restart = n
		}
	case "isLgl":
		p.lvl.legal = isOn(el)
	case "pStyle":
		p.lvl.style = attr(el, "val")
	}
}

// resolve gives each list the levels of its abstract numbering, following a
// link to a list style once.
func (p *numberingParser) resolve() {
	for _, l := range p.out.lists {
		if link, ok := p.links[l.abstract]; ok {
			if target, ok := p.styles[link]; ok {
				l.abstract = target
			}
		}
		l.levels = newLevels()
		if abstract := p.abstracts[l.abstract]; abstract != nil {
			l.levels = *abstract
		}
	}
	for _, apply := range p.overrides {
		apply()
	}
}

func depthOf(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return min(n, 8)
}

// depthForStyle gives the depth that belongs to a paragraph style.
func (n *numbering) depthForStyle(numID, style string) (int, bool) {
	if l := n.lists[numID]; l != nil {
		for i, lv := range l.levels {
			if lv.style != "" && lv.style == style {
				return i, true
			}
		}
	}
	return 0, false
}

// next counts one item of a list and gives its label: "1.", "第二条", "•".
// ok is false where there is no such list.
func (n *numbering) next(numID string, depth int) (label string, ok bool) {
	l := n.lists[numID]
	if l == nil {
		return "", false
	}
	c := n.counter(numID, l)
	if c[depth] == unset {
		c[depth] = l.start(depth)
	} else {
		c[depth]++
	}
	for d := depth + 1; d < len(c); d++ {
		if r := l.levels[d].restart; r == -1 || r > 0 && depth < r {
			c[d] = unset
		}
	}
	return l.label(c, depth), true
}

// unset marks a counter that has not begun. Real counters never get there:
// starts are small and documents finite.
const unset = -1 << 30

// counter gives the counters that a list shares with the other instances of
// its abstract numbering. An instance's own starts are applied when it is
// first met.
func (n *numbering) counter(numID string, l *list) *[9]int {
	c := n.counters[l.abstract]
	if c == nil {
		c = &[9]int{unset, unset, unset, unset, unset, unset, unset, unset, unset}
		n.counters[l.abstract] = c
	}
	if n.used[numID] {
		return c
	}
	n.used[numID] = true
	for d, start := range l.starts {
		if start >= 0 {
			c[d] = start - 1
		}
	}
	return c
}

// start gives the first number at a depth: the instance's own, or the level's.
func (l *list) start(depth int) int {
	if l.starts[depth] >= 0 {
		return l.starts[depth]
	}
	return l.levels[depth].start
}

// label writes the number of an item at a depth.
func (l *list) label(c *[9]int, depth int) string {
	lv := l.levels[depth]
	if lv.format == "bullet" {
		return "-"
	}
	if lv.format == "none" && !strings.Contains(lv.text, "%") {
		return strings.TrimSpace(lv.text)
	}
	text := lv.text
	for d := range l.levels {
		sign := "%" + strconv.Itoa(d+1)
		if !strings.Contains(text, sign) {
			continue
		}
		format, value := l.levels[d].format, c[d]
		if value == unset {
			value = l.start(d)
		}
		if lv.legal {
			format = "decimal"
		}
		text = strings.ReplaceAll(text, sign, countIn(format, value))
	}
	return strings.TrimSpace(text)
}
