package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
)

const sampleGlossary = "\ufeffTerm, synonyms, translations, owner\n" +
	"考据, , Kaoju; KJ, docs\n" +
	"年休假, 年假；带薪假, paid time off|PTO,\n" +
	"\"Horizon, the\", HZN, 地平线平台,\n" +
	", , ,\n"

func glossary(t *testing.T) *Glossary {
	t.Helper()
	return compiled(t, sampleGlossary)
}

func compiled(t *testing.T, table string) *Glossary {
	t.Helper()
	entries, err := ReadGlossary(strings.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	return NewGlossary(entries)
}

func TestGlossaryExtends(t *testing.T) {
	g := glossary(t)
	for _, c := range []struct{ question, with, without string }{
		{"考据支持哪些格式", "kaoju kj", "pto"},
		{"我还有几天年假？", "年休假 带薪 pto pay time", "年假 kaoju"},
		{"how is PTO approved", "年休假 年假", "pto"},
		{"how is paid time off approved", "年假 pto", "kaoju"},
		{"新年假期", "", "pto"}, // 年假 stands there by chance
		{"ptolemy", "", "年假"},
		{"hzn 的价格", "地平线 horizon", ""},
		{"row lost", "", "row lost"},
		{"", "", "pto"},
	} {
		var added []string
		for _, term := range g.Extend(c.question, nil) {
			added = append(added, term.Text)
			if !term.Foreign || term.Weight <= 0 || term.Weight >= 1 {
				t.Errorf("%q: %+v", c.question, term)
			}
		}
		for _, want := range strings.Fields(c.with) {
			if !slices.Contains(added, want) {
				t.Errorf("%q lacks %q: %v", c.question, want, added)
			}
		}
		for _, bad := range strings.Fields(c.without) {
			if slices.Contains(added, bad) {
				t.Errorf("%q has %q: %v", c.question, bad, added)
			}
		}
	}
}

// TestGlossaryKeepsTheQuestion: what was there stays, and the additions stand
// in the groups of the words that they stand for.
func TestGlossaryKeepsTheQuestion(t *testing.T) {
	terms := QueryTerms("how is PTO approved")
	before := slices.Clone(terms)
	got := glossary(t).Extend("how is PTO approved", terms)
	if !slices.Equal(got[:len(before)], before) || !slices.Equal(terms, before) || len(got) == len(before) {
		t.Errorf("%v became %v", before, got)
	}
	group := before[slices.IndexFunc(before, func(q QueryTerm) bool { return q.Text == "pto" })].Group
	for _, q := range got[len(before):] {
		if q.Group%apart != group {
			t.Errorf("%+v, want group %d", q, group)
		}
	}
	var none *Glossary
	if got := none.Extend("PTO", before); !slices.Equal(got, before) {
		t.Errorf("no glossary gives %v", got)
	}
}

// Every line that is wrong is named.
func TestGlossaryRefuses(t *testing.T) {
	for table, want := range map[string]string{
		"":                                  "empty",
		"word2,synonyms\na,b\n":             "line 1",
		"term\na\n\"b\nc\n":                 "line 3",
		"term,synonyms\na,\n,b\n\na,c\n":    "line 3: the term is missing; line 5: the term \"a\" stands at line 2 already",
		"术语,可拆分\n甲,perhaps\n":               "line 2: split is yes or no, not \"perhaps\"",
		"term\n…\n":                         "line 2: the term \"…\" has no letters",
		"term\n" + strings.Repeat("a", 101): "line 2",
		"term,synonyms\na," + strings.Repeat("b;", 40): "line 2: \"a\" has 41 forms; the limit is 32",
	} {
		if _, err := ReadGlossary(strings.NewReader(table)); core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", table, err, want)
		}
	}
	var long strings.Builder
	long.WriteString("term\n")
	for i := range core.MaxGlossaryEntries + 1 {
		fmt.Fprintf(&long, "w%d\n", i)
	}
	if _, err := ReadGlossary(strings.NewReader(long.String())); core.CodeOf(err) != core.CodeTooLarge {
		t.Errorf("too long: %v", err)
	}
	if err := CheckGlossary([]core.GlossaryEntry{{Term: "a"}, {Term: "A"}}); err == nil || !strings.Contains(err.Error(), "entry 2") {
		t.Errorf("%v", err)
	}
}

