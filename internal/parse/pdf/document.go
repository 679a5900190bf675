package pdf

import (
	"context"
	"fmt"
	"math"
	"strings"

	pdfium "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// document is one file being read.
type document struct {
	ctx      context.Context
	pdf      pdfium.Pdfium
	ref      references.FPDF_DOCUMENT
	lim      parse.Limits
	pages    []page
	chars    int   // characters that can be seen, of all pages
	pictures int   // pages without text that show pictures
	broken   int   // pages that could not be read
	scanned  []int // numbers of pages without text that show pictures
}

// page is the text of a page, in reading order.
type page struct {
	number  int
	regions []region
}

// region is a part of a page that is read from top to bottom, such as a
// column.
type region []line

// maxGlyphs bounds the characters of one page; a page that is read has some
// thousands.
const maxGlyphs = 2_000_000

func (d *document) readPages(count int) error {
	for i := range count {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		glyphs, err := d.readPage(i)
		if err != nil {
			return err
		}
		if glyphs == nil {
			continue
		}
		if d.chars += len(glyphs); d.chars > d.lim.MaxText {
			return core.Errorf(core.CodeTooLarge, "the PDF holds more than %d MiB of text", d.lim.MaxText>>20)
		}
		d.pages = append(d.pages, page{number: i + 1, regions: layout(glyphs)})
	}
	return nil
}

// readPage gives the characters of a page in the order in which they were
// drawn. A damaged page has none.
func (d *document) readPage(index int) ([]glyph, error) {
	loaded, err := d.pdf.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: d.ref, Index: index})
	if err != nil {
		d.broken++
		return nil, d.ctx.Err()
	}
	which := requests.Page{ByReference: &loaded.Page}
	d.widen(which)
	defer d.pdf.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}) //nolint:errcheck // reading only
	text, err := d.pdf.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: which})
	if err != nil {
		d.broken++
		return nil, d.ctx.Err()
	}
	defer d.pdf.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage}) //nolint:errcheck // reading only
	glyphs, err := d.glyphs(text.TextPage)
	if err == nil && len(glyphs) == 0 && d.showsPictures(which) {
		d.pictures++
		d.scanned = append(d.scanned, index+1)
	}
	return glyphs, err
}

// glyphs reads the characters of a page with their boxes.
func (d *document) glyphs(text references.FPDF_TEXTPAGE) ([]glyph, error) {
	count, err := d.pdf.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text})
	if err != nil {
		return nil, err
	}
	if count.Count > maxGlyphs {
		return nil, core.Errorf(core.CodeTooLarge, "a page of the PDF has more than %d characters", maxGlyphs)
	}
	var out []glyph
	space, font := true, face{}
	for i := range count.Count {
		char, err := d.pdf.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: text, Index: i})
		if err != nil {
			return nil, err
		}
		r := visible(rune(char.Unicode))
		if r == ' ' {
			space = true
			continue
		}
		if r == 0 {
			continue
		}
		g, ok, err := d.glyph(text, i)
		if err != nil {
			return nil, err
		}
		if ok {
			if space || g.box.height() != font.height {
				font = d.face(text, i, g.box.height())
			}
			g.char, g.space, g.em, g.bold, g.turn = r, space, font.em, font.bold, font.turn
			out = append(out, g)
			space = false
		}
	}
	return out, nil
}

// glyph reads the box of a character; ok is false for one that
// has none.
func (d *document) glyph(text references.FPDF_TEXTPAGE, i int) (glyph, bool, error) {
	loose, err := d.pdf.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: text, Index: i})
	if err != nil {
		return glyph{}, false, d.ctx.Err()
	}
	b := box{float64(loose.Rect.Left), float64(loose.Rect.Bottom), float64(loose.Rect.Right), float64(loose.Rect.Top)}
	for _, v := range []float64{b.left, b.bottom, b.right, b.top} {
		if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e6 {
			return glyph{}, false, nil
		}
	}
	return glyph{box: b}, true, nil
}

// face is what is asked once a word: the font of its characters.
type face struct {
	height float64 // of the boxes
	em     float64 // size in points as shown
	bold   bool
	turn   int // quarter turns of the baseline
}

