package knowledge

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

func (d *desk) load(mode ImportMode, data string) FAQReport {
	d.t.Helper()
	r, err := d.ImportFAQ(d.t.Context(), core.OwnerScope(), d.base.ID, FAQImport{Name: "faq.csv", Data: []byte(data), Mode: mode})
	must(d.t, err)
	return r
}

func (d *desk) export(format string) []byte {
	d.t.Helper()
	var b bytes.Buffer
	must(d.t, d.ExportFAQ(d.t.Context(), core.OwnerScope(), d.base.ID, format, &b))
	return b.Bytes()
}

func (d *desk) questions() []string {
	d.t.Helper()
	list, _, err := d.FAQs(d.t.Context(), core.OwnerScope(), d.base.ID, FAQPage{})
	must(d.t, err)
	var all []string
	for _, f := range list {
		all = append([]string{f.Question}, all...)
	}
	return all
}

// A39: a comma inside a quoted cell divides nothing, whichever the comma.
func TestImportKeepsCommasInCells(t *testing.T) {
	d := newDesk(t)
	r := d.load(ImportAppend, "问题,答案\n能办哪些事？,\"查快递、改地址, 催单\"\n\"a, b?\",\"c, d\"\n")
	if r.Added != 2 || r.Failed != 0 {
		t.Fatalf("%+v", r)
	}
	if found := d.find("能办哪些事"); len(found) == 0 || found[0].Chunk.FAQ.Answers[0] != "查快递、改地址, 催单" {
		t.Errorf("found %+v", found)
	}
	if d.top("a b") != "a, b?" {
		t.Error("the question with a comma is not found")
	}
}

// A40: the template, saved by a Chinese Excel in GBK, is read; and every
// template is an import without problems.
func TestImportReadsTheTemplate(t *testing.T) {
	for _, format := range []string{FAQCSV, FAQXLSX, FAQJSON, "gbk"} {
		d := newDesk(t)
		var b bytes.Buffer
		must(t, FAQTemplate(strings.ReplaceAll(format, "gbk", FAQCSV), &b))
		data := b.Bytes()
		if format == "gbk" {
			encoded, err := simplifiedchinese.GBK.NewEncoder().Bytes(bytes.TrimPrefix(data, []byte("\ufeff")))
			must(t, err)
			data = encoded
		}
		r, err := d.ImportFAQ(t.Context(), core.OwnerScope(), d.base.ID, FAQImport{Data: data})
		must(t, err)
		if r.Added != 1 || len(r.Problems) != 0 {
			t.Errorf("%s: %+v", format, r)
		}
		found := d.find("如何申请发票")
		if len(found) != 1 || !strings.Contains(found[0].Chunk.FAQ.Answers[0], "“财务中心”") || len(found[0].Chunk.FAQ.Negative) != 1 {
			t.Errorf("%s: found %+v", format, found)
		}
	}
}

// nasty entries hold everything that a file format could spoil.
func nasty() []core.FAQEntry {
	return []core.FAQEntry{
		{Question: `他说"你好", 然后呢？`, Answers: []string{"第一行\n第二行\n\n## 标题\n- a, b; c\td", "##", "\\##", "x##y", "##\n\\\\##"}},
		{Question: "=1+1 是多少", Similar: []string{"+86 开头的电话", "-1 是负数吗", "@all 是谁", "'=2", "'tis so"}, Answers: []string{"=HYPERLINK(\"http://x\")"}},
		{Question: "停用的", Negative: []string{"启用的"}, Answers: []string{"<b>&amp;</b>"}, Strategy: core.AnswerRandom, Disabled: true},
		{Question: "0012", Answers: []string{"1.50", "TRUE", "2024-01-02"}},
		{Question: "emoji 👩‍👩‍👧 与生僻字 𠮷", Answers: []string{"好"}},
	}
}

