package parse

import (
	"context"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"kaoju/internal/parse/charset"
)

// markdownReader reads Markdown in GitHub's dialect, with front matter,
// display formulas and embedded HTML.
type markdownReader struct{}

// Read implements Reader.
func (markdownReader) Read(ctx context.Context, in Input, lim Limits) (Document, error) {
	source := CleanText(charset.Decode(in.Data, "").Text)
	title, source := frontMatter(source)
	source = boundNesting(source, lim.MaxDepth)
	c := newCollector(ctx, lim)
	src := []byte(source)
	root := markdownParser(source).Parse(text.NewReader(src))
	w := markdownWalk{src: src, out: c, list: outline{out: c}}
	w.children(root)
	if c.err != nil {
		return Document{}, c.err
	}
	if title == "" {
		title = firstTitle(c.blocks)
	}
	return Document{Title: title, Blocks: c.blocks}, nil
}

// maxEmphasis is how many marks of emphasis a paragraph may have. The time that
// the Markdown parser takes for those that never close grows with more than
// their square: a minute for 100 KB.
const maxEmphasis = 2000

// markdownParser gives a parser for a source. Where a paragraph has too many
// marks of emphasis, all of the source's are taken as the characters that they
// are.
func markdownParser(source string) parser.Parser {
	for paragraph := range strings.SplitSeq(source, "\n\n") {
		if strings.Count(paragraph, "*")+strings.Count(paragraph, "_")+strings.Count(paragraph, "~") > maxEmphasis {
			return goldmark.New(
				goldmark.WithParser(parser.NewParser(
					parser.WithBlockParsers(parser.DefaultBlockParsers()...),
					parser.WithInlineParsers(withoutEmphasis()...),
					parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
				)),
				goldmark.WithExtensions(extension.Table, extension.TaskList, dialect{}),
			).Parser()
		}
	}
	return goldmark.New(goldmark.WithExtensions(
		extension.Table, extension.Strikethrough, extension.TaskList, dialect{},
	)).Parser()
}

func withoutEmphasis() []util.PrioritizedValue {
	emphasis := reflect.TypeOf(parser.NewEmphasisParser())
	return slices.DeleteFunc(parser.DefaultInlineParsers(), func(v util.PrioritizedValue) bool { return reflect.TypeOf(v.Value) == emphasis })
}

var frontTitle = regexp.MustCompile(`(?m)^title:[ \t]*["']?(.*?)["']?[ \t]*$`)

// frontMatter cuts off a YAML head and gives its title.
func frontMatter(source string) (title, rest string) {
	head, found := strings.CutPrefix(source, "---\n")
	if !found {
		return "", source
	}
	end := regexp.MustCompile(`(?m)^(?:---|\.\.\.)[ \t]*$`).FindStringIndex(head)
	if end == nil || strings.Contains(head[:end[0]], "\n\n#") {
		return "", source
	}
	if m := frontTitle.FindStringSubmatch(head[:end[0]]); m != nil {
		title = m[1]
	}
	return title, head[end[1]:]
}

var containerMarks = regexp.MustCompile(`(?m)^(?:[ \t]*(?:>|[-*+](?:[ \t]|$)|\d{1,9}[.)][ \t]))+`)

// boundNesting cuts the marks of quotes and lists at the head of each line
// down to the depth that the limits allow: the time that the Markdown parser
// takes grows with the square of the nesting.
func boundNesting(source string, depth int) string {
	longest := 2 * depth
	return containerMarks.ReplaceAllStringFunc(source, func(marks string) string {
		if len(marks) <= longest || strings.Count(marks, ">")+strings.Count(marks, "- ")+
			strings.Count(marks, "* ")+strings.Count(marks, "+ ")+strings.Count(marks, ". ") <= depth {
			return marks
		}
		return marks[:longest]
	})
}

// markdownWalk turns the tree into blocks. Its recursion is as deep as the
// nesting of quotes and lists, which boundNesting limits.
type markdownWalk struct {
	src    []byte
	out    *collector
	list   outline
	quotes int
}

func (w *markdownWalk) children(n ast.Node) {
	for c := n.FirstChild(); c != nil && !w.out.stopped(); c = c.NextSibling() {
		c = w.block(c)
	}
}

// block handles a node and gives the last sibling that it took.
func (w *markdownWalk) block(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.Heading:
		w.list.flush()
		w.out.heading(n.Level, w.inline(n))
	case *ast.Paragraph, *ast.TextBlock:
		w.paragraph(w.inline(n))
	case *ast.Blockquote:
		w.quotes++
		w.children(n)
		w.quotes--
	case *ast.List:
		w.list.enter(n.IsOrdered(), n.Start)
		w.children(n)
		w.list.leave()
	case *ast.ListItem:
		w.list.item()
		w.children(n)
	case *ast.FencedCodeBlock:
		w.code(n, string(n.Language(w.src)))
	case *ast.CodeBlock:
		w.code(n, "")
	case *mathBlock:
		w.list.flush()
		w.out.add(Block{Kind: Formula, Text: strings.TrimSpace(lines(n, w.src))})
	case *east.Table:
		w.table(n)
	case *ast.HTMLBlock:
		return w.html(n)
	}
	return n
}

func (w *markdownWalk) paragraph(s string) {
	kind := Paragraph
	if w.quotes > 0 {
		kind = Quote
	}
	s = unwrap(strings.Split(strings.TrimSpace(s), "\n"))
	if w.list.open() {
		w.list.text(s)
		return
	}
	w.out.add(Block{Kind: kind, Text: s})
}

func (w *markdownWalk) code(n ast.Node, language string) {
	w.list.flush()
	w.out.add(Block{Kind: Code, Text: strings.TrimRight(lines(n, w.src), "\n"), Language: language})
}

func (w *markdownWalk) table(n *east.Table) {
	w.list.flush()
	var rows [][]string
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, strings.TrimSpace(w.inline(c)))
		}
		rows = append(rows, row)
	}
	w.out.add(NewTable(rows, 1, 1))
}

// html takes an HTML block and those that follow it directly: blank lines
// inside a table cut it into several.
func (w *markdownWalk) html(n ast.Node) ast.Node {
	var b strings.Builder
	last := n
	for ; n != nil && n.Kind() == ast.KindHTMLBlock; n = n.NextSibling() {
		b.WriteString(lines(n, w.src))
		if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
			b.Write(h.ClosureLine.Value(w.src))
		}
		b.WriteByte('\n')
		last = n
	}
	w.list.flush()
	for _, block := range htmlFragment(w.out.ctx, b.String(), w.out.lim) {
		if block.Kind == Paragraph {
			w.paragraph(block.Text)
			continue
		}
		w.out.add(block)
	}
	return last
}

// lines gives the raw text of a block.
func lines(n ast.Node, src []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		b.Write(seg.Value(src))
	}
	return b.String()
}
