package knowledge

import (
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/index/embedded"
	"kaoju/internal/llm/builtin"
	"kaoju/internal/parse"
	"kaoju/internal/parse/office"
	"kaoju/internal/retrieve"
	"kaoju/internal/store"
)

// desk is a service over a real store and engine with an FAQ base.
type desk struct {
	*Service
	t      *testing.T
	db     *store.DB
	engine *embedded.Engine
	base   core.KnowledgeBase
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	db, err := store.Open(t.Context(), t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	e := embedded.New(db)
	d := &desk{t: t, db: db, engine: e, Service: New(Options{
		Store: db, Work: &calls{}, Index: e, Limit: 1 << 20, Indexer: Indexer{Embedder: builtin.Embedder{}},
		Tables: parse.New(map[string]parse.Reader{parse.FormatXLSX: office.XLSX{}}),
	})}
	d.base, err = d.CreateBase(t.Context(), core.OwnerScope(), NewBase{Name: "客服", Kind: core.BaseFAQ})
	must(t, err)
	return d
}

func (d *desk) create(e core.FAQEntry) core.FAQ {
	d.t.Helper()
	f, err := d.CreateFAQ(d.t.Context(), core.OwnerScope(), d.base.ID, core.FAQ{FAQEntry: e})
	must(d.t, err)
	return f
}

// find gives the standard questions of what a question leads to in the active
// version, best first.
func (d *desk) find(question string) []retrieve.FAQCandidate {
	d.t.Helper()
	b, err := d.Base(d.t.Context(), core.OwnerScope(), d.base.ID)
	must(d.t, err)
	s := retrieve.FAQSearcher{Entries: d.db, Searcher: &retrieve.Searcher{Engine: d.engine, Embedder: builtin.Embedder{}, Chunks: d.db}}
	found, err := s.Search(d.t.Context(), retrieve.FAQRequest{
		Question: question, Targets: []index.Target{{BaseID: b.ID, Version: b.ActiveVersion}},
	})
	must(d.t, err)
	return found
}

func (d *desk) top(question string) string {
	d.t.Helper()
	if found := d.find(question); len(found) > 0 {
		return found[0].Chunk.FAQ.Question
	}
	return ""
}

func invoice() core.FAQEntry {
	return core.FAQEntry{
		Question: "怎么开发票？", Similar: []string{"如何申请发票", "开票流程是什么"}, Negative: []string{"发票丢了怎么办"},
		Answers: []string{strings.Repeat("登录后台，在财务中心选择订单，填写抬头与税号，提交后三个工作日内寄出。", 20)},
	}
}

// A42: the plain question finds its entry with full score, however long the
// answer is, in whatever width, case and script it is typed.
func TestPlainQuestionScoresHigh(t *testing.T) {
	d := newDesk(t)
	d.create(invoice())
	d.create(core.FAQEntry{Question: "发票抬头可以修改吗", Answers: []string{"可以，开发票之前修改。怎么开发票请看帮助。"}})
	for _, q := range []string{"怎么开发票", "怎么开发票？", " 怎么 开发票! ", "怎麼開發票"} {
		found := d.find(q)
		if len(found) == 0 || found[0].Chunk.FAQ.Question != "怎么开发票？" || !found[0].Exact || !found[0].Standard || found[0].Score != 1 {
			t.Errorf("%q found %+v", q, found)
		}
		if len(found) > 1 && found[1].Score >= .9 {
			t.Errorf("%q: the second scores %v", q, found[1].Score)
		}
	}
}

func TestSeveralQuestionsReachOneEntry(t *testing.T) {
	d := newDesk(t)
	f := d.create(invoice())
	d.create(core.FAQEntry{Question: "怎么退款", Answers: []string{"联系客服。"}})
	for q, exact := range map[string]bool{"如何申请发票": true, "开票流程是什么？": true, "怎样申请一张发票": false} {
		found := d.find(q)
		if len(found) == 0 || found[0].Document.ID != f.ID || found[0].Exact != exact || found[0].Standard {
			t.Errorf("%q found %+v", q, found)
			continue
		}
		if !exact && found[0].Score >= 1 {
			t.Errorf("%q scores %v", q, found[0].Score)
		}
		for _, other := range found[1:] {
			if other.Document.ID == f.ID {
				t.Errorf("%q found the entry twice", q)
			}
		}
	}
}

// A question equal to a negative one does not find the entry, exact or not.
func TestNegativeQuestionRemovesTheEntry(t *testing.T) {
	d := newDesk(t)
	d.create(invoice())
	for _, q := range []string{"发票丢了怎么办", "發票丟了怎麼辦？"} {
		if found := d.find(q); len(found) > 0 {
			t.Errorf("%q found %+v", q, found)
		}
	}
	if d.top("发票丢失怎么办") == "" {
		t.Error("a question that only resembles the negative one finds nothing")
	}
}

// Each change is a version, and the next search sees it.
func TestChangesAreFoundAtOnce(t *testing.T) {
	d := newDesk(t)
	f := d.create(core.FAQEntry{Question: "上班时间", Answers: []string{"九点"}})
	change := func(edit func(*core.FAQ)) {
		t.Helper()
		_, err := d.ChangeFAQ(t.Context(), core.OwnerScope(), d.base.ID, f.ID, func(f *core.FAQ) error { edit(f); return nil })
		must(t, err)
	}
	change(func(f *core.FAQ) {
		f.Question = "几点开门"
		f.Answers = []string{"十点"}
		f.Tags = []string{"门店"}
	})
	found := d.find("几点开门")
	if len(found) != 1 || found[0].Chunk.FAQ.Answers[0] != "十点" || found[0].Document.Name != "几点开门" {
		t.Fatalf("after the change: %+v", found)
	}
	for _, c := range d.find("上班时间") {
		if c.Exact || c.Matched == "上班时间" {
			t.Errorf("the old question is found: %+v", c)
		}
	}
	change(func(f *core.FAQ) { f.Disabled = true })
	if len(d.find("几点开门")) > 0 {
		t.Error("a disabled entry is found")
	}
	list, total, err := d.FAQs(t.Context(), core.OwnerScope(), d.base.ID, FAQPage{Tag: "门店"})
	must(t, err)
	if total != 1 || !list[0].Disabled || list[0].ID != f.ID {
		t.Errorf("listed %d: %+v", total, list)
	}
	change(func(f *core.FAQ) { f.Disabled = false })
	if d.top("几点开门") == "" {
		t.Error("an entry that was enabled again is not found")
	}
	must(t, d.db.Activate(t.Context(), core.OwnerScope(), d.base.ID, 1))
	if d.top("上班时间") != "上班时间" {
		t.Error("the rollback does not bring the old question back")
	}
	must(t, d.DeleteFAQs(t.Context(), core.OwnerScope(), d.base.ID, []string{f.ID}))
	if len(d.find("几点开门"))+len(d.find("上班时间")) > 0 {
		t.Error("a deleted entry is found")
	}
	if _, err := d.FAQ(t.Context(), core.OwnerScope(), d.base.ID, f.ID); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a deleted entry is there: %v", err)
	}
}

