package knowledge_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/knowledge"
	"kaoju/internal/retrieve"
)

// ranking gives what a search in a base finds, in order. Scores may differ a bit: older
// versions and disabled documents still count in the frequencies of words.
func (o *office) ranking(base, question string) []string {
	o.t.Helper()
	b, err := o.Base(o.t.Context(), owner(), base)
	must(o.t, err)
	found, _, err := o.searcher.Search(o.t.Context(), retrieve.Request{Question: question,
		Targets: []index.Target{{BaseID: b.ID, Version: b.ActiveVersion}}, Limit: 10})
	must(o.t, err)
	var list []string
	for _, f := range found {
		list = append(list, f.Document.Name+" "+f.Chunk.Content)
	}
	return list
}

func (o *office) exported(base string) []byte {
	o.t.Helper()
	var file bytes.Buffer
	must(o.t, o.ExportBase(o.t.Context(), owner(), base, &file))
	return file.Bytes()
}

// A base that is exported and imported beside itself is found alike, with its
// folders, tags, edits, originals and what was disabled.
func TestExportAndImportABase(t *testing.T) {
	o := newOffice(t)
	folder, err := o.CreateFolder(t.Context(), owner(), core.DefaultBaseName, "", "人事")
	must(t, err)
	for i := range 12 {
		o.add("", fmt.Sprint("doc", i, ".md"), fmt.Sprintf("# 规定%d\n\n员工每年有%d天年假。\n\n报销须在%d日内提交。", i, i+5, i+30))
	}
	d := o.add(folder.ID, "leave.md", "病假需要医院证明。")
	_, err = o.ChangeDocument(t.Context(), owner(), d.ID, knowledge.DocumentChange{Tags: ptr([]string{"假期"})})
	must(t, err)
	chunks, err := o.Chunks(t.Context(), owner(), d.ID, 0, 10)
	must(t, err)
	_, err = o.EditChunk(t.Context(), owner(), chunks[0].ID, "病假三天以上需要医院证明。")
	must(t, err)
	off := o.add("", "old.md", "已经作废的规定，年假一天。")
	must(t, o.SetEnabled(t.Context(), owner(), core.DefaultBaseName, []string{off.ID}, false))

	file := o.exported(core.DefaultBaseName)
	dry, err := o.ImportBase(t.Context(), owner(), knowledge.BaseImport{Content: bytes.NewReader(file), DryRun: true})
	must(t, err)
	if dry.Documents != 14 || dry.Originals != 14 || !dry.DryRun || dry.Embedding != "kept" {
		t.Errorf("the dry run says %+v", dry)
	}
	if list, _ := o.Bases(t.Context(), owner()); len(list) != 1 {
		t.Errorf("after the dry run there are %d bases", len(list))
	}
	r, err := o.ImportBase(t.Context(), owner(), knowledge.BaseImport{Content: bytes.NewReader(file)})
	must(t, err)
	if r.Base.Name != "default (2)" || r.Base.Documents != 13 || r.Counts != dry.Counts {
		t.Errorf("imported %+v", r)
	}
	for _, q := range []string{"年假有几天", "病假要什么证明", "报销什么时候提交", "已经作废的规定"} {
		before, after := o.ranking(core.DefaultBaseName, q), o.ranking(r.Base.ID, q)
		if len(before) == 0 || !slices.Equal(before, after) {
			t.Errorf("%s:\nbefore %q\nafter  %q", q, before, after)
		}
	}
	list, _, err := o.FilteredDocuments(t.Context(), owner(), r.Base.ID, knowledge.DocumentPage{Tag: "假期"})
	must(t, err)
	if len(list) != 1 || list[0].ID == d.ID || list[0].FolderID == "" || list[0].FolderID == folder.ID {
		t.Fatalf("by the tag: %+v", list)
	}
	chunks, err = o.Chunks(t.Context(), owner(), list[0].ID, 0, 10)
	must(t, err)
	revisions, err := o.Revisions(t.Context(), owner(), chunks[0].ID)
	must(t, err)
	if len(revisions) != 2 || revisions[1].Content != "病假需要医院证明。" {
		t.Errorf("revisions are %+v", revisions)
	}
	if _, data, err := o.Original(t.Context(), owner(), list[0].ID); err != nil || string(data) != "病假需要医院证明。" {
		t.Errorf("the original is %q, %v", data, err)
	}
	disabled, _, err := o.FilteredDocuments(t.Context(), owner(), r.Base.ID, knowledge.DocumentPage{State: core.DocumentDisabled})
	must(t, err)
	must(t, o.SetEnabled(t.Context(), owner(), r.Base.ID, []string{disabled[0].ID}, true))
	if got := strings.Join(o.ranking(r.Base.ID, "已经作废的规定"), " "); !strings.Contains(got, "old.md") {
		t.Errorf("enabled again, the search finds %s", got)
	}
}

// FAQ entries come along, and are looked up like those they came from.
func TestExportAndImportAnFAQBase(t *testing.T) {
	o := newOffice(t)
	b, err := o.CreateBase(t.Context(), owner(), knowledge.NewBase{Name: "faq", Kind: core.BaseFAQ})
	must(t, err)
	entries := []core.FAQEntry{{Question: "怎么请假？", Similar: []string{"如何休假"}, Answers: []string{"在系统里申请。"}}}
	for _, e := range entries {
		_, err := o.CreateFAQ(t.Context(), owner(), b.ID, core.FAQ{FAQEntry: e, Tags: []string{"人事"}})
		must(t, err)
	}
	r, err := o.ImportBase(t.Context(), owner(), knowledge.BaseImport{Content: bytes.NewReader(o.exported("faq")), Name: "copy"})
	must(t, err)
	var before, after bytes.Buffer
	must(t, o.ExportFAQ(t.Context(), owner(), b.ID, "json", &before))
	must(t, o.ExportFAQ(t.Context(), owner(), r.Base.ID, "json", &after))
	if before.String() != after.String() {
		t.Errorf("before %s\nafter %s", before.String(), after.String())
	}
}

// A file that is wrong somewhere leaves nothing, not even its originals.
func TestBrokenImportLeavesNothing(t *testing.T) {
	o := newOffice(t)
	for i := range 5 {
		o.add("", fmt.Sprint(i), fmt.Sprint("文件", i))
	}
	file := o.exported(core.DefaultBaseName)
	other := newOffice(t)
	for _, cut := range []int{10, len(file) / 2, len(file) - 40} {
		_, err := other.ImportBase(t.Context(), owner(), knowledge.BaseImport{Content: bytes.NewReader(file[:cut])})
		if core.CodeOf(err) != core.CodeCorrupt {
			t.Errorf("cut at %d: %v", cut, err)
		}
		all, err := other.db.AllBases(t.Context())
		must(t, err)
		if len(all) != 1 {
			t.Errorf("cut at %d: there are %d bases", cut, len(all))
		}
	}
}
