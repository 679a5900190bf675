package app

import (
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
	"kaoju/internal/retrieve"
	"kaoju/internal/wiki"
	"kaoju/internal/wiki/synthesis"
)

// A page of a wiki is searched and cited like a document, ranks above a
// document that says the same (the boost of wiki pages), and the answer names
// it. Deleted, it is neither found nor cited.
func TestWikiPageIsCitedAndBoosted(t *testing.T) {
	d := newDesk(t, map[string]string{"会议室.md": "# 会议室\n\n会议室须提前两天预订，由行政部确认。\n"})
	b, err := d.knowledge.CreateBase(t.Context(), core.OwnerScope(), knowledge.NewBase{Name: "wiki", Kind: core.BaseWiki})
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.wiki.Create(t.Context(), core.OwnerScope(), b.ID, wiki.Draft{Title: "会议室", Content: "会议室须提前两天预订，由[[行政部]]确认。"})
	if err != nil {
		t.Fatal(err)
	}
	out := d.after("会议室要提前几天预订？")
	if len(out.References) == 0 || out.References[0].DocumentID != p.ID || out.References[0].Type != core.ChunkWikiPage || out.References[0].Title != "会议室" {
		t.Fatalf("references %+v", out.References)
	}
	if i := slices.IndexFunc(out.Ranked, func(f retrieve.Found) bool { return f.Chunk.DocumentID == p.ID }); i != 0 ||
		!slices.ContainsFunc(out.Ranked[0].Steps, func(s retrieve.Step) bool { return s.Name == "wiki boost" }) {
		t.Errorf("the page ranks as %d: %+v", i, out.Ranked)
	}
	if !strings.Contains(out.Answer, "两天") {
		t.Errorf("answer %q", out.Answer)
	}
	if err := d.wiki.Delete(t.Context(), core.OwnerScope(), wiki.At{Base: b.ID, Page: p.ID}); err != nil {
		t.Fatal(err)
	}
	for _, r := range d.after("会议室要提前几天预订？").References {
		if r.DocumentID == p.ID {
			t.Error("a deleted page is cited")
		}
	}
}

// The configured model writes a wiki of the documents that were uploaded, its
// pages name their sources, and what it cost is booked.
func TestModelWritesAWiki(t *testing.T) {
	d, _ := modelled(t, spoken{answers: `{"summary": "年假制度。", "content": "年假为 5 天 [p1]。", "points": [{"text": "年假为 5 天", "passages": ["p1"]}],
		"topics": [{"name": "休假", "type": "concept", "passages": ["p1"]}]}`}, map[string]string{"年假.md": leaveRules["年假.md"]}, nil)
	b, err := d.knowledge.CreateBase(t.Context(), core.OwnerScope(), knowledge.NewBase{Name: "wiki", Kind: core.BaseWiki})
	if err != nil {
		t.Fatal(err)
	}
	j, err := d.pages.Begin(t.Context(), core.OwnerScope(), synthesis.Request{Wiki: "wiki", Source: core.DefaultBaseName})
	if err != nil {
		t.Fatal(err)
	}
	for j.State != core.JobDone {
		changed := d.pages.Changed()
		if j, err = d.pages.Job(t.Context(), core.OwnerScope(), b.ID, j.ID); err != nil || j.State == core.JobFailed {
			t.Fatalf("%+v, %v", j, err)
		}
		if j.State != core.JobDone {
			<-changed
		}
	}
	p, err := d.wiki.Page(t.Context(), core.OwnerScope(), wiki.At{Base: "wiki", Page: "休假"})
	if err != nil || len(p.Sources) != 1 || p.Sources[0].Title != "年假" || p.Author != core.WikiByModel {
		t.Errorf("the page %+v, %v", p, err)
	}
	usage, err := d.db.Usage(t.Context(), core.OwnerScope(), 1)
	if err != nil || len(usage) == 0 || usage[0].Calls < 2 {
		t.Errorf("usage %+v, %v", usage, err)
	}
}
