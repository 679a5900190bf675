package chunk_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/chunk"
	"kaoju/internal/core"
	"kaoju/internal/parse"
)

func read(t testing.TB, name, content string) parse.Document {
	t.Helper()
	doc, err := parse.New(nil).Parse(context.Background(), parse.Input{Name: name, Data: []byte(content)})
	if err != nil {
		t.Fatalf("parse %s: %v", name, err)
	}
	return doc
}

func split(t testing.TB, name, content string, s chunk.Settings) chunk.Chunks {
	t.Helper()
	doc := read(t, name, content)
	out := chunk.Split(doc, s)
	checkInvariants(t, doc, out, s)
	return out
}

// checkInvariants checks what holds for every document.
func checkInvariants(t testing.TB, doc parse.Document, out chunk.Chunks, s chunk.Settings) {
	t.Helper()
	text := doc.Text()
	covered := make([]bool, len(text))
	for i, p := range out.Children {
		c := p.Chunk
		if c.Start < 0 || c.End > len(text) || c.Start >= c.End {
			t.Fatalf("child %d: range %d:%d of %d bytes", i, c.Start, c.End, len(text))
		}
		if c.Index != i || !utf8.ValidString(text[c.Start:c.End]) || !utf8.ValidString(c.Content) {
			t.Fatalf("child %d: index %d, or broken text %q", i, c.Index, c.Content)
		}
		if strings.TrimSpace(c.Content) == "" {
			t.Fatalf("child %d is blank", i)
		}
		parent := out.Parents[p.Parent]
		if c.Start < parent.Start || c.End > parent.End {
			t.Fatalf("child %d (%d:%d) is outside its parent %d:%d", i, c.Start, c.End, parent.Start, parent.End)
		}
		if c.Type == core.ChunkText && !strings.HasSuffix(c.Content, strings.TrimRightFunc(text[c.Start:c.End], unicode.IsSpace)) {
			t.Fatalf("child %d: content %q is not its range %q", i, c.Content, text[c.Start:c.End])
		}
		for b := c.Start; b < c.End; b++ {
			covered[b] = true
		}
	}
	for i, r := range text {
		if !covered[i] && !unicode.IsSpace(r) {
			t.Fatalf("byte %d (%q…) is in no child", i, text[i:min(len(text), i+20)])
		}
	}
	checkSizes(t, doc, out, s)
}

// checkSizes: a child is at most Child long, and half as much again for a
// heading before a unit that cannot be cut; only such units are longer.
func checkSizes(t testing.TB, doc parse.Document, out chunk.Chunks, s chunk.Settings) {
	t.Helper()
	limit := s.Child
	if limit <= 0 {
		limit = chunk.DefaultChild
	}
	fixed := 0
	for _, b := range doc.Blocks {
		switch b.Kind {
		case parse.Code, parse.Table:
			for line := range strings.Lines(b.Text) {
				fixed = max(fixed, utf8.RuneCountInString(line))
			}
		case parse.Formula:
			fixed = max(fixed, utf8.RuneCountInString(b.Text))
		}
	}
	for i, p := range out.Children {
		n := utf8.RuneCountInString(p.Chunk.Content)
		if p.Chunk.Type == core.ChunkText && n > limit*3/2+2*min(fixed, 10*limit)+limit {
			t.Fatalf("child %d has %d characters; the limit is %d", i, n, limit)
		}
		if fixed == 0 && n > limit*3/2+2 {
			t.Fatalf("child %d has %d characters of text; the limit is %d: %q", i, n, limit, p.Chunk.Content)
		}
	}
}

func contents(out chunk.Chunks) []string {
	var all []string
	for _, p := range out.Children {
		all = append(all, p.Chunk.Content)
	}
	return all
}

