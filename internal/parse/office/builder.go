package office

import (
	"strings"

	"kaoju/internal/parse"
)

// builder collects blocks in reading order: it joins the items of a list and
// the lines of a listing, and places notes and text boxes behind the
// paragraph that they belong to.
type builder struct {
	doc    *docx
	blocks []parse.Block
	list   string // numId of the list that the last block is; "" if it is none
	code   bool   // the last block is a listing that may go on
	carry  string // text of a paragraph whose end was deleted
}

// contentsSheet marks lines of the table of contents until withoutContents
// has decided on them. The name cannot be one of a sheet.
const contentsSheet = "\x00contents"

func (b *builder) finish() []parse.Block {
	if b.carry != "" {
		b.blocks = append(b.blocks, parse.Block{Kind: parse.Paragraph, Text: b.carry})
		b.carry = ""
	}
	return b.blocks
}

// paragraph adds a paragraph that was read.
func (b *builder) paragraph(p *paragraph) error {
	st := b.doc.styles.of(p.style)
	text := b.carry + p.text.String()
	b.carry = ""
	if p.gone {
		b.carry = text
		b.blocks = append(b.blocks, p.boxes...)
		return nil
	}
	if st.role == roleCode {
		b.codeLine(strings.TrimRight(text, " \t"), p)
		return b.doc.charge(0, 1)
	}
	if text = tidy(text); text != "" {
		b.place(text, p, st)
	} else if len(p.notes) > 0 {
		b.add(parse.Block{Kind: parse.Paragraph, Text: strings.TrimPrefix(withNotes("", p.notes), "\n")})
	}
	if len(p.boxes) > 0 {
		b.add(p.boxes...)
	}
	return b.doc.charge(0, 1)
}

// place adds a paragraph's text as the kind of block that its style and
// numbering make it.
func (b *builder) place(text string, p *paragraph, st *style) {
	label, numID, depth := b.number(p, st)
	outline := st.outline
	if p.outlined {
		outline = p.outline
	}
	if st.role == roleTitle {
		outline = 1
	}
	switch {
	case st.role == roleContents:
		b.add(parse.Block{Kind: parse.Paragraph, Text: text, Sheet: contentsSheet})
	case outline > 0:
		heading := strings.Join(strings.Fields(strings.TrimSpace(label+" "+text)), " ")
		b.add(parse.Block{Kind: parse.Heading, Level: min(outline, 6), Text: heading})
		if len(p.notes) > 0 {
			b.add(parse.Block{Kind: parse.Paragraph, Text: withNotes("", p.notes)})
		}
	case numID != "":
		b.item(withNotes(strings.TrimSpace(label+" "+text), p.notes), numID, depth)
	case p.formulas > 0 && !p.words:
		b.add(parse.Block{Kind: parse.Formula, Text: withNotes(text, p.notes)})
	case st.role == roleQuote:
		b.add(parse.Block{Kind: parse.Quote, Text: withNotes(text, p.notes)})
	default:
		b.add(parse.Block{Kind: parse.Paragraph, Text: withNotes(text, p.notes)})
	}
}

// number counts the paragraph in its list, if it is in one.
func (b *builder) number(p *paragraph, st *style) (label, numID string, depth int) {
	numID, depth = p.numID, p.depth
	if numID == "" {
		numID = st.numID
		if !p.depthSet {
			depth = st.depth
			if d, ok := b.doc.numbering.depthForStyle(numID, b.styleID(p)); ok {
				depth = d
			}
		}
	}
	if numID == "" || numID == "0" {
		return "", "", 0
	}
	label, ok := b.doc.numbering.next(numID, depth)
	if !ok {
		return "", "", 0
	}
	return label, numID, depth
}

func (b *builder) styleID(p *paragraph) string {
	if p.style == "" {
		return b.doc.styles.fallback
	}
	return p.style
}

// item adds an item to the list that is open, or begins one.
func (b *builder) item(text, numID string, depth int) {
	indent := strings.Repeat("  ", depth)
	text = indent + strings.ReplaceAll(text, "\n", "\n"+indent+"  ")
	if b.list != "" && (b.list == numID || depth > 0) {
		last := &b.blocks[len(b.blocks)-1]
		last.Text += "\n" + text
		return
	}
	b.add(parse.Block{Kind: parse.List, Text: text})
	b.list = numID
}

// codeLine adds a line to the listing that is open, or begins one. Empty
// lines only go on.
func (b *builder) codeLine(line string, p *paragraph) {
	if b.code {
		last := &b.blocks[len(b.blocks)-1]
		last.Text += "\n" + line
	} else if strings.TrimSpace(line) != "" {
		b.add(parse.Block{Kind: parse.Code, Text: line})
		b.code = true
	}
	for _, note := range p.notes {
		b.add(parse.Block{Kind: parse.Paragraph, Text: "※ " + note})
	}
	if len(p.boxes) > 0 {
		b.add(p.boxes...)
	}
}

// add adds blocks as they are and ends what was open.
func (b *builder) add(blocks ...parse.Block) {
	b.list, b.code = "", false
	b.blocks = append(b.blocks, blocks...)
}

// withNotes puts notes below the text that refers to them.
func withNotes(text string, notes []string) string {
	for _, n := range notes {
		text += "\n※ " + n
	}
	return strings.TrimPrefix(text, "\n")
}

// tidy trims each line and makes tabs spaces.
func tidy(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\t", " "))
	if !strings.Contains(text, "\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return strings.Join(lines, "\n")
}

// flatten gives blocks as plain text, for a cell or a note.
func flatten(blocks []parse.Block, between string) string {
	var parts []string
	for _, b := range blocks {
		if b.Kind != parse.Table {
			parts = append(parts, strings.TrimSpace(strings.ReplaceAll(b.Text, "\n", between)))
			continue
		}
		for _, row := range b.Rows {
			parts = append(parts, strings.ReplaceAll(strings.Join(row, ", "), "\n", " "))
		}
	}
	return strings.Join(parts, between)
}

// withoutContents drops the lines of a table of contents from a document that
// has headings: they only repeat them. Without headings they stay.
func withoutContents(blocks []parse.Block) []parse.Block {
	headings := false
	for _, b := range blocks {
		headings = headings || b.Kind == parse.Heading
	}
	kept := blocks[:0]
	for _, b := range blocks {
		if b.Sheet == contentsSheet {
			if headings {
				continue
			}
			b.Sheet = ""
		}
		kept = append(kept, b)
	}
	return kept
}
