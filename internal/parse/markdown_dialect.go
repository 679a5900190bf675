package parse

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// dialect is what we add to Markdown. Formulas are kept as they are written:
// $$…$$ and \[…\] on lines of their own become blocks, and $…$ within a line
// is no emphasis. Brackets beyond a number that no honest paragraph has are
// text: the time that links take grows with the square of it.
type dialect struct{}

// Extend implements goldmark.Extender.
func (dialect) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithBlockParsers(util.Prioritized(mathBlockParser{}, 150)),
		parser.WithInlineParsers(
			util.Prioritized(mathInlineParser{}, 150),
			util.Prioritized(bracketLimiter{}, 151),
		),
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

// maxBrackets is how many opening brackets of one paragraph may be links.
const maxBrackets = 500

// bracketLimiter stands before the link parser and takes the brackets that
// are too many.
type bracketLimiter struct{}

// bracketKey is made once: keys are numbered by an unguarded counter.
var bracketKey = parser.NewContextKey()

// brackets counts the opening brackets of a paragraph.
type brackets struct {
	block ast.Node
	count int
}

// Trigger implements parser.InlineParser.
func (bracketLimiter) Trigger() []byte { return []byte{'[', '!'} }

// Parse implements parser.InlineParser.
func (bracketLimiter) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	seen, _ := pc.Get(bracketKey).(*brackets)
	if seen == nil || seen.block != parent {
		seen = &brackets{block: parent}
		pc.Set(bracketKey, seen)
	}
	seen.count++
	if seen.count <= maxBrackets {
		return nil
	}
	_, seg := block.PeekLine()
	block.Advance(1)
	return ast.NewTextSegment(text.NewSegment(seg.Start, seg.Start+1))
}
