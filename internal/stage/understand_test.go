package stage_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
	"kaoju/internal/retrieve"
	"kaoju/internal/stage"
	"kaoju/internal/understand"
)

// converse takes a question through all stages after what was said.
func converse(t *testing.T, s *searcher, model llm.Chat, req pipeline.Request) (pipeline.Outcome, *recorder) {
	t.Helper()
	cfg, rec := config.Default(), &recorder{}
	req.Assistant.MultiTurn, req.Scope.TenantID = true, "t"
	runner := pipeline.Runner{
		Registry: pipeline.NewRegistry(
			stage.Route(bases{{ID: "b", TenantID: "t", ActiveVersion: 1, Visibility: core.VisibilityPublic}}),
			stage.History(&conversation{}, 5), stage.Understand(understand.Rules{}),
			planner(cfg), stage.Search(s, library{}, cfg.Retrieve),
			stage.Merge(s, library{}, nil, config.Retrieve{}), stage.TopK(1, nil),
			stage.Talk(prompt.Default(), assessor(.9), no), stage.Assemble(prompt.Default()),
			stage.Complete(model, cfg.Chat, prompt.Default()), stage.Verify(assessor(.9))),
		Fallback: stage.Fallback{Prompts: prompt.Default()}.Answer,
	}
	out, err := runner.Run(t.Context(), pipeline.RAG(req), pipeline.NewTurn(req, rec.publish, time.Now))
	if err != nil {
		t.Fatal(err)
	}
	return out, rec
}

// A34, A35: the completed question is what is searched for and what the model
// answers.
func TestTheCompletedQuestionIsSearchedAndAnswered(t *testing.T) {
	s := &searcher{found: []retrieve.Found{passage("x", "d", "乙产品支持离线部署。", .8)}}
	model := &script{deltas: []llm.Delta{{Text: "支持 [1]。"}}}
	out, _ := converse(t, s, model, pipeline.Request{
		Question: "乙产品呢", History: []pipeline.Round{{Question: "甲产品支持离线部署吗", Answer: "支持。"}},
	})
	const want = "乙产品支持离线部署吗"
	if s.asked.Question != want {
		t.Errorf("searched for %q", s.asked.Question)
	}
	if model.asked.Question != want || !strings.Contains(model.asked.Messages[len(model.asked.Messages)-1].Content, want) {
		t.Errorf("the model was asked %q", model.asked.Question)
	}
	if v := noted(out, pipeline.StageUnderstand, "question"); v != want {
		t.Errorf("notes %+v", out.Notes)
	}
	if out.Debug != nil {
		t.Error("an answer carries the lists of debugging")
	}
}

// Every stage says what it decided, and why.
func TestEveryStageIsInTheTrace(t *testing.T) {
	s := &searcher{found: []retrieve.Found{passage("x", "d", "年假每年 5 天。", .8)}}
	out, _ := converse(t, s, &script{deltas: []llm.Delta{{Text: `5 天<ref id="c1"/>。`}}}, pipeline.Request{
		Question: "年假几天", History: []pipeline.Round{{Question: "q", Answer: "a"}},
	})
	for _, timing := range out.Timings {
		told := false
		for _, n := range out.Notes {
			told = told || n.Stage == timing.Stage
		}
		if !told {
			t.Errorf("stage %s says nothing", timing.Stage)
		}
	}
	if len(out.Timings) != 10 {
		t.Errorf("%d stages ran", len(out.Timings))
	}
}

// A retrieval gives the list of every stage, each passage with the steps of
// its score.
func TestRetrievalsCarryTheirLists(t *testing.T) {
	s := &searcher{found: []retrieve.Found{passage("x", "d", "病假每年 12 天。", .8), passage("y", "e", "病假每年 12 天。", .7)},
		explain: retrieve.Explain{Keyword: 2, Vector: 1}}
	out, _ := converse(t, s, &script{}, pipeline.Request{
		Question: "那病假呢", History: []pipeline.Round{{Question: "年假几天"}}, RetrieveOnly: true,
	})
	d := out.Debug
	if d == nil {
		t.Fatal("there are no lists")
	}
	if d.Question != "病假几天" || !d.Understanding.Rewritten || len(d.History) != 1 || d.Plan.TopK != 50 || len(d.Bases) != 1 {
		t.Errorf("%+v", d)
	}
	if d.Explain.Keyword != 2 || len(d.Fused) != 2 || len(d.Candidates) != 2 || len(d.Merged) != 1 || len(out.Ranked) != 1 {
		t.Errorf("found %d, fused %d, candidates %d, merged %d, ranked %d",
			d.Explain.Keyword, len(d.Fused), len(d.Candidates), len(d.Merged), len(out.Ranked))
	}
}

func noted(out pipeline.Outcome, s pipeline.Stage, key string) string {
	for _, n := range out.Notes {
		if n.Stage == string(s) && n.Key == key {
			return n.Value
		}
	}
	return ""
}

func no(context.Context) bool { return false }

func TestSmallTalkNeedsNoEvidence(t *testing.T) {
	tests := []struct {
		question, name, want string
	}{
		{"你好", "", "你好！"}, {"您好！", "小林", "你好，我是小林"}, {"Hello", "", "Hello!"}, {"hi", "Lin", "Hello, I am Lin."},
		{"谢谢", "", "我依据知识库"}, {"thanks", "", "I answer questions from your documents"},
	}
	for _, tt := range tests {
		s, model := &searcher{}, &script{}
		out, rec := converse(t, s, model, pipeline.Request{Question: tt.question, Assistant: core.Assistant{Name: tt.name}})
		if !strings.HasPrefix(out.Answer, tt.want) || out.Answer != rec.text() {
			t.Errorf("%s → %q (streamed %q)", tt.question, out.Answer, rec.text())
		}
		if out.HitType != core.HitDirect || model.calls != 0 || s.asked.Limit != 0 {
			t.Errorf("%s: hit %s, %d model calls, searched for %q", tt.question, out.HitType, model.calls, s.asked.Question)
		}
	}
}

func TestSmallTalkIsSearchedForInRetrievals(t *testing.T) {
	s := &searcher{found: []retrieve.Found{passage("x", "d", "你好 is a greeting", .8)}}
	out, _ := converse(t, s, &script{}, pipeline.Request{Question: "你好", RetrieveOnly: true})
	if len(out.Ranked) != 1 {
		t.Errorf("ranked %v", out.Ranked)
	}
}

// confused is a stage.Understander that fails.
type confused struct{}

func (confused) Understand(context.Context, string, []pipeline.Round) (pipeline.Understanding, error) {
	return pipeline.Understanding{}, core.Errorf(core.CodeUnavailable, "no answer")
}

func TestAFailedUnderstandingLeavesTheQuestion(t *testing.T) {
	turn := pipeline.NewTurn(pipeline.Request{Question: "q"}, (&recorder{}).publish, time.Now)
	out, err := pipeline.Runner{Registry: pipeline.NewRegistry(stage.Understand(confused{}))}.
		Run(t.Context(), []pipeline.Step{{Stage: pipeline.StageUnderstand, Optional: true}}, turn)
	if err != nil || turn.Question() != "q" {
		t.Errorf("question %q, error %v", turn.Question(), err)
	}
	if noted(out, pipeline.StageUnderstand, "degraded") == "" {
		t.Errorf("notes %+v", out.Notes)
	}
}
