package office

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

const slideNS = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" ` +
	`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
	`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
	`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ` +
	`xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`

// slidePart makes a slide, or a page of notes, of shapes.
func slidePart(shapes ...string) string {
	return `<?xml version="1.0"?><p:sld ` + slideNS + `><p:cSld><p:spTree>` + strings.Join(shapes, "") + `</p:spTree></p:cSld></p:sld>`
}

// pptxWith makes a presentation whose slides are shown from the last part to
// the first, so that only the list of slides gives the right order.
func pptxWith(t testing.TB, slides []string, parts map[string]string) []byte {
	t.Helper()
	var list, rels strings.Builder
	all := map[string]string{}
	for i, s := range slides {
		n := len(slides) - i
		all[fmt.Sprintf("ppt/slides/slide%d.xml", n)] = s
		fmt.Fprintf(&list, `<p:sldId id="%d" r:id="r%d"/>`, 256+i, n)
		fmt.Fprintf(&rels, `<Relationship Id="r%d" Type="http://x/slide" Target="slides/slide%d.xml"/>`, n, n)
	}
	all["ppt/presentation.xml"] = `<p:presentation ` + slideNS + `><p:sldIdLst>` + list.String() + `</p:sldIdLst></p:presentation>`
	all["ppt/_rels/presentation.xml.rels"] = `<Relationships>` + rels.String() + `</Relationships>`
	all["_rels/.rels"] = `<Relationships><Relationship Id="a" Type="http://x/officeDocument" Target="ppt/presentation.xml"/></Relationships>`
	for name, content := range parts {
		all[name] = content
	}
	return zipOf(t, all)
}

// box makes a shape; holder is the type of its placeholder, "" for none.
func box(holder string, paragraphs ...string) string {
	ph := ""
	if holder != "" {
		ph = `<p:nvPr><p:ph type="` + holder + `"/></p:nvPr>`
	}
	return `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/>` + ph + `</p:nvSpPr><p:txBody><a:bodyPr/>` + strings.Join(paragraphs, "") + `</p:txBody></p:sp>`
}

func line(text string) string {
	return `<a:p><a:r><a:rPr lang="en"/><a:t>` + text + `</a:t></a:r></a:p>`
}

func lineWith(properties, text string) string {
	return `<a:p><a:pPr ` + properties + `</a:pPr><a:r><a:t>` + text + `</a:t></a:r></a:p>`
}

