package app

import (
	"strings"
	"sync/atomic"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/registry"
	"kaoju/internal/pipeline"
)

// own registers a model of its own that says the words.
func (d desk) own(id string, kind core.ModelKind, words string) *llmtest.Endpoint {
	d.t.Helper()
	e := llmtest.StartTCP(d.t, nil, llmtest.Answer(func(llmtest.Request) llmtest.Script { return streamOf(words) }))
	_, err := d.registry.Create(d.t.Context(), registry.Draft{ID: id, Kind: kind, Name: id, BaseURL: e.URL})
	if err != nil {
		d.t.Fatal(err)
	}
	return e
}

func (d desk) as(models core.AssistantModels, fallback core.AssistantFallback, question string) (pipeline.Outcome, error) {
	d.t.Helper()
	who := core.DefaultAssistant(core.DefaultTenantID)
	who.Models, who.Fallback = models, fallback
	return d.answerer.Answer(d.t.Context(), pipeline.Request{
		Scope: core.OwnerScope(), Assistant: who, Question: question, History: []pipeline.Round{{Question: "年假几天", Answer: "5 天。"}},
	}, discard)
}

// An assistant's own models answer, understand and rank; the others of the
// server are left alone.
func TestAssistantsAskTheirOwnModels(t *testing.T) {
	d, server := modelled(t, spoken{`{"rewrite_query":"年假几天"}`, "服务器的模型。"}, leaveRules, nil)
	writer := d.own("writer", core.ModelChat, `病假 12 天<ref id="c1"/>。`)
	thinker := d.own("thinker", core.ModelChat, `{"rewrite_query":"病假有多少天？"}`)
	ranker := d.own("ranker", core.ModelRerank, "")
	out, err := d.as(core.AssistantModels{Chat: "writer", Understand: "thinker", Rerank: "ranker"}, core.AssistantFallback{}, "那病假呢")
	if err != nil || !strings.HasPrefix(out.Answer, "病假 12 天") {
		t.Errorf("%q, %v", out.Answer, err)
	}
	if writer.Calls() != 1 || thinker.Calls() != 1 || ranker.Calls() == 0 || server.Calls() != 0 {
		t.Errorf("calls: writer %d, thinker %d, ranker %d, server %d", writer.Calls(), thinker.Calls(), ranker.Calls(), server.Calls())
	}
	if out, err := d.as(core.AssistantModels{}, core.AssistantFallback{}, "年假几天"); err != nil || !strings.HasPrefix(out.Answer, "服务器的模型。") {
		t.Errorf("without a choice: %q, %v", out.Answer, err)
	}
}

// A model that is away gives way to quotations, which are labelled, unless the
// assistant wants an error in their place.
func TestAModelThatIsAwayMayStayUnreplaced(t *testing.T) {
	d := newDesk(t, leaveRules)
	_, err := d.registry.Create(t.Context(), registry.Draft{ID: "away", Kind: core.ModelChat, Name: "m", BaseURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.as(core.AssistantModels{Chat: "away"}, core.AssistantFallback{}, "员工年假有几天？")
	if err != nil || !strings.Contains(out.Answer, "5 天") {
		t.Errorf("%q, %v", out.Answer, err)
	}
	if _, err = d.as(core.AssistantModels{Chat: "away"}, core.AssistantFallback{NoBuiltin: true}, "员工年假有几天？"); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("in place of an error: %v", err)
	}
}

// A chat model that was away writes again as soon as it is back.
func TestAModelThatComesBackWritesAgain(t *testing.T) {
	d := newDesk(t, leaveRules)
	var back atomic.Bool
	e := llmtest.StartTCP(t, nil, llmtest.Answer(func(llmtest.Request) llmtest.Script {
		if back.Load() {
			return streamOf(`员工年假为 5 天<ref id="c1"/>。`)
		}
		return llmtest.Script{{Status: 503}}
	}))
	_, err := d.registry.Create(t.Context(), registry.Draft{ID: "m", Kind: core.ModelChat, Name: "m", BaseURL: e.URL, Default: true,
		Options: []byte(`{"limit": {"attempts": 1}}`)})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		out, err := d.as(core.AssistantModels{}, core.AssistantFallback{}, "员工年假有几天？")
		if err != nil || (out.Answer == "员工年假为 5 天[1]。") != back.Load() || out.Answer == "" {
			t.Errorf("back: %v, answer %q, %v", back.Load(), out.Answer, err)
		}
		back.Store(true)
	}
}