// A43: each table lies with its own heading.
func TestTablesStayWithTheirHeadings(t *testing.T) {
	out := split(t, "a.md", "## 标签1\n\n| 名称 | 值 |\n|---|---|\n| 甲 | 1 |\n\n## 标签2\n\n| 名称 | 值 |\n|---|---|\n| 乙 | 2 |\n", chunk.Settings{})
	if len(out.Children) != 2 {
		t.Fatalf("got %d children: %q", len(out.Children), contents(out))
	}
	for i, want := range []string{"标签1", "标签2"} {
		c := out.Children[i].Chunk
		if !strings.HasPrefix(c.Content, want+"\n") || !strings.Contains(c.Content, []string{"甲", "乙"}[i]) || c.Headings[0] != want {
			t.Errorf("child %d: %q under %q", i, c.Content, c.Headings)
		}
	}
}

// A44: a table is cut between rows, and each piece repeats the header.
func TestLongTableRepeatsItsHeader(t *testing.T) {
	var b strings.Builder
	b.WriteString("| 编号 | 名称 | 规格 | 数量 | 备注 |\n|---|---|---|---|---|\n")
	for i := range 80 {
		fmt.Fprintf(&b, "| Q%04d | 零件%d | %dmm | %d | 无 |\n", i, i, i*3, i*7)
	}
	out := split(t, "a.md", "# 清单\n\n"+b.String(), chunk.Settings{})
	if len(out.Children) < 5 {
		t.Fatalf("got %d children", len(out.Children))
	}
	seen := 0
	for i, c := range contents(out) {
		if strings.Count(c, "| 编号 | 名称 |") != 1 {
			t.Errorf("child %d has not one header: %q", i, c)
		}
		for line := range strings.Lines(c) {
			if strings.HasPrefix(line, "| Q") {
				seen++
				if strings.Count(line, "|") != 6 {
					t.Errorf("child %d: row is cut: %q", i, line)
				}
			}
		}
	}
	if seen != 80 {
		t.Errorf("saw %d rows, want 80", seen)
	}
	for i, p := range out.Parents {
		if !strings.Contains(p.Content, "| 编号 | 名称 |") {
			t.Errorf("parent %d has no header", i)
		}
	}
}

// A45: a very short section keeps its heading and is not glued to the next.
func TestShortSectionKeepsItsHeading(t *testing.T) {
	long := strings.Repeat("这里是一段比较长的说明文字。", 20)
	out := split(t, "a.md", "# 手册\n\n### 短节\n\n一句话。\n\n### 长节\n\n"+long+"\n", chunk.Settings{})
	first := out.Children[0].Chunk
	if first.Content != "手册\n\n短节\n\n一句话。" || !slices.Equal(first.Headings, []string{"手册", "短节"}) {
		t.Errorf("first child %q under %q", first.Content, first.Headings)
	}
	second := out.Children[1].Chunk
	if !strings.HasPrefix(second.Content, "长节\n") || !slices.Equal(second.Headings, []string{"手册", "长节"}) {
		t.Errorf("second child %q under %q", second.Content, second.Headings)
	}
}

// A46: no line of code is lost or cut.
func TestCodeLinesSurvive(t *testing.T) {
	var code strings.Builder
	for i := range 120 {
		fmt.Fprintf(&code, "    \"key_%d\": {\"value\": %d, \"note\": \"第 %d 行。不是句子！\"},\n", i, i, i)
		if i%10 == 0 {
			code.WriteString("\n")
		}
	}
	out := split(t, "a.md", "# 接口\n\n请求体如下：\n\n```json\n{\n"+code.String()+"}\n```\n", chunk.Settings{})
	all := strings.Join(contents(out), "\n") + "\n"
	for line := range strings.Lines(code.String()) {
		if strings.TrimSpace(line) != "" && strings.Count(all, line) != 1 {
			t.Errorf("line %q occurs %d times", line, strings.Count(all, line))
		}
	}
}

// A47: a preview is the same function over the same text, so it can only
// differ if the function does.
func TestSplitIsDeterministic(t *testing.T) {
	doc := read(t, "a.md", strings.Repeat("# 标题\n\n第一句。第二句！\n\n- 甲\n- 乙\n\n", 30))
	a, b := chunk.Split(doc, chunk.Settings{}), chunk.Split(doc, chunk.Settings{})
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("two runs differ")
	}
}

