package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"kaoju/internal/parse"
)

// sketch writes blocks so that a test can show what it expects: kind, the
// level of a heading or the header rows of a table, and the text.
func sketch(doc parse.Document) string {
	var b strings.Builder
	for _, block := range doc.Blocks {
		kind := string(block.Kind)
		switch {
		case block.Kind == parse.Heading:
			kind = fmt.Sprintf("h%d", block.Level)
		case block.Kind == parse.Table:
			kind = fmt.Sprintf("table/%d", block.Header)
		case block.Language != "":
			kind += "/" + block.Language
		}
		fmt.Fprintf(&b, "%s: %s\n", kind, strings.ReplaceAll(block.Text, "\n", "⏎"))
	}
	return b.String()
}

type formatCase struct {
	name, content, want string
}

func checkFormats(t *testing.T, file string, tests []formatCase) {
	t.Helper()
	for _, tt := range tests {
		doc := parseFile(t, file, tt.content)
		checkClean(t, doc)
		if got := sketch(doc); got != tt.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	checkFormats(t, "a.txt", []formatCase{
		{"paragraphs", "第一段。\n第一段第二行。\n\n\n第二段。", "paragraph: 第一段。⏎第一段第二行。\nparagraph: 第二段。\n"},
		{"hash headings", "# 手册\n正文一句。\n\n## 安装\n步骤。", "h1: 手册\nparagraph: 正文一句。\nh2: 安装\nparagraph: 步骤。\n"},
		{"a comment is no heading", "echo a\n# not a heading\necho b", "paragraph: echo a⏎# not a heading⏎echo b\n"},
		{"chapters", "第一章 总则\n\n本办法适用于全体员工。\n\n第二节 假期\n\n年假五天。", "h1: 第一章 总则\nparagraph: 本办法适用于全体员工。\nh2: 第二节 假期\nparagraph: 年假五天。\n"},
		{"parts are no chapters", "第三部分讲的是退货\n\n正文。", "paragraph: 第三部分讲的是退货\nparagraph: 正文。\n"},
		{"wrapped Chinese", "本公司的产品在正常使用的情况下如果出现质量问题\n用户可以在购买之后的十二个月以内凭发票要求免费\n维修。", "paragraph: 本公司的产品在正常使用的情况下如果出现质量问题用户可以在购买之后的十二个月以内凭发票要求免费维修。\n"},
		{"numbered headings", "一、适用范围\n适用于全部门店。\n\n（一）直营店\n直营店照此执行。", "h2: 一、适用范围\nparagraph: 适用于全部门店。\nh3: （一）直营店\nparagraph: 直营店照此执行。\n"},
		{"numbered lines are no headings", "一、苹果\n二、香蕉\n三、橙子", "paragraph: 一、苹果⏎二、香蕉⏎三、橙子\n"},
		{"underlined", "Title\n=====\n\nText here.\n\nPart\n----\nMore.", "h1: Title\nparagraph: Text here.\nh2: Part\nparagraph: More.\n"},
		{"dotted", "2.1 Installation\n\nRun it.", "h2: 2.1 Installation\nparagraph: Run it.\n"},
		{"list", "请带上：\n1. 身份证\n2. 照片\n\n3. 申请表\n\n谢谢。", "paragraph: 请带上：\nlist: 1. 身份证⏎2. 照片⏎3. 申请表\nparagraph: 谢谢。\n"},
		{"code", "看：\n```go\nfunc f() {\n\n\treturn\n}\n```\n完。", "paragraph: 看：\ncode/go: func f() {⏎⏎\treturn⏎}\nparagraph: 完。\n"},
		{"no json", `{"名称": 甲`, "paragraph: {\"名称\": 甲\n"},
		{"open fence", "```\na\n", "code: a\n"},
		{
			"wrapped by hand",
			"The quick brown fox jumps over the lazy dog and\nthen it runs away into the forest, where nobody\nhas ever seen it.\n\nShort\nlines\nstay",
			"paragraph: The quick brown fox jumps over the lazy dog and then it runs away into the forest, where nobody has ever seen it.\nparagraph: Short⏎lines⏎stay\n",
		},
	})
}

func TestMarkdown(t *testing.T) {
	checkFormats(t, "a.md", []formatCase{
		{"headings", "# A\n\ntext\n\nB\n---\n\n### C #\n", "h1: A\nparagraph: text\nh2: B\nh3: C\n"},
		{"front matter", "---\ntitle: \"T\"\ntags: [x]\n---\n\ntext\n", "paragraph: text\n"},
		{"inline", "**b** *i* ~~s~~ `c_d` &amp; \\* [l](https://x.y/z) [r](rel) ![alt](i.png) <b>t</b><br>n", "paragraph: b i s c_d & * l (https://x.y/z) r alt t⏎n\n"},
		{"nested list", "3. a\n   - b\n     - c\n4. d\n\n   more d\n", "list: 3. a⏎  - b⏎    - c⏎4. d⏎  more d\n"},
		{"tasks", "- [x] done\n- [ ] open\n", "list: - [x] done⏎- [ ] open\n"},
		{"code in a list", "1. run\n\n   ```sh\n   ls -l\n   ```\n\n2. stop\n", "list: 1. run\ncode/sh: ls -l\nlist: 2. stop\n"},
		{"code is exact", "```python\ndef f():\n\n    return \"**x**\"  # <b>\n```\n", "code/python: def f():⏎⏎    return \"**x**\"  # <b>\n"},
		{"table", "| a | b |\n|---|:-:|\n| 1 \\| 2 | **x** |\n| 3 |\n", "table/1: | a | b |⏎| --- | --- |⏎| 1 \\| 2 | x |⏎| 3 |  |\n"},
		{"quote", "> a\n> > b\n\nc", "quote: a\nquote: b\nparagraph: c\n"},
		{"formula", "前 $a_1 * b_2 * c$ 后\n\n$$\nx_1 = *y*\n\\frac{a}{b}\n$$\n\n$$e = mc^2$$\n\n\\[ z \\]\n", "paragraph: 前 $a_1 * b_2 * c$ 后\nformula: $$⏎x_1 = *y*⏎\\frac{a}{b}⏎$$\nformula: $$e = mc^2$$\nformula: \\[ z \\]\n"},
		{"money", "costs $5 and $10, not *20*", "paragraph: costs $5 and $10, not 20\n"},
		{"open formula", "$$\nx\n\ntext", "formula: $$⏎x\nparagraph: text\n"},
		{"html table", "<table>\n<tr><th>a</th><th>b</th></tr>\n\n<tr><td>1</td><td>2</td></tr>\n</table>\n\ntext\n", "table/1: | a | b |⏎| --- | --- |⏎| 1 | 2 |\nparagraph: text\n"},
		{"comment", "<!-- no -->\n\nyes", "paragraph: yes\n"},
		{"details", "<details>\n<summary>更多</summary>\n\n正文\n\n</details>", "paragraph: 更多\nparagraph: 正文\n"},
	})
	if doc := parseFile(t, "a.md", "---\ntitle: 'T'\n---\n# H\n"); doc.Title != "T" {
		t.Errorf("title %q", doc.Title)
	}
	if doc := parseFile(t, "a.md", "### 开头\n\ntext\n"); doc.Title != "开头" {
		t.Errorf("title %q", doc.Title)
	}
	if doc := parseFile(t, "a.md", "text\n\n# H\n"); doc.Title != "H" {
		t.Errorf("title %q", doc.Title)
	}
}

// Deep nesting costs neither the stack nor a minute.
func TestDeepNesting(t *testing.T) {
	for name, content := range map[string]string{
		"quotes.md":  strings.Repeat("> ", 50_000) + "深处",
		"items.md":   strings.Repeat("- ", 50_000) + "深处",
		"mixed.md":   strings.Repeat("> - 1. ", 20_000) + "深处",
		"links.md":   strings.Repeat("[字", 20_000) + "深处",
		"stars.md":   strings.Repeat("*a _b ", 10_000) + "深处",
		"divs.html":  "<html>" + strings.Repeat("<div>", 60_000) + "深处",
		"lists.html": "<html>" + strings.Repeat("<ul><li>", 30_000) + "深处",
		"table.html": "<html>" + strings.Repeat("<table><tr><td>", 5_000) + "深处",
		"html.md":    strings.Repeat("<div>", 10_000) + "深处",
	} {
		if text := parseFile(t, name, content).Text(); !strings.Contains(text, "深处") {
			t.Errorf("%s: the text is lost: %.50q", name, text)
		}
	}
}

func TestHTML(t *testing.T) {
	page := func(body string) string {
		return "<!DOCTYPE html><html><head><title>T</title></head><body>" + body + "</body></html>"
	}
	checkFormats(t, "a.html", []formatCase{
		{"paragraphs", page("<h2>标题</h2><p>一 <b>二</b>\n三<br>四</p><div>五</div>"), "h2: 标题\nparagraph: 一 二 三⏎四\nparagraph: 五\n"},
		{"noise is out", page("<nav>菜单</nav><script>x()</script><style>p{}</style><p hidden>藏</p><p style='display: none'>藏</p><p>正文</p>"), "paragraph: 正文\n"},
		{"list", page("<ol start=3><li>三<ul><li>甲</li></ul></li><li><p>四</p><p>再</p></li></ol>"), "list: 3. 三⏎  - 甲⏎4. 四⏎  再\n"},
		{"code", page("<pre><code class='hl language-go'>func f() {\n\n\treturn\n}</code></pre>"), "code/go: func f() {⏎⏎\treturn⏎}\n"},
		{"table", page("<table><caption>表一</caption><thead><tr><th>a<th>b<tbody><tr><td>1<td>2</table>"), "paragraph: 表一\ntable/1: | a | b |⏎| --- | --- |⏎| 1 | 2 |\n"},
		{
			"spans are repeated",
			page("<table><tr><th>编号<th colspan=2>方法<tr><td rowspan=2>Q1<td>x<td>y<tr><td>z<td>w</table>"),
			"table/1: | 编号 | 方法 | 方法 |⏎| --- | --- | --- |⏎| Q1 | x | y |⏎| Q1 | z | w |\n",
		},
		{"cells with structure", page("<table><tr><th>a<th>b<tr><td><ul><li>x<li>y</ul><td>p<br>q</table>"), "table/1: | a | b |⏎| --- | --- |⏎| - x - y | p q |\n"},
		{"layout table", page("<table><tr><td><h1>题</h1><p>文</p></td><td>边</td></tr></table>"), "h1: 题\nparagraph: 文\nparagraph: 边\n"},
		{"one column is no table", page("<table><tr><td>甲</td></tr><tr><td>乙</td></tr></table>"), "paragraph: 甲\nparagraph: 乙\n"},
		{"quote", page("<blockquote><p>引</p></blockquote>"), "quote: 引\n"},
		{"formula", page("<p>前<math alttext='x^2'><mi>x</mi></math>后</p><math display=block alttext='y'></math>"), "paragraph: 前$x^2$后\nformula: $$y$$\n"},
		{"entities", page("<p>a &lt; b &amp; c&nbsp;d &#20013;</p>"), "paragraph: a < b & c d 中\n"},
	})
	if doc := parseFile(t, "a.html", page("<p>x</p>")); doc.Title != "T" {
		t.Errorf("title %q", doc.Title)
	}
}

// The article is taken out of its navigation, unless text would be lost.
func TestHTMLMainContent(t *testing.T) {
	para := "<p>" + strings.Repeat("This is a real sentence of the article, with a comma and some words. ", 8) + "</p>"
	links := strings.Repeat("<li><a href='/x'>Some other page of the site</a></li>", 40)
	page := "<html><head><title>T</title></head><body><div class='sidebar menu'><ul>" + links + "</ul></div><article><h1>T</h1>" +
		strings.Repeat(para, 5) + "</article><div class='footer'><ul>" + links + "</ul></div></body></html>"
	text := parseFile(t, "a.html", page).Text()
	if strings.Contains(text, "other page") || strings.Count(text, "real sentence") != 40 {
		t.Errorf("got %.300q", text)
	}
	split := "<html><body><article>" + strings.Repeat(para, 3) + "</article><div class='sidebar'><p>" +
		strings.Repeat("Opening hours are from nine to five. ", 60) + "</p></div></body></html>"
	if text := parseFile(t, "a.html", split).Text(); !strings.Contains(text, "Opening hours") {
		t.Error("running text beside the article is lost")
	}
}

func TestCSV(t *testing.T) {
	checkFormats(t, "a.csv", []formatCase{
		{"plain", "姓名,年纪\n张三,20\n", "table/1: | 姓名 | 年纪 |⏎| --- | --- |⏎| 张三 | 20 |\n"},
		{"semicolons", "a;b\n1,5;2\n2,5;3\n", "table/1: | a | b |⏎| --- | --- |⏎| 1,5 | 2 |⏎| 2,5 | 3 |\n"},
		{"tabs", "a\tb\nx, y\tz\n", "table/1: | a | b |⏎| --- | --- |⏎| x, y | z |\n"},
		{"bars", "a|b\n1|2\n", "table/1: | a | b |⏎| --- | --- |⏎| 1 | 2 |\n"},
		{"excel's hint", "sep=;\na;b\n1;2\n", "table/1: | a | b |⏎| --- | --- |⏎| 1 | 2 |\n"},
		{"quotes", "a,b\n\"x \"\"y\"\" z\",\"1\n2, 3\"\n", "table/1: | a | b |⏎| --- | --- |⏎| x \"y\" z | 1 2, 3 |\n"},
		{"broken quotes", "a,b\n\"x,1\n5\" pipe,2\n", "table/1: | a | b |⏎| --- | --- |⏎| x,1 5 pipe | 2 |\n"},
		{"quote that never closes", "a,b\n\"x,1\ny,2\n", "table/1: | a | b |⏎| --- | --- |⏎| \"x | 1 |⏎| y | 2 |\n"},
		{"ragged", "a,b,c\n1\n1,2,3,4\n", "table/1: | a | b | c |  |⏎| --- | --- | --- | --- |⏎| 1 |  |  |  |⏎| 1 | 2 | 3 | 4 |\n"},
		{"no header", "1,2\n3,4\n", "table/0: | 1 | 2 |⏎| 3 | 4 |\n"},
		{"title above", "# 销售表\n地区,数量\n华东,5\n", "paragraph: # 销售表\ntable/1: | 地区 | 数量 |⏎| --- | --- |⏎| 华东 | 5 |\n"},
		{"one column", "问题\n怎么退货\n", "table/1: | 问题 |⏎| --- |⏎| 怎么退货 |\n"},
		{"line ends of a Mac", "a,b\r1,2\r", "table/1: | a | b |⏎| --- | --- |⏎| 1 | 2 |\n"},
		{"formulas are text", "q,a\n怎么导出,=1+1\n怎么求和,@SUM(A1)\n", "table/1: | q | a |⏎| --- | --- |⏎| 怎么导出 | =1+1 |⏎| 怎么求和 | @SUM(A1) |\n"},
	})
	doc := parseFile(t, "a.csv", "\xEF\xBB\xBF姓名,年纪\n\n张三,\"多\n行\"\n")
	if b := doc.Blocks[0]; b.Rows[0][0] != "姓名" || b.RowAt != 1 || b.Rows[2][1] != "多\n行" {
		t.Errorf("got %q from row %d", b.Rows, b.RowAt)
	}
	if b := parseFile(t, "a.csv", "\n\n标题\na,b\n1,2\n").Blocks[1]; b.RowAt != 4 {
		t.Errorf("the table starts at row %d", b.RowAt)
	}
}
