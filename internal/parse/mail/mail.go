package mail

import (
	"bytes"
	"context"
	"errors"
	"net/textproto"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"github.com/jhillyerd/enmime/v2/mediatype"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// Reader reads messages. It is safe for concurrent use.
type Reader struct{}

// Read reads a message: its subject as heading and title, its headers (from,
// to, cc, date) as the first paragraph, its text, and a section for each
// attachment that holds text. Of a text and the same in HTML the plain text
// is taken, unless it only says that there is more in the other.
func (Reader) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	root, err := newParser().ReadParts(bytes.NewReader(withoutEnvelope(in.Data)))
	if err != nil {
		return parse.Document{}, core.Wrap(err, core.CodeCorrupt, "the e-mail message is damaged and cannot be read")
	}
	m := &message{ctx: ctx, in: in, lim: lim.WithDefaults()}
	m.head(root.Header)
	if err := m.part(root); err != nil {
		return parse.Document{}, err
	}
	for _, file := range m.files {
		if err := m.attachment(file); err != nil {
			return parse.Document{}, err
		}
	}
	m.doc.Format = parse.FormatEML
	return m.doc, nil
}

// rawText marks the types of text parts. The library would turn text into
// UTF-8 itself, by the encoding that the message claims or by a guess of its
// own; a type that it does not know keeps it from that.
const rawText = "raw-text/"

func newParser() *enmime.Parser {
	return enmime.NewParser(
		enmime.SkipMalformedParts(true), enmime.MultipartWOBoundaryAsSinglePart(true), enmime.MaxStoredPartErrors(10),
		enmime.SetReadPartErrorPolicy(func(*enmime.Part, error) bool { return true }), // keep what could be decoded
		enmime.SetCustomParseMediaType(func(value string) (string, map[string]string, []string, error) {
			kind, params, invalid, err := mediatype.Parse(value)
			if rest, ok := strings.CutPrefix(kind, "text/"); ok {
				kind = rawText + rest
			}
			return kind, params, invalid, err
		}),
	)
}

// withoutEnvelope drops the line that mailboxes put in front of a message.
func withoutEnvelope(data []byte) []byte {
	if bytes.HasPrefix(data, []byte("From ")) {
		if _, rest, ok := bytes.Cut(data, []byte("\n")); ok {
			return rest
		}
	}
	return data
}

// message is one message being read.
type message struct {
	ctx   context.Context //nolint:containedctx // lives as long as one Read call
	in    parse.Input
	lim   parse.Limits
	doc   parse.Document
	size  int
	files []*enmime.Part
}

