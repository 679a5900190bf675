package wiki_test

import (
	"archive/zip"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/index/embedded"
	"kaoju/internal/knowledge"
	"kaoju/internal/llm/builtin"
	"kaoju/internal/parse"
	"kaoju/internal/retrieve"
	"kaoju/internal/store"
	"kaoju/internal/wiki"
)

// calls is a worker that nobody needs.
type calls struct{}

func (calls) Wake()         {}
func (calls) Cancel(string) {}
func (calls) Reembed()      {}

// desk is a service over a real store and engine with a wiki base.
type desk struct {
	*wiki.Service
	t      *testing.T
	db     *store.DB
	engine *embedded.Engine
	desk   *knowledge.Service
	base   core.KnowledgeBase
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	db, err := store.Open(t.Context(), t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	e := embedded.New(db)
	x := knowledge.Indexer{Embedder: builtin.Embedder{}}
	k := knowledge.New(knowledge.Options{Store: db, Work: calls{}, Index: e, Limit: 1 << 20, Indexer: x})
	d := &desk{t: t, db: db, engine: e, desk: k, Service: wiki.New(wiki.Options{
		Store: db, Index: e, Reader: parse.New(nil), Remover: k, Indexer: x,
	})}
	d.base, err = k.CreateBase(t.Context(), core.OwnerScope(), knowledge.NewBase{Name: "手册", Kind: core.BaseWiki})
	must(t, err)
	return d
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (d *desk) create(slug, content string) core.WikiPage {
	d.t.Helper()
	p, err := d.Create(d.t.Context(), core.OwnerScope(), d.base.ID, wiki.Draft{Slug: slug, Content: content})
	must(d.t, err)
	return p
}

func (d *desk) page(slug string) core.WikiPage {
	d.t.Helper()
	p, err := d.Page(d.t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: slug})
	must(d.t, err)
	return p
}

func (d *desk) change(p core.WikiPage, c wiki.Change) core.WikiPage {
	d.t.Helper()
	p, err := d.Change(d.t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: p.ID}, p.Revision, c)
	must(d.t, err)
	return p
}

// find gives the titles of the pages that a question finds in the active
// version, best first, and checks that what is found are passages of pages.
func (d *desk) find(question string) []string {
	d.t.Helper()
	b, err := d.desk.Base(d.t.Context(), core.OwnerScope(), d.base.ID)
	must(d.t, err)
	s := &retrieve.Searcher{Engine: d.engine, Embedder: builtin.Embedder{}, Chunks: d.db}
	found, _, err := s.Search(d.t.Context(), retrieve.Request{
		Question: question, Limit: 10, Targets: []index.Target{{BaseID: b.ID, Version: b.ActiveVersion}},
	})
	must(d.t, err)
	var titles []string
	for _, f := range found {
		if f.Chunk.Type != core.ChunkWikiPage {
			d.t.Errorf("a passage of type %s was found", f.Chunk.Type)
		}
		docs, err := d.db.DocumentsByID(d.t.Context(), []string{f.Chunk.DocumentID})
		must(d.t, err)
		if len(docs) == 1 && !slices.Contains(titles, docs[0].Title) {
			titles = append(titles, docs[0].Title)
		}
	}
	return titles
}

func (d *desk) finds(question, title string) bool { return slices.Contains(d.find(question), title) }

func ptr[T any](v T) *T { return &v }

// A page is found as soon as it is saved, by its text, its aliases and its
// summary; a change, an archive and a deletion count at once.
func TestPageIsSearchableAtOnce(t *testing.T) {
	d := newDesk(t)
	p, err := d.Create(t.Context(), core.OwnerScope(), d.base.Name, wiki.Draft{
		Title: "年假制度", Aliases: []string{"带薪休假"}, Summary: "员工休假天数的规定。",
		Content: "# 年假制度\n\n工作满一年的员工每年有 5 天年假，见 [[病假|病假规定]]。",
	})
	must(t, err)
	if p.Slug != "年假制度" || p.Revision != 1 || p.Author != core.WikiByPerson || p.Type != core.WikiTypePage {
		t.Errorf("made %+v", p)
	}
	for _, q := range []string{"工作满一年有几天年假", "带薪休假", "病假规定"} {
		if !d.finds(q, "年假制度") {
			t.Errorf("%s finds %v", q, d.find(q))
		}
	}
	p = d.change(p, wiki.Change{Content: ptr("加班可以换取调休，不再另算。")})
	if !d.finds("加班换取调休", "年假制度") || d.finds("工作满一年", "年假制度") && strings.Contains(p.Content, "一年") {
		t.Errorf("after the change: %v", d.find("加班换取调休"))
	}
	p = d.change(p, wiki.Change{Status: ptr(core.WikiArchived)})
	if d.finds("加班换取调休", "年假制度") {
		t.Error("an archived page is found")
	}
	p = d.change(p, wiki.Change{Status: ptr(core.WikiPublished)})
	if !d.finds("加班换取调休", "年假制度") {
		t.Error("a page that is published again is not found")
	}
	must(t, d.Delete(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: p.Slug}))
	if d.finds("加班换取调休", "年假制度") {
		t.Error("a deleted page is found")
	}
	if _, err := d.Page(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: p.ID}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a deleted page is read: %v", err)
	}
	if again := d.create("年假制度", "新的"); again.Revision != 1 {
		t.Errorf("the slug of a deleted page is not free: %+v", again)
	}
}

