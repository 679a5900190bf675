package knowledge_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/fetch"
	"kaoju/internal/index"
	"kaoju/internal/index/embedded"
	"kaoju/internal/ingest"
	"kaoju/internal/knowledge"
	"kaoju/internal/llm/builtin"
	"kaoju/internal/parse"
	"kaoju/internal/retrieve"
	"kaoju/internal/store"
)

// office is the real editor, worker and engine over one folder.
type office struct {
	*knowledge.Service
	t        *testing.T
	db       *store.DB
	worker   *ingest.Worker
	searcher *retrieve.Searcher
}

func newOffice(t *testing.T) *office {
	t.Helper()
	db, err := store.Open(t.Context(), t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	e := embedded.New(db)
	w := ingest.New(ingest.Deps{Store: db, Parser: parse.New(nil), Index: e, Embedder: builtin.Embedder{}})
	must(t, w.Start(t.Context()))
	t.Cleanup(w.Close)
	o := &office{t: t, db: db, worker: w, searcher: &retrieve.Searcher{Engine: e, Embedder: builtin.Embedder{}, Chunks: db}}
	o.Service = knowledge.New(knowledge.Options{Store: db, Work: w, Index: e, Limit: 8 << 20, Indexer: knowledge.Indexer{Embedder: builtin.Embedder{}}, Parts: parse.New(nil)})
	return o
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func owner() core.Scope { return core.OwnerScope() }

func (o *office) add(folder, name, content string) core.Document {
	o.t.Helper()
	d, _, err := o.Add(o.t.Context(), owner(), knowledge.AddRequest{Base: core.DefaultBaseName, FolderID: folder, Name: name, Content: strings.NewReader(content)})
	must(o.t, err)
	o.settle(core.DefaultBaseName)
	return d
}

func (o *office) settle(base string) {
	o.t.Helper()
	for {
		changed := o.worker.Changed()
		p, err := o.worker.Progress(o.t.Context(), base)
		must(o.t, err)
		if p.Left() == 0 {
			return
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
			o.t.Fatalf("stuck at %+v", p)
		}
	}
}

// find gives the names of the documents that a search in the default base
// finds, narrowed by the target's filters.
func (o *office) find(question string, narrow index.Target) string {
	o.t.Helper()
	b, err := o.Base(o.t.Context(), owner(), core.DefaultBaseName)
	must(o.t, err)
	narrow.BaseID, narrow.Version = b.ID, b.ActiveVersion
	found, _, err := o.searcher.Search(o.t.Context(), retrieve.Request{Question: question, Targets: []index.Target{narrow}, Limit: 5})
	must(o.t, err)
	var names []string
	for _, f := range found {
		names = append(names, f.Document.Name)
	}
	return strings.Join(names, " ")
}

func ptr[T any](v T) *T { return &v }

// A document that is moved is found in its new folder only, at once.
func TestMoveRenameAndTag(t *testing.T) {
	o := newOffice(t)
	hr, err := o.CreateFolder(t.Context(), owner(), core.DefaultBaseName, "", "人事")
	must(t, err)
	inner, err := o.CreateFolder(t.Context(), owner(), core.DefaultBaseName, hr.ID, "假期")
	must(t, err)
	d := o.add("", "leave.md", "员工每年有十五天年假。")
	in := func(folder string) string {
		return o.find("年假有几天", index.Target{FolderIDs: []string{folder}})
	}
	if got := in(inner.ID); got != "" {
		t.Fatalf("before the move the folder has %q", got)
	}
	d, err = o.ChangeDocument(t.Context(), owner(), d.ID, knowledge.DocumentChange{FolderID: &inner.ID, Name: ptr("休假制度.md"), Tags: &[]string{"制度", " 制度", "2024"}})
	must(t, err)
	if d.Name != "休假制度.md" || d.Title != "休假制度" || d.FolderID != inner.ID || fmt.Sprint(d.Tags) != "[2024 制度]" {
		t.Errorf("changed to %+v", d)
	}
	if got := in(inner.ID); got != "休假制度.md" {
		t.Errorf("after the move the folder has %q", got)
	}
	below, err := o.FoldersBelow(t.Context(), []string{hr.ID})
	must(t, err)
	if got := o.find("年假有几天", index.Target{FolderIDs: below}); got != "休假制度.md" || len(below) != 2 {
		t.Errorf("from the folder above, %v, %q is found", below, got)
	}
	if got := o.find("休假制度", index.Target{}); got != "休假制度.md" {
		t.Errorf("by its new title %q is found", got)
	}
	tags, err := o.Tags(t.Context(), owner(), core.DefaultBaseName)
	must(t, err)
	if len(tags) != 2 || tags[0].Name != "2024" || tags[0].Documents != 1 {
		t.Errorf("tags %+v", tags)
	}
	if got := o.find("年假", index.Target{TagIDs: []string{tags[1].ID}}); got != "休假制度.md" {
		t.Errorf("by its tag %q is found", got)
	}
	for _, p := range []knowledge.DocumentPage{{FolderID: inner.ID}, {Tag: "制度"}, {State: core.DocumentReady}} {
		if list, n, err := o.FilteredDocuments(t.Context(), owner(), core.DefaultBaseName, p); err != nil || n != 1 || list[0].ID != d.ID {
			t.Errorf("%+v lists %d, %v", p, n, err)
		}
	}
	if _, n, _ := o.FilteredDocuments(t.Context(), owner(), core.DefaultBaseName, knowledge.DocumentPage{FolderID: "/"}); n != 0 {
		t.Errorf("%d documents are left at the top", n)
	}
}

func TestFolders(t *testing.T) {
	o := newOffice(t)
	make := func(parent, name string) core.Folder {
		t.Helper()
		f, err := o.CreateFolder(t.Context(), owner(), core.DefaultBaseName, parent, name)
		must(t, err)
		return f
	}
	a := make("", "a")
	b := make(a.ID, "b")
	c := make(b.ID, "c")
	code := func(_ any, err error) core.Code { return core.CodeOf(err) }
	ctx := t.Context()
	if got := code(o.ChangeFolder(ctx, owner(), core.DefaultBaseName, a.ID, knowledge.FolderChange{ParentID: &c.ID})); got != core.CodeConflict {
		t.Errorf("a folder moved into itself: %q", got)
	}
	make("", "c")
	if got := code(o.ChangeFolder(ctx, owner(), core.DefaultBaseName, c.ID, knowledge.FolderChange{ParentID: ptr("")})); got != core.CodeConflict {
		t.Errorf("a folder took a name that is taken: %q", got)
	}
	if got := code(o.ChangeFolder(ctx, owner(), core.DefaultBaseName, c.ID, knowledge.FolderChange{Name: ptr("d"), ParentID: ptr("")})); got != "" {
		t.Errorf("a folder could not be moved to the top: %q", got)
	}
	o.add(c.ID, "x.txt", "text")
	if err := o.DeleteFolder(ctx, owner(), core.DefaultBaseName, c.ID); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a folder with a document was deleted: %v", err)
	}
	if err := o.DeleteFolder(ctx, owner(), core.DefaultBaseName, a.ID); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a folder with a folder was deleted: %v", err)
	}
	must(t, o.DeleteFolder(ctx, owner(), core.DefaultBaseName, b.ID))
	must(t, o.DeleteFolder(ctx, owner(), core.DefaultBaseName, a.ID))
	if err := o.DeleteFolder(ctx, owner(), core.DefaultBaseName, a.ID); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("deleted twice: %v", err)
	}
}