// head makes the first blocks of the headers that people read.
func (m *message) head(h textproto.MIMEHeader) {
	var lines []string
	for _, name := range []string{"Subject", "From", "To", "Cc", "Date"} {
		if value := headerText(strings.Join(h.Values(name), ", ")); value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	if m.doc.Title = headerText(h.Get("Subject")); m.doc.Title != "" {
		m.doc.Blocks = append(m.doc.Blocks, parse.Block{Kind: parse.Heading, Level: 1, Text: m.doc.Title})
	}
	if len(lines) > 0 {
		m.doc.Blocks = append(m.doc.Blocks, parse.Block{Kind: parse.Paragraph, Text: strings.Join(lines, "\n")})
	}
}

// part reads a part and those in it. Files are put aside until the end.
func (m *message) part(p *enmime.Part) error {
	switch {
	case p.ContentType == "multipart/alternative" && p.FirstChild != nil:
		return m.alternative(p)
	case p.FirstChild != nil:
		for child := p.FirstChild; child != nil; child = child.NextSibling {
			if err := m.part(child); err != nil {
				return err
			}
		}
		return nil
	case isBody(p):
		doc, err := m.body(p)
		if err != nil {
			return err
		}
		return m.add(doc.Blocks)
	case !isDecoration(p):
		m.files = append(m.files, p)
	}
	return nil
}

// isBody reports whether a part is text of the message itself. So is what
// claims to have parts and has none.
func isBody(p *enmime.Part) bool {
	text := p.ContentType == rawText+"plain" || p.ContentType == rawText+"html" || p.ContentType == "" ||
		strings.HasPrefix(p.ContentType, "multipart/") && p.FirstChild == nil
	return text && p.Disposition != "attachment" && p.FileName == ""
}

// isDecoration reports whether a part is nothing to read: a picture within
// the text, a signature.
func isDecoration(p *enmime.Part) bool {
	return len(p.Content) == 0 || strings.HasSuffix(p.ContentType, "-signature") ||
		strings.HasPrefix(p.ContentType, "image/") && (p.ContentID != "" || p.Disposition != "attachment")
}

func (m *message) body(p *enmime.Part) (parse.Document, error) {
	declared := p.Charset
	switch strings.ToLower(declared) {
	case "us-ascii", "ascii", "iso-8859-1", "unknown-8bit", "default":
		declared = "" // what programs write that do not know better
	}
	if p.ContentType == rawText+"html" {
		return parse.ReadHTML(m.ctx, p.Content, declared, m.lim)
	}
	return parse.ReadText(m.ctx, p.Content, declared, m.lim)
}

// moreInHTML is how many times the text of the HTML must be as long as the
// plain text for the latter to be no more than a notice.
const moreInHTML = 3

// alternative reads one of several forms of the same: plain text, else HTML,
// else the last that is there, which by the standard is the best. Files that
// came with the other forms are kept.
func (m *message) alternative(p *enmime.Part) error {
	plain := p.BreadthMatchFirst(func(c *enmime.Part) bool { return isBody(c) && c.ContentType != rawText+"html" })
	page := p.BreadthMatchFirst(func(c *enmime.Part) bool { return isBody(c) && c.ContentType == rawText+"html" })
	var blocks []parse.Block
	for _, form := range []*enmime.Part{plain, page} {
		if form == nil {
			continue
		}
		doc, err := m.body(form)
		if err != nil {
			return err
		}
		if len(blocks) == 0 || moreInHTML*textSize(blocks) < textSize(doc.Blocks) {
			blocks = doc.Blocks
		}
	}
	m.files = append(m.files, p.BreadthMatchAll(func(c *enmime.Part) bool {
		return c.FirstChild == nil && !isBody(c) && !isDecoration(c) && c.FileName != ""
	})...)
	return m.add(blocks)
}

func textSize(blocks []parse.Block) int {
	size := 0
	for _, b := range blocks {
		size += len(b.Text)
	}
	return size
}

// add adds blocks of the message itself. Headings in it stand below the
// subject.
func (m *message) add(blocks []parse.Block) error {
	if m.doc.Title != "" {
		for i, b := range blocks {
			if b.Kind == parse.Heading {
				blocks[i].Level = min(b.Level+1, 6)
			}
		}
	}
	if m.size += textSize(blocks); m.size > m.lim.MaxText {
		return core.Errorf(core.CodeTooLarge, "the message and its attachments hold more than %d MiB of text", m.lim.MaxText>>20)
	}
	m.doc.Blocks = append(m.doc.Blocks, blocks...)
	return nil
}

// attachment reads a file that came with the message. One that cannot be read
// is named in a warning.
func (m *message) attachment(p *enmime.Part) error {
	name := headerText(p.FileName)
	if name == "" && strings.HasPrefix(p.ContentType, "message/") {
		name = "message.eml"
	}
	if name == "" {
		name = "attachment"
	}
	doc, err := m.in.Open(m.ctx, parse.Input{Name: name, Data: p.Content})
	switch {
	case m.ctx.Err() != nil:
		return m.ctx.Err()
	case m.in.Spent():
		return err
	case err != nil:
		m.doc.Warnings = append(m.doc.Warnings, "the attachment "+name+" was left out: "+reason(err))
		return nil
	}
	for _, w := range doc.Warnings {
		m.doc.Warnings = append(m.doc.Warnings, name+": "+w)
	}
	level := 1
	if m.doc.Title != "" {
		level = 2
	}
	section := parse.Section(name, level, doc)
	if m.size += textSize(section); m.size > m.lim.MaxText {
		return m.add(nil)
	}
	m.doc.Blocks = append(m.doc.Blocks, section...)
	return nil
}

func reason(err error) string {
	var known *core.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return "it cannot be read"
}