// Two who change the same revision: the second is told, and nothing is lost.
func TestChangeOfAnOldRevisionConflicts(t *testing.T) {
	d := newDesk(t)
	p := d.create("a", "first")
	d.change(p, wiki.Change{Content: ptr("second")})
	_, err := d.Change(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: "a"}, p.Revision, wiki.Change{Content: ptr("third")})
	if core.CodeOf(err) != core.CodeConflict {
		t.Fatalf("got %v", err)
	}
	if now := d.page("a"); now.Content != "second" || now.Revision != 2 {
		t.Errorf("the page says %q at %d", now.Content, now.Revision)
	}
}

func TestHistoryAndRevert(t *testing.T) {
	d := newDesk(t)
	p := d.create("a", "the rate is 3 percent")
	p = d.change(p, wiki.Change{Content: ptr("the rate is 4 percent"), Note: "as of May"})
	list, total, err := d.Revisions(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: "a"}, 0, 0)
	must(t, err)
	if total != 2 || !list[0].Current || list[0].Note != "as of May" || list[0].UserID != core.OwnerUserID || list[1].Number != 1 || list[0].CreatedAt.IsZero() {
		t.Errorf("history %+v", list)
	}
	p, err = d.Revert(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: "a"}, 1, p.Revision)
	must(t, err)
	if p.Content != "the rate is 3 percent" || p.Revision != 3 {
		t.Errorf("reverted to %+v", p)
	}
	if _, err := d.Revert(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: "a"}, 1, 2); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a revert on an old revision: %v", err)
	}
	if err := d.Dismiss(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: "a"}, 1); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("history was dismissed: %v", err)
	}
	r, err := d.Revision(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: "a"}, 2)
	if err != nil || r.Content != "the rate is 4 percent" || r.Current {
		t.Errorf("revision 2: %+v, %v", r, err)
	}
}

func TestLinksBacklinksAndBrokenOnes(t *testing.T) {
	d := newDesk(t)
	a := d.create("a", "See [[b]], [[Holiday Rules|the rules]] and [[nowhere]]. `[[code]]`\n```\n[[fenced]]\n```")
	d.create("b", "Back to [[a|A]].")
	_, err := d.Create(t.Context(), core.OwnerScope(), d.base.ID, wiki.Draft{Slug: "leave/holidays", Title: "Holiday rules", Content: "x"})
	must(t, err)
	l, err := d.LinksOf(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: "a"})
	must(t, err)
	var got []string
	for _, o := range l.Out {
		got = append(got, o.Slug+"="+o.Text+"="+o.Title)
	}
	if want := "b=b=b leave/holidays=the rules=Holiday rules nowhere=nowhere="; strings.Join(got, " ") != want {
		t.Errorf("links out: %s", strings.Join(got, " "))
	}
	if len(l.In) != 1 || l.In[0].Slug != "b" || l.In[0].PageID == a.ID {
		t.Errorf("links in: %+v", l.In)
	}
	if in, _ := d.LinksOf(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: "leave/holidays"}); len(in.In) != 1 || in.In[0].Slug != "a" {
		t.Errorf("links by title: %+v", in)
	}
	broken, err := d.Broken(t.Context(), core.OwnerScope(), d.base.ID)
	if err != nil || len(broken) != 1 || broken[0].Slug != "nowhere" || broken[0].PageID != a.ID {
		t.Errorf("broken: %+v, %v", broken, err)
	}
	if named := d.page("Holiday Rules"); named.Slug != "leave/holidays" {
		t.Errorf("by its title: %+v", named)
	}
}