// A41: what was exported can be imported again, for no, one and many rows, and
// changes nothing.
func TestExportsComeBack(t *testing.T) {
	for _, format := range []string{FAQCSV, FAQXLSX, FAQJSON} {
		for _, n := range []int{0, 1, len(nasty()), 12} {
			t.Run(fmt.Sprintf("%s %d", format, n), func(t *testing.T) {
				from, to := newDesk(t), newDesk(t)
				for i := range n {
					e := core.FAQEntry{Question: fmt.Sprint("问题 ", i), Answers: []string{fmt.Sprint("答案\n", i)}}
					if n <= len(nasty()) {
						e = nasty()[i]
					}
					_, err := from.CreateFAQ(t.Context(), core.OwnerScope(), from.base.ID, core.FAQ{FAQEntry: e, Tags: []string{"甲", "乙 丙"}})
					must(t, err)
				}
				file := from.export(format)
				if r := to.load(ImportAppend, string(file)); r.Added != n || len(r.Problems) != 0 {
					t.Fatalf("%+v\n%s", r, file)
				}
				if again := to.export(FAQJSON); !bytes.Equal(again, from.export(FAQJSON)) {
					t.Errorf("came back as\n%s", again)
				}
				if r := to.load(ImportReplace, string(file)); r.Unchanged != n || r.Added+r.Changed+r.Removed != 0 {
					t.Errorf("the second import changed something: %+v", r)
				}
			})
		}
	}
}

func TestImportReportsRows(t *testing.T) {
	d := newDesk(t)
	d.create(invoice())
	file := strings.Join([]string{
		"标题行之上的说明,,",
		"标准问题,相似问题,答案,启用",
		"营业时间,几点开门,九点,是", // 3
		"营业时间？,,十点,",     // 4: as row 3
		"没有答案,,,",        // 5
		",,有答案,",         // 6
		"怎么开发票,,另一个答案,",  // 7: there
		"如何申请发票,,答案,",    // 8: a similar question of what is there
		"几点关门,\"几点开门？\n怎么開發票\n何时打烊\",六点,", // 9, 10, 11: two lead elsewhere
		",,,",
		"周末,,关,也许", // 13
	}, "\n")
	dry, err := d.ImportFAQ(t.Context(), core.OwnerScope(), d.base.ID, FAQImport{Data: []byte(file), DryRun: true})
	must(t, err)
	if got := d.questions(); len(got) != 1 {
		t.Fatalf("a dry run left %q", got)
	}
	r := d.load(ImportAppend, file)
	if r.Added != 2 || r.Failed != 3 || r.Skipped != 3 || r.Rows != 8 || dry.Added != r.Added || !dry.DryRun {
		t.Fatalf("%+v, dry %+v", r, dry)
	}
	var got []string
	for _, p := range r.Problems {
		got = append(got, fmt.Sprintf("%d %v", p.Row, p.Duplicate))
	}
	if want := "4 true, 5 false, 6 false, 11 false, 7 true, 8 true, 9 true, 9 true"; strings.Join(got, ", ") != want {
		t.Errorf("problems %q, want %q", got, want)
	}
	if d.top("何时打烊") != "几点关门" || d.top("几点开门") != "营业时间" {
		t.Error("the similar questions lead elsewhere")
	}
}

func TestImportReplaces(t *testing.T) {
	d := newDesk(t)
	d.load(ImportAppend, "question,answer\na?,1\nb?,2\nc?,3\n")
	before, _, err := d.FAQs(t.Context(), core.OwnerScope(), d.base.ID, FAQPage{Query: "b"})
	must(t, err)
	if _, err := d.ImportFAQ(t.Context(), core.OwnerScope(), d.base.ID, FAQImport{Data: []byte("question,answer\nb?,20\n,4\n"), Mode: ImportReplace}); core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), "row 3") {
		t.Fatalf("with a wrong row: %v", err)
	}
	r := d.load(ImportReplace, "question,answer\nB,20\na?,1\nd?,4\n")
	if r.Added != 1 || r.Changed != 1 || r.Unchanged != 1 || r.Removed != 1 {
		t.Errorf("%+v", r)
	}
	if got := fmt.Sprint(d.questions()); got != "[a? B d?]" {
		t.Errorf("left %s", got)
	}
	after, err := d.FAQ(t.Context(), core.OwnerScope(), d.base.ID, before[0].ID)
	must(t, err)
	if after.Question != "B" || after.Answers[0] != "20" {
		t.Errorf("the entry is now %+v", after)
	}
	for _, c := range d.find("c") {
		if c.Exact {
			t.Error("an entry that left is found")
		}
	}
}

