package office

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"path"
	"regexp"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// EPUB reads books. It is safe for concurrent use.
type EPUB struct{}

// Read reads a book's chapters in the order of its spine, each as HTML. A
// chapter without any heading is headed by its entry in the table of
// contents. The table itself and pictures are left out.
func (EPUB) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	lim = lim.WithDefaults()
	a, err := openArchive(in.Data, "epub")
	if err != nil {
		return parse.Document{}, err
	}
	b := &ebook{
		reading: &reading{ctx: ctx, lim: lim, archive: a, kind: "epub"},
		items:   map[string]bookItem{}, labels: map[string]string{}, locked: map[string]bool{},
	}
	doc, err := b.read()
	if err != nil {
		return parse.Document{}, b.explain(err)
	}
	return doc, nil
}

// ebook is one book being read.
type ebook struct {
	*reading
	title  string
	items  map[string]bookItem // by id
	spine  []string            // ids of the chapters
	tables []string            // parts that hold the table of contents
	labels map[string]string   // part → its first entry in the table of contents
	locked map[string]bool     // parts that are encrypted
	out    []parse.Block
}

// bookItem is a part that the book's package lists.
type bookItem struct{ part, media string }

func (b *ebook) read() (parse.Document, error) {
	if err := b.openPackage(); err != nil {
		return parse.Document{}, err
	}
	locked := 0
	for _, id := range b.spine {
		item := b.items[id]
		if b.locked[partKey(item.part)] {
			locked++
			continue
		}
		if err := b.chapter(item); err != nil {
			return parse.Document{}, err
		}
	}
	switch {
	case len(b.out) == 0 && locked > 0:
		return parse.Document{}, core.Errorf(core.CodeEncrypted, "the book is protected against copying and cannot be read")
	case len(b.out) == 0:
		return parse.Document{}, core.Errorf(core.CodeEmpty, "the book holds no text (pictures are not read)")
	case locked > 0:
		b.warn("chapters that are protected against copying were left out")
	}
	return parse.Document{Format: parse.FormatEPUB, Title: b.title, Blocks: b.out, Warnings: b.warnings}, nil
}