// A new slug takes the links of other pages along, their text as it was shown,
// and tells their history.
func TestRenameUpdatesLinks(t *testing.T) {
	d := newDesk(t)
	a := d.create("leave", "Myself: [[leave]].")
	d.create("b", "See [[leave]], [[Leave]], [[leave|the rules]] and [[other]].")
	d.create("c", "No link: `[[leave]]`.")
	a = d.change(a, wiki.Change{Slug: ptr("hr/leave")})
	if a.Slug != "hr/leave" || a.Content != "Myself: [[hr/leave]]." {
		t.Errorf("renamed %+v", a)
	}
	b := d.page("b")
	if want := "See [[hr/leave]], [[hr/leave|Leave]], [[hr/leave|the rules]] and [[other]]."; b.Content != want || b.Revision != 2 {
		t.Errorf("b is at %d: %s", b.Revision, b.Content)
	}
	if c := d.page("c"); c.Revision != 1 {
		t.Errorf("c was changed: %s", c.Content)
	}
	if _, err := d.Change(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: "b"}, 2, wiki.Change{Slug: ptr("c")}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a slug that is taken: %v", err)
	}
	if l, _ := d.LinksOf(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: "hr/leave"}); len(l.In) != 1 {
		t.Errorf("links in after the rename: %+v", l.In)
	}
}

