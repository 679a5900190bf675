package retrieve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/retrieve"
)

// The cases carry the numbers of the list of users' complaints.

// TestFirst: what must come first, whatever the ranking does elsewhere.
func TestFirst(t *testing.T) {
	s := searcher(corpus(t))
	for _, c := range []struct{ id, question, want string }{
		{"A01", "XK-2417-B 的额定电压是多少", "psu-2417b"},
		{"A01", "XK-2417-B", "psu-2417b"},
		{"A01", "xk2417b", "psu-2417b"},
		{"A01", "ＸＫ－２４１７－Ｂ", "psu-2417b"},
		{"A02", "QTR-7310", "relay-7310"},
		{"A02", "qtr 7310", "relay-7310"},
		{"A02", "7310", "relay-7310"},
		{"A02", "QTR-0471 停产了吗", "relay-0471"},
		{"A03", "北京工业大学", "bjut"},
		{"A04", "珠海 基金", "zhuhai"},
		{"A04", "洋桐", "zhuhai"},
		{"A07", "2023年报的员工人数", "report-2023"},
		{"A07", "2021 年度报告里营业收入是多少", "report-2021"},
		{"A07", "2024年员工人数", "report-2024"},
		{"A11", "cat", "cat"},
		{"A11", "O'Reilly", "oreilly"},
		{"A11", "C++", "cpp"},
		{"A11", "foo:bar", "foobar"},
		{"A11", "100%", "percent"},
		{"codes", "GB/T 28181-2016", "gb-28181"},
		{"codes", "28181", "gb-28181"},
		{"codes", "iPhone15Pro", "phone"},
		{"codes", "5000元", "expense-limit"},
	} {
		found := find(t, s, c.question, 5)
		if len(found) == 0 || found[0].Chunk.ID != c.want {
			t.Errorf("%s: %q finds %v, want %s first", c.id, c.question, foundIDs(found), c.want)
		}
	}
}

// A01 with thirty lines that differ in the code only.
func TestExactCodeAmongThirty(t *testing.T) {
	l := newLibrary()
	code := func(i int) string { return fmt.Sprintf("XK-%d-%c", 2400+i%15, 'A'+i/15) }
	for i := range 30 {
		l.add(t, "b", "型号表", fmt.Sprint("row", i), "型号 "+code(i)+" 额定电压 220V")
	}
	s := searcher(l)
	for i := range 30 {
		for _, q := range []string{code(i) + " 的额定电压是多少", code(i), strings.ToLower(code(i))} {
			if got := find(t, s, q, 3, "b"); len(got) == 0 || got[0].Chunk.ID != fmt.Sprint("row", i) {
				t.Errorf("%q finds %v, want row%d", q, foundIDs(got), i)
			}
		}
	}
}

// A03: passages that share a part of a name score clearly less.
func TestWholeNameStandsOut(t *testing.T) {
	found := find(t, searcher(corpus(t)), "北京工业大学", 5)
	if len(found) > 1 && found[1].Score > .6*found[0].Score {
		t.Errorf("%s scores %.2f beside %.2f of the whole name", found[1].Chunk.ID, found[1].Score, found[0].Score)
	}
}

// A06: a sentence taken word for word from a document finds it.
func TestSentenceFindsItsDocument(t *testing.T) {
	l := corpus(t)
	s := searcher(l)
	for id, c := range l.chunks {
		sentence, _, _ := strings.Cut(c.Content, "。")
		found := find(t, s, sentence, 4) // of the yearly reports all four begin alike
		if !slices.Contains(foundIDs(found), id) {
			t.Errorf("the first sentence of %s finds %v", id, foundIDs(found))
		}
	}
}

// A08: a second, unrelated base does not hide what the first one has.
func TestSecondBaseHidesNothing(t *testing.T) {
	l := corpus(t)
	for i := range 500 {
		l.add(t, "noise", "杂录", fmt.Sprint("noise", i), fmt.Sprintf("第%d段：仓库里的货物按照编号摆放，管理员每天清点数量。", i))
	}
	s := searcher(l)
	for _, q := range []string{"年假有几天", "5000元以上的报销由谁审批", "stolen laptop"} {
		alone, both := find(t, s, q, 3, "hr"), find(t, s, q, 3, "hr", "noise")
		if alone[0].Chunk.ID != both[0].Chunk.ID {
			t.Errorf("%q: %v alone, %v with an unrelated base", q, foundIDs(alone), foundIDs(both))
		}
	}
}

