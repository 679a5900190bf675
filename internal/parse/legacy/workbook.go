package legacy

import (
	"context"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// workbook is what the first part of the stream tells of all sheets.
type workbook struct {
	sheets  []sheet
	strings []string
	styles  []int          // style of a cell → number of its format
	formats map[int]string // formats that the file defines
	from904 bool           // dates count from 1904
}

type sheet struct {
	name   string
	at     int
	hidden bool
}

// cell is one filled cell. Value is a string, float64 or bool.
type cell struct {
	row, col int
	style    int
	value    any
}

// merge is a range of cells that shows as one, borders included.
type merge struct{ row, lastRow, col, lastCol int }

// openWorkbook reads what is common to all sheets.
func openWorkbook(ctx context.Context, data []byte, lim parse.Limits) (*workbook, error) {
	r := &biffReader{data: data}
	first, ok := r.next()
	if !ok || first.kind != recBegin {
		return nil, core.Errorf(core.CodeCorrupt, "the workbook is damaged: it does not begin as one; open it in Excel and save it as .xlsx")
	}
	if u16(first.data, 0) != biff8 {
		return nil, core.Errorf(core.CodeUnsupportedFormat, "this workbook is of Excel 95 or older; open it in Excel and save it as .xlsx")
	}
	w := &workbook{formats: map[int]string{}}
	for {
		rec, ok := r.next()
		if !ok || rec.kind == recEnd {
			return w, ctx.Err()
		}
		if err := w.global(rec, lim); err != nil {
			return nil, err
		}
	}
}

func (w *workbook) global(rec biffRecord, lim parse.Limits) error {
	switch rec.kind {
	case recFilePass:
		return locked()
	case recDateMode:
		w.from904 = u16(rec.data, 0) == 1
	case recSheet:
		w.sheet(rec.data)
	case recXF:
		w.styles = append(w.styles, u16(rec.data, 2))
	case recFormat:
		s := strand{data: rec.data[min(2, len(rec.data)):]}
		if code, ok := s.text(); ok {
			w.formats[u16(rec.data, 0)] = code
		}
	case recStrings:
		return w.shared(rec, lim)
	}
	return nil
}

// sheet notes where a sheet lies. Sheets of charts and macros hold no cells.
func (w *workbook) sheet(data []byte) {
	if len(data) < 8 || data[5] != worksheetType {
		return
	}
	s := strand{data: data[8:]}
	w.sheets = append(w.sheets, sheet{
		name:   s.chars(int(data[6]), data[7]&1 != 0),
		at:     int(u32(data, 0)),
		hidden: data[4]&3 != 0,
	})
}

// shared reads the table of strings that cells point into.
func (w *workbook) shared(rec biffRecord, lim parse.Limits) error {
	s := strand{data: rec.data, more: rec.more}
	head, ok := s.take(8)
	if !ok {
		return nil
	}
	total := 0
	for range u32(head, 4) {
		text, ok := s.text()
		if !ok {
			return nil
		}
		if total += len(text); total > lim.MaxText {
			return core.Errorf(core.CodeTooLarge, "the workbook holds too much text; split it into smaller files")
		}
		w.strings = append(w.strings, text)
	}
	return nil
}

// read calls visit for each cell of a sheet in the order of the file, which is
// by rows, and gives its merged ranges.
func (w *workbook) read(ctx context.Context, data []byte, sh sheet, visit func(cell) error) ([]merge, error) {
	c := &cells{book: w, visit: visit}
	r := &biffReader{data: data, at: sh.at}
	depth := 0 // a chart inside a sheet has a beginning and an end of its own
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rec, ok := r.next()
		switch {
		case !ok, rec.kind == recEnd && depth <= 1:
			return c.merges, c.flush()
		case rec.kind == recBegin:
			depth++
		case rec.kind == recEnd:
			depth--
		case depth == 1:
			if err := c.record(rec); err != nil {
				return nil, err
			}
		}
	}
}

// cells turns the records of a sheet into cells.
type cells struct {
	book    *workbook
	visit   func(cell) error
	merges  []merge
	pending *cell // a formula whose text comes in the next record
}

func (c *cells) record(rec biffRecord) error {
	d := rec.data
	switch rec.kind {
	case recLabelSST:
		if i := u32(d, 6); len(d) >= 10 && int(i) < len(c.book.strings) {
			return c.text(d, c.book.strings[i])
		}
	case recLabel, recRString:
		s := strand{data: d[min(6, len(d)):], more: rec.more}
		if text, ok := s.text(); ok {
			return c.text(d, text)
		}
	case recNumber:
		return c.put(d, f64(d, 6))
	case recRK:
		return c.put(d, rk(u32(d, 6)))
	case recMulRK:
		return c.many(d)
	case recBoolErr:
		return c.boolOrError(d)
	case recFormula:
		return c.formula(d)
	case recString:
		return c.result(strand{data: d, more: rec.more})
	case recMerges:
		c.merged(d)
	}
	return nil
}

func (c *cells) put(d []byte, value any) error {
	if len(d) < 6 {
		return nil
	}
	return c.visit(cell{row: u16(d, 0), col: u16(d, 2), style: u16(d, 4), value: value})
}

func (c *cells) text(d []byte, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return c.put(d, text)
}

// many reads a row of packed numbers.
func (c *cells) many(d []byte) error {
	row, col := u16(d, 0), u16(d, 2)
	for at := 4; at+8 <= len(d); at += 6 {
		err := c.visit(cell{row: row, col: col, style: u16(d, at), value: rk(u32(d, at+2))})
		if err != nil {
			return err
		}
		col++
	}
	return nil
}

// errorName is what Excel shows where a formula fails.
func errorName(code byte) string {
	switch code {
	case 0x00:
		return "#NULL!"
	case 0x07:
		return "#DIV/0!"
	case 0x0F:
		return "#VALUE!"
	case 0x17:
		return "#REF!"
	case 0x1D:
		return "#NAME?"
	case 0x24:
		return "#NUM!"
	case 0x2A:
		return "#N/A"
	}
	return ""
}

func (c *cells) boolOrError(d []byte) error {
	if len(d) < 8 {
		return nil
	}
	if d[7] == 0 {
		return c.put(d, d[6] != 0)
	}
	return c.text(d, errorName(d[6]))
}

// formula reads the result that was stored with a formula.
func (c *cells) formula(d []byte) error {
	if err := c.flush(); err != nil || len(d) < 14 {
		return err
	}
	if u16(d, 12) != 0xFFFF {
		return c.put(d, f64(d, 6))
	}
	switch d[6] {
	case 0:
		c.pending = &cell{row: u16(d, 0), col: u16(d, 2), style: u16(d, 4)}
	case 1:
		return c.put(d, d[8] != 0)
	case 2:
		return c.text(d, errorName(d[8]))
	}
	return nil
}

// result gives a formula its text.
func (c *cells) result(s strand) error {
	text, ok := s.text()
	if !ok || c.pending == nil {
		return nil
	}
	c.pending.value = text
	return c.flush()
}

func (c *cells) flush() error {
	p := c.pending
	c.pending = nil
	if p == nil || p.value == nil {
		return nil
	}
	return c.visit(*p)
}

// maxMerges bounds how many merged ranges of a sheet are kept.
const maxMerges = 10_000

func (c *cells) merged(d []byte) {
	for at := 2; at+8 <= len(d) && len(c.merges) < maxMerges; at += 8 {
		c.merges = append(c.merges, merge{row: u16(d, at), lastRow: u16(d, at+2), col: u16(d, at+4), lastCol: u16(d, at+6)})
	}
}