// A disabled document is listed and found by nothing, in no version, until it
// is enabled again.
func TestDisableAndEnable(t *testing.T) {
	o := newOffice(t)
	d := o.add("", "a.txt", "鼓楼的开放时间是九点。")
	o.add("", "b.txt", "钟楼的开放时间是十点。")
	must(t, o.SetEnabled(t.Context(), owner(), core.DefaultBaseName, []string{d.ID}, false))
	if got := o.find("鼓楼几点开放", index.Target{}); got != "b.txt" {
		t.Errorf("found %q", got)
	}
	list, n, err := o.Documents(t.Context(), owner(), core.DefaultBaseName, 0, 0)
	must(t, err)
	if n != 2 || len(list) != 2 || list[1].State != core.DocumentDisabled {
		t.Errorf("listed %d: %+v", n, list)
	}
	must(t, o.db.Activate(t.Context(), owner(), core.DefaultBaseName, 2))
	if got := o.find("鼓楼几点开放", index.Target{}); got != "b.txt" {
		t.Errorf("after a rollback %q is found", got)
	}
	must(t, o.SetEnabled(t.Context(), owner(), core.DefaultBaseName, []string{d.ID}, true))
	if got := o.find("鼓楼几点开放", index.Target{}); !strings.HasPrefix(got, "a.txt") {
		t.Errorf("enabled again, %q is found", got)
	}
	if err := o.SetEnabled(t.Context(), owner(), core.DefaultBaseName, []string{"none"}, true); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a document that is not there: %v", err)
	}
}

