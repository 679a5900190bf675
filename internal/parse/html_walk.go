package parse

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlWalk turns a tree into blocks. Its recursion is as deep as the tree,
// and the tree parser builds none deeper than 512 elements.
type htmlWalk struct {
	out    *collector
	list   outline
	inline strings.Builder
	quotes int
	links  int // links that are open
	text   int // bytes of text so far
	plain  int // of them outside links
	depth  int
	work   int // depths of all nodes so far, together; long texts count as several
}

func (w *htmlWalk) children(n *html.Node) {
	w.depth++
	defer func() { w.depth-- }()
	for c := n.FirstChild; c != nil && !w.out.stopped(); c = c.NextSibling {
		w.node(c)
	}
}

func (w *htmlWalk) node(n *html.Node) {
	w.work += w.depth * (1 + len(n.Data)/16)
	switch n.Type {
	case html.TextNode:
		text := collapse(n.Data)
		w.inline.WriteString(text)
		w.count(text)
	case html.ElementNode:
		if !dropped(n.DataAtom) && !hidden(n) {
			w.element(n)
		}
	case html.DocumentNode:
		w.children(n)
	}
}

// count notes how much text there is, and how much that is not the text of a
// link.
func (w *htmlWalk) count(text string) {
	n := len(strings.TrimSpace(text))
	w.text += n
	if w.links == 0 {
		w.plain += n
	}
}

func (w *htmlWalk) element(n *html.Node) {
	switch n.DataAtom {
	case atom.A:
		w.links++
		w.plainElement(n)
		w.links--
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.heading(n)
	case atom.Br:
		w.inline.WriteByte('\n')
	case atom.Img:
		w.inline.WriteString(strings.TrimSpace(attr(n, "alt")))
	case atom.Pre:
		w.code(n)
	case atom.Table:
		w.table(n)
	case atom.Ul, atom.Ol, atom.Menu:
		w.itemList(n)
	case atom.Li:
		w.flush()
		w.list.item()
		w.children(n)
		w.flush()
	case atom.Blockquote:
		w.flush()
		w.quotes++
		w.children(n)
		w.flush()
		w.quotes--
	case atom.Math:
		w.math(n)
	default:
		w.plainElement(n)
	}
}

// plainElement walks through an element without a meaning of its own.
func (w *htmlWalk) plainElement(n *html.Node) {
	if inlineTag(n.DataAtom) {
		w.children(n)
		return
	}
	w.flush()
	w.children(n)
	w.flush()
}

// flush ends a paragraph.
func (w *htmlWalk) flush() {
	text := tidy(w.inline.String())
	w.inline.Reset()
	switch {
	case text == "":
	case w.list.open():
		w.list.text(text)
	case w.quotes > 0:
		w.out.add(Block{Kind: Quote, Text: text})
	default:
		w.out.add(Block{Kind: Paragraph, Text: text})
	}
}

func (w *htmlWalk) heading(n *html.Node) {
	w.flush()
	w.list.flush()
	level, _ := strconv.Atoi(n.Data[1:])
	text := flatText(n)
	w.count(text)
	w.out.heading(level, strings.ReplaceAll(text, "\n", " "))
}

func (w *htmlWalk) itemList(n *html.Node) {
	w.flush()
	start, err := strconv.Atoi(attr(n, "start"))
	if err != nil {
		start = 1
	}
	w.list.enter(n.DataAtom == atom.Ol, start)
	w.children(n)
	w.flush()
	w.list.leave()
}

// code keeps every character and line break of preformatted text.
func (w *htmlWalk) code(n *html.Node) {
	w.flush()
	w.list.flush()
	var b strings.Builder
	exactText(&b, n)
	text := strings.Trim(b.String(), "\n")
	w.count(text)
	w.out.add(Block{Kind: Code, Text: text, Language: codeLanguage(n)})
}