func TestWhatCannotBeAPage(t *testing.T) {
	d := newDesk(t)
	for name, c := range map[string]struct {
		draft wiki.Draft
		code  core.Code
	}{
		"nothing":        {wiki.Draft{}, core.CodeInvalid},
		"a slug of dots": {wiki.Draft{Slug: "../..", Title: "x"}, core.CodeInvalid},
		"a shouted slug": {wiki.Draft{Slug: "Big Page", Title: "x"}, core.CodeInvalid},
		"a type":         {wiki.Draft{Title: "x", Type: "poem"}, core.CodeInvalid},
		"a status":       {wiki.Draft{Title: "x", Status: "gone"}, core.CodeInvalid},
		"a long text":    {wiki.Draft{Title: "x", Content: strings.Repeat("字", wiki.MaxContent+1)}, core.CodeTooLarge},
		"a long title":   {wiki.Draft{Title: strings.Repeat("t", 201)}, core.CodeTooLarge},
	} {
		if _, err := d.Create(t.Context(), core.OwnerScope(), d.base.ID, c.draft); core.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Create(t.Context(), core.OwnerScope(), "default", wiki.Draft{Title: "x"}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a page in a base of documents: %v", err)
	}
	d.create("x", "")
	if _, err := d.Create(t.Context(), core.OwnerScope(), d.base.ID, wiki.Draft{Slug: "x"}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a slug that is taken: %v", err)
	}
}

// Another tenant's wiki does not exist.
func TestScope(t *testing.T) {
	d := newDesk(t)
	d.create("a", "secret")
	other := core.Scope{TenantID: "other", UserID: "u"}
	if _, err := d.Page(t.Context(), other, wiki.At{Base: d.base.ID, Page: "a"}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("read: %v", err)
	}
	if _, err := d.Change(t.Context(), other, wiki.At{Base: d.base.ID, Page: "a"}, 1, wiki.Change{Content: ptr("x")}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("change: %v", err)
	}
	if err := d.Delete(t.Context(), other, wiki.At{Base: d.base.ID, Page: "a"}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("delete: %v", err)
	}
}

// What only files can have done to them is refused for pages, with a word on
// where pages are changed.
func TestDocumentsAPIOnAWiki(t *testing.T) {
	d := newDesk(t)
	p := d.create("a", "text of the page")
	scope, ctx := core.OwnerScope(), t.Context()
	chunks, err := d.desk.Chunks(ctx, scope, p.ID, 0, 10)
	if err != nil || len(chunks) == 0 {
		t.Fatalf("chunks %v, %v", chunks, err)
	}
	for name, act := range map[string]func() error{
		"add": func() error {
			_, _, err := d.desk.Add(ctx, scope, knowledge.AddRequest{Base: d.base.ID, Name: "a.md", Content: strings.NewReader("x")})
			return err
		},
		"rename": func() error {
			_, err := d.desk.ChangeDocument(ctx, scope, p.ID, knowledge.DocumentChange{Name: ptr("b")})
			return err
		},
		"reparse": func() error { _, err := d.desk.Reparse(ctx, scope, p.ID, false); return err },
		"copy":    func() error { _, err := d.desk.Copy(ctx, scope, p.ID, "default", ""); return err },
		"edit":    func() error { _, err := d.desk.EditChunk(ctx, scope, chunks[0].ID, "x"); return err },
		"append":  func() error { _, err := d.desk.AddChunk(ctx, scope, p.ID, "x"); return err },
		"disable": func() error { return d.desk.SetEnabled(ctx, scope, d.base.ID, []string{p.ID}, false) },
	} {
		if err := act(); core.CodeOf(err) != core.CodeConflict || !strings.Contains(err.Error(), "wiki") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !d.finds("text of the page", "a") {
		t.Error("the page is gone")
	}
}

func TestListIsSearchedByWords(t *testing.T) {
	d := newDesk(t)
	d.create("hr/leave", "Fünf days of 年假.")
	d.create("it/vpn", "Five steps.")
	_, err := d.Create(t.Context(), core.OwnerScope(), d.base.ID, wiki.Draft{Slug: "it/draft", Title: "x", Status: core.WikiDraft})
	must(t, err)
	for name, c := range map[string]struct {
		filter wiki.Filter
		want   string
	}{
		"all":     {wiki.Filter{}, "hr/leave it/draft it/vpn"},
		"words":   {wiki.Filter{Query: "DAYS 年假"}, "hr/leave"},
		"percent": {wiki.Filter{Query: "%"}, "hr/leave it/draft it/vpn"},
		"prefix":  {wiki.Filter{Prefix: "it/"}, "it/draft it/vpn"},
		"status":  {wiki.Filter{Status: core.WikiDraft}, "it/draft"},
		"page":    {wiki.Filter{Offset: 1, Limit: 1}, "it/draft"},
		"none":    {wiki.Filter{Type: core.WikiTypeEntity}, ""},
	} {
		list, _, err := d.Pages(t.Context(), core.OwnerScope(), d.base.ID, c.filter)
		must(t, err)
		var slugs []string
		for _, p := range list {
			slugs = append(slugs, p.Slug)
			if p.Content != "" {
				t.Error("a list holds the text")
			}
		}
		if got := strings.Join(slugs, " "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What is exported comes back as it was, and an import of it changes nothing.
func TestExportAndImportRoundTrip(t *testing.T) {
	d := newDesk(t)
	p, err := d.Create(t.Context(), core.OwnerScope(), d.base.ID, wiki.Draft{
		Slug: "hr/年假", Title: "年假: \"all\"", Summary: "two\nlines", Aliases: []string{"holiday"}, Status: core.WikiDraft,
		Type: core.WikiTypeConcept, Content: "---\nnot a head\n\n[[hr/b|x]]",
	})
	must(t, err)
	var archive bytes.Buffer
	must(t, d.Export(t.Context(), core.OwnerScope(), d.base.ID, &archive))
	r, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	must(t, err)
	f, err := r.File[0].Open()
	must(t, err)
	data, err := io.ReadAll(f)
	must(t, err)
	file := wiki.File{Name: r.File[0].Name, Content: string(data)}
	if _, did, err := d.PutFile(t.Context(), core.OwnerScope(), d.base.ID, file, ""); err != nil || did != "unchanged" {
		t.Errorf("%s: %s, %v", data, did, err)
	}
	must(t, d.Delete(t.Context(), core.OwnerScope(), wiki.At{Base: d.base.ID, Page: p.ID}))
	again, did, err := d.PutFile(t.Context(), core.OwnerScope(), d.base.ID, file, "")
	if err != nil || did != "added" || again.Title != p.Title || again.Content != p.Content || again.Summary != p.Summary ||
		again.Status != p.Status || again.Type != p.Type || strings.Join(again.Aliases, "") != "holiday" || again.Slug != p.Slug {
		t.Errorf("%s: %+v, %v", did, again, err)
	}
}

func TestFilesOfOtherToolsBecomePages(t *testing.T) {
	d := newDesk(t)
	p, _, err := d.PutFile(t.Context(), core.OwnerScope(), d.base.ID, wiki.File{
		Name: "Guides/Getting Started.md", Content: "---\nlayout: page\ntags: [a]\n---\n# Welcome\nSee [setup](../Setup%20Guide.md), [VPN](vpn.md#top) and [out](https://e.org/a.md).",
	}, "import")
	must(t, err)
	if p.Slug != "guides/getting-started" || p.Title != "Welcome" || !strings.Contains(p.Content, "[[guides/vpn|VPN]]") || !strings.Contains(p.Content, "(https://e.org/a.md)") {
		t.Errorf("%+v", p)
	}
	if _, _, err := d.PutFile(t.Context(), core.OwnerScope(), d.base.ID, wiki.File{Name: "a.md", Content: "---\ntitle: [\n---\nx"}, ""); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("a broken head: %v", err)
	}
}

func FuzzLinks(f *testing.F) {
	for _, s := range []string{"[[a]]", "[[a|b]] `[[c]]`", "```\n[[x]]\n", "[[[[a]]]]", "[^1]", "[a](b.md)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, l := range wiki.LinksIn(s) {
			if l.Slug != wiki.Slug(l.Slug) {
				t.Errorf("the slug %q reads as %q", l.Slug, wiki.Slug(l.Slug))
			}
		}
		wiki.Plain(s)
		if again := wiki.Relink(s, "\x00", "b"); again != s {
			t.Errorf("%q became %q", s, again)
		}
	})
}