// Reading again takes the place of what was read before; copying to where the
// content is already is refused.
func TestReparseAndCopy(t *testing.T) {
	o := newOffice(t)
	d := o.add("", "a.txt", "鼓楼的开放时间是九点。")
	_, err := o.ChangeDocument(t.Context(), owner(), d.ID, knowledge.DocumentChange{Tags: &[]string{"楼"}})
	must(t, err)
	again, err := o.Reparse(t.Context(), owner(), d.ID, false)
	must(t, err)
	o.settle(core.DefaultBaseName)
	list, n, err := o.FilteredDocuments(t.Context(), owner(), core.DefaultBaseName, knowledge.DocumentPage{Tag: "楼"})
	must(t, err)
	if n != 1 || list[0].ID != again.ID || again.ID == d.ID {
		t.Errorf("listed %+v", list)
	}
	if got := o.find("鼓楼几点开放", index.Target{}); got != "a.txt" {
		t.Errorf("found %q", got)
	}
	if _, err := o.Copy(t.Context(), owner(), again.ID, core.DefaultBaseName, ""); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("copied onto itself: %v", err)
	}
	b, err := o.CreateBase(t.Context(), owner(), knowledge.NewBase{Name: "second"})
	must(t, err)
	copied, err := o.Copy(t.Context(), owner(), again.ID, b.ID, "")
	must(t, err)
	o.settle(b.ID)
	must(t, o.Delete(t.Context(), owner(), again.ID)) // the copy keeps the original
	_, data, err := o.Original(t.Context(), owner(), copied.ID)
	must(t, err)
	if string(data) != "鼓楼的开放时间是九点。" {
		t.Errorf("the copy holds %q", data)
	}
}

// Deleting 20,000 passages keeps no transaction for long; what is deleted is
// gone from the first step on, also for who asks between two steps.
func TestDeleteMany(t *testing.T) {
	o := newOffice(t)
	keep := o.add("", "keep.txt", "钟楼的开放时间是十点。")
	var b strings.Builder
	for i := range 1300 {
		fmt.Fprintf(&b, "第%d条：鼓楼编号%d的开放时间是九点。%s\n\n", i, i, strings.Repeat("参观须知", 60))
	}
	d := o.add("", "big.txt", b.String())
	if d, _ = o.Document(t.Context(), owner(), d.ID); d.Chunks < 1100 {
		t.Fatalf("the document has %d passages only", d.Chunks)
	}
	must(t, o.DeleteMany(t.Context(), owner(), core.DefaultBaseName, []string{d.ID}))
	if got := o.find("鼓楼编号1299的开放时间", index.Target{}); got != "keep.txt" {
		t.Errorf("found %q", got)
	}
	if err := o.DeleteMany(t.Context(), owner(), core.DefaultBaseName, []string{keep.ID, d.ID}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("deleted twice: %v", err)
	}
	if _, err := o.Document(context.WithoutCancel(t.Context()), owner(), keep.ID); err != nil {
		t.Errorf("a batch that cannot be deleted lost a document: %v", err)
	}
}

// lines are a document's passages as they are listed.
func (o *office) lines(id string) []core.Chunk {
	o.t.Helper()
	list, err := o.Chunks(o.t.Context(), owner(), id, 0, 0)
	must(o.t, err)
	return list
}