// A09, A13: one limit for everything, however many documents there are.
func TestOneLimit(t *testing.T) {
	l := corpus(t)
	s := searcher(l)
	for _, k := range []int{1, 2, 7} {
		if got := find(t, s, "员工 报告 型号 年假", k); len(got) != k {
			t.Errorf("limit %d gives %d passages", k, len(got))
		}
	}
	l.reads = 0
	find(t, s, "员工 报告 型号 年假", 3)
	if l.reads > 3 {
		t.Errorf("for three passages %d were read", l.reads)
	}
}

// A10: what only the vector finds is not lost because no word matches.
func TestVectorOnlyHitSurvives(t *testing.T) {
	l := newLibrary()
	l.add(t, "b", "Guide", "retry", "retry with exponential backoff")
	l.add(t, "b", "Guide", "other", "the colour of the sky")
	s := searcher(l)
	s.Embedder = fixedEmbedder{l.vectorOf(t, "retry")}
	found := find(t, s, "повторная попытка", 5, "b")
	if len(found) == 0 || found[0].Chunk.ID != "retry" || found[0].Score < .9 {
		t.Errorf("found %v", found)
	}
}

// A11: no user text is query syntax; anything is a question.
func TestNothingIsSyntax(t *testing.T) {
	s := searcher(corpus(t))
	for _, q := range []string{
		"", " ", "a OR b", "AND", "NOT", "(未闭合", "\"", "*", "?", "foo:bar AND", "title:*", "[1 TO 2]", "~", "^9", "\\",
		"'; DROP TABLE chunks; --", "<script>alert(1)</script>", "{{.}}", "%s%n", "\x00", "\xff\xfe", strings.Repeat("长", 10_000),
		strings.Repeat("a ", 20_000), "😀", "\u202e", "1/0", "-QTR", "+QTR",
	} {
		find(t, s, q, 5)
	}
	if found := find(t, s, "a OR b", 5); len(found) > 0 && found[0].Score > .9 {
		t.Errorf("a OR b is taken for an operator: %v", found[0])
	}
}

// A12: the score shown is the score compared.
func TestShownScoreIsComparedScore(t *testing.T) {
	found := find(t, searcher(corpus(t)), "年假有几天？", 10)
	for i, f := range found {
		if f.Score < 0 || f.Score > 1 || f.Steps[len(f.Steps)-1].Value != f.Score {
			t.Errorf("hit %d scores %v after %v", i, f.Score, f.Steps)
		}
		kept := retrieve.AtLeast(found, f.Score)
		if len(kept) <= i || kept[i].Chunk.ID != f.Chunk.ID {
			t.Errorf("hit %d is gone at its own score %v", i, f.Score)
		}
		for _, k := range retrieve.AtLeast(found, f.Score+1e-9) {
			if k.Chunk.ID == f.Chunk.ID {
				t.Errorf("hit %d stays above its own score", i)
			}
		}
	}
}

// A57: what was deleted meanwhile is neither shown nor counted.
func TestDeletedMeanwhile(t *testing.T) {
	l := corpus(t)
	s := searcher(l)
	before := find(t, s, "QTR 继电器", 3)
	delete(l.chunks, before[0].Chunk.ID)
	gone := l.documents["devices/电源型号表"]
	gone.State = core.DocumentDeleted
	l.documents[gone.ID] = gone
	after := find(t, s, "QTR 继电器", 3)
	if len(after) != 3 || slices.Contains(foundIDs(after), before[0].Chunk.ID) {
		t.Errorf("%v became %v", foundIDs(before), foundIDs(after))
	}
	for _, f := range find(t, s, "XK-2417-B", 10) {
		if f.Document.ID == gone.ID {
			t.Errorf("found %s of a deleted document", f.Chunk.ID)
		}
	}
}
