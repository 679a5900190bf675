package legacy

import (
	"context"
	"fmt"
	"slices"

	"github.com/xuri/excelize/v2"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// XLS reads Excel workbooks of 1997 to 2003. It writes what it finds as a
// workbook of today and hands that to Workbook, so that dates, numbers, merged
// cells, hidden sheets and titles come out of both formats in the same way.
type XLS struct {
	Workbook parse.Reader // reads parse.FormatXLSX
}

// Read reads the cells of a workbook as Workbook does. Results of formulas are
// those that Excel stored. Charts, macros, pictures and notes are left out.
func (r XLS) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	lim = lim.WithDefaults()
	modern, err := modernize(ctx, in.Data, lim)
	if err != nil {
		return parse.Document{}, err
	}
	in.Data = modern
	doc, err := r.Workbook.Read(ctx, in, lim)
	doc.Format = parse.FormatXLS
	return doc, err
}

// maxCells bounds the cells of a sheet: they are held while it is turned.
const maxCells = 2_000_000

// modernize gives the same cells as a file of today's format.
func modernize(ctx context.Context, data []byte, lim parse.Limits) ([]byte, error) {
	found, err := streams(data, "Workbook", "Book")
	if err != nil {
		return nil, err
	}
	stream, ok := found["Workbook"]
	if !ok {
		stream = found["Book"] // of Excel 95, which openWorkbook refuses by its name
	}
	w, err := openWorkbook(ctx, stream, lim)
	if err != nil {
		return nil, err
	}
	t := &turner{book: w, file: excelize.NewFile(), styles: map[int]int{}}
	defer t.file.Close() //nolint:errcheck // only removes temporary files
	if err := t.turn(ctx, stream); err != nil {
		return nil, err
	}
	out, err := t.file.WriteToBuffer()
	if err != nil {
		return nil, fmt.Errorf("writing the workbook anew: %w", err)
	}
	return out.Bytes(), nil
}

// turner writes a workbook anew.
type turner struct {
	book   *workbook
	file   *excelize.File
	styles map[int]int // number of a format → style of the new file
}

func (t *turner) turn(ctx context.Context, stream []byte) error {
	if len(t.book.sheets) == 0 {
		return core.Errorf(core.CodeEmpty, "the workbook has no sheet with cells")
	}
	if err := t.file.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &t.book.from904}); err != nil {
		return fmt.Errorf("setting the first day of the workbook: %w", err)
	}
	var hidden []string
	for i, sh := range t.book.sheets {
		name, err := t.add(i, sh.name)
		if err != nil {
			return err
		}
		if err := t.sheet(ctx, stream, sh, name); err != nil {
			return err
		}
		if sh.hidden {
			hidden = append(hidden, name)
		}
	}
	return t.hide(hidden)
}

// add makes a sheet. A damaged file may name two alike or as no sheet may be
// named.
func (t *turner) add(i int, name string) (string, error) {
	spare := fmt.Sprintf("Sheet %d", i+1)
	if i == 0 {
		if t.file.SetSheetName("Sheet1", name) == nil {
			return name, nil
		}
		return spare, t.file.SetSheetName("Sheet1", spare)
	}
	if n, err := t.file.GetSheetIndex(name); err == nil && n < 0 {
		if _, err := t.file.NewSheet(name); err == nil {
			return name, nil
		}
	}
	_, err := t.file.NewSheet(spare)
	return spare, err
}

// hide hides sheets after all are there: one must stay visible.
func (t *turner) hide(names []string) error {
	for _, name := range names {
		if err := t.file.SetSheetVisible(name, false); err != nil {
			return fmt.Errorf("hiding the sheet %s: %w", name, err)
		}
	}
	return nil
}

func (t *turner) sheet(ctx context.Context, stream []byte, sh sheet, name string) error {
	var all []cell
	merges, err := t.book.read(ctx, stream, sh, func(c cell) error {
		if len(all) == maxCells {
			return core.Errorf(core.CodeTooLarge, "a sheet of the workbook has more than %d filled cells; split it", maxCells)
		}
		all = append(all, c)
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b cell) int { return a.row - b.row })
	out, err := t.file.NewStreamWriter(name)
	if err != nil {
		return fmt.Errorf("writing the sheet %s anew: %w", name, err)
	}
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(c cell) bool { return c.row != all[0].row })
		if n < 0 {
			n = len(all)
		}
		if err := t.row(out, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	mergeAll(out, merges)
	return out.Flush()
}

// row writes the cells of one row.
func (t *turner) row(out *excelize.StreamWriter, cells []cell) error {
	width := 0
	for _, c := range cells {
		width = max(width, c.col+1)
	}
	values := make([]any, width)
	for _, c := range cells {
		values[c.col] = excelize.Cell{StyleID: t.style(c.style), Value: c.value}
	}
	at, err := excelize.CoordinatesToCellName(1, cells[0].row+1)
	if err != nil {
		return fmt.Errorf("naming a cell: %w", err)
	}
	return out.SetRow(at, values)
}

// mergeAll merges ranges; one that overlaps another is damage, and left out.
func mergeAll(out *excelize.StreamWriter, merges []merge) {
	for _, m := range merges {
		from, err1 := excelize.CoordinatesToCellName(m.col+1, m.row+1)
		to, err2 := excelize.CoordinatesToCellName(m.lastCol+1, m.lastRow+1)
		if err1 == nil && err2 == nil {
			_ = out.MergeCell(from, to)
		}
	}
}

// style gives the new style for an old one: only its number format counts.
func (t *turner) style(old int) int {
	if old < 0 || old >= len(t.book.styles) {
		return 0
	}
	number := t.book.styles[old]
	if id, ok := t.styles[number]; ok {
		return id
	}
	style := &excelize.Style{NumFmt: number}
	if code, ok := t.book.formats[number]; ok {
		style = &excelize.Style{CustomNumFmt: &code}
	}
	id, err := t.file.NewStyle(style)
	if err != nil {
		id = 0 // a format that cannot be: the number is shown as it is
	}
	t.styles[number] = id
	return id
}
