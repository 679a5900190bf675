package office

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// book makes a workbook with fill and gives its bytes.
func book(t testing.TB, fill func(f *excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	fill(f)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// set fills cells of Sheet1, row by row from A1; nil is an empty cell.
func set(t testing.TB, f *excelize.File, rows ...[]any) {
	t.Helper()
	for i, row := range rows {
		for j, v := range row {
			name, _ := excelize.CoordinatesToCellName(j+1, i+1)
			if v == nil {
				continue
			}
			if err := f.SetCellValue("Sheet1", name, v); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func styleCell(t testing.TB, f *excelize.File, cell string, style excelize.Style) {
	t.Helper()
	id, err := f.NewStyle(&style)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.SetCellStyle("Sheet1", cell, cell, id); err != nil {
		t.Fatal(err)
	}
}

func readXLSX(t testing.TB, data []byte) parse.Document {
	t.Helper()
	doc, err := XLSX{}.Read(t.Context(), parse.Input{Name: "a.xlsx", Data: data}, parse.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestXLSXValuesAsTheSheetShowsThem(t *testing.T) {
	code := func(s string) excelize.Style { return excelize.Style{CustomNumFmt: &s} }
	at := time.Date(2020, 1, 1, 1, 1, 1, 0, time.UTC)
	for _, c := range []struct {
		value any
		style excelize.Style
		want  string
	}{
		{at, code("yyyy/m/d h:mm:ss;@"), "2020-01-01 01:01:01"},
		{at, code(`[$-F800]dddd\,\ mmmm\ dd\,\ yyyy`), "2020-01-01"},
		{43831, excelize.Style{NumFmt: 14}, "2020-01-01"},
		{43831, excelize.Style{NumFmt: 31}, "2020-01-01"},
		{43831.5, excelize.Style{NumFmt: 22}, "2020-01-01 12:00:00"},
		{.5, excelize.Style{NumFmt: 20}, "12:00:00"},
		{43831, code(`yyyy"年"m"月"d"日"`), "2020年1月1日"},
		{123456789012345, code("General"), "123456789012345"},
		{123456789012345, excelize.Style{NumFmt: 11}, "123456789012345"},
		{1234567890123450, excelize.Style{}, "1234567890123450"},
		{.5, excelize.Style{NumFmt: 9}, "50%"},
		{1234.5, excelize.Style{NumFmt: 4}, "1,234.50"},
		{"00123", excelize.Style{}, "00123"},
	} {
		data := book(t, func(f *excelize.File) {
			set(t, f, []any{c.value, "x"})
			styleCell(t, f, "A1", c.style)
		})
		if got := readXLSX(t, data).Blocks[0].Rows[0][0]; got != c.want {
			t.Errorf("%v with %+v: got %q, want %q", c.value, c.style.NumFmt, got, c.want)
		}
	}
}

// A53: the value of a formula, not the formula.
func TestXLSXFormulasGiveTheirCachedValue(t *testing.T) {
	data := book(t, func(f *excelize.File) {
		set(t, f, []any{"金额", "税"}, []any{100, 13})
		if err := f.SetCellFormula("Sheet1", "B2", "A2*0.13"); err != nil {
			t.Fatal(err)
		}
	})
	if got := readXLSX(t, data).Blocks[0].Rows[1]; !reflect.DeepEqual(got, []string{"100", "13"}) {
		t.Errorf("got %q", got)
	}
}

func TestXLSXTables(t *testing.T) {
	for _, c := range []struct {
		name   string
		rows   [][]any
		merges [][2]string
		want   []string
		header int
		at     int
	}{
		{"header, empty edges", [][]any{{}, {nil, "姓名", "年龄"}, {nil, "张三", 30}, {nil, "李四", 40}}, nil,
			[]string{"姓名,年龄", "张三,30", "李四,40"}, 1, 2},
		{"no header", [][]any{{1, 2}, {3, 4}}, nil, []string{"1,2", "3,4"}, 0, 1},
		{"an empty row inside keeps the count", [][]any{{"k", "v"}, {"a", "1"}, {}, {"b", "2"}}, nil,
			[]string{"k,v", "a,1", "", "b,2"}, 1, 1},
		{"merged down", [][]any{{"组", "人"}, {"一", "甲"}, {nil, "乙"}, {"二", "丙"}}, [][2]string{{"A2", "A3"}},
			[]string{"组,人", "一,甲", "一,乙", "二,丙"}, 1, 1},
		{"two-line header", [][]any{{"年", "2023", nil}, {nil, "收入", "支出"}, {"合计", 1, 2}}, [][2]string{{"A1", "A2"}, {"B1", "C1"}},
			[]string{"年,2023,2023", "年,收入,支出", "合计,1,2"}, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := readXLSX(t, book(t, func(f *excelize.File) {
				set(t, f, c.rows...)
				for _, m := range c.merges {
					if err := f.MergeCell("Sheet1", m[0], m[1]); err != nil {
						t.Fatal(err)
					}
				}
			}))
			b := doc.Blocks[0]
			var got []string
			for _, r := range b.Rows {
				got = append(got, strings.Join(r, ","))
			}
			if len(doc.Blocks) != 1 || !reflect.DeepEqual(got, c.want) || b.Header != c.header || b.RowAt != c.at || b.Sheet != "Sheet1" {
				t.Errorf("got %q header %d at %d in %q (%d blocks)", got, b.Header, b.RowAt, b.Sheet, len(doc.Blocks))
			}
		})
	}
}

func TestXLSXTitleGapAndSheets(t *testing.T) {
	doc := readXLSX(t, book(t, func(f *excelize.File) {
		set(t, f, []any{"各部门人数"}, []any{"部门", "人数"}, []any{"研发", 3}, nil, nil, nil, []any{"销售", 4})
		if err := f.MergeCell("Sheet1", "A1", "B1"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"二", "机密"} {
			if _, err := f.NewSheet(name); err != nil {
				t.Fatal(err)
			}
			if err := f.SetCellValue(name, "A1", "in "+name); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.SetSheetVisible("机密", false); err != nil {
			t.Fatal(err)
		}
	}))
	want := []string{
		"heading#: 各部门人数",
		"table: | 部门 | 人数 |\n| --- | --- |\n| 研发 | 3 |",
		"table: | 部门 | 人数 |\n| --- | --- |\n| 销售 | 4 |",
		"table: | in 二 |",
	}
	if got := outline(doc.Blocks); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	if at := doc.Blocks[2].RowAt; at+1 != 7 {
		t.Errorf("the row below the gap is numbered %d, want 7", at+1)
	}
	if len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "机密") || doc.Title != "各部门人数" {
		t.Errorf("warnings %q, title %q", doc.Warnings, doc.Title)
	}
}

// A67: 40,000 rows are read, whole and numbered right.
func TestXLSXOfFortyThousandRows(t *testing.T) {
	const rows = 40_000
	f := excelize.NewFile()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		row := []any{fmt.Sprintf("编号%d", i), i, "一段不长的说明文字"}
		if i == 0 {
			row = []any{"编号", "数量", "说明"}
		}
		if err := w.SetRow(fmt.Sprintf("A%d", i+1), row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	doc := readXLSX(t, b.Bytes())
	if got := doc.Blocks[0]; len(doc.Blocks) != 1 || len(got.Rows) != rows || got.Header != 1 || got.Rows[rows-1][1] != "39999" {
		t.Errorf("%d blocks, %d rows, header %d", len(doc.Blocks), len(got.Rows), got.Header)
	}
	_, err = XLSX{}.Read(t.Context(), parse.Input{Data: b.Bytes()}, parse.Limits{MaxBlocks: 1000})
	if core.CodeOf(err) != core.CodeTooLarge || !strings.Contains(core.PublicMessage(err), "1000 rows") {
		t.Errorf("over the limit: %v", err)
	}
}

func TestXLSXHostile(t *testing.T) {
	ole := append([]byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}, wide("EncryptedPackage")...)
	good := book(t, func(f *excelize.File) { set(t, f, []any{"a", "b"}) })
	for _, c := range []struct {
		name string
		data []byte
		code core.Code
	}{
		{"password", ole, core.CodeEncrypted},
		{"no zip", []byte("not a workbook at all."), core.CodeCorrupt},
		{"truncated", good[:len(good)/2], core.CodeCorrupt},
		{"nothing in it", book(t, func(*excelize.File) {}), core.CodeEmpty},
		{"bomb", zipOf(t, map[string]string{"xl/workbook.xml": strings.Repeat(" ", 40<<20)}), core.CodeTooLarge},
		{"entities", replacePart(t, good, "xl/sharedStrings.xml", `<!DOCTYPE s [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><sst><si><t>&b;</t></si></sst>`), core.CodeCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := (XLSX{}).Read(t.Context(), parse.Input{Data: c.data}, parse.Limits{}); core.CodeOf(err) != c.code {
				t.Errorf("got %v (%s), want %s", err, core.CodeOf(err), c.code)
			}
		})
	}
}

func TestXLSXCutOffSheetIsReadWithAWarning(t *testing.T) {
	good := book(t, func(f *excelize.File) { set(t, f, []any{"a", "b"}) })
	cut := replacePart(t, good, "xl/worksheets/sheet1.xml",
		`<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>first</v></c></row><row r="2"><c r="A2" t="str"><v>sec`)
	doc := readXLSX(t, cut)
	if !strings.Contains(doc.Blocks[0].Text, "first") || len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "Sheet1") {
		t.Errorf("got %q, warnings %q", doc.Blocks[0].Text, doc.Warnings)
	}
}

// A sheet whose XML is wrong in its midst is read up to there; nothing ends
// without a word.
func TestXLSXBrokenSheet(t *testing.T) {
	good := book(t, func(f *excelize.File) { set(t, f, []any{"a", "b"}) })
	row := func(n, cells string) string { return `<row r="` + n + `">` + cells + `</row>` }
	cell := func(text string) string { return `<c t="str"><v>` + text + `</v></c>` }
	for name, c := range map[string]struct {
		rows string
		warn bool
	}{
		"sound":               {row("1", cell("甲")+cell("一")) + row("3", cell("乙")+cell("二")) + row("9", ""), false},
		"entity":              {row("1", cell("甲")+cell("一")) + row("2", cell("&nbsp;")) + row("3", cell("丙")), true},
		"in the last row":     {row("1", cell("甲")+cell("一")) + row("2", cell("乙")+`<c t="str"><v>&x;</v></c>`+cell("丙")), true},
		"elements that cross": {row("1", cell("甲")+cell("一")) + `<row r="2"><c t="str"><v>乙</c></v></row>` + row("3", cell("丙")), true},
		"in the first row":    {row("1", `<c t="str"><v>&x;</v></c>`) + row("2", cell("乙")), true},
	} {
		data := replacePart(t, good, "xl/worksheets/sheet1.xml", `<worksheet><sheetData>`+c.rows+`</sheetData></worksheet>`)
		doc, err := XLSX{}.Read(t.Context(), parse.Input{Data: data}, parse.Limits{})
		if name == "in the first row" {
			if core.CodeOf(err) != core.CodeCorrupt {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || !strings.Contains(doc.Text(), "甲") || (len(doc.Warnings) > 0) != c.warn {
			t.Errorf("%s: got %q with %q, %v", name, doc.Text(), doc.Warnings, err)
		}
	}
}

// Order numbers have more digits than a spreadsheet calculates with.
func TestXLSXLongNumbers(t *testing.T) {
	grouped := "#,##0"
	data := book(t, func(f *excelize.File) {
		set(t, f, []any{"单号", "数"}, []any{int64(1234567890123456), 5}, []any{int64(123456789012345678), 5},
			[]any{"1234567890123450", 5}, []any{int64(-6222021234567890123), 5}, []any{1e20, 5}, []any{0.1234567890123456, 5})
		styleCell(t, f, "A2", excelize.Style{NumFmt: 1})
		styleCell(t, f, "A3", excelize.Style{CustomNumFmt: &grouped})
	})
	var got []string
	for _, row := range readXLSX(t, data).Blocks[0].Rows[1:] {
		got = append(got, row[0])
	}
	want := []string{"1234567890123456", "123,456,789,012,345,678", "1234567890123450", "-6222021234567890123", "100000000000000000000", "0.123456789012345"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

// replacePart gives an office file with one part changed.
func replacePart(t testing.TB, data []byte, name, content string) []byte {
	t.Helper()
	a, err := openArchive(data, "xlsx")
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for part, f := range a.files {
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(rc); err != nil {
			t.Fatal(err)
		}
		parts[f.Name] = b.String()
		if part == partKey(name) {
			parts[f.Name] = content
		}
	}
	return zipOf(t, parts)
}

// A sheet may claim any number of merged cells and any size.
func TestXLSXManyMergesAreBounded(t *testing.T) {
	good := book(t, func(f *excelize.File) {
		var rows [][]any
		for range 500 {
			rows = append(rows, []any{"x", "y"})
		}
		set(t, f, rows...)
	})
	var merges strings.Builder
	for range 50_000 {
		merges.WriteString(`<mergeCell ref="A1:XFD1048576"/>`)
	}
	a, err := openArchive(good, "xlsx")
	if err != nil {
		t.Fatal(err)
	}
	rc, err := a.open("xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	var sheet bytes.Buffer
	if _, err := sheet.ReadFrom(rc); err != nil {
		t.Fatal(err)
	}
	hostile := strings.Replace(sheet.String(), "</sheetData>", "</sheetData><mergeCells>"+merges.String()+"</mergeCells>", 1)
	doc := readXLSX(t, replacePart(t, good, "xl/worksheets/sheet1.xml", hostile))
	if rows := doc.Blocks[0].Rows; len(rows) != 500 || rows[499][0] != "x" {
		t.Errorf("%d rows", len(rows))
	}
}

func TestShowAs(t *testing.T) {
	for code, want := range map[string]string{
		"General": showPlain, "0.00E+00": showPlain, "yyyy-mm": showDate, "m/d/yy h:mm": showDateTime, "h:mm AM/PM": showTime,
		"[h]:mm": "", "0.00": "", "#,##0": "", `"day" 0`: "", "d-mmm": showDate, `yyyy"年"`: "", "mm:ss": "", `[Red]0;[Blue]\d0`: "", "@": "",
	} {
		if got := showAs(code); got != want {
			t.Errorf("showAs(%q) = %q, want %q", code, got, want)
		}
	}
}
