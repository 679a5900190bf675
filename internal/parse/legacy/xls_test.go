package legacy

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/parse"
	"kaoju/internal/parse/office"
)

// record writes a record of a workbook.
func record(kind uint16, values ...any) []byte {
	body := bytesOf(values...)
	return bytesOf(kind, uint16(len(body)), body)
}

// label is a shared string: wide, as Chinese Excel writes them.
func label(s string) []byte { return bytesOf(uint16(len([]rune(s))), byte(1), utf16le(s)) }

// number is a NUMBER record's content.
func number(row, col, style uint16, f float64) []byte {
	return record(recNumber, row, col, style, math.Float64bits(f))
}

// tab is a sheet to be written.
type tab struct {
	name   string
	hidden byte
	cells  []byte
}

// book writes a workbook: records for all sheets, and the sheets.
func book(globals []byte, tabs ...tab) []byte {
	begin := record(recBegin, uint16(biff8), uint16(5), uint32(0), uint32(0), uint32(0))
	end := record(recEnd)
	size := len(begin) + len(globals) + len(end)
	for _, s := range tabs {
		size += 4 + 8 + 2*len([]rune(s.name))
	}
	var names, bodies []byte
	for _, s := range tabs {
		names = append(names, record(recSheet, uint32(size+len(bodies)), s.hidden, byte(0), byte(len([]rune(s.name))), byte(1), utf16le(s.name))...)
		bodies = append(bodies, slices.Concat(record(recBegin, uint16(biff8), uint16(16), uint32(0), uint32(0), uint32(0)), s.cells, end)...)
	}
	return slices.Concat(begin, globals, names, end, bodies)
}

func readXLS(ctx context.Context, data []byte) (parse.Document, error) {
	return XLS{Workbook: office.XLSX{}}.Read(ctx, parse.Input{Data: data}, parse.Limits{})
}

// staffBook has each kind of cell, a merge, a hidden sheet and a chart inside
// a sheet.
func staffBook() []byte {
	strings := record(recStrings, uint32(4), uint32(4), label("姓名"), label("入职日期"), label("张三"), label("李四"))
	globals := slices.Concat(
		record(recFormat, uint16(164), label("yyyy/m/d")),
		record(recXF, uint16(0), uint16(0)), record(recXF, uint16(0), uint16(164)), record(recXF, uint16(0), uint16(14)),
		strings)
	cell := func(row, col uint16, i uint32) []byte { return record(recLabelSST, row, col, uint16(0), i) }
	sheet := slices.Concat(
		cell(0, 0, 0), cell(0, 1, 1), record(recLabel, uint16(0), uint16(2), uint16(0), label("部门")),
		record(recLabel, uint16(0), uint16(3), uint16(0), label("工资")), record(recLabel, uint16(0), uint16(4), uint16(0), label("在职")),
		cell(1, 0, 2), number(1, 1, 1, 43363), record(recLabel, uint16(1), uint16(2), uint16(0), label("研发")),
		record(recRK, uint16(1), uint16(3), uint16(0), uint32(1234567<<2|3)), record(recBoolErr, uint16(1), uint16(4), uint16(0), byte(1), byte(0)),
		cell(2, 0, 3), number(2, 1, 2, 35287),
		record(recFormula, uint16(2), uint16(3), uint16(0), byte(0), byte(0), byte(0), byte(0), byte(0), byte(0), uint16(0xFFFF), uint16(0), uint32(0)),
		record(recString, label("见附件")),
		record(recBoolErr, uint16(2), uint16(4), uint16(0), byte(0x2A), byte(1)),
		record(recBegin, uint16(biff8), uint16(32)), record(recLabel, uint16(9), uint16(0), uint16(0), label("图表里的字")), record(recEnd),
		record(recMerges, uint16(1), uint16(1), uint16(2), uint16(2), uint16(2)))
	return container(named{"Workbook", book(globals,
		tab{name: "员工", cells: sheet}, tab{name: "草稿", hidden: 1, cells: cell(0, 0, 2)})})
}

