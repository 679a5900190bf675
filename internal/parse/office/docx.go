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

// DOCX reads Word documents. It is safe for concurrent use.
type DOCX struct{}

// Read reads a Word document. What the reader of the printed page sees comes
// out: list numbers, tracked changes as accepted, results of fields, merged
// cells in every row and column that they cover, notes below the paragraph
// that refers to them (marked ※), text boxes once, headers and footers once
// at the end. Hidden text, deleted text, comments and pictures are left out.
func (DOCX) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	lim = lim.WithDefaults()
	a, err := openArchive(in.Data, "docx")
	if err != nil {
		return parse.Document{}, err
	}
	d := &docx{
		reading:   &reading{ctx: ctx, lim: lim, archive: a, kind: "docx"},
		footnotes: map[string]string{}, endnotes: map[string]string{},
	}
	doc, err := d.read()
	if err != nil {
		return parse.Document{}, d.explain(err)
	}
	return doc, nil
}

// docx is one document being read.
type docx struct {
	*reading
	rels      map[string]relation // of the part being read, by id
	styles    *styles
	numbering *numbering
	footnotes map[string]string
	endnotes  map[string]string
}

func (d *docx) read() (parse.Document, error) {
	main, rels, err := d.openParts()
	if err != nil {
		return parse.Document{}, err
	}
	b := &builder{doc: d}
	if err := d.readPart(main, rels, b); err != nil {
		return parse.Document{}, err
	}
	blocks := withoutContents(b.finish())
	margins, err := d.margins(rels)
	if err != nil {
		return parse.Document{}, err
	}
	blocks = append(blocks, margins...)
	if len(blocks) == 0 {
		return parse.Document{}, core.Errorf(core.CodeEmpty, "the document holds no text (pictures are not read)")
	}
	title, err := d.title(blocks)
	return parse.Document{Format: parse.FormatDOCX, Title: title, Blocks: blocks, Warnings: d.warnings}, err
}

// openParts finds the main part and reads those that it depends on.
func (d *docx) openParts() (main string, rels []relation, err error) {
	root, err := d.archive.relations("")
	if err != nil {
		return "", nil, err
	}
	main, ok := firstOfKind(root, "officeDocument")
	if !ok || !d.archive.has(main) {
		main = "word/document.xml"
	}
	if !d.archive.has(main) {
		return "", nil, core.Errorf(core.CodeCorrupt, "the docx file has no document in it")
	}
	if rels, err = d.archive.relations(main); err != nil {
		return "", nil, err
	}
	if d.styles, err = readStyles(d.archive, partOf(rels, "styles")); err != nil {
		return "", nil, err
	}
	if d.numbering, err = readNumbering(d.archive, partOf(rels, "numbering")); err != nil {
		return "", nil, err
	}
	if err = d.readNotes(partOf(rels, "footnotes"), "footnote", d.footnotes); err != nil {
		return "", nil, err
	}
	return main, rels, d.readNotes(partOf(rels, "endnotes"), "endnote", d.endnotes)
}

// partOf finds a companion part by relation, else by its usual name.
func partOf(rels []relation, kind string) string {
	if target, ok := firstOfKind(rels, kind); ok {
		return target
	}
	return "word/" + kind + ".xml"
}

// readPart reads the blocks of a part into b.
func (d *docx) readPart(part string, rels []relation, b *builder) error {
	dec, closer, err := d.archive.decoder(part)
	if err != nil {
		return err
	}
	defer closer.Close() //nolint:errcheck // reading only
	d.rels = map[string]relation{}
	for _, r := range rels {
		d.rels[r.id] = r
	}
	s := &story{walker: walker{reading: d.reading, dec: dec}, doc: d}
	if err := s.enter(); err != nil {
		return err
	}
	return s.readBlocks(b)
}

// readNotes reads footnotes or endnotes into notes, by id. A document without
// that part has none.
func (d *docx) readNotes(part, element string, notes map[string]string) error {
	dec, closer, err := d.archive.decoder(part)
	if errors.Is(err, errNoPart) {
		return nil
	}
	if err != nil {
		return err
	}
	defer closer.Close() //nolint:errcheck // reading only
	s := &story{walker: walker{reading: d.reading, dec: dec}, doc: d}
	if err := s.enter(); err != nil {
		return limitOnly(err)
	}
	err = s.inside(func(el xml.StartElement) (bool, error) {
		if el.Name.Local != element {
			return false, nil
		}
		b := &builder{doc: d}
		if err := s.readBlocks(b); err != nil {
			return true, err
		}
		if kind := attr(el, "type"); kind == "" || kind == "normal" {
			notes[attr(el, "id")] = flatten(b.finish(), " ")
		}
		return true, nil
	})
	return limitOnly(err)
}

// margins gives the text of headers and footers as one paragraph, each line
// once, without page numbers.
func (d *docx) margins(rels []relation) ([]parse.Block, error) {
	var lines []string
	for _, r := range rels {
		if r.kind != "header" && r.kind != "footer" || !d.archive.has(r.target) {
			continue
		}
		own, err := d.archive.relations(r.target)
		if err != nil {
			return nil, err
		}
		b := &builder{doc: d}
		if err := d.readPart(r.target, own, b); err != nil {
			if limit := limitOnly(err); limit != nil {
				return nil, limit
			}
		}
		for line := range strings.Lines(flatten(b.finish(), "\n")) {
			line = strings.TrimSpace(line)
			if line != "" && !isPageNumber(line) && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	return []parse.Block{{Kind: parse.Paragraph, Text: strings.Join(lines, "\n")}}, nil
}

// isPageNumber reports whether a line of a header only counts pages.
func isPageNumber(line string) bool {
	rest := strings.ToLower(line)
	for _, word := range []string{"page", "pages", "seite", "of", "von", "第", "页", "頁", "共", "总"} {
		rest = strings.ReplaceAll(rest, word, "")
	}
	return strings.Trim(rest, " \t0123456789-–—/|.,:·ivxlc()[]") == ""
}
