package office

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// PPTX reads PowerPoint presentations. It is safe for concurrent use.
type PPTX struct{}

// Read reads a presentation slide by slide, in the order of the show; the
// number of a slide is the Page of its blocks. Each slide opens with its title
// as a heading, followed by its text, tables, diagrams (SmartArt) and charts
// in their order on the slide, and its speaker notes, marked ※. Footers stand
// once at the end. Slides that the show hides are read, since their author
// kept them; comments and pictures are left out.
func (PPTX) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	lim = lim.WithDefaults()
	a, err := openArchive(in.Data, "pptx")
	if err != nil {
		return parse.Document{}, err
	}
	d := &deck{reading: &reading{ctx: ctx, lim: lim, archive: a, kind: "pptx"}}
	doc, err := d.read()
	if err != nil {
		return parse.Document{}, d.explain(err)
	}
	return doc, nil
}

// deck is one presentation being read.
type deck struct {
	*reading
	out     []parse.Block
	footers []string
}

func (d *deck) read() (parse.Document, error) {
	slides, err := d.slides()
	if err != nil {
		return parse.Document{}, err
	}
	for i, part := range slides {
		if err := d.slide(part, i+1); err != nil {
			return parse.Document{}, err
		}
	}
	if len(d.footers) > 0 {
		d.out = append(d.out, parse.Block{Kind: parse.Paragraph, Text: strings.Join(d.footers, "\n")})
	}
	if len(d.out) == 0 {
		return parse.Document{}, core.Errorf(core.CodeEmpty, "the presentation holds no text (pictures are not read)")
	}
	title, err := d.title(d.out)
	if title == numbered(d.out[0].Page) {
		title = ""
	}
	return parse.Document{Format: parse.FormatPPTX, Title: title, Blocks: d.out, Warnings: d.warnings}, err
}

// slides gives the parts of the slides in the order of the show, each once.
func (d *deck) slides() ([]string, error) {
	root, err := d.archive.relations("")
	if err != nil {
		return nil, err
	}
	main, ok := firstOfKind(root, "officeDocument")
	if !ok || !d.archive.has(main) {
		main = "ppt/presentation.xml"
	}
	rels, err := d.archive.relations(main)
	if err != nil {
		return nil, err
	}
	targets := byID(rels)
	var parts []string
	seen := map[string]bool{}
	err = d.archive.eachElement(main, func(_ *xml.Decoder, el xml.StartElement) error {
		target := targets[relationID(el, "id")].target
		if el.Name.Local == "sldId" && d.archive.has(target) && !seen[target] {
			seen[target] = true
			parts = append(parts, target)
		}
		return nil
	})
	if err == nil && len(parts) == 0 {
		parts = d.numberedSlides()
	}
	if err == nil && len(parts) == 0 {
		err = core.Errorf(core.CodeCorrupt, "the pptx file has no slides in it")
	}
	return parts, err
}

// numberedSlides finds the slides of a presentation without a list of them.
func (d *deck) numberedSlides() []string {
	var parts []string
	for n := 1; ; n++ {
		part := fmt.Sprintf("ppt/slides/slide%d.xml", n)
		if !d.archive.has(part) {
			return parts
		}
		parts = append(parts, part)
	}
}

func byID(rels []relation) map[string]relation {
	out := make(map[string]relation, len(rels))
	for _, r := range rels {
		if !r.external {
			out[r.id] = r
		}
	}
	return out
}

// relationID gives an attribute of the namespace of relationships: some
// elements have another one of the same local name.
func relationID(el xml.StartElement, local string) string {
	for _, a := range el.Attr {
		if a.Name.Local == local && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// slide reads one slide and its notes into blocks.
func (d *deck) slide(part string, number int) error {
	rels, err := d.archive.relations(part)
	if err != nil {
		return err
	}
	shapes, err := d.shapes(part, rels, number)
	if err != nil {
		return err
	}
	blocks := d.slideBlocks(shapes, number)
	if notes, ok := firstOfKind(rels, "notesSlide"); ok && d.archive.has(notes) {
		shapes, err := d.shapes(notes, nil, number)
		if err != nil {
			return err
		}
		blocks = append(blocks, d.notes(shapes)...)
	}
	for i := range blocks {
		blocks[i].Page = number
	}
	d.out = append(d.out, blocks...)
	return nil
}

// shapes reads what stands on a slide. Where its XML breaks off, what was
// read until there is kept and a warning names the slide.
func (d *deck) shapes(part string, rels []relation, number int) ([]shape, error) {
	dec, closer, err := d.archive.decoder(part)
	if errors.Is(err, errNoPart) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer closer.Close() //nolint:errcheck // reading only
	s := &canvas{walker: walker{reading: d.reading, dec: dec}, rels: byID(rels)}
	if err = s.enter(); err == nil {
		err = s.read()
	}
	var known *core.Error
	switch {
	case err == nil:
	case errors.As(err, &known), d.ctx.Err() != nil:
		return nil, err
	default:
		d.warn(fmt.Sprintf("slide %d is damaged; a part of its text is missing", number))
	}
	return s.shapes, nil
}

// slideBlocks puts the title in front and keeps the other shapes in order. A
// slide without a title is headed by its first line, if that is short, else by
// its number, so that it is not read as part of the slide before.
func (d *deck) slideBlocks(shapes []shape, number int) []parse.Block {
	var blocks []parse.Block
	title, level := "", 2
	for _, s := range shapes {
		switch s.holder {
		case "title", "ctrTitle":
			title = strings.TrimSpace(title + " " + s.line())
			if s.holder == "ctrTitle" && number == 1 {
				level = 1
			}
		case "ftr", "hdr":
			d.footer(s.line())
		case "dt", "sldNum":
		default:
			blocks = append(blocks, s.blocks()...)
		}
	}
	if title == "" && len(blocks) == 0 {
		return nil
	}
	if title == "" {
		title, blocks = borrowTitle(blocks, number)
	}
	return append([]parse.Block{{Kind: parse.Heading, Level: level, Text: title}}, blocks...)
}

// footer keeps a line that stands at the edge of slides or notes, once.
func (d *deck) footer(line string) {
	if line != "" && !isPageNumber(line) && !slices.Contains(d.footers, line) {
		d.footers = append(d.footers, line)
	}
}

// longestTitle is how many characters a first line may have to head a slide.
const longestTitle = 60

func borrowTitle(blocks []parse.Block, number int) (title string, rest []parse.Block) {
	first := blocks[0]
	if first.Kind == parse.Paragraph && len([]rune(first.Text)) <= longestTitle && !strings.Contains(first.Text, "\n") {
		return first.Text, blocks[1:]
	}
	return numbered(number), blocks
}

// numbered is the heading of a slide that gives no better one.
func numbered(number int) string { return fmt.Sprintf("Slide %d", number) }

// notes gives the speaker notes of a notes page, whose other shapes are the
// slide's picture, its number and the like.
func (d *deck) notes(shapes []shape) []parse.Block {
	var texts []string
	for _, s := range shapes {
		switch s.holder {
		case "ftr", "hdr":
			d.footer(s.line())
		case "body", freeText:
			if text := joinLines(s.lines); text != "" {
				texts = append(texts, text)
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return []parse.Block{{Kind: parse.Paragraph, Text: "※ " + strings.Join(texts, "\n")}}
}