// Foreign files: other headers, other dividers, other shapes of JSON.
func TestImportReadsOtherSystems(t *testing.T) {
	for name, file := range map[string]string{
		"inline":      "分类(必填),问题(必填),相似问题(选填-多个用##分隔),机器人回答(必填-多个用##分隔)\n组,问一,问二##问三,答一##答二\n",
		"one cell":    "分段标题（选填）,分段内容（必填，问题答案））,问题（选填，单元格内一行一个）\n组,\"答一\n##\n答二\",\"问一\n问二\n问三\"\n",
		"semicolons":  "question;similar_questions;answer\n问一;\"问二\n问三\";\"答一\n##\n答二\"\n",
		"tabs":        "问题\t相似问题\t答案\n问一\t\"问二\n问三\"\t\"答一\n##\n答二\"\n",
		"json":        `[{"question":"问一","similar_questions":["问二","问三"],"answers":["答一","答二"]}]`,
		"json lines":  "{\"standard_question\":\"问一\",\"similar_questions\":[\"问二\",\"问三\"],\"answers\":[\"答一\"],\"answer\":\"答二\"}\n",
		"json object": "\ufeff {\"entries\":[{\"standard_question\":\"问一\",\"similar_questions\":[\"问二\",\"问三\"],\"answers\":[\"答一\",\"答二\"]}]}",
	} {
		d := newDesk(t)
		if r := d.load(ImportAppend, file); r.Added != 1 {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		f := d.find("问三")
		if len(f) == 0 || f[0].Chunk.FAQ.Question != "问一" || len(f[0].Chunk.FAQ.Similar) != 2 || fmt.Sprint(f[0].Chunk.FAQ.Answers) != "[答一 答二]" {
			t.Errorf("%s: found %+v", name, f)
		}
	}
}

func TestImportRefusesFiles(t *testing.T) {
	d := newDesk(t)
	for file, code := range map[string]core.Code{
		"":               core.CodeEmpty,
		" \n":            core.CodeEmpty,
		"a,b\n1,2\n":     core.CodeInvalid,
		"[1,":            core.CodeInvalid,
		"{\"a\":1}\n{b}": core.CodeInvalid,
		"PK\x03\x04junk": core.CodeCorrupt,
	} {
		if _, err := d.ImportFAQ(t.Context(), core.OwnerScope(), d.base.ID, FAQImport{Data: []byte(file)}); core.CodeOf(err) != code {
			t.Errorf("%q: %v", file, err)
		}
	}
	if r := d.load(ImportAppend, `[1, {"question": 5}, {"question":"q","answer":"a"}]`); r.Failed != 2 || r.Added != 1 || r.Problems[1].Row != 2 {
		t.Errorf("%+v", r)
	}
}

func FuzzReadFAQ(f *testing.F) {
	for _, seed := range []string{"问题,答案\na,b\n", `[{"question":"q","answer":"a"}]`, "question\tanswer\n\"a\n##", "{}"} {
		f.Add([]byte(seed))
	}
	d := &Service{tables: parse.New(nil)}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte("PK")) {
			return
		}
		records, err := d.readFAQ(t.Context(), "x", data)
		if err != nil && core.CodeOf(err) == core.CodeInternal {
			t.Fatal(err)
		}
		planImport("b", ImportReplace, records, nil)
	})
}

// What a table says of answers is what joinAnswers wrote.
func FuzzJoinAnswers(f *testing.F) {
	f.Add("a\n##\nb", "##")
	f.Add(`\##`, "x\n\\\\##")
	f.Fuzz(func(t *testing.T, a, b string) {
		want := distinct([]string{a, b}, tidyAnswer)
		if len(want) == 0 {
			return
		}
		l, _ := layoutOf([]string{"问题", "答案"})
		got := distinct(l.answers([]string{"q", joinAnswers(want)}), tidyAnswer)
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%q became %q", want, got)
		}
	})
}
