package office

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"strings"

	"github.com/xuri/excelize/v2"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// maxWorkbook bounds what all parts of a workbook inflate to: excelize holds
// most of them in memory.
const maxWorkbook = 256 << 20

// XLSX reads Excel workbooks. It is safe for concurrent use.
type XLSX struct{}

// Read reads a workbook. Each visible sheet becomes a table, with the title
// above its header, if it has one, as a heading in front. Cells hold what the
// sheet shows: cached results of formulas, numbers as formatted but never
// with an exponent, dates as 2020-01-31 or 2020-01-31 08:30:00 (or as the
// sheet writes them in words: 2020年1月31日). Merged cells are repeated.
// Hidden sheets are left out and named in a warning.
func (XLSX) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	lim = lim.WithDefaults()
	a, err := openArchive(in.Data, "xlsx")
	if err != nil {
		return parse.Document{}, err
	}
	if err := checkInflated(a); err != nil {
		return parse.Document{}, err
	}
	f, err := excelize.OpenReader(bytes.NewReader(in.Data), excelize.Options{UnzipSizeLimit: maxWorkbook})
	if err != nil {
		return parse.Document{}, core.Wrap(err, core.CodeCorrupt, "the xlsx file is damaged and cannot be read")
	}
	defer f.Close() //nolint:errcheck // only removes temporary files
	w := &workbook{ctx: ctx, lim: lim, archive: a, file: f}
	if err := w.read(); err != nil {
		return parse.Document{}, w.explain(err)
	}
	return w.doc, nil
}

// checkInflated refuses a bomb by what its directory declares; the zip reader
// holds the parts to that.
func checkInflated(a *archive) error {
	var total uint64
	for _, f := range a.files {
		total += f.UncompressedSize64
		bomb := f.UncompressedSize64 > ratioFloor && f.UncompressedSize64 > maxRatio*max(f.CompressedSize64, 1)
		if bomb || total > maxWorkbook || f.UncompressedSize64 > maxWorkbook {
			return core.Errorf(core.CodeTooLarge, "the workbook unpacks to more than %d MiB and was not read", maxWorkbook>>20)
		}
	}
	return nil
}

// workbook is one workbook being read.
type workbook struct {
	ctx     context.Context
	lim     parse.Limits
	archive *archive
	file    *excelize.File
	parts   map[string]string // sheet name → part
	doc     parse.Document
	damaged bool // a sheet could not be read to its end
	text    int
	rows    int
}

func (w *workbook) read() error {
	w.doc.Format = parse.FormatXLSX
	if err := w.findParts(); err != nil {
		return err
	}
	showDates(w.file)
	var hidden []string
	for _, name := range w.file.GetSheetList() {
		if visible, err := w.file.GetSheetVisible(name); err == nil && !visible {
			hidden = append(hidden, name)
			continue
		}
		if err := w.sheet(name); err != nil {
			return err
		}
	}
	if len(hidden) > 0 {
		w.doc.Warnings = append(w.doc.Warnings, "hidden sheets were left out: "+strings.Join(hidden, ", "))
	}
	if len(w.doc.Blocks) == 0 && w.damaged {
		return core.Errorf(core.CodeCorrupt, "the sheets of the workbook are damaged and cannot be read")
	}
	if len(w.doc.Blocks) == 0 {
		return core.Errorf(core.CodeEmpty, "the workbook's visible sheets hold no text")
	}
	w.doc.Title = w.title()
	return nil
}

// findParts maps sheets to their parts.
func (w *workbook) findParts() error {
	root, err := w.archive.relations("")
	if err != nil {
		return err
	}
	main, ok := firstOfKind(root, "officeDocument")
	if !ok {
		main = "xl/workbook.xml"
	}
	rels, err := w.archive.relations(main)
	if err != nil {
		return err
	}
	targets := map[string]string{}
	for _, r := range rels {
		targets[r.id] = r.target
	}
	w.parts = map[string]string{}
	return w.archive.eachElement(main, func(_ *xml.Decoder, el xml.StartElement) error {
		if el.Name.Local == "sheet" {
			w.parts[attr(el, "name")] = targets[attr(el, "id")]
		}
		return nil
	})
}

// sheet reads one sheet into blocks. A sheet that is only a chart has none.
func (w *workbook) sheet(name string) error {
	rows, last, err := w.readRows(name)
	if err != nil || last < 0 {
		return err
	}
	scan, err := w.scanSheet(name, last, roundedCells(rows))
	if err != nil {
		return err
	}
	if scan.damaged {
		w.damaged = true
		w.doc.Warnings = append(w.doc.Warnings, "the sheet "+name+" is damaged; what follows its last readable row is missing")
	}
	if len(rows) == 0 {
		return nil
	}
	restoreDigits(rows, scan.raw)
	for i := range rows {
		rows[i].own = filled(rows[i].cells)
	}
	if err := w.repeatMerged(rows, scan.merges); err != nil {
		return err
	}
	blocks := sheetBlocks(dropEmptyColumns(rows))
	for i := range blocks {
		blocks[i].Sheet = name
	}
	w.doc.Blocks = append(w.doc.Blocks, blocks...)
	return nil
}

// readRows reads the rows of a sheet that hold anything, and gives the number
// of the last row that could be read; -1 if it is no sheet of rows.
func (w *workbook) readRows(name string) (rows []sheetRow, last int, err error) {
	it, err := w.file.Rows(name)
	if err != nil {
		return nil, -1, nil //nolint:nilerr // a chart sheet, or one without its part
	}
	defer it.Close() //nolint:errcheck // reading only
	for it.Next() {
		if last++; last%512 == 0 && w.ctx.Err() != nil {
			return nil, 0, w.ctx.Err()
		}
		cells, err := it.Columns()
		if err != nil {
			return nil, 0, err
		}
		size := 0
		for i, c := range cells {
			cells[i] = showNumber(strings.TrimSpace(c))
			size += len(cells[i])
		}
		if size == 0 {
			continue
		}
		if err := w.charge(size+len(cells), 1); err != nil {
			return nil, 0, err
		}
		rows = append(rows, sheetRow{number: last, cells: cells})
	}
	return rows, last, it.Error()
}

// charge counts what was read against the limits.
func (w *workbook) charge(text, rows int) error {
	w.text += text
	w.rows += rows
	if w.text > w.lim.MaxText {
		return core.Errorf(core.CodeTooLarge, "the workbook holds more than %d MiB of text", w.lim.MaxText>>20)
	}
	if w.rows > w.lim.MaxBlocks {
		return core.Errorf(core.CodeTooLarge, "the workbook has more than %d rows", w.lim.MaxBlocks)
	}
	return nil
}

// title gives the title of the workbook's properties, else the first heading.
func (w *workbook) title() string {
	if props, err := w.file.GetDocProps(); err == nil {
		if t := strings.Join(strings.Fields(props.Title), " "); parse.IsTitle(t) {
			return t
		}
	}
	for _, b := range w.doc.Blocks {
		if b.Kind == parse.Heading {
			return b.Text
		}
	}
	return ""
}

func (w *workbook) explain(err error) error {
	var known *core.Error
	switch {
	case errors.As(err, &known):
		return known
	case w.ctx.Err() != nil:
		return contextError(w.ctx)
	}
	return core.Wrap(err, core.CodeCorrupt, "the xlsx file is damaged and cannot be read")
}