// A48: a procedure of twelve steps is whole in one parent, with the sentence
// that introduces it, whatever stands before it.
func TestListOfStepsIsWholeInAParent(t *testing.T) {
	for _, before := range []int{0, 5, 20, 60, 90} {
		var b strings.Builder
		b.WriteString("# 退货流程\n\n" + strings.Repeat("先说明一些背景情况。", before) + "\n\n请按下列步骤操作：\n\n")
		for i := 1; i <= 12; i++ {
			fmt.Fprintf(&b, "%d. 第%d步的做法是打开第%d个页面，核对其中的内容，然后点击确认按钮并等待结果\n", i, i, i)
		}
		out := split(t, "a.md", b.String(), chunk.Settings{})
		whole := 0
		for _, p := range out.Parents {
			if strings.Contains(p.Content, "第1步") && strings.Contains(p.Content, "第12步") {
				whole++
			}
		}
		if whole != 1 {
			t.Errorf("%d sentences before: %d parents hold the whole list", before, whole)
		}
		for _, c := range contents(out) {
			if strings.Contains(c, "步骤操作：") && !strings.Contains(c, "第1步") {
				t.Errorf("%d sentences before: the introduction stands without the first step: %q", before, c)
			}
		}
	}
}

// Rows of a CSV file are children of their own.
func TestRowsOfACSVFile(t *testing.T) {
	out := split(t, "faq.csv", "问题,答案,备注\n怎么开发票,\"登录后\n点击“开票”\",\n,,\n怎么退货,联系客服,七天内\n", chunk.Settings{})
	want := []struct {
		content string
		row     int
	}{
		{"问题: 怎么开发票\n答案: 登录后\n点击“开票”", 2},
		{"问题: 怎么退货\n答案: 联系客服\n备注: 七天内", 4},
	}
	if len(out.Children) != len(want) {
		t.Fatalf("got %q", contents(out))
	}
	for i, w := range want {
		c := out.Children[i].Chunk
		if c.Content != w.content || c.Row != w.row || c.Type != core.ChunkTableRow {
			t.Errorf("row %d: %q, row %d, type %s", i, c.Content, c.Row, c.Type)
		}
	}
}

// A41: a file with a header and no rows still gives a chunk.
func TestHeaderOnlyCSV(t *testing.T) {
	if out := split(t, "a.csv", "问题,答案\n", chunk.Settings{}); len(out.Children) != 1 {
		t.Errorf("got %q", contents(out))
	}
}

// Neighbouring children of running text share whole sentences, at most
// Overlap characters of them.
func TestOverlapIsWholeSentences(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "这是第%d个用来检验重叠的句子。", i)
	}
	out := split(t, "a.txt", b.String(), chunk.Settings{})
	overlaps := 0
	for i := 1; i < len(out.Children); i++ {
		a, c := out.Children[i-1].Chunk, out.Children[i].Chunk
		shared := b.String()[c.Start:max(a.End, c.Start)]
		if n := utf8.RuneCountInString(shared); n > chunk.DefaultOverlap {
			t.Errorf("children %d and %d share %d characters", i-1, i, n)
		}
		if shared != "" {
			overlaps++
		}
		if !strings.HasPrefix(c.Content, "这是第") || !strings.HasSuffix(c.Content, "。") {
			t.Errorf("child %d is cut inside a sentence: %q", i, c.Content)
		}
	}
	if overlaps != len(out.Children)-1 {
		t.Errorf("%d of %d borders overlap", overlaps, len(out.Children)-1)
	}
}

// A formula is never cut.
func TestFormulaIsOnePiece(t *testing.T) {
	formula := "$$\n" + strings.Repeat("x_{1} + y_{2} \\cdot z; \\\\\n", 30) + "$$"
	out := split(t, "a.md", "前文。\n\n"+formula+"\n\n后文。\n", chunk.Settings{})
	if !slices.ContainsFunc(contents(out), func(c string) bool { return strings.Contains(c, formula) }) {
		t.Errorf("the formula is cut: %q", contents(out))
	}
}

