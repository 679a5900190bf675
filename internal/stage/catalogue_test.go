package stage_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/stage"
)

// titles is a stage.Titles over a list of names.
type titles []string

func (n titles) FindDocuments(_ context.Context, _, words []string, limit int) (out []core.Document, total int, _ error) {
	for _, name := range n {
		fits := true
		for _, w := range words {
			fits = fits && strings.Contains(strings.ToLower(name), w)
		}
		if !fits {
			continue
		}
		if total++; len(out) < limit {
			out = append(out, core.Document{ID: name, Name: name})
		}
	}
	return out, total, nil
}

// A14: which files are there about a topic?
func TestCatalogue(t *testing.T) {
	all := titles{"株洲规划.md", "株洲交通.md", "株洲预算.md", "长沙规划.md", "Travel policy.md", "Travel budget.md", "Leave.md",
		"a.md", "b.md", "c.md", "d.md", "e.md"}
	tests := []struct {
		question string
		want     []string // lines of the answer; none where the search goes on
	}{
		{"有哪些关于株洲的文件", []string{"标题涉及“株洲”的文件共 3 份：", "- 株洲规划.md", "- 株洲交通.md", "- 株洲预算.md"}},
		{"请问关于长沙的文档有哪些？", []string{"标题涉及“长沙”的文件共 1 份：", "- 长沙规划.md"}},
		{"Which documents do you have about travel?", []string{"Documents whose title mentions “travel”: 2.", "- Travel policy.md", "- Travel budget.md"}},
		{"list all files about the budget", []string{"Documents whose title mentions “the budget”: 1.", "- Travel budget.md"}},
		{"有哪些关于上海的文件", nil},
		{"办理株洲户口需要提交哪些文件", nil},
		{"有哪些关于株洲的文件需要盖章", nil},
		{"what files does the installer write?", nil},
	}
	for _, tt := range tests {
		rec := &recorder{}
		turn := pipeline.NewTurn(pipeline.Request{Question: tt.question, Scope: core.Scope{TenantID: "t"}}, rec.publish, time.Now)
		runner := pipeline.Runner{Registry: pipeline.NewRegistry(
			stage.Route(bases{{ID: "1", TenantID: "t", Visibility: core.VisibilityPublic}}), stage.Catalogue(all), stage.Verify(assessor(0)))}
		out, err := runner.Run(t.Context(), []pipeline.Step{{Stage: pipeline.StageRoute}, {Stage: pipeline.StageVerify}}, turn)
		if err != nil {
			t.Fatalf("%s: %v", tt.question, err)
		}
		want := strings.Join(tt.want, "\n")
		if rec.text() != want {
			t.Errorf("%s\n got %q\nwant %q", tt.question, rec.text(), want)
		}
		if want != "" && (out.HitType != core.HitDirect || out.Confidence.Score != .9) {
			t.Errorf("%s: hit %s, confidence %v", tt.question, out.HitType, out.Confidence.Score)
		}
	}
}

func TestCatalogueOfEverythingIsCut(t *testing.T) {
	var many titles
	for range 30 {
		many = append(many, "x.md")
	}
	rec := &recorder{}
	turn := pipeline.NewTurn(pipeline.Request{Question: "知识库里有哪些文件？"}, rec.publish, time.Now)
	if err := turn.Bases.Set([]core.KnowledgeBase{{ID: "1"}}); err != nil {
		t.Fatal(err)
	}
	err := stage.Catalogue(many).Handle(t.Context(), pipeline.StageRoute, turn, func(context.Context) error { return nil })
	if !errors.Is(err, pipeline.ErrAnswered) {
		t.Fatal(err)
	}
	if !strings.HasPrefix(rec.text(), "文件共 30 份") || !strings.HasSuffix(rec.text(), "另有 10 份") {
		t.Errorf("answer %q", rec.text())
	}
}