// TestXLSReadsEveryKindOfCell has dates by built-in and own formats, packed
// numbers, stored results of formulas, merged cells and a hidden sheet.
func TestXLSReadsEveryKindOfCell(t *testing.T) {
	doc, err := readXLS(t.Context(), staffBook())
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Blocks) != 1 || doc.Format != parse.FormatXLS || doc.Blocks[0].Sheet != "员工" {
		t.Fatalf("got %+v, want one table of the sheet 员工", doc)
	}
	want := [][]string{
		{"姓名", "入职日期", "部门", "工资", "在职"},
		{"张三", "2018-09-20", "研发", "12345.67", "TRUE"},
		{"李四", "1996-08-10", "研发", "见附件", "#N/A"},
	}
	if got := doc.Blocks[0].Rows; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "草稿") {
		t.Errorf("warnings %q do not name the hidden sheet", doc.Warnings)
	}
}

// TestXLSStringsOverBorders cuts a table of strings at each byte of a string's
// characters: wide and narrow text, formatting and phonetic text.
func TestXLSStringsOverBorders(t *testing.T) {
	rich := bytesOf(uint16(4), byte(1|8|4), uint16(1), uint32(6), utf16le("红色文字"), uint32(0), []byte("furiga"))
	table := bytesOf(uint32(2), uint32(2), rich, label("后一条"))
	textAt := 8 + 2 + 1 + 2 + 4
	for chars := 1; chars < 4; chars++ {
		cut := textAt + 2*chars
		split := slices.Concat(record(recStrings, table[:cut]), record(recContinue, byte(1), table[cut:]))
		for name, stream := range map[string][]byte{"whole": record(recStrings, table), "split": split} {
			w, err := openWorkbook(t.Context(), book(stream), parse.Limits{}.WithDefaults())
			if err != nil || !slices.Equal(w.strings, []string{"红色文字", "后一条"}) {
				t.Errorf("%s after %d characters: got %q, %v", name, chars, w.strings, err)
			}
		}
	}
}

// TestXLSNarrowsAfterBorder has a string that goes on in one byte a character.
func TestXLSNarrowsAfterBorder(t *testing.T) {
	stream := slices.Concat(
		record(recStrings, uint32(1), uint32(1), uint16(5), byte(1), utf16le("型号")),
		record(recContinue, byte(0), "ABC"))
	w, err := openWorkbook(t.Context(), book(stream), parse.Limits{}.WithDefaults())
	if err != nil || !slices.Equal(w.strings, []string{"型号ABC"}) {
		t.Errorf("got %q, %v", w.strings, err)
	}
}

func TestXLSRefusals(t *testing.T) {
	old := bytesOf(record(recBegin, uint16(0x0500), uint16(5)), record(recEnd))
	for _, c := range []struct {
		name, stream string
		data         []byte
		want         core.Code
	}{
		{"Excel 95", "Book", old, core.CodeUnsupportedFormat},
		{"password", "Workbook", book(record(recFilePass, uint16(1))), core.CodeEncrypted},
		{"no sheets", "Workbook", book(nil), core.CodeEmpty},
		{"empty sheet", "Workbook", book(nil, tab{name: "空"}), core.CodeEmpty},
		{"zeros", "Workbook", nil, core.CodeCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readXLS(t.Context(), container(named{c.stream, c.data}))
			if core.CodeOf(err) != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestXLSStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readXLS(ctx, staffBook()); err == nil {
		t.Error("a cancelled reading ended without an error")
	}
}

func TestRK(t *testing.T) {
	for v, want := range map[uint32]float64{
		0x3FF00000: 1, 0x3FF00001: .01, 120<<2 | 2: 120, 0xFFFFFFFE: -1, 12345<<2 | 3: 123.45,
	} {
		if got := rk(v); got != want {
			t.Errorf("rk(%#x) = %v, want %v", v, got, want)
		}
	}
}

// FuzzXLS reads anything without a panic and with errors that name a reason.
func FuzzXLS(f *testing.F) {
	f.Add(staffBook())
	f.Add(container(named{"Workbook", book(record(recStrings, uint32(1<<31), uint32(1<<31), label("x")))}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := readXLS(t.Context(), data); err != nil && core.CodeOf(err) == core.CodeInternal {
			t.Errorf("no reason: %v", err)
		}
	})
}
