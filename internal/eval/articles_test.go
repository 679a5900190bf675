package eval

import (
	"slices"
	"testing"

	"kaoju/internal/core"
)

func TestArticles(t *testing.T) {
	set := Set{
		Docs: []Doc{
			{ID: "a1", Title: "A", Text: "one"}, {ID: "a2", Title: "A", Text: "two"}, {ID: "b", Title: "B", Text: "three"},
			{ID: "n1", Text: "x"}, {ID: "n2", Text: "y"}, {ID: "f", Title: "B", FAQ: &core.FAQEntry{}},
		},
		Queries: []Query{{ID: "q", Relevant: []string{"a1", "a2", "b"}}},
		Probes:  []Probe{{ID: "p", Contexts: []string{"a2"}}, {ID: "open"}},
	}
	got := Articles(set)
	var ids []string
	for _, d := range got.Docs {
		ids = append(ids, d.ID)
	}
	if !slices.Equal(ids, []string{"a1", "b", "n1", "n2", "f"}) || got.Docs[0].Text != "one\n\ntwo" {
		t.Errorf("documents %v, first %q", ids, got.Docs[0].Text)
	}
	if !slices.Equal(got.Queries[0].Relevant, []string{"a1", "b"}) || !slices.Equal(got.Probes[0].Contexts, []string{"a1"}) || got.Probes[1].Contexts != nil {
		t.Errorf("relevant %v, contexts %v and %v", got.Queries[0].Relevant, got.Probes[0].Contexts, got.Probes[1].Contexts)
	}
	if len(set.Docs) != 6 || set.Queries[0].Relevant[1] != "a2" {
		t.Error("the set itself was changed")
	}
}