// openPackage reads what the book says about itself.
func (b *ebook) openPackage() error {
	opf := ""
	err := b.archive.eachElement("META-INF/container.xml", func(_ *xml.Decoder, el xml.StartElement) error {
		if el.Name.Local == "rootfile" && opf == "" {
			opf = attr(el, "full-path")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !b.archive.has(opf) {
		return core.Errorf(core.CodeCorrupt, "the epub file has no list of its chapters")
	}
	if err := b.packageFile(opf); err != nil {
		return err
	}
	if err := b.lockedParts(); err != nil {
		return err
	}
	for _, part := range b.tables {
		if err := b.contents(part); err != nil {
			return err
		}
	}
	return nil
}

func (b *ebook) packageFile(opf string) error {
	seen := map[string]bool{}
	return b.archive.eachElement(opf, func(d *xml.Decoder, el xml.StartElement) error {
		switch el.Name.Local {
		case "title":
			var title string
			err := d.DecodeElement(&title, &el)
			if b.title == "" {
				b.title = strings.Join(strings.Fields(title), " ")
			}
			return err
		case "item":
			item := bookItem{part: hrefPart(opf, attr(el, "href")), media: attr(el, "media-type")}
			b.items[attr(el, "id")] = item
			if attr(el, "properties") == "nav" || item.media == "application/x-dtbncx+xml" {
				b.tables = append(b.tables, item.part)
			}
		case "itemref":
			if id := attr(el, "idref"); !seen[id] {
				seen[id] = true
				b.spine = append(b.spine, id)
			}
		}
		return nil
	})
}

// hrefPart gives the part that a link in another part leads to.
func hrefPart(from, href string) string {
	href, _, _ = strings.Cut(href, "#")
	if plain, err := url.PathUnescape(href); err == nil {
		href = plain
	}
	return path.Join(path.Dir(from), href)
}

// lockedParts finds the chapters that only a licence opens. Books often
// encrypt nothing but their fonts.
func (b *ebook) lockedParts() error {
	return b.archive.eachElement("META-INF/encryption.xml", func(_ *xml.Decoder, el xml.StartElement) error {
		if el.Name.Local == "CipherReference" {
			b.locked[partKey(hrefPart("x", attr(el, "URI")))] = true
		}
		return nil
	})
}

// contents reads the table of contents, of either form: the links of a
// navigation page, or the points of an NCX file, whose target follows their
// label.
func (b *ebook) contents(part string) error {
	label := ""
	return b.archive.eachElement(part, func(d *xml.Decoder, el xml.StartElement) error {
		switch el.Name.Local {
		case "a":
			text, err := innerText(d)
			b.label(part, attr(el, "href"), text)
			return err
		case "text":
			text, err := innerText(d)
			label = text
			return err
		case "content":
			b.label(part, attr(el, "src"), label)
		}
		return nil
	})
}

func (b *ebook) label(from, href, text string) {
	part := partKey(hrefPart(from, href))
	if text != "" && b.labels[part] == "" {
		b.labels[part] = text
	}
}

// innerText reads the text of an element through its end.
func innerText(d *xml.Decoder) (string, error) {
	var b strings.Builder
	for open := 0; ; {
		tok, err := d.Token()
		if err != nil {
			return "", err
		}
		switch t := tok.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.StartElement:
			open++
		case xml.EndElement:
			if open == 0 {
				return strings.Join(strings.Fields(b.String()), " "), nil
			}
			open--
		}
	}
}

// chapter reads one part of the spine. One that cannot be read costs only
// itself.
func (b *ebook) chapter(item bookItem) error {
	if !strings.Contains(item.media, "html") && !strings.Contains(path.Ext(item.part), "htm") {
		return nil
	}
	data, err := b.part(item.part)
	if err != nil {
		b.warn("a chapter is missing or damaged and was left out: " + path.Base(item.part))
		return limitOnly(err)
	}
	doc, err := parse.ReadHTML(b.ctx, closeTags(data), "", b.lim)
	if err != nil {
		return err
	}
	for _, w := range doc.Warnings {
		b.warn(path.Base(item.part) + ": " + w)
	}
	blocks := doc.Blocks
	if label := b.labels[partKey(item.part)]; label != "" && len(blocks) > 0 && !hasHeading(blocks) {
		blocks = append([]parse.Block{{Kind: parse.Heading, Level: 1, Text: label}}, blocks...)
	}
	for _, block := range blocks {
		if err := b.charge(len(block.Text), 1+len(block.Rows)); err != nil {
			return err
		}
	}
	b.out = append(b.out, blocks...)
	return nil
}

// part reads a part whole.
func (b *ebook) part(name string) ([]byte, error) {
	rc, err := b.archive.open(name)
	if err != nil {
		return nil, err
	}
	defer rc.Close() //nolint:errcheck // reading only
	data, err := io.ReadAll(io.LimitReader(rc, b.lim.MaxBytes))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = core.Wrap(err, core.CodeCorrupt, "the book is cut off")
	}
	return data, err
}

func hasHeading(blocks []parse.Block) bool {
	for _, b := range blocks {
		if b.Kind == parse.Heading {
			return true
		}
	}
	return false
}

var emptyTag = regexp.MustCompile(`<([a-zA-Z][\w:.-]*)((?:\s[^<>]*)?)/>`)

// closeTags writes XHTML's empty elements in the way of HTML, in which
// <title/> would open a title that never ends. It leaves those that HTML
// knows to be empty.
func closeTags(data []byte) []byte {
	return emptyTag.ReplaceAllFunc(data, func(tag []byte) []byte {
		m := emptyTag.FindSubmatch(tag)
		switch strings.ToLower(string(m[1])) {
		case "br", "hr", "img", "meta", "link", "input", "col", "base", "area", "wbr", "embed", "source", "track", "param":
			return tag
		}
		return bytes.Join([][]byte{[]byte("<"), m[1], m[2], []byte("></"), m[1], []byte(">")}, nil)
	})
}
