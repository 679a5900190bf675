package indextest

import (
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
)

func testEmpty(t *testing.T, f fixture) {
	for name, q := range map[string]index.Query{
		"no target":      {Terms: ask("a"), Vector: []float32{1, 0}},
		"unknown base":   {Targets: []index.Target{at("nowhere", 1)}, Terms: ask("a"), Vector: []float32{1, 0}},
		"no question":    {Targets: []index.Target{at("nowhere", 1)}},
		"zero vector":    {Targets: []index.Target{at("nowhere", 1)}, Vector: []float32{0, 0}},
		"weightless":     {Targets: []index.Target{at("nowhere", 1)}, Terms: []index.QueryTerm{{Text: "a"}}},
		"empty question": {Targets: []index.Target{at("nowhere", 1)}, Terms: ask("")},
	} {
		if r := f.search(q); len(r.Keyword)+len(r.Vector) != 0 {
			t.Errorf("%s: found %v", name, r)
		}
	}
}

// shelf holds passages that differ in one fact each; all say "leave".
func shelf() []index.Entry {
	plain := func(id string) index.Entry {
		e := entry(id, "leave", id)
		e.Vector = []float32{1, 0, 0, 0}
		e.DocumentID, e.FolderID = "handbook", "policies"
		return e
	}
	other := plain("other-document")
	other.DocumentID = "report"
	moved := plain("other-folder")
	moved.FolderID = "archive"
	tagged := plain("tagged")
	tagged.TagIDs = []string{"hr", "2024"}
	also := plain("also-tagged")
	also.TagIDs = []string{"2024"}
	row := plain("row")
	row.Type = core.ChunkTableRow
	return []index.Entry{plain("plain"), other, moved, tagged, also, row}
}

func testFilters(t *testing.T, f fixture) {
	f.publish("b", shelf()...)
	all := []string{"plain", "other-document", "other-folder", "tagged", "also-tagged", "row"}
	for _, c := range []struct {
		name   string
		target index.Target
		want   []string
	}{
		{"none", index.Target{}, all},
		{"document", index.Target{DocumentIDs: []string{"report"}}, []string{"other-document"}},
		{"two documents", index.Target{DocumentIDs: []string{"report", "handbook"}}, all},
		{"folder", index.Target{FolderIDs: []string{"archive"}}, []string{"other-folder"}},
		{"tag", index.Target{TagIDs: []string{"2024"}}, []string{"tagged", "also-tagged"}},
		{"any of two tags", index.Target{TagIDs: []string{"hr", "2024"}}, []string{"tagged", "also-tagged"}},
		{"type", index.Target{Types: []core.ChunkType{core.ChunkTableRow}}, []string{"row"}},
		{"document and tag", index.Target{DocumentIDs: []string{"handbook"}, TagIDs: []string{"hr"}}, []string{"tagged"}},
		{"document without the tag", index.Target{DocumentIDs: []string{"report"}, TagIDs: []string{"hr"}}, nil},
		{"unknown document", index.Target{DocumentIDs: []string{"nowhere"}}, nil},
		{"unknown and known", index.Target{DocumentIDs: []string{"nowhere", "report"}}, []string{"other-document"}},
		{"unknown type", index.Target{Types: []core.ChunkType{"nothing"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fixture{f.Harness, t}
			c.target.BaseID, c.target.Version = "b", 1
			r := f.search(index.Query{Targets: []index.Target{c.target}, Terms: ask("leave"), Vector: []float32{1, 0, 0, 0}})
			f.wantSet(ids(r.Keyword), c.want...)
			f.wantSet(ids(r.Vector), c.want...)
		})
	}
}

func testSeveralTargets(_ *testing.T, f fixture) {
	f.publish("b", shelf()...)
	f.publish("c", entry("elsewhere", "leave"), entry("elsewhere-2", "leave"))
	narrow := func(base string, document ...string) index.Target {
		return index.Target{BaseID: base, Version: 1, DocumentIDs: document}
	}
	q := index.Query{Terms: ask("leave"), Targets: []index.Target{
		narrow("b", "report"), narrow("c", "doc-elsewhere"),
		{BaseID: "b", Version: 1, TagIDs: []string{"hr"}},
		narrow("b", "report"), // what two targets allow is found once
	}}
	f.wantSet(ids(f.search(q).Keyword), "other-document", "elsewhere", "tagged")
}

// testFilterBeforeTop: however good the others are, what the filter allows is
// found.
func testFilterBeforeTop(_ *testing.T, f fixture) {
	var all []index.Entry
	for i := range 300 {
		e := entry(name(i), "pump", "pump", "pump")
		e.Vector = []float32{1, 0}
		all = append(all, e)
	}
	weak := entry("weak", "pump", "and", "many", "other", "words", "in", "it")
	weak.Vector = []float32{.6, .8}
	weak.TagIDs = []string{"mine"}
	f.publish("b", append(all, weak)...)
	r := f.search(index.Query{
		Targets: []index.Target{{BaseID: "b", Version: 1, TagIDs: []string{"mine"}}},
		Terms:   ask("pump"), Vector: []float32{1, 0}, Limit: 3,
	})
	f.want(ids(r.Keyword), "weak")
	f.want(ids(r.Vector), "weak")
}

func testIsolation(t *testing.T, f fixture) {
	f.publish("a", entry("same-id", "alpha", "shared"))
	f.publish("b", entry("same-id", "beta", "shared"), entry("b-only", "shared"))
	f.want(f.words(at("a", 1), "beta"))
	f.want(f.words(at("a", 1), "alpha"), "same-id")
	f.want(f.words(at("a", 1), "shared"), "same-id")
	f.want(f.words(at("b", 1), "beta"), "same-id")
	for _, h := range f.search(index.Query{Targets: []index.Target{at("b", 1)}, Terms: ask("shared")}).Keyword {
		if h.BaseID != "b" {
			t.Errorf("hit %+v is not from b", h)
		}
	}
	both := f.search(index.Query{Targets: []index.Target{at("a", 1), at("b", 1)}, Terms: ask("shared")}).Keyword
	if len(both) != 3 {
		t.Errorf("both bases give %v, want three hits", both)
	}
}
