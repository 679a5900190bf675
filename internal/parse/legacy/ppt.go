package legacy

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf16"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// PPT reads PowerPoint presentations of 1997 to 2003.
type PPT struct{}

// Read reads a presentation slide by slide in the order of the show; the
// number of a slide is the Page of its blocks. Each slide opens with its title
// as a heading, followed by its texts and by its speaker notes, marked ※. The
// cells of tables come as texts of their own. Pictures, charts and comments
// are left out.
func (PPT) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	lim = lim.WithDefaults()
	found, err := streams(in.Data, "PowerPoint Document", "Current User")
	if err != nil {
		return parse.Document{}, err
	}
	s, err := openShow(found["PowerPoint Document"], found["Current User"])
	if err != nil {
		return parse.Document{}, err
	}
	d := &deck{show: s, lim: lim}
	for i, sl := range s.slides {
		if ctx.Err() != nil {
			return parse.Document{}, ctx.Err()
		}
		if err := d.slide(i+1, sl); err != nil {
			return parse.Document{}, err
		}
	}
	if len(d.out) == 0 {
		return parse.Document{}, core.Errorf(core.CodeEmpty, "the presentation holds no text (pictures are not read)")
	}
	return parse.Document{Format: parse.FormatPPT, Title: d.title, Blocks: d.out}, nil
}

// deck collects the blocks of a show.
type deck struct {
	show  *show
	lim   parse.Limits
	out   []parse.Block
	text  int
	title string // of the first slide that has one
}

// slide adds a slide's texts: the title first, wherever it stands.
func (d *deck) slide(number int, sl slide) error {
	texts := d.show.texts(sl.at, sl.outline)
	heading := ""
	for _, t := range texts {
		if t.isTitle() && heading == "" {
			heading = strings.Join(strings.Fields(t.text), " ")
		}
	}
	var blocks []parse.Block
	for _, t := range texts {
		if !t.isTitle() || strings.Join(strings.Fields(t.text), " ") != heading {
			blocks = append(blocks, parse.Block{Kind: parse.Paragraph, Text: t.text})
		}
	}
	for _, t := range d.show.notes(sl) {
		blocks = append(blocks, parse.Block{Kind: parse.Paragraph, Text: "※ " + t})
	}
	if heading == "" && len(blocks) == 0 {
		return nil
	}
	if heading == "" {
		heading = fmt.Sprintf("Slide %d", number)
	} else if d.title == "" {
		d.title = heading
	}
	return d.add(number, append([]parse.Block{{Kind: parse.Heading, Level: 1, Text: heading}}, blocks...))
}

// add adds the blocks of a slide, within the limits.
func (d *deck) add(number int, blocks []parse.Block) error {
	for _, b := range blocks {
		b.Page = number
		d.text += len(b.Text)
		d.out = append(d.out, b)
	}
	if d.text > d.lim.MaxText || len(d.out) > d.lim.MaxBlocks {
		return core.Errorf(core.CodeTooLarge, "the presentation holds too much text; split it into smaller files")
	}
	return nil
}

// plain gives a text its line breaks and takes out the marks of fields.
func plain(s string) string {
	s = strings.NewReplacer("\r", "\n", "\v", "\n").Replace(s)
	lines := strings.Split(s, "\n")
	kept := lines[:0]
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// wideText reads UTF-16.
func wideText(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(u16(b, 2*i)) //nolint:gosec // two bytes
	}
	return string(utf16.Decode(units))
}

// narrowText reads the low bytes of UTF-16.
func narrowText(b []byte) string {
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}
