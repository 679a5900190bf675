package office

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"kaoju/internal/parse"
)

// paragraph is a w:p being read.
type paragraph struct {
	style    string
	numID    string // "" if it names none; "0" takes it out of its style's list
	depth    int
	depthSet bool
	outline  int // 1 to 9
	outlined bool
	gone     bool // its end was deleted by a tracked change: it runs on into the next
	text     strings.Builder
	formulas int           // equations in it
	words    bool          // text beside the equations
	hidden   bool          // the run being read is hidden
	fields   []bool        // open fields: true while in the instruction
	notes    []string      // footnotes and endnotes that it refers to
	boxes    []parse.Block // text boxes anchored in it
}

// readBlocks reads the paragraphs and tables of an element through its end.
func (s *story) readBlocks(b *builder) error {
	return s.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "p":
			return true, s.paragraph(b)
		case "tbl":
			return true, s.table(b)
		case "altChunk":
			return true, s.altChunk(el, b)
		case "sectPr":
			return true, s.dec.Skip()
		}
		return false, nil
	})
}

func (s *story) paragraph(b *builder) error {
	var p paragraph
	err := s.inside(func(el xml.StartElement) (bool, error) {
		switch el.Name.Local {
		case "pPr":
			return true, s.paragraphProperties(&p)
		case "oMath":
			return true, s.equation(&p)
		case "txbxContent":
			return true, s.textBox(&p)
		case "p": // only in drawings of damaged files
			box := &builder{doc: s.doc}
			err := s.paragraph(box)
			p.boxes = append(p.boxes, box.finish()...)
			return true, err
		case "tbl":
			box := &builder{doc: s.doc}
			err := s.table(box)
			p.boxes = append(p.boxes, box.finish()...)
			return true, err
		}
		return s.run(el, &p)
	})
	if err != nil {
		return err
	}
	return b.paragraph(&p)
}

// run reads what stands in a run of text.
func (s *story) run(el xml.StartElement, p *paragraph) (bool, error) {
	switch el.Name.Local {
	case "r":
		p.hidden = false
		return false, nil
	case "rPr":
		return true, s.runProperties(p)
	case "t":
		text, err := s.chars()
		p.write(text)
		return true, err
	case "tab", "ptab":
		p.write("\t")
	case "br", "cr":
		if kind := attr(el, "type"); kind != "page" && kind != "column" {
			p.write("\n")
		}
	case "noBreakHyphen":
		p.write("-")
	case "sym":
		p.write(symbol(attr(el, "font"), attr(el, "char")))
	case "fldChar":
		p.field(attr(el, "fldCharType"))
	case "footnoteReference":
		p.note(s.doc.footnotes[attr(el, "id")])
	case "endnoteReference":
		p.note(s.doc.endnotes[attr(el, "id")])
	}
	return false, nil
}

// write adds text, unless it is hidden or part of a field's instruction.
func (p *paragraph) write(text string) {
	if p.hidden || slices.Contains(p.fields, true) {
		return
	}
	text = strings.ReplaceAll(text, "\u00ad", "")
	if strings.TrimSpace(text) != "" {
		p.words = true
	}
	p.text.WriteString(text)
}

// field follows the marks of a field: its instruction is not text, its result
// is.
func (p *paragraph) field(mark string) {
	last := len(p.fields) - 1
	switch {
	case mark == "begin":
		p.fields = append(p.fields, true)
	case last < 0:
	case mark == "separate":
		p.fields[last] = false
	case mark == "end":
		p.fields = p.fields[:last]
	}
}

func (p *paragraph) note(text string) {
	if text != "" {
		p.notes = append(p.notes, text)
	}
}

func (s *story) textBox(p *paragraph) error {
	box := &builder{doc: s.doc}
	err := s.readBlocks(box)
	p.boxes = append(p.boxes, box.finish()...)
	return err
}

func (s *story) equation(p *paragraph) error {
	node, err := s.readMath("oMath", 0)
	if err != nil {
		return err
	}
	text := strings.TrimSpace(node.linear())
	if text == "" {
		return nil
	}
	if p.formulas > 0 && !p.words {
		p.text.WriteByte('\n')
	}
	p.formulas++
	p.text.WriteString(text)
	return s.doc.charge(len(text), 0)
}

func (s *story) runProperties(p *paragraph) error {
	return s.inside(func(el xml.StartElement) (bool, error) {
		if el.Name.Local == "vanish" {
			p.hidden = isOn(el)
		}
		return false, nil
	})
}

// paragraphProperties reads w:pPr. It reads tokens by itself, because here
// w:del and w:moveFrom are marks and not text to be skipped.
func (s *story) paragraphProperties(p *paragraph) error {
	for open := 0; ; {
		tok, err := s.next()
		if err != nil {
			return err
		}
		switch el := tok.(type) {
		case xml.StartElement:
			if el.Name.Local == "pPrChange" || el.Name.Local == "sectPr" {
				if err := s.dec.Skip(); err != nil {
					return err
				}
				continue
			}
			open++
			p.property(el)
		case xml.EndElement:
			if open == 0 {
				return nil
			}
			open--
		}
	}
}

func (p *paragraph) property(el xml.StartElement) {
	switch el.Name.Local {
	case "pStyle":
		p.style = attr(el, "val")
	case "numId":
		p.numID = attr(el, "val")
	case "ilvl":
		p.depth, p.depthSet = depthOf(attr(el, "val")), true
	case "outlineLvl":
		p.outline, p.outlined = outlineOf(attr(el, "val")), true
	case "del", "moveFrom":
		p.gone = true
	}
}

// symbol gives a character of a symbol font as Unicode, "" where it has no
// meaning as text.
func symbol(font, char string) string {
	code, err := strconv.ParseUint(char, 16, 32)
	if err != nil {
		return ""
	}
	if code < 0xF000 || code > 0xF0FF {
		return string(rune(code))
	}
	if !strings.HasPrefix(strings.ToLower(font), "wingdings") {
		return map[uint64]string{0xF0B7: "•", 0xF0B0: "°", 0xF0B1: "±", 0xF0B3: "≥", 0xF0A3: "≤", 0xF0B4: "×", 0xF0B9: "≠",
			0xF0AE: "→", 0xF061: "α", 0xF062: "β", 0xF067: "γ", 0xF064: "δ", 0xF06D: "μ", 0xF070: "π", 0xF044: "Δ", 0xF053: "Σ", 0xF057: "Ω"}[code]
	}
	return map[uint64]string{0xF0FC: "✓", 0xF0FE: "☑", 0xF0FD: "☒", 0xF0A8: "☐", 0xF06F: "☐", 0xF0FB: "✗", 0xF0E0: "→"}[code]
}