func readPPTX(t testing.TB, data []byte) parse.Document {
	t.Helper()
	doc, err := PPTX{}.Read(t.Context(), parse.Input{Name: "a.pptx", Data: data}, parse.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestPPTXSlide(t *testing.T) {
	frame := func(content string) string {
		return `<p:graphicFrame><a:graphic>` + content + `</a:graphic></p:graphicFrame>`
	}
	tc := func(attrs, text string) string {
		return `<a:tc ` + attrs + `><a:txBody>` + line(text) + `</a:txBody></a:tc>`
	}
	for _, c := range []struct {
		name   string
		shapes []string
		want   []string
	}{
		{"the title comes first", []string{box("body", line("正文")), box("title", line("题"), line("目"))}, []string{"heading##: 题 目", "paragraph: 正文"}},
		{"the title of the show", []string{box("ctrTitle", line("手册")), box("subTitle", line("副题"))}, []string{"heading#: 手册", "paragraph: 副题"}},
		{"content is a list", []string{box("title", line("T")), box("body", line("a"), lineWith(`lvl="1">`, "b"), line(""), line("c"))},
			[]string{"heading##: T", "list: - a\n  - b\n- c"}},
		{"unless it says no", []string{box("title", line("T")), box("body", line("a"), lineWith(`><a:buNone/>`, "b"))},
			[]string{"heading##: T", "list: - a", "paragraph: b"}},
		{"numbers", []string{box("title", line("T")), box("", lineWith(`><a:buAutoNum type="arabicParenR" startAt="3"/>`, "c"),
			lineWith(`lvl="1"><a:buAutoNum type="alphaLcPeriod"/>`, "x"), lineWith(`lvl="1"><a:buAutoNum type="alphaLcPeriod"/>`, "y"),
			lineWith(`><a:buAutoNum type="arabicParenR" startAt="3"/>`, "d"), lineWith(`><a:buAutoNum type="ea1ChsPeriod"/>`, "e"))},
			[]string{"heading##: T", "list: 3) c\n  a. x\n  b. y\n4) d\n一. e"}},
		{"free text", []string{box("title", line("T")), box("", line("a"), `<a:p><a:r><a:t>b</a:t></a:r><a:br/><a:r><a:t>c</a:t></a:r></a:p>`)},
			[]string{"heading##: T", "paragraph: a", "paragraph: b\nc"}},
		{"groups", []string{box("title", line("T")), `<p:grpSp><p:nvGrpSpPr/>` + box("", line("in")) + `<p:grpSp>` + box("", line("deep")) + `</p:grpSp></p:grpSp>`},
			[]string{"heading##: T", "paragraph: in", "paragraph: deep"}},
		{"numbers and dates of the layout", []string{box("title", line("T")), box("sldNum", line("7")), box("dt", line("2020")),
			box("", `<a:p><a:r><a:t>第</a:t></a:r><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p>`)}, []string{"heading##: T", "paragraph: 第"}},
		{"one of two alternatives", []string{box("title", line("T")), `<mc:AlternateContent><mc:Choice Requires="a14">` +
			box("", `<a:p><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></a:p>`) + `</mc:Choice><mc:Fallback>` + box("", line("picture")) + `</mc:Fallback></mc:AlternateContent>`},
			[]string{"heading##: T", "paragraph: x=1"}},
		{"hidden shape", []string{box("title", line("T")), `<p:sp><p:nvSpPr><p:cNvPr hidden="1"/></p:nvSpPr><p:txBody>` + line("no") + `</p:txBody></p:sp>`}, []string{"heading##: T"}},
		{"table", []string{box("title", line("T")), frame(`<a:tbl><a:tblPr firstRow="1"/>` +
			`<a:tr>` + tc("", "编号") + tc(`gridSpan="2"`, "方法") + tc(`hMerge="1"`, "") + `</a:tr>` +
			`<a:tr>` + tc(`rowSpan="2"`, "Q1") + tc("", "x") + tc("", "y") + `</a:tr>` +
			`<a:tr>` + tc(`vMerge="1"`, "") + tc("", "z") + tc("", "w") + `</a:tr></a:tbl>`)},
			[]string{"heading##: T", "table: | 编号 | 方法 | 方法 |\n| --- | --- | --- |\n| Q1 | x | y |\n| Q1 | z | w |"}},
		{"the first line heads a slide without a title", []string{box("", line("议程")), box("", line("一"))}, []string{"heading##: 议程", "paragraph: 一"}},
		{"else its number", []string{box("", line(strings.Repeat("长", 61)))}, []string{"heading##: Slide 1", "paragraph: " + strings.Repeat("长", 61)}},
	} {
		doc := readPPTX(t, pptxWith(t, []string{slidePart(c.shapes...)}, nil))
		if got := outline(doc.Blocks); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

// Slides come in the order of the show, with their notes; a footer that all
// repeat comes once.
func TestPPTXShow(t *testing.T) {
	data := pptxWith(t, []string{
		slidePart(box("title", line("一")), box("ftr", line("内部资料"))),
		slidePart(),
		slidePart(box("title", line("三")), box("ftr", line("内部资料"))),
	}, map[string]string{
		"ppt/slides/_rels/slide3.xml.rels": `<Relationships><Relationship Id="n" Type="http://x/notesSlide" Target="../notesSlides/notesSlide1.xml"/></Relationships>`,
		"ppt/notesSlides/notesSlide1.xml":  slidePart(box("sldImg", line("no")), box("body", line("先问好"), line("再开始")), box("ftr", line("讲义")), box("sldNum", line("1"))),
	})
	doc := readPPTX(t, data)
	want := []string{"heading##: 一", "paragraph: ※ 先问好\n再开始", "heading##: 三", "paragraph: 内部资料\n讲义"}
	if got := outline(doc.Blocks); !reflect.DeepEqual(got, want) {
		t.Fatalf("got %q", got)
	}
	if doc.Title != "一" || doc.Blocks[1].Page != 1 || doc.Blocks[2].Page != 3 || doc.Format != "pptx" {
		t.Errorf("title %q, pages %d and %d", doc.Title, doc.Blocks[1].Page, doc.Blocks[2].Page)
	}
	p := parse.New(map[string]parse.Reader{parse.FormatPPTX: PPTX{}})
	if doc, err := p.Parse(t.Context(), parse.Input{Name: "a.bin", Data: data}); err != nil || doc.Format != "pptx" {
		t.Errorf("through the parser: %q, %v", doc.Format, err)
	}
}

func TestPPTXDiagramAndChart(t *testing.T) {
	pt := func(id, kind, text string) string {
		return `<dgm:pt modelId="` + id + `" type="` + kind + `"><dgm:t><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></dgm:t></dgm:pt>`
	}
	cxn := func(from, to, order string) string {
		return `<dgm:cxn srcId="` + from + `" destId="` + to + `" srcOrd="` + order + `"/>`
	}
	slide := slidePart(box("title", line("T")),
		`<p:graphicFrame><a:graphicData><dgm:relIds xmlns:dgm="d" r:dm="d1" r:lo="d2"/></a:graphicData></p:graphicFrame>`,
		`<p:graphicFrame><a:graphicData><c:chart xmlns:c="c" r:id="c1"/></a:graphicData></p:graphicFrame>`,
		`<p:graphicFrame><a:graphicData><c:chart xmlns:c="c" r:id="gone"/></a:graphicData></p:graphicFrame>`)
	doc := readPPTX(t, pptxWith(t, []string{slide}, map[string]string{
		"ppt/slides/_rels/slide1.xml.rels": `<Relationships><Relationship Id="d1" Type="http://x/diagramData" Target="../diagrams/data1.xml"/>` +
			`<Relationship Id="c1" Type="http://x/chart" Target="/ppt/charts/chart1.xml"/></Relationships>`,
		"ppt/diagrams/data1.xml": `<dgm:dataModel xmlns:dgm="d" ` + slideNS + `><dgm:ptLst>` + pt("0", "doc", "") + pt("1", "node", "研发") + pt("2", "", "测试") +
			pt("3", "asst", "总部") + pt("9", "pres", "no") + pt("8", "", "单独") + `</dgm:ptLst><dgm:cxnLst>` +
			cxn("0", "3", "0") + cxn("3", "2", "1") + cxn("3", "1", "0") + cxn("1", "3", "0") + `</dgm:cxnLst></dgm:dataModel>`,
		"ppt/charts/chart1.xml": `<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><c:tx><a:t>销量</a:t></c:tx></c:title><c:ser><c:tx><c:v>华东</c:v></c:tx>` +
			`<c:cat><c:pt idx="0"><c:v>一月</c:v></c:pt><c:pt idx="1"><c:v>二月</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>5</c:v></c:pt><c:pt idx="1"><c:v>7</c:v></c:pt>` +
			`<c:pt idx="999999999"><c:v>9</c:v></c:pt></c:val></c:ser><c:valAx><c:title><a:t>no</a:t></c:title></c:valAx></c:chart></c:chartSpace>`,
	}))
	want := []string{
		"heading##: T", "list: - 总部\n  - 研发\n  - 测试\n- 单独", "paragraph: 销量",
		"table: |  | 华东 |\n| --- | --- |\n| 一月 | 5 |\n| 二月 | 7 |",
	}
	if got := outline(doc.Blocks); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

// What is wrong with one slide costs that slide, what is wrong with the file
// is said.
func TestPPTXDamage(t *testing.T) {
	good := slidePart(box("title", line("好")))
	cut := strings.TrimSuffix(slidePart(box("title", line("断"))), "</p:spTree></p:cSld></p:sld>")
	doc := readPPTX(t, pptxWith(t, []string{cut, good}, nil))
	if got := outline(doc.Blocks); len(got) != 2 || got[1] != "heading##: 好" || len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "slide 1") {
		t.Errorf("got %q with %q", got, doc.Warnings)
	}
	for name, c := range map[string]struct {
		data []byte
		lim  parse.Limits
		code core.Code
	}{
		"no slides":     {zipOf(t, map[string]string{"ppt/presentation.xml": "<p/>"}), parse.Limits{}, core.CodeCorrupt},
		"no text":       {pptxWith(t, []string{slidePart()}, nil), parse.Limits{}, core.CodeEmpty},
		"cut off":       {pptxWith(t, []string{good}, nil)[:200], parse.Limits{}, core.CodeCorrupt},
		"too much text": {pptxWith(t, []string{slidePart(box("", line(strings.Repeat("x", 5000))))}, nil), parse.Limits{MaxText: 1000}, core.CodeTooLarge},
		"too many":      {pptxWith(t, []string{slidePart(box("", strings.Repeat(line("x"), 500)))}, nil), parse.Limits{MaxBlocks: 100}, core.CodeTooLarge},
		"deep":          {pptxWith(t, []string{slidePart(strings.Repeat("<p:sp><p:txBody><a:p><a:tbl>", 10))}, nil), parse.Limits{MaxDepth: 3}, core.CodeCorrupt},
	} {
		_, err := PPTX{}.Read(t.Context(), parse.Input{Data: c.data}, c.lim)
		if core.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzPPTX(f *testing.F) {
	f.Add(slidePart(box("title", line("T"))), "<dgm:dataModel><dgm:pt/></dgm:dataModel>")
	f.Add("<p:sld><a:tbl><a:tr><a:tc gridSpan='9'>", "<c:ser><c:val><c:pt idx='-1'/>")
	f.Fuzz(func(t *testing.T, slide, part string) {
		data := pptxWith(t, []string{slide}, map[string]string{
			"ppt/slides/_rels/slide1.xml.rels": `<Relationships><Relationship Id="d1" Type="http://x/diagramData" Target="../x.xml"/></Relationships>`,
			"ppt/x.xml":                        part,
		})
		_, err := PPTX{}.Read(t.Context(), parse.Input{Data: data}, parse.Limits{MaxText: 1 << 20})
		if err != nil && core.CodeOf(err) == core.CodeInternal {
			t.Errorf("an error without a code: %v", err)
		}
	})
}
