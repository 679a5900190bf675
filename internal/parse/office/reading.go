package office

import (
	"context"
	"encoding/xml"
	"errors"
	"slices"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// reading is one file being read: its archive, and what was made of it so
// far, against the limits.
type reading struct {
	ctx      context.Context //nolint:containedctx // lives as long as one Read call
	lim      parse.Limits
	archive  *archive
	kind     string // name of the format, for messages
	warnings []string
	text     int // bytes charged to MaxText
	blocks   int // blocks and table rows charged to MaxBlocks
}

// title gives the title from the file's properties, else the first heading.
func (g *reading) title(blocks []parse.Block) (string, error) {
	var title string
	err := g.archive.eachElement("docProps/core.xml", func(dec *xml.Decoder, el xml.StartElement) error {
		if el.Name.Local != "title" {
			return nil
		}
		return dec.DecodeElement(&title, &el)
	})
	title = strings.Join(strings.Fields(title), " ")
	if parse.IsTitle(title) {
		return title, err
	}
	for _, b := range blocks {
		if b.Kind == parse.Heading {
			return b.Text, err
		}
	}
	return "", err
}

// charge counts what the reader has made against the limits.
func (g *reading) charge(text, blocks int) error {
	g.text += text
	g.blocks += blocks
	if g.text > g.lim.MaxText {
		return core.Errorf(core.CodeTooLarge, "the document holds more than %d MiB of text", g.lim.MaxText>>20)
	}
	if g.blocks > g.lim.MaxBlocks {
		return core.Errorf(core.CodeTooLarge, "the document has more than %d paragraphs and rows", g.lim.MaxBlocks)
	}
	return nil
}

// warn keeps a warning once.
func (g *reading) warn(text string) {
	if !slices.Contains(g.warnings, text) {
		g.warnings = append(g.warnings, text)
	}
}

// explain gives an error of the XML or zip layer its code.
func (g *reading) explain(err error) error {
	var known *core.Error
	switch {
	case errors.As(err, &known):
		return known
	case g.ctx.Err() != nil:
		return contextError(g.ctx)
	}
	return core.Wrap(err, core.CodeCorrupt, "the %s file is damaged and cannot be read", g.kind)
}

// contextError is what a reader returns when its time is up or nobody waits.
func contextError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return core.Wrap(ctx.Err(), core.CodeTimeout, "reading the file took too long")
	}
	return core.Wrap(ctx.Err(), core.CodeCanceled, "reading the file was stopped")
}
