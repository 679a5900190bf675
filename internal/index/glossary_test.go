package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const sampleGlossary = "\ufeffTerm, synonyms, translations, owner\n" +
	"考据, , Kaoju; KJ, docs\n" +
	"年休假, 年假；带薪假, paid time off|PTO,\n" +
	"\"Horizon, the\", HZN, 地平线平台,\n" +
	", lost, row,\n"

func glossary(t *testing.T) *Glossary {
	t.Helper()
	g, err := ReadGlossary(strings.NewReader(sampleGlossary))
	if err != nil {
		t.Fatal(err)
	}
	return g
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

func TestGlossaryRefuses(t *testing.T) {
	for name, table := range map[string]string{
		"empty":         "",
		"no term":       "word,synonyms\na,b\n",
		"a broken line": "term\n\"a\nb\n",
		"too long":      "term\n" + strings.Repeat("a\n", maxGlossaryRows+1),
	} {
		if g, err := ReadGlossary(strings.NewReader(table)); err == nil {
			t.Errorf("%s: %d entries and no error", name, len(g.entries))
		}
	}
}

// TestGlossaryIsBounded: an entry with ever so many synonyms does not swell a
// question.
func TestGlossaryIsBounded(t *testing.T) {
	var synonyms []string
	for i := range 1000 {
		synonyms = append(synonyms, fmt.Sprint("synonym", i))
	}
	g, err := ReadGlossary(strings.NewReader("term,synonyms\npump," + strings.Join(synonyms, ";") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(g.Extend("the pump", nil)); n != maxGlossaryForms-1 {
		t.Errorf("%d terms", n)
	}
}

func FuzzGlossary(f *testing.F) {
	f.Add(sampleGlossary, "我还有几天年假？ PTO")
	f.Add("term,synonyms\n\xff,a b;\n的,，\n", "的 a  b \xff")
	f.Fuzz(func(t *testing.T, table, question string) {
		g, err := ReadGlossary(strings.NewReader(table))
		if err != nil {
			return
		}
		for _, q := range g.Extend(question, nil) {
			if q.Text == "" || q.Group < 0 || !(q.Weight > 0) {
				t.Errorf("%+v", q)
			}
		}
	})
}