// A sentence without any break is cut on a character border.
func TestEndlessSentence(t *testing.T) {
	out := split(t, "a.txt", strings.Repeat("长", 5000), chunk.Settings{})
	if len(out.Children) != 13 {
		t.Errorf("got %d children", len(out.Children))
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("a.md", "# 标题\n\n文字。\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```go\nfunc f() {}\n```\n\n$$x$$", 40, 10, 100, "", 0, 0)
	f.Add("a.csv", "a,b\n1,2\n,\n3,4", 10, 3, 20, ",", 1, 2)
	f.Add("b.txt", "年假。", 1, 1, 1, "\xe5", 0, 0)
	f.Add("a.txt", "第一章 开头\n内容。1. a\n2. b", 1, 1, 1, "。|\n", -1, 1)
	f.Add("a.html", "<h1>x</h1><table><tr><th>a<tr><td>b</table><pre>c\n\nd</pre>", 8, 2, 9, "  |=", 2, 1)
	p := parse.New(nil)
	f.Fuzz(func(t *testing.T, name, content string, child, overlap, parent int, separators string, level, rows int) {
		doc, err := p.Parse(context.Background(), parse.Input{Name: name, Data: []byte(content)})
		if err != nil {
			return
		}
		s := chunk.Settings{Child: child % 1000, Overlap: overlap % 1000, Parent: parent % 3000,
			Separators: strings.Split(separators, "|"), HeadingLevel: level % 7, Rows: chunk.Rows(uint(rows) % 3)}
		checkInvariants(t, doc, chunk.Split(doc, s), s)
	})
}

// TestCutterGoesOn cuts a document whole and in two parts: headings, places
// and numbers go on, and the text at the places is the same.
func TestCutterGoesOn(t *testing.T) {
	heading := func(level int, text string) parse.Block {
		return parse.Block{Kind: parse.Heading, Level: level, Text: text}
	}
	long := func(name string) parse.Block {
		return parse.Block{Kind: parse.Paragraph, Text: strings.Repeat(name+"的规定需要遵守。", 60)}
	}
	blocks := []parse.Block{heading(1, "制度"), heading(2, "请假"), long("年假"), long("病假"), heading(2, "报销"), long("差旅")}
	whole := parse.Document{Format: parse.FormatText, Blocks: blocks}
	cutter := chunk.NewCutter(chunk.Settings{})
	var parents []core.Chunk
	var children []chunk.Piece
	for _, part := range [][]parse.Block{blocks[:3], blocks[3:]} {
		got := cutter.Cut(parse.Document{Format: parse.FormatText, Blocks: part})
		for _, c := range got.Children {
			if own := got.Parents[c.Parent]; c.Chunk.Start < own.Start || c.Chunk.End > own.End {
				t.Errorf("the child [%d,%d) lies outside of its parent [%d,%d)", c.Chunk.Start, c.Chunk.End, own.Start, own.End)
			}
		}
		parents, children = append(parents, got.Parents...), append(children, got.Children...)
	}
	text, end := whole.Text(), 0
	for i, c := range children {
		if k := c.Chunk; k.Index != i || text[k.Start:k.End] != k.Content {
			t.Errorf("child %d has the number %d and is not what stands at [%d,%d)", i, k.Index, k.Start, k.End)
		}
		end = max(end, c.Chunk.End)
	}
	if end != len(text) {
		t.Errorf("the children end at %d of %d", end, len(text))
	}
	for i, p := range parents {
		if p.Index != i {
			t.Errorf("parent %d has the number %d", i, p.Index)
		}
	}
	sick := slices.IndexFunc(children, func(c chunk.Piece) bool { return strings.HasPrefix(c.Chunk.Content, "病假") })
	if sick < 0 || !slices.Equal(children[sick].Chunk.Headings, []string{"制度", "请假"}) {
		t.Errorf("the second part does not go on under its headings")
	}
}
