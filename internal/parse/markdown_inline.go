package parse

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var (
	rawBreak = regexp.MustCompile(`(?i)^<br\b`)
	webURL   = regexp.MustCompile(`^https?://`)
)

// inline gives the text of a node's inline children as a reader sees it.
// Addresses of the web stay, in brackets behind the text of their link.
func (w *markdownWalk) inline(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if c == n {
			return ast.WalkContinue, nil
		}
		return w.inlineNode(&b, c, entering), nil
	})
	return b.String()
}

func (w *markdownWalk) inlineNode(b *strings.Builder, n ast.Node, entering bool) ast.WalkStatus {
	switch n := n.(type) {
	case *ast.Link:
		if url := string(n.Destination); !entering && webURL.MatchString(url) && !strings.HasSuffix(b.String(), url) {
			b.WriteString(" (" + url + ")")
		}
		return ast.WalkContinue
	}
	if !entering {
		return ast.WalkContinue
	}
	switch n := n.(type) {
	case *ast.Text:
		w.textNode(b, n)
	case *ast.String:
		b.Write(n.Value)
	case *ast.CodeSpan:
		w.codeSpan(b, n)
		return ast.WalkSkipChildren
	case *ast.AutoLink:
		b.Write(n.Label(w.src))
	case *ast.RawHTML:
		if tag := n.Segments; tag.Len() > 0 && rawBreak.Match(segment(tag, w.src)) {
			b.WriteByte('\n')
		}
	case *east.TaskCheckBox:
		if n.IsChecked {
			b.WriteString("[x] ")
		} else {
			b.WriteString("[ ] ")
		}
	}
	return ast.WalkContinue
}

func segment(s *text.Segments, src []byte) []byte {
	first := s.At(0)
	return first.Value(src)
}

func (w *markdownWalk) textNode(b *strings.Builder, n *ast.Text) {
	value := n.Segment.Value(w.src)
	if !n.IsRaw() {
		value = util.UnescapePunctuations(value)
		value = util.ResolveNumericReferences(value)
		value = util.ResolveEntityNames(value)
	}
	b.Write(value)
	if n.HardLineBreak() || n.SoftLineBreak() {
		b.WriteByte('\n')
	}
}

func (w *markdownWalk) codeSpan(b *strings.Builder, n *ast.CodeSpan) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(bytes.ReplaceAll(t.Segment.Value(w.src), []byte("\n"), []byte(" ")))
		}
	}
}

// mathExtension keeps formulas as they are written: $$…$$ and \[…\] on lines
// of their own become blocks, and $…$ within a line is no emphasis.
type mathExtension struct{}

// Extend implements goldmark.Extender.
func (mathExtension) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithBlockParsers(util.Prioritized(mathBlockParser{}, 150)),
		parser.WithInlineParsers(util.Prioritized(mathInlineParser{}, 150)),
	)
}

var kindMathBlock = ast.NewNodeKind("MathBlock")

type mathBlock struct {
	ast.BaseBlock
	closed bool
	end    string
}

// Kind implements ast.Node.
func (*mathBlock) Kind() ast.NodeKind { return kindMathBlock }

// IsRaw implements ast.Node: nothing inside a formula is Markdown.
func (*mathBlock) IsRaw() bool { return true }

// Dump implements ast.Node.
func (n *mathBlock) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

type mathBlockParser struct{}

// Trigger implements parser.BlockParser.
func (mathBlockParser) Trigger() []byte { return []byte{'$', '\\'} }

// Open implements parser.BlockParser.
func (mathBlockParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 {
		return nil, parser.NoChildren
	}
	body := bytes.TrimSpace(line[pos:])
	n := &mathBlock{}
	switch {
	case bytes.HasPrefix(body, []byte("$$")):
		n.end = "$$"
	case bytes.HasPrefix(body, []byte(`\[`)):
		n.end = `\]`
	default:
		return nil, parser.NoChildren
	}
	if at := bytes.Index(body[2:], []byte(n.end)); at >= 0 {
		if at+4 != len(body) {
			return nil, parser.NoChildren // text behind the formula: a paragraph
		}
		n.closed = true
	}
	n.take(reader)
	return n, parser.NoChildren
}

// take appends the current line.
func (n *mathBlock) take(reader text.Reader) {
	_, seg := reader.PeekLine()
	seg.ForceNewline = true
	n.Lines().Append(seg)
	reader.AdvanceToEOL()
}

// Continue implements parser.BlockParser. A blank line ends a formula that
// was never closed.
func (mathBlockParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n, ok := node.(*mathBlock)
	line, _ := reader.PeekLine()
	if !ok || n.closed || util.IsBlank(line) {
		return parser.Close
	}
	n.closed = bytes.HasSuffix(bytes.TrimSpace(line), []byte(n.end))
	n.take(reader)
	return parser.Continue | parser.NoChildren
}

// Close implements parser.BlockParser.
func (mathBlockParser) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements parser.BlockParser.
func (mathBlockParser) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements parser.BlockParser.
func (mathBlockParser) CanAcceptIndentedLine() bool { return false }

type mathInlineParser struct{}

// Trigger implements parser.InlineParser.
func (mathInlineParser) Trigger() []byte { return []byte{'$'} }

// A formula within a line: no space inside the dollars, no digit behind them
// ("$5 and $10" is money).
var mathSpan = regexp.MustCompile(`^(?:\$\$[^$\n]+\$\$|\$[^$\s](?:[^$\n]*[^$\s\\])?\$)`)

// Parse implements parser.InlineParser.
func (mathInlineParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, seg := block.PeekLine()
	m := mathSpan.Find(line)
	if m == nil || len(line) > len(m) && line[len(m)] >= '0' && line[len(m)] <= '9' {
		return nil
	}
	block.Advance(len(m))
	return ast.NewRawTextSegment(text.NewSegment(seg.Start, seg.Start+len(m)))
}