// An edited passage is found at once under its new text and no more under its
// old one; its parent, which answers are written from, says the same; and any
// revision can be had back.
func TestEditPassages(t *testing.T) {
	o := newOffice(t)
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "第%d条：%s\n\n", i, strings.Repeat("参观者须在入口处出示证件。", 12))
	}
	b.WriteString("鼓楼的开放时间是九点整。")
	d := o.add("", "a.txt", b.String())
	before := o.lines(d.ID)
	last := before[len(before)-1]
	edited, err := o.EditChunk(t.Context(), owner(), last.ID, strings.Replace(last.Content, "九点整", "十点半", 1))
	must(t, err)
	after := o.lines(d.ID)
	if len(after) != len(before) || after[len(after)-1].ID != edited.ID || edited.ID == last.ID {
		t.Fatalf("%d passages became %d", len(before), len(after))
	}
	parents, err := o.db.ChunksByID(t.Context(), []string{edited.ParentID})
	must(t, err)
	if len(parents) != 1 || !strings.Contains(parents[0].Content, "十点半") || strings.Contains(parents[0].Content, "九点整") {
		t.Errorf("the parent is %+v", parents)
	}
	for _, c := range after {
		if strings.Contains(c.Content, "九点整") {
			t.Error("the old text is listed")
		}
	}
	found, _, err := o.searcher.Search(t.Context(), retrieve.Request{Question: "鼓楼十点半开放", Limit: 1, Targets: []index.Target{{BaseID: core.DefaultBaseName, Version: 2}}})
	must(t, err)
	if len(found) != 1 || found[0].Chunk.ID != edited.ID {
		t.Errorf("found %+v", found)
	}
	if _, err := o.EditChunk(t.Context(), owner(), last.ID, "late"); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a passage that was replaced could be edited: %v", err)
	}
	revisions, err := o.Revisions(t.Context(), owner(), edited.ID)
	must(t, err)
	if len(revisions) != 2 || !revisions[0].Current || revisions[1].ChunkID != last.ID || revisions[0].UserID != core.OwnerUserID || revisions[1].UserID != "" {
		t.Fatalf("revisions %+v", revisions)
	}
	// Of a passage that stood beside the edited one nothing was revised.
	if beside := after[len(after)-2]; beside.ParentID == edited.ParentID {
		if list, err := o.Revisions(t.Context(), owner(), beside.ID); err != nil || len(list) != 1 || list[0].UserID != "" || !list[0].Current || list[0].ChunkID != beside.ID {
			t.Errorf("revisions of a passage that nobody edited: %+v, %v", list, err)
		}
	} else {
		t.Error("no passage stands beside the edited one")
	}
	back, err := o.Revert(t.Context(), owner(), last.ID)
	must(t, err)
	if back.Content != last.Content {
		t.Errorf("reverted to %q", back.Content)
	}
	if revisions, err = o.Revisions(t.Context(), owner(), back.ID); err != nil || len(revisions) != 3 {
		t.Errorf("revisions %+v, %v", revisions, err)
	}
}

func TestAddAndRemovePassages(t *testing.T) {
	o := newOffice(t)
	d := o.add("", "a.txt", "钟楼的开放时间是十点。")
	added, err := o.AddChunk(t.Context(), owner(), d.ID, " 鼓楼周一闭馆。\x00 ")
	must(t, err)
	if got := o.find("鼓楼周一闭馆", index.Target{}); !strings.HasPrefix(got, "a.txt") {
		t.Errorf("found %q", got)
	}
	if list := o.lines(d.ID); len(list) != 2 || list[1].Content != "鼓楼周一闭馆。" {
		t.Errorf("listed %+v", list)
	}
	_, err = o.EditChunk(t.Context(), owner(), added.ID, "")
	must(t, err)
	if list := o.lines(d.ID); len(list) != 1 {
		t.Errorf("listed %+v", list)
	}
	if _, err := o.Revert(t.Context(), owner(), added.ID); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a passage that was taken out: %v", err)
	}
	for content, code := range map[string]core.Code{" ": core.CodeEmpty, strings.Repeat("x", 10_001): core.CodeTooLarge} {
		if _, err := o.AddChunk(t.Context(), owner(), d.ID, content); core.CodeOf(err) != code {
			t.Errorf("%.10q: %v", content, err)
		}
	}
	stranger := core.Scope{TenantID: "other"}
	if _, err := o.EditChunk(t.Context(), stranger, added.ID, "x"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("edited by a stranger: %v", err)
	}
}