func exactText(b *strings.Builder, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.DataAtom == atom.Br:
			b.WriteByte('\n')
		case c.Type == html.ElementNode:
			exactText(b, c)
			if c.DataAtom == atom.Div || c.DataAtom == atom.P || c.DataAtom == atom.Li {
				b.WriteByte('\n')
			}
		}
	}
}

// codeLanguage reads the class that highlighters agree on.
func codeLanguage(pre *html.Node) string {
	for n := range pre.Descendants() {
		for class := range strings.FieldsSeq(attr(n, "class")) {
			if name, ok := strings.CutPrefix(class, "language-"); ok {
				return name
			}
			if name, ok := strings.CutPrefix(class, "lang-"); ok {
				return name
			}
		}
		break // only the code element directly inside
	}
	return ""
}

// math takes a formula's source where the page carries it.
func (w *htmlWalk) math(n *html.Node) {
	source := attr(n, "alttext")
	for c := range n.Descendants() {
		if c.DataAtom == atom.Annotation && strings.Contains(attr(c, "encoding"), "tex") && c.FirstChild != nil {
			source = c.FirstChild.Data
		}
	}
	source = strings.TrimSpace(source)
	switch {
	case source == "":
		w.inline.WriteString(flatText(n))
	case attr(n, "display") == "block" && !w.list.open():
		w.flush()
		w.out.add(Block{Kind: Formula, Text: "$$" + source + "$$"})
	default:
		w.inline.WriteString("$" + source + "$")
	}
}

// flatText gives the text below a node: blocks on lines of their own, cells
// apart, lists with marks.
func flatText(n *html.Node) string {
	var b strings.Builder
	writeFlat(&b, n)
	return tidy(b.String())
}

func writeFlat(b *strings.Builder, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(collapse(c.Data))
		case c.Type != html.ElementNode, dropped(c.DataAtom), hidden(c):
		case c.DataAtom == atom.Br:
			b.WriteByte('\n')
		case c.DataAtom == atom.Img:
			b.WriteString(strings.TrimSpace(attr(c, "alt")))
		case c.DataAtom == atom.Pre:
			b.WriteByte('\n')
			exactText(b, c)
			b.WriteByte('\n')
		case c.DataAtom == atom.Td, c.DataAtom == atom.Th:
			writeFlat(b, c)
			b.WriteByte(' ')
		case inlineTag(c.DataAtom):
			writeFlat(b, c)
		default:
			b.WriteByte('\n')
			if c.DataAtom == atom.Li {
				b.WriteString("- ")
			}
			writeFlat(b, c)
			b.WriteByte('\n')
		}
	}
}

// collapse makes every run of white space one space, as a browser does.
func collapse(s string) string {
	if !strings.ContainsAny(s, " \t\n\r\f") {
		return s
	}
	var b strings.Builder
	space := false
	for _, r := range s {
		if r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f' {
			space = true
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	if space {
		b.WriteByte(' ')
	}
	return b.String()
}

// tidy trims the lines of a paragraph, drops the empty ones and makes runs of
// spaces one.
func tidy(s string) string {
	var kept []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "hidden" {
			return true
		}
		if a.Key == "style" && strings.Contains(strings.ReplaceAll(strings.ToLower(a.Val), " ", ""), "display:none") {
			return true
		}
	}
	return false
}

// dropped reports whether an element holds nothing to read.
func dropped(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Head, atom.Iframe, atom.Object,
		atom.Nav, atom.Select, atom.Button, atom.Input, atom.Textarea, atom.Canvas, atom.Audio, atom.Video, atom.Map:
		return true
	}
	return false
}

// inlineTag reports whether an element stands within a line of text. Unknown
// elements do, as in a browser.
func inlineTag(a atom.Atom) bool {
	switch a {
	case 0, atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Data, atom.Del,
		atom.Dfn, atom.Em, atom.Font, atom.I, atom.Img, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Q, atom.Rb,
		atom.Rp, atom.Rt, atom.Ruby, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub,
		atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr:
		return true
	}
	return false
}
