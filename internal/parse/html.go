package parse

import (
	"bytes"
	"context"
	"net/url"
	"regexp"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"kaoju/internal/parse/charset"
)

// htmlReader reads web pages: their main content where there is one, else
// the whole page without navigation, scripts and styles.
type htmlReader struct{}

const (
	// mainShare is the share of a page's running text (all but the text of
	// links) below which what the extraction calls the main content is not
	// believed: it strips short pages and pages made of tables, and text that
	// is lost can never be found. Navigation consists of links and does not
	// count.
	mainShare = 0.67
	// mainMaxBytes and mainMaxWork bound the pages of which the main content
	// is searched. The extraction copies the tree several times, and reads the
	// text below each element: its work grows with the sum, over all nodes, of
	// their depth, long texts counting as several (see htmlWalk.work).
	mainMaxBytes = 8 << 20
	mainMaxWork  = 4_000_000
)

var metaCharset = regexp.MustCompile(`(?i)<(?:meta[^>]{0,200}?charset|\?xml[^>]{0,200}?encoding)\s*=\s*["']?\s*([\w-]+)`)

// ReadHTML reads HTML that lies in another file, such as a chapter or the body
// of a message: all of it, without a search for its main content. Declared is
// the encoding that the file around it names; it may be "".
func ReadHTML(ctx context.Context, data []byte, declared string, lim Limits) (Document, error) {
	source := htmlSource(data, declared)
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return flatHTML(ctx, source, lim)
	}
	whole, err := contentOf(ctx, root, lim)
	return Document{Title: pageTitle(root), Blocks: whole.blocks}, err
}

// htmlSource decodes HTML, which may name its encoding itself.
func htmlSource(data []byte, declared string) string {
	if m := metaCharset.FindSubmatch(data[:min(len(data), headSize)]); m != nil && declared == "" {
		declared = string(m[1])
	}
	return CleanText(charset.Decode(data, declared).Text)
}

// Read implements Reader.
func (htmlReader) Read(ctx context.Context, in Input, lim Limits) (Document, error) {
	source := htmlSource(in.Data, "")
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return flatHTML(ctx, source, lim)
	}
	page := pageTitle(root)
	whole, err := contentOf(ctx, root, lim)
	if err != nil {
		return Document{}, err
	}
	doc := Document{Title: page, Blocks: whole.blocks}
	if len(source) <= mainMaxBytes && whole.work <= mainMaxWork && ctx.Err() == nil {
		doc.Blocks = mainContent(ctx, root, whole, lim)
	}
	if doc.Title == "" {
		doc.Title = firstTitle(doc.Blocks)
	}
	return doc, nil
}

// content is what a walk over a tree gave.
type content struct {
	blocks []Block
	text   int // bytes of text
	plain  int // bytes of text outside links
	work   int // depths of all nodes, together
}

// mainContent gives the blocks of the page's article, or the whole page
// where too much would be lost.
func mainContent(ctx context.Context, root *html.Node, whole content, lim Limits) []Block {
	extractor := readability.NewParser()
	extractor.KeepClasses = true // they name the language of code
	found, err := extractor.ParseDocument(root, &url.URL{Scheme: "http", Host: "localhost"})
	if err != nil || found.Node == nil {
		return whole.blocks
	}
	article, err := contentOf(ctx, found.Node, lim)
	if err != nil || loses(whole, article) || gainsNothing(whole, article) {
		return whole.blocks
	}
	blocks := article.blocks
	if title := strings.Join(strings.Fields(found.Title()), " "); title != "" && !hasHeading(blocks, title) {
		blocks = append([]Block{{Kind: Heading, Level: 1, Text: title}}, blocks...)
	}
	return blocks
}

// loses reports whether the article lacks much of the page's text, tables or
// code.
func loses(whole, article content) bool {
	var tables, code [2]int
	for i, c := range [2]content{whole, article} {
		for _, b := range c.blocks {
			switch b.Kind {
			case Table:
				tables[i] += len(b.Rows)
			case Code:
				code[i] += len(b.Text)
			}
		}
	}
	return float64(article.plain) < mainShare*float64(whole.plain) || 2*tables[1] < tables[0] || 2*code[1] < code[0]
}

// gainsNothing reports whether the page has hardly more text than its
// article; then the page itself is better, since the extraction changes
// headings.
func gainsNothing(whole, article content) bool {
	return float64(whole.text) < 1.1*float64(article.text)
}

func hasHeading(blocks []Block, title string) bool {
	for _, b := range blocks {
		if b.Kind == Heading && strings.EqualFold(b.Text, title) {
			return true
		}
	}
	return false
}

// contentOf walks over a tree.
func contentOf(ctx context.Context, root *html.Node, lim Limits) (content, error) {
	c := newCollector(ctx, lim)
	w := htmlWalk{out: c, list: outline{out: c}}
	w.node(root)
	w.flush()
	return content{blocks: c.blocks, text: w.text, plain: w.plain, work: w.work}, c.err
}

// htmlFragment gives the blocks of HTML inside Markdown; nothing where it is
// nested too deep to be one.
func htmlFragment(ctx context.Context, source string, lim Limits) []Block {
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(source), body)
	if err != nil {
		doc, _ := flatHTML(ctx, source, lim)
		return doc.Blocks
	}
	c := newCollector(ctx, lim)
	w := htmlWalk{out: c, list: outline{out: c}}
	for _, n := range nodes {
		w.node(n)
	}
	w.flush()
	return c.blocks
}

// flatHTML reads a page whose nesting the tree parser refuses, token by token:
// all of its text, without the form.
func flatHTML(ctx context.Context, source string, lim Limits) (Document, error) {
	c := newCollector(ctx, lim)
	z := html.NewTokenizer(strings.NewReader(source))
	var b bytes.Buffer
	skip := atom.Atom(0)
	flush := func() {
		c.add(Block{Kind: Paragraph, Text: strings.Join(strings.Fields(b.String()), " ")})
		b.Reset()
	}
	for !c.stopped() {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		t := z.Token()
		switch {
		case kind == html.StartTagToken && dropped(t.DataAtom) && skip == 0:
			skip = t.DataAtom
		case kind == html.EndTagToken && t.DataAtom == skip:
			skip = 0
		case kind == html.TextToken && skip == 0:
			b.WriteString(t.Data)
		case kind != html.TextToken && !inlineTag(t.DataAtom):
			flush()
		}
	}
	flush()
	if c.err != nil {
		return Document{}, c.err
	}
	return Document{Blocks: c.blocks, Warnings: []string{
		"the page's elements are nested too deep; its text was read without headings, lists and tables",
	}}, nil
}

func pageTitle(root *html.Node) string {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Title && n.FirstChild != nil {
			return strings.Join(strings.Fields(n.FirstChild.Data), " ")
		}
	}
	return ""
}