type pages map[string]fetch.Page

func (p pages) Get(_ context.Context, address string) (fetch.Page, error) { return p[address], nil }

// A page is a document whose source is its address; fetched again it takes the
// old one's place.
func TestAddURL(t *testing.T) {
	o := newOffice(t)
	if _, _, err := o.AddURL(t.Context(), owner(), core.DefaultBaseName, "", "https://example.org/a"); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("not switched on: %v", err)
	}
	const address = "https://example.org/a"
	for _, body := range []string{"<p>鼓楼九点开放。</p>", "<p>鼓楼十点开放。</p>"} {
		k := knowledge.New(knowledge.Options{
			Store: o.db, Work: o.worker, Index: o.searcher.Engine.(*embedded.Engine), Limit: 1 << 20,
			Pages: pages{address: {URL: address, Name: "a.html", Body: []byte(body)}},
		})
		d, added, err := k.AddURL(t.Context(), owner(), core.DefaultBaseName, "", address)
		must(t, err)
		if !added || d.Source != address || d.Name != "a.html" {
			t.Errorf("added %v: %+v", added, d)
		}
		o.settle(core.DefaultBaseName)
	}
	if list, n, err := o.Documents(t.Context(), owner(), core.DefaultBaseName, 0, 0); err != nil || n != 1 || !strings.Contains(o.lines(list[0].ID)[0].Content, "十点") {
		t.Errorf("listed %d: %+v, %v", n, list, err)
	}
}

// A47: a preview is what is stored, under the base's settings and under the
// server's, and settings hold for what is read from then on.
func TestPreviewIsWhatIsStored(t *testing.T) {
	o := newOffice(t)
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "# 第%d章\n\n%s\n\n", i, strings.Repeat("参观者须在入口处出示证件，然后登记。", i))
	}
	content := b.String()
	counts := map[int]bool{}
	for i, c := range []core.Chunking{{}, {Size: 100, Overlap: -1}, {Size: 1000, Parent: 3000},
		{Size: 60, Separators: []string{"\n", "，"}}, {Size: 3000, HeadingLevel: -1}, {Size: 50, Overlap: -1, Rows: core.RowsOfAll}} {
		_, err := o.ChangeBase(t.Context(), owner(), core.DefaultBaseName, knowledge.BaseChange{Chunking: &c})
		must(t, err)
		content += fmt.Sprint(i) // else it is the same document
		p, err := o.Preview(t.Context(), owner(), core.DefaultBaseName, knowledge.PreviewFile{Name: "a.md", Data: []byte(content)}, nil)
		must(t, err)
		stored := o.lines(o.add("", "a.md", content).ID)
		if len(stored) != p.Total || len(p.Passages) != min(p.Total, 200) {
			t.Fatalf("%+v: %d previewed, %d stored", c, p.Total, len(stored))
		}
		for k, want := range p.Passages {
			if got := stored[k]; got.Content != want.Content || got.Start != want.Start || got.End != want.End || got.Index != want.Index {
				t.Fatalf("%+v: passage %d is %+v, previewed %+v", c, k, got, want)
			}
		}
		counts[p.Total] = true
	}
	if len(counts) != 6 {
		t.Errorf("six settings gave %v passages", counts)
	}
	for _, c := range []core.Chunking{{Size: 5}, {Overlap: -2}, {Parent: 1 << 20}, {HeadingLevel: 7}, {Rows: "some"}, {Separators: []string{""}},
		{Separators: []string{strings.Repeat("=", 51)}}, {Separators: make([]string, 11)}} {
		if _, err := o.ChangeBase(t.Context(), owner(), core.DefaultBaseName, knowledge.BaseChange{Chunking: &c}); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := o.ChangeBase(t.Context(), owner(), core.DefaultBaseName, knowledge.BaseChange{Name: ptr("手册")}); err != nil {
		t.Error(err)
	}
}