// face asks for the font of a character. What pdfium does not know is guessed
// from the height of the box.
func (d *document) face(text references.FPDF_TEXTPAGE, i int, height float64) face {
	f := face{height: height, em: height / 1.2}
	angle, err := d.pdf.FPDFText_GetCharAngle(&requests.FPDFText_GetCharAngle{TextPage: text, Index: i})
	if err == nil {
		f.turn = int(math.Round(float64(angle.CharAngle)/(math.Pi/2))) & 3
	}
	size, err := d.pdf.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: text, Index: i})
	if err != nil {
		return f
	}
	matrix, err := d.pdf.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: text, Index: i})
	if err != nil {
		return f
	}
	em := size.FontSize * math.Hypot(float64(matrix.Matrix.C), float64(matrix.Matrix.D))
	if em > 0.3*height && em < 3*height {
		f.em = em
	}
	info, err := d.pdf.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: text, Index: i})
	if err == nil {
		f.bold = isBold(info.FontName)
	}
	return f
}

func isBold(font string) bool {
	low := strings.ToLower(font)
	for _, word := range []string{"bold", "black", "heavy", "simhei", "黑体", "-medi", "cmbx"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}

// visible maps a character as pdfium gives it: white space of any kind to ' ',
// its mark for a hyphen at the end of a line to '-', what cannot be seen to 0.
func visible(r rune) rune {
	switch {
	case r == 2 || r == 0xFFFE:
		return '-'
	case r == 0xAD || r == 0xFEFF || r == 0x200B:
		return 0
	case r == ' ' || r == 0xA0 || r == '\t' || r == '\r' || r == '\n' || r == 0x3000 || r >= 0x2000 && r <= 0x200A:
		return ' '
	case r < ' ' || r >= 0x7F && r < 0xA0 && r != 0x85 && r < 0x80:
		return 0
	}
	return r
}

// maxObjects bounds how many objects of a page are looked at one by one.
const maxObjects = 5000

// widen shears vertical text a little whose box has no width, because pdfium
// leaves out text without one.
func (d *document) widen(which requests.Page) {
	count, err := d.pdf.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: which})
	if err != nil || count.Count > maxObjects {
		return
	}
	for i := range count.Count {
		object, err := d.pdf.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: which, Index: i})
		if err != nil {
			return
		}
		kind, err := d.pdf.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object.PageObject})
		if err != nil || kind.Type != enums.FPDF_PAGEOBJ_TEXT {
			continue
		}
		area, err := d.pdf.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: object.PageObject})
		if err != nil || area.Right-area.Left > 0.05 {
			continue
		}
		shear := structs.FPDF_FS_MATRIX{A: 1, C: 0.003, D: 1}
		_, _ = d.pdf.FPDFPageObj_Transform(&requests.FPDFPageObj_Transform{PageObject: object.PageObject, Transform: shear})
	}
}

// maxFormDepth is how deep form objects are looked into.
const maxFormDepth = 8

// showsPictures looks for images on a page, also inside form objects. Forms
// without any (drawings, empty frames) are no pictures to be recognised.
func (d *document) showsPictures(which requests.Page) bool {
	count, err := d.pdf.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: which})
	if err != nil {
		return false
	}
	left := maxObjects
	for i := range min(count.Count, maxObjects) {
		object, err := d.pdf.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: which, Index: i})
		if err != nil {
			return false
		}
		if d.isPicture(object.PageObject, 0, &left) {
			return true
		}
	}
	return false
}

// isPicture reports whether an object is an image or a form that holds one.
// Left counts the objects that may still be looked at.
func (d *document) isPicture(object references.FPDF_PAGEOBJECT, depth int, left *int) bool {
	if *left--; *left < 0 || d.ctx.Err() != nil {
		return false
	}
	kind, err := d.pdf.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object})
	if err != nil || kind.Type != enums.FPDF_PAGEOBJ_FORM || depth >= maxFormDepth {
		return err == nil && kind.Type == enums.FPDF_PAGEOBJ_IMAGE
	}
	count, err := d.pdf.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: object})
	if err != nil {
		return false
	}
	for i := range min(count.Count, maxObjects) {
		inner, err := d.pdf.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: object, Index: uint64(i)}) //nolint:gosec // never negative
		if err != nil {
			return false
		}
		if d.isPicture(inner.PageObject, depth+1, left) {
			return true
		}
	}
	return false
}

// warnings names the pages that gave nothing.
func (d *document) warnings() []string {
	var out []string
	if n := len(d.scanned); n > 0 {
		out = append(out, fmt.Sprintf("%d pages are images without text and were left out (recognise the text (OCR) first): %s",
			n, pageList(d.scanned)))
	}
	if d.broken > 0 {
		out = append(out, fmt.Sprintf("%d pages are damaged and were left out", d.broken))
	}
	return out
}

func pageList(pages []int) string {
	var parts []string
	for i, p := range pages {
		if i == 20 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprint(p))
	}
	return strings.Join(parts, ", ")
}
