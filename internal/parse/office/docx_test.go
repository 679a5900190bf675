package office

import (
	"archive/zip"
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// wordNS is what a part of a Word file declares.
const wordNS = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
	`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
	`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ` +
	`xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`

// docxWith makes a Word file with a body and further parts.
func docxWith(t testing.TB, body string, parts map[string]string) []byte {
	t.Helper()
	all := map[string]string{
		"_rels/.rels": `<Relationships><Relationship Id="a" Type="http://x/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml": `<?xml version="1.0"?><w:document ` + wordNS + `><w:body>` + body +
			`<w:sectPr/></w:body></w:document>`,
	}
	for name, content := range parts {
		all[name] = content
	}
	return zipOf(t, all)
}

func zipOf(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range parts {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readDOCX(t testing.TB, data []byte) parse.Document {
	t.Helper()
	doc, err := DOCX{}.Read(context.Background(), parse.Input{Name: "a.docx", Data: data}, parse.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// outline writes blocks in short: kind, level and text, one a line.
func outline(blocks []parse.Block) []string {
	var out []string
	for _, b := range blocks {
		kind := string(b.Kind)
		if b.Kind == parse.Heading {
			kind += strings.Repeat("#", b.Level)
		}
		out = append(out, kind+": "+b.Text)
	}
	return out
}

func p(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>` }

func styled(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func item(num, depth, text string) string {
	return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + depth + `"/><w:numId w:val="` + num + `"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

const testStyles = `<w:styles ` + wordNS + `>
<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/><w:basedOn w:val="a"/></w:style>
<w:style w:type="paragraph" w:styleId="My"><w:name w:val="Mine"/><w:basedOn w:val="2"/></w:style>
<w:style w:type="paragraph" w:styleId="2"><w:name w:val="标题 2"/><w:basedOn w:val="a"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop2"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop2"><w:name w:val="Loop2"/><w:basedOn w:val="Loop"/></w:style>
<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="C"><w:name w:val="Source Code"/></w:style>
<w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Quote"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
</w:styles>`

const testNumbering = `<w:numbering ` + wordNS + `>
<w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>
<w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="11"/><w:numFmt w:val="chineseCounting"/><w:lvlText w:val="第%1条"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
</w:numbering>`

func TestDOCXParagraphs(t *testing.T) {
	parts := map[string]string{"word/styles.xml": testStyles, "word/numbering.xml": testNumbering}
	for _, tc := range []struct {
		name, body string
		want       []string
	}{
		{"headings by style, name and what they are based on",
			styled("T", "题") + styled("1", "一") + styled("My", "二") + styled("Loop", "循环") +
				`<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>三</w:t></w:r></w:p>`,
			[]string{"heading#: 题", "heading#: 一", "heading##: 二", "paragraph: 循环", "heading###: 三"}},
		{"list numbers, restarted and nested",
			item("1", "0", "A") + item("1", "1", "B") + item("1", "1", "C") + item("1", "2", "D") + item("1", "0", "E") + item("1", "1", "F"),
			[]string{"list: 1. A\n  1.a) B\n  1.b) C\n    - D\n2. E\n  2.a) F"}},
		{"Chinese numbers and a start of its own", item("2", "0", "甲") + item("2", "0", "乙") + p("x") + item("3", "0", "丙"),
			[]string{"list: 第十一条 甲\n第十二条 乙", "paragraph: x", "list: 7. 丙"}},
		{"code and quotes", styled("C", "if x {") + styled("C", "  y()") + styled("C", "}") + styled("Q", "said"),
			[]string{"code: if x {\n  y()\n}", "quote: said"}},
		{"tracked changes as accepted",
			`<w:p><w:r><w:t>a </w:t></w:r><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>` +
				`<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>` +
				`<w:p><w:moveTo><w:r><w:t>moved</w:t></w:r></w:moveTo></w:p>`,
			[]string{"paragraph: a new", "paragraph: moved"}},
		{"a deleted paragraph mark joins", `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>one </w:t></w:r></w:p>` + p("two"),
			[]string{"paragraph: one two"}},
		{"fields show their result",
			`<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF x</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` +
				`<w:r><w:t>see 3</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:hyperlink r:id="z"><w:r><w:t> link</w:t></w:r></w:hyperlink></w:p>`,
			[]string{"paragraph: see 3 link"}},
		{"hidden text, soft hyphens, breaks",
			`<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r><w:r><w:t>op&#xAD;tional</w:t><w:softHyphen/><w:br/><w:t>next</w:t><w:noBreakHyphen/><w:t>x</w:t></w:r></w:p>`,
			[]string{"paragraph: optional\nnext-x"}},
		{"text boxes once",
			`<w:p><w:r><w:t>in front</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>` + p("box") + `</w:txbxContent></mc:Choice>` +
				`<mc:Fallback><w:txbxContent>` + p("box") + `</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
			[]string{"paragraph: in front", "paragraph: box"}},
		{"contents are left out where there are headings", styled("TOC1", "一 …… 1") + styled("1", "一"), []string{"heading#: 一"}},
		{"contents stay where there are none", styled("TOC1", "一 …… 1"), []string{"paragraph: 一 …… 1"}},
		{"equations", `<w:p><m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>c</m:t></m:r></m:den></m:f></m:oMath></w:p>` +
			`<w:p><w:r><w:t>so </w:t></w:r><m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>`,
			[]string{"formula: (a+b)/c", "paragraph: so x^2"}},
		{"an equation behind hidden text", `<w:p><w:r><w:t>so </w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>` +
			`<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></w:p>`, []string{"paragraph: so x"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := outline(readDOCX(t, docxWith(t, tc.body, parts)).Blocks); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestDOCXNotesHeadersAndTitle(t *testing.T) {
	doc := readDOCX(t, docxWith(t, `<w:p><w:r><w:t>claim</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`+p("after"), map[string]string{
		"word/_rels/document.xml.rels": `<Relationships><Relationship Id="h" Type="x/header" Target="header1.xml"/><Relationship Id="f" Type="x/footer" Target="footer1.xml"/></Relationships>`,
		"word/footnotes.xml":           `<w:footnotes ` + wordNS + `><w:footnote w:id="0" w:type="separator">` + p("---") + `</w:footnote><w:footnote w:id="2">` + p("proof") + `</w:footnote></w:footnotes>`,
		"word/header1.xml":             `<w:hdr ` + wordNS + `>` + p("机密文件") + p("第 3 页 共 9 页") + `</w:hdr>`,
		"word/footer1.xml":             `<w:ftr ` + wordNS + `>` + p("机密文件") + p("Page 1 of 2") + `</w:ftr>`,
		"docProps/core.xml":            `<c><title>  员工 手册 </title></c>`,
	}))
	want := []string{"paragraph: claim\n※ proof", "paragraph: after", "paragraph: 机密文件"}
	if got := outline(doc.Blocks); !reflect.DeepEqual(got, want) || doc.Title != "员工 手册" {
		t.Errorf("got %q, title %q", got, doc.Title)
	}
}

func tc(props, text string) string {
	return `<w:tc><w:tcPr>` + props + `</w:tcPr>` + p(text) + `</w:tc>`
}

// A51 and A52: tables are kept, and each row that a merged cell covers has
// its text.
func TestDOCXMergedCellsAreRepeated(t *testing.T) {
	body := `<w:tbl><w:tblPr/><w:tblGrid/>` +
		`<w:tr>` + tc("", "编号") + tc("", "项目") + tc("", "检测方法") + `</w:tr>` +
		`<w:tr>` + tc("", "Q0101") + tc("", "甲") + tc(`<w:vMerge w:val="restart"/>`, "高通量测序") + `</w:tr>` +
		`<w:tr>` + tc("", "Q0102") + tc("", "乙") + tc(`<w:vMerge/>`, "") + `</w:tr>` +
		`<w:tr>` + tc("", "Q0103") + tc("", "丙") + tc(`<w:vMerge/>`, "") + `</w:tr>` +
		`<w:tr>` + tc(`<w:gridSpan w:val="2"/>`, "合计") + tc("", "3") + `</w:tr>` +
		`<w:tr><w:trPr><w:del/></w:trPr>` + tc("", "gone") + `</w:tr></w:tbl>`
	doc := readDOCX(t, docxWith(t, body, nil))
	want := [][]string{
		{"编号", "项目", "检测方法"}, {"Q0101", "甲", "高通量测序"}, {"Q0102", "乙", "高通量测序"},
		{"Q0103", "丙", "高通量测序"}, {"合计", "合计", "3"},
	}
	if len(doc.Blocks) != 1 || !reflect.DeepEqual(doc.Blocks[0].Rows, want) || doc.Blocks[0].Header != 1 {
		t.Fatalf("got %+v", doc.Blocks)
	}
	if !strings.Contains(doc.Blocks[0].Text, "| Q0103 | 丙 | 高通量测序 |") {
		t.Errorf("text is %q", doc.Blocks[0].Text)
	}
}

func TestDOCXNestedTablesAndFrames(t *testing.T) {
	inner := `<w:tbl><w:tr>` + tc("", "a") + tc("", "b") + `</w:tr></w:tbl>`
	doc := readDOCX(t, docxWith(t,
		`<w:tbl><w:tr>`+tc("", "x")+`<w:tc>`+p("before")+inner+p("after")+`</w:tc></w:tr></w:tbl>`+
			`<w:tbl><w:tr>`+tc("", "framed text")+`</w:tr></w:tbl>`, nil))
	if got := doc.Blocks[0].Rows; !reflect.DeepEqual(got, [][]string{{"x", "before\na, b\nafter"}}) {
		t.Errorf("nested table: %q", got)
	}
	if b := doc.Blocks[1]; b.Kind != parse.Paragraph || b.Text != "framed text" {
		t.Errorf("a table of one cell: %+v", b)
	}
}

// A56: a body that is stored as HTML is read, and a document without any text
// says so.
func TestDOCXAltChunkAndEmptiness(t *testing.T) {
	rels := `<Relationships><Relationship Id="c" Type="x/aFChunk" Target="chunk.html"/><Relationship Id="r" Type="x/aFChunk" Target="chunk.rtf"/></Relationships>`
	body := `<w:altChunk r:id="c"/><w:altChunk r:id="r"/>`
	doc := readDOCX(t, docxWith(t, body, map[string]string{
		"word/_rels/document.xml.rels": rels, "word/chunk.rtf": `{\rtf}`,
		"word/chunk.html": `<html><body><h1>标题</h1><p>Imported text of a page.</p></body></html>`,
	}))
	text := strings.Join(outline(doc.Blocks), "\n")
	if !strings.Contains(text, "Imported text") || len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "rtf") {
		t.Errorf("got %q, warnings %q", text, doc.Warnings)
	}
	_, err := DOCX{}.Read(t.Context(), parse.Input{Data: docxWith(t, "<w:p/>", nil)}, parse.Limits{})
	if core.CodeOf(err) != core.CodeEmpty {
		t.Errorf("an empty document: %v", err)
	}
}

// A50 and the hostile: each gets one clear error.
func TestDOCXRefusals(t *testing.T) {
	whole := docxWith(t, p("x"), nil)
	ole := append([]byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}, make([]byte, 512)...)
	nested := strings.Repeat(`<w:tbl><w:tr><w:tc>`, 300) + p("deep") + strings.Repeat(`</w:tc></w:tr></w:tbl>`, 300)
	bomb := docxWith(t, p(strings.Repeat("0", 34<<20)), nil)
	for _, c := range []struct {
		name string
		data []byte
		lim  parse.Limits
		code core.Code
	}{
		{"nothing", nil, parse.Limits{}, core.CodeCorrupt},
		{"truncated", whole[:len(whole)/2], parse.Limits{}, core.CodeCorrupt},
		{"no document in it", zipOf(t, map[string]string{"a.txt": "x"}), parse.Limits{}, core.CodeCorrupt},
		{"cut off XML", docxWith(t, p("x")+"<w:p><w:r>", map[string]string{"word/document.xml": "<w:document><w:body><w:p>"}), parse.Limits{}, core.CodeCorrupt},
		{"old Word file renamed", ole, parse.Limits{}, core.CodeUnsupportedFormat},
		{"password", append(ole, wide("EncryptedPackage")...), parse.Limits{}, core.CodeEncrypted},
		{"nested", docxWith(t, nested, nil), parse.Limits{}, core.CodeCorrupt},
		{"bomb", bomb, parse.Limits{}, core.CodeTooLarge},
		{"too much text", docxWith(t, p(strings.Repeat("x", 2000)), nil), parse.Limits{MaxText: 1000}, core.CodeTooLarge},
		{"too many blocks", docxWith(t, strings.Repeat(p("x"), 20), nil), parse.Limits{MaxBlocks: 10}, core.CodeTooLarge},
		{"repeated by spans", docxWith(t, `<w:tbl><w:tr>`+tc(`<w:gridSpan w:val="1000"/>`, strings.Repeat("x", 100))+tc("", "y")+`</w:tr></w:tbl>`, nil),
			parse.Limits{MaxText: 10_000}, core.CodeTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := DOCX{}.Read(t.Context(), parse.Input{Data: c.data}, c.lim)
			if core.CodeOf(err) != c.code {
				t.Errorf("got %v (%s), want %s", err, core.CodeOf(err), c.code)
			}
		})
	}
}

func TestDOCXEntitiesStayAsWritten(t *testing.T) {
	doc := readDOCX(t, docxWith(t, "", map[string]string{"word/document.xml": `<!DOCTYPE d [<!ENTITY x SYSTEM "http://127.0.0.1:1/">` +
		`<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;">]><w:document ` + wordNS + `><w:body>` + p("before &x; &b; after") + `</w:body></w:document>`}))
	if got := doc.Blocks[0].Text; got != "before &x; &b; after" {
		t.Errorf("got %q", got)
	}
}

func TestDOCXStopsWhenNobodyWaits(t *testing.T) {
	data := docxWith(t, strings.Repeat(p("x"), 2000), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (DOCX{}).Read(ctx, parse.Input{Data: data}, parse.Limits{}); core.CodeOf(err) != core.CodeCanceled {
		t.Errorf("canceled: %v", err)
	}
	ctx, cancel = context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := (DOCX{}).Read(ctx, parse.Input{Data: data}, parse.Limits{}); core.CodeOf(err) != core.CodeTimeout {
		t.Errorf("out of time: %v", err)
	}
}

func FuzzDOCX(f *testing.F) {
	f.Add([]byte(p("x")), []byte(testStyles), []byte(testNumbering))
	f.Add([]byte(`<w:tbl><w:tr>`+tc(`<w:gridSpan w:val="99"/><w:vMerge/>`, "a")+`</w:tr></w:tbl>`+item("1", "8", "i")), []byte(`<w:style w:basedOn="x"/>`), []byte(`<w:num w:numId="1"/>`))
	f.Add([]byte(`<mc:AlternateContent><mc:Choice></mc:AlternateContent><m:oMath><m:rad>`), []byte(``), []byte(`<w:lvl w:ilvl="-3"/>`))
	f.Fuzz(func(t *testing.T, body, styles, numbering []byte) {
		data := docxWith(t, string(body), map[string]string{"word/styles.xml": string(styles), "word/numbering.xml": string(numbering)})
		doc, err := DOCX{}.Read(context.Background(), parse.Input{Data: data}, parse.Limits{MaxText: 1 << 20, MaxBlocks: 10_000})
		if err != nil {
			if core.CodeOf(err) == core.CodeInternal {
				t.Errorf("an error without a code: %v", err)
			}
			return
		}
		for _, b := range doc.Blocks {
			if b.Sheet != "" || b.Kind == parse.Heading && (b.Level < 1 || b.Level > 6) {
				t.Errorf("bad block %+v", b)
			}
		}
	})
}

func FuzzArchive(f *testing.F) {
	f.Add(docxWith(f, p("x"), nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, r := range []parse.Reader{DOCX{}, XLSX{}} {
			if _, err := r.Read(context.Background(), parse.Input{Data: data}, parse.Limits{}); core.CodeOf(err) == core.CodeInternal {
				t.Errorf("an error without a code: %v", err)
			}
		}
	})
}