func TestFAQListSearchesByPage(t *testing.T) {
	d := newDesk(t)
	for _, q := range []string{"Wi-Fi 密码", "打印机在哪", "咖啡机坏了"} {
		d.create(core.FAQEntry{Question: q, Answers: []string{"问 IT 部门 100%"}})
	}
	for query, want := range map[string]int{"": 3, "ＷＩＦＩ": 1, "it部门": 3, "打印 IT": 1, "咖啡機": 1, "_": 3, "没有": 0} {
		list, total, err := d.FAQs(t.Context(), core.OwnerScope(), d.base.ID, FAQPage{Query: query, Limit: 1})
		must(t, err)
		if total != want || len(list) != min(want, 1) {
			t.Errorf("%q: %d of %d, want %d", query, len(list), total, want)
		}
	}
}

func TestFAQEntriesAreChecked(t *testing.T) {
	d := newDesk(t)
	d.create(invoice())
	for name, c := range map[string]struct {
		entry core.FAQEntry
		code  core.Code
	}{
		"no question":                {core.FAQEntry{Question: "？", Answers: []string{"a"}}, core.CodeInvalid},
		"no answer":                  {core.FAQEntry{Question: "q", Answers: []string{" "}}, core.CodeInvalid},
		"strategy":                   {core.FAQEntry{Question: "q", Answers: []string{"a"}, Strategy: "some"}, core.CodeInvalid},
		"long question":              {core.FAQEntry{Question: strings.Repeat("q", maxQuestion+1), Answers: []string{"a"}}, core.CodeTooLarge},
		"both":                       {core.FAQEntry{Question: "q", Negative: []string{"Q?"}, Answers: []string{"a"}}, core.CodeInvalid},
		"same standard":              {core.FAQEntry{Question: "怎麼開發票", Answers: []string{"a"}}, core.CodeConflict},
		"another's similar":          {core.FAQEntry{Question: "如何申请发票？", Answers: []string{"a"}}, core.CodeConflict},
		"similar another's standard": {core.FAQEntry{Question: "q", Similar: []string{"怎么开发票"}, Answers: []string{"a"}}, core.CodeConflict},
	} {
		_, err := d.CreateFAQ(t.Context(), core.OwnerScope(), d.base.ID, core.FAQ{FAQEntry: c.entry})
		if core.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	f := d.create(core.FAQEntry{Question: "  两\n行 ", Similar: []string{"两行", "b", "B?"}, Answers: []string{" x\r\ny ", "x\ny"}})
	if f.Question != "两 行" || len(f.Similar) != 1 || len(f.Answers) != 1 || f.Answers[0] != "x\ny" || f.Strategy != core.AnswerAll {
		t.Errorf("tidied to %+v", f)
	}
}

// Entries of another tenant's base do not exist, and documents have no place
// among entries.
func TestFAQBasesAreGuarded(t *testing.T) {
	d := newDesk(t)
	f := d.create(invoice())
	stranger := core.OwnerScope()
	stranger.TenantID = "other"
	_, err := d.FAQ(t.Context(), stranger, d.base.ID, f.ID)
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("read by a stranger: %v", err)
	}
	if err := d.DeleteFAQs(t.Context(), stranger, d.base.ID, []string{f.ID}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("deleted by a stranger: %v", err)
	}
	if _, _, err := d.Add(t.Context(), core.OwnerScope(), AddRequest{Base: d.base.ID, Name: "a.txt", Content: strings.NewReader("x")}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a document was added: %v", err)
	}
	if _, _, err := d.FAQs(t.Context(), core.OwnerScope(), core.DefaultBaseName, FAQPage{}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("entries of a document base: %v", err)
	}
}

// Many questions of one entry fill the first lists; the search goes on until
// it has enough entries.
func TestSearchDeepensPastManyWordings(t *testing.T) {
	d := newDesk(t)
	var similar []string
	for i := range 120 {
		similar = append(similar, "密码 重置 办法 "+strings.Repeat("x", i+1))
	}
	d.create(core.FAQEntry{Question: "密码重置", Similar: similar, Answers: []string{"a"}})
	for _, q := range []string{"密码太长", "密码太短", "密码规则"} {
		d.create(core.FAQEntry{Question: q, Answers: []string{q}})
	}
	if found := d.find("密码重置办法"); len(found) != 4 {
		t.Errorf("found %d entries, want 4", len(found))
	}
}