func TestGlossaryIsWrittenAsItIsRead(t *testing.T) {
	entries := []core.GlossaryEntry{{Term: "Horizon, the", Synonyms: []string{"HZN"}, Translations: []string{"地平线", "平台"}}, {Term: "x", Split: true}}
	var b strings.Builder
	if err := WriteGlossary(&b, entries); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadGlossary(strings.NewReader(b.String())); err != nil || fmt.Sprint(got) != fmt.Sprint(entries) {
		t.Errorf("%v, %v", got, err)
	}
}

// A name that must not be cut is a term of its passages and of questions, in
// which its parts then count less, and once.
func TestGlossaryForbidsSplits(t *testing.T) {
	g := compiled(t, "term,split\n洋桐测试,\n年假,\nblue box,\n公司,\n海洋塔台,yes\n")
	const passage = "珠海洋桐测试基金公司的年假，装在 blue boxes 里。海洋塔台。"
	terms := g.Analyze("", nil, passage)
	for word, want := range map[string]float32{"洋桐测试": 1, "blue box": 1, "年假": 1, "海洋塔台": 0, "公司": 1} {
		if got := weightOf(terms, word); got != want {
			t.Errorf("%s weighs %v, want %v", word, got, want)
		}
	}
	if none := Analyze("", nil, passage); len(terms) != len(none)+2 {
		t.Errorf("%d terms, %d without the glossary", len(terms), len(none))
	}
	var whole, parts int
	group := -1
	for _, q := range g.QueryTerms("洋桐测试在哪里") {
		switch {
		case q.Text == "洋桐测试":
			whole, group = whole+1, q.Group
			if q.Weight != 1 {
				t.Errorf("%+v", q)
			}
		case strings.ContainsAny(q.Text, "洋桐测试") && !q.Foreign:
			parts++
			if q.Weight > .5 || q.Group != 0 {
				t.Errorf("%+v", q)
			}
		}
	}
	if whole != 1 || parts == 0 || group != 0 {
		t.Errorf("%d whole, %d parts, group %d", whole, parts, group)
	}
}

// TestGlossaryIsBounded: an entry with ever so many synonyms does not swell a
// question.
func TestGlossaryIsBounded(t *testing.T) {
	var synonyms []string
	for i := range 1000 {
		synonyms = append(synonyms, fmt.Sprint("synonym", i))
	}
	g := NewGlossary([]core.GlossaryEntry{{Term: "pump", Synonyms: synonyms}})
	if n := len(g.Extend("the pump", nil)); n != core.MaxGlossaryForms-1 {
		t.Errorf("%d terms", n)
	}
}

func FuzzGlossary(f *testing.F) {
	f.Add(sampleGlossary, "我还有几天年假？ PTO")
	f.Add("term,synonyms\n\xff,a b;\n的,，\n", "的 a  b \xff")
	f.Fuzz(func(t *testing.T, table, question string) {
		entries, err := ReadGlossary(strings.NewReader(table))
		if err != nil {
			return
		}
		g := NewGlossary(entries)
		for _, q := range g.QueryTerms(question) {
			if q.Text == "" || q.Group < 0 || !(q.Weight > 0) {
				t.Errorf("%+v", q)
			}
		}
		for _, term := range g.Analyze(question, []string{question}, question) {
			if term.Text == "" || !(term.Weight > 0) {
				t.Errorf("%+v", term)
			}
		}
	})
}

// What words of a question are called elsewhere is told as it was entered, with
// the words as they stand.
func TestGlossaryAliases(t *testing.T) {
	g := NewGlossary([]core.GlossaryEntry{
		{Term: "天眼项目", Synonyms: []string{"供应链可视化平台"}, Translations: []string{"Supply Chain Platform"}}, {Term: "HRP", Synonyms: []string{"HR portals"}},
	})
	for question, want := range map[string]string{
		"天眼项目由谁负责":                            "天眼项目=供应链可视化平台 天眼项目=Supply Chain Platform",
		"Who runs the supply chain platform?": "supply chain platform=天眼项目 supply chain platform=供应链可视化平台",
		"Who runs hrp today?":                 "hrp=HR portals",
		"仓储系统由谁负责":                            "",
		"":                                    "",
	} {
		var got []string
		for _, a := range g.Aliases(question) {
			got = append(got, a.Of+"="+a.Said)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", question, s, want)
		}
	}
	if got := (*Glossary)(nil).Aliases("天眼项目"); got != nil {
		t.Errorf("without a glossary: %v", got)
	}
}
