package parse

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
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
