package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm/builtin"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/registry"
	"kaoju/internal/pipeline"
)

// embedding is an endpoint that gives each text the same vector of a length.
func embedding(t *testing.T, length int) *llmtest.Endpoint {
	t.Helper()
	vector := "[1" + strings.Repeat(",0", length-1) + "]"
	return llmtest.StartTCP(t, nil, llmtest.Answer(func(r llmtest.Request) llmtest.Script {
		var asked struct{ Input []string }
		if err := json.Unmarshal([]byte(r.Body), &asked); err != nil {
			t.Error(err)
		}
		var data []string
		for i := range asked.Input {
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, vector))
		}
		script, err := llmtest.Parse("status 200\n---\n" + `{"data":[` + strings.Join(data, ",") + "]}\n\n")
		if err != nil {
			t.Error(err)
		}
		return script
	}))
}

// searchedBy waits until the default base is searched by the vectors of a
// model.
func (d desk) searchedBy(model string) {
	d.t.Helper()
	for {
		changed := d.worker.Changed()
		b, err := d.db.Base(d.t.Context(), core.OwnerScope(), core.DefaultBaseName)
		if err != nil {
			d.t.Fatal(err)
		}
		if b.EmbeddingModel == model {
			return
		}
		select {
		case <-changed:
		case <-d.t.Context().Done():
			d.t.Fatalf("searched by %s, want %s", b.EmbeddingModel, model)
		}
	}
}

// byVectors tells how many passages the vectors found, and what the search
// left out.
func byVectors(out pipeline.Outcome) (n, degraded string) {
	for _, note := range out.Notes {
		switch {
		case note.Stage != string(pipeline.StageSearch):
		case note.Key == "vector":
			n = note.Value
		case note.Key == "degraded":
			degraded = note.Value
		}
	}
	return n, degraded
}

// An embedding model that is made the default while the server runs embeds
// what is there anew, embeds what comes after, and weighs as a model does;
// without it the built-in one has the base again.
func TestTheEmbeddingModelChangesWhileTheServerRuns(t *testing.T) {
	d := newDesk(t, leaveRules)
	ours := builtin.Embedder{}.Model()
	d.searchedBy(ours)
	for i, length := range []int{6, 9} {
		id := fmt.Sprint("embedder-", i)
		e := embedding(t, length)
		if _, err := d.registry.Create(t.Context(), registry.Draft{ID: id, Kind: core.ModelEmbedding, Name: id, BaseURL: e.URL, Default: true}); err != nil {
			t.Fatal(err)
		}
		d.searchedBy(id)
		d.add(id+".md", "# 班车\n\n班车每天早上 7:30 从东门出发，编号 "+id+"。")
		d.settle()
		before := e.Calls()
		out := d.ask("班车几点出发？")
		if e.Calls() == before {
			t.Errorf("%s did not embed the question", id)
		}
		if n, degraded := byVectors(out); !strings.Contains(out.Answer, "7:30") || degraded != "" || n == "0" {
			t.Errorf("%q: %s by vectors, %q", out.Answer, n, degraded)
		}
	}
	for _, id := range []string{"embedder-1", "embedder-0"} {
		if err := d.registry.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	d.searchedBy(ours)
	if out := d.ask("员工年假有几天？"); !strings.Contains(out.Answer, "5 天") {
		t.Errorf("%q", out.Answer)
	} else if n, _ := byVectors(out); n == "0" {
		t.Error("nothing was found by vectors")
	}
}

// A default embedding model whose key is lost keeps its bases: they are
// searched by keywords, and nothing is embedded by another.
func TestAnEmbeddingModelThatCannotBeAskedKeepsItsBases(t *testing.T) {
	d := newDesk(t, leaveRules)
	e := embedding(t, 6)
	if _, err := d.registry.Create(t.Context(), registry.Draft{ID: "m", Kind: core.ModelEmbedding, Name: "m", BaseURL: e.URL, APIKey: "sk-TEST-123456", Default: true}); err != nil {
		t.Fatal(err)
	}
	d.searchedBy("m")
	stored, err := d.db.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(stored, func(m core.StoredModel) bool { return m.ID == "m" })
	stored[i].Sealed = "k9 broken"
	if err := d.db.PutModel(t.Context(), stored[i]); err != nil {
		t.Fatal(err)
	}
	if err := d.openModels(t.Context()); err != nil { // as the next start does
		t.Fatal(err)
	}
	if got := d.embed.question.Model(); got != "m" {
		t.Errorf("the model is %q", got)
	}
	if _, err := d.embed.question.Embed(t.Context(), 0, []string{"年假"}); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("asked: %v", err)
	}
}
