package stage_test

import (
	"context"
	"encoding/json"
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
)

// recorder collects what a turn publishes.
type recorder struct{ events []core.Event }

func (r *recorder) publish(_ context.Context, e core.Event) error {
	r.events = append(r.events, e)
	return nil
}

func (r *recorder) text() string {
	var b strings.Builder
	for _, e := range r.events {
		if e.Type == core.EventAnswer {
			b.WriteString(e.Content)
		}
	}
	return b.String()
}

// script is a chat model that says what it was given.
type script struct {
	deltas []llm.Delta
	asked  llm.ChatRequest
	calls  int
}

func (s *script) Model() string { return "script" }

func (s *script) Stream(_ context.Context, req llm.ChatRequest, yield func(llm.Delta) error) error {
	s.asked = req
	s.calls++
	for _, d := range s.deltas {
		if err := yield(d); err != nil {
			return err
		}
	}
	return nil
}

// assessor gives a fixed probability.
type assessor float64

func (a assessor) Probability(string, []llm.Alias, []llm.Evidence) float64 { return float64(a) }

func passage(id, document, content string, score float64) retrieve.Found {
	return retrieve.Found{
		Chunk:    core.Chunk{ID: id, DocumentID: document, BaseID: "b", Type: core.ChunkText, Content: content},
		Document: core.Document{ID: document, Name: document + ".md"},
		Text:     content,
		Score:    score,
	}
}

// run takes a turn with ranked passages through the last three stages.
func run(t *testing.T, model llm.Chat, question string, ranked ...retrieve.Found) (pipeline.Outcome, *recorder) {
	t.Helper()
	return runRequest(t, model, pipeline.Request{Question: question, Assistant: core.Assistant{Citations: true}}, ranked...)
}

func runRequest(t *testing.T, model llm.Chat, req pipeline.Request, ranked ...retrieve.Found) (pipeline.Outcome, *recorder) {
	t.Helper()
	cfg := config.Default()
	rec := &recorder{}
	turn := pipeline.NewTurn(req, rec.publish, time.Now)
	if err := turn.Ranked.Set(ranked); err != nil {
		t.Fatal(err)
	}
	runner := pipeline.Runner{
		Registry: pipeline.NewRegistry(
			planner(cfg), stage.Assemble(prompt.Default()),
			stage.Complete(model, cfg.Chat, prompt.Default()), stage.Verify(assessor(.9))),
		Fallback: stage.Fallback{Prompts: prompt.Default()}.Answer,
	}
	out, err := runner.Run(t.Context(), []pipeline.Step{
		{Stage: pipeline.StagePlan}, {Stage: pipeline.StageAssemble}, {Stage: pipeline.StageComplete}, {Stage: pipeline.StageVerify},
	}, turn)
	if err != nil {
		t.Fatal(err)
	}
	if out.Answer != rec.text() {
		t.Errorf("streamed %q, stored %q", rec.text(), out.Answer)
	}
	return out, rec
}

func TestAnswerIsStreamedCitedAndChecked(t *testing.T) {
	model := &script{deltas: []llm.Delta{
		{Text: `Staff have 5 days of annual leave <ref id="c`}, {Text: `2"/>.`}, {Text: ` See <ref id="c9"/>the handbook.`},
	}}
	out, rec := run(t, model, "How many days of leave?",
		passage("x", "travel", "Travel is booked two weeks ahead.", .5),
		passage("y", "leave", "Staff have 5 days of annual leave a year.", .8))
	if strings.Contains(out.Answer, "<ref") || strings.Contains(out.Answer, "c9") {
		t.Errorf("marks are left in %q", out.Answer)
	}
	if !strings.Contains(out.Answer, "annual leave [2]") {
		t.Errorf("answer %q", out.Answer)
	}
	if len(out.Citations) != 1 || out.Citations[0].ChunkID != "y" || !strings.Contains(out.Citations[0].Quote, "5 days") {
		t.Errorf("citations %+v", out.Citations)
	}
	if out.References[0].Number != 0 || out.References[1].Number != 2 {
		t.Errorf("only what is cited counts as cited: %+v", out.References)
	}
	if out.HitType != core.HitRAG || out.Confidence.Probability != .9 {
		t.Errorf("hit %s, confidence %+v", out.HitType, out.Confidence)
	}
	if rec.events[0].Type != core.EventReferences {
		t.Errorf("the first event is %s", rec.events[0].Type)
	}
}

// What an assistant says of the system prompt is what its model is told; the
// rules of citation stay behind it.
func TestAnAssistantsWordsReachTheModel(t *testing.T) {
	who := core.Assistant{ID: "law", Citations: true, Prompts: core.AssistantPrompts{SystemText: "Answer like a notary."}}
	own, err := prompt.Default().For(who)
	if err != nil {
		t.Fatal(err)
	}
	model := &script{deltas: []llm.Delta{{Text: `Five days <ref id="c1"/>.`}}}
	runRequest(t, model, pipeline.Request{Question: "How many days?", Assistant: who, Prompts: own}, passage("x", "d", "Five days.", .6))
	system := model.asked.Messages[0].Content
	if !strings.HasPrefix(system, "Answer like a notary.") || !strings.Contains(system, "<ref id=") {
		t.Errorf("the model was told\n%s", system)
	}
}

func TestNoEvidenceCallsNoModel(t *testing.T) {
	for question, want := range map[string]string{"Who is the dean?": "I don't know", "院长是谁？": "无法确认"} {
		model := &script{}
		out, _ := run(t, model, question)
		if model.calls != 0 {
			t.Error("the model was called without evidence")
		}
		if !strings.HasPrefix(out.Answer, want) || out.HitType != core.HitInsufficient || out.Confidence.Level != core.LevelLow {
			t.Errorf("%s → %q, %s, %s", question, out.Answer, out.HitType, out.Confidence.Level)
		}
	}
}

func TestInsufficientByTheModel(t *testing.T) {
	model := &script{deltas: []llm.Delta{{Text: "The documents do not say.", Insufficient: true}}}
	out, _ := run(t, model, "Who is the dean?", passage("x", "d", "Deans are elected.", .6))
	if out.HitType != core.HitInsufficient || out.References[0].Number != 0 {
		t.Errorf("hit %s, references %+v", out.HitType, out.References)
	}
}

func TestReasoningIsNoAnswer(t *testing.T) {
	model := &script{deltas: []llm.Delta{{Reasoning: "let me see"}, {Text: "Five days [1]."}}}
	out, rec := run(t, model, "q", passage("x", "d", "Five days.", .6))
	if strings.Contains(out.Answer, "let me see") {
		t.Errorf("answer %q", out.Answer)
	}
	if rec.events[1].Type != core.EventThinking {
		t.Errorf("events %+v", rec.events)
	}
}

func TestEmptyAnswerForLengthIsAnError(t *testing.T) {
	turn := pipeline.NewTurn(pipeline.Request{}, (&recorder{}).publish, time.Now)
	err := stage.Complete(&script{deltas: []llm.Delta{{Reasoning: "hm"}, {Finish: "length"}}}, config.Default().Chat, prompt.Default()).
		Handle(t.Context(), pipeline.StageComplete, turn, func(context.Context) error { return nil })
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "chat.max_tokens") {
		t.Errorf("error %v", err)
	}
}

func TestEvidenceBudgets(t *testing.T) {
	long := strings.Repeat("字", 900)
	tests := []struct {
		name   string
		ranked []retrieve.Found
		want   string
	}{
		{"at most six", []retrieve.Found{
			passage("1", "a", "x", 1), passage("2", "b", "x", 1), passage("3", "c", "x", 1), passage("4", "d", "x", 1),
			passage("5", "e", "x", 1), passage("6", "f", "x", 1), passage("7", "g", "x", 1)}, "1 2 3 4 5 6"},
		{"one document gives way to others, then fills up", []retrieve.Found{
			passage("1", "a", long, 1), passage("2", "a", long, .9), passage("3", "b", long, .8), passage("4", "a", long, .7)}, "1 2 3 4"},
		{"characters in all", []retrieve.Found{
			passage("1", "a", strings.Repeat("字", 5000), 1), passage("2", "b", strings.Repeat("字", 2000), .9), passage("3", "c", "x", .8)}, "1 3"},
		{"the best one is kept whatever its size", []retrieve.Found{passage("1", "a", strings.Repeat("字", 9000), 1)}, "1"},
		{"others come before a full document", []retrieve.Found{
			passage("1", "a", long, 1), passage("2", "a", long, .9), passage("3", "b", "x", .8), passage("4", "c", "x", .7),
			passage("5", "d", "x", .6), passage("6", "e", "x", .5), passage("7", "f", "x", .4)}, "1 3 4 5 6 7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := &script{deltas: []llm.Delta{{Text: "ok"}}}
			out, _ := run(t, model, "q", tt.ranked...)
			var ids []string
			for _, r := range out.References {
				ids = append(ids, r.ChunkID)
			}
			if got := strings.Join(ids, " "); got != tt.want {
				t.Errorf("chose %q, want %q", got, tt.want)
			}
		})
	}
}

// bases is a stage.Bases over a list.
type bases []core.KnowledgeBase

func (b bases) Base(_ context.Context, scope core.Scope, id string) (core.KnowledgeBase, error) {
	for _, kb := range b {
		if scope.Sees(kb) && (kb.ID == id || kb.Name == id) {
			return kb, nil
		}
	}
	return core.KnowledgeBase{}, core.Errorf(core.CodeNotFound, "there is no knowledge base %s", id)
}

func (b bases) ListBases(_ context.Context, scope core.Scope) (out []core.KnowledgeBase, _ error) {
	for _, kb := range b {
		if scope.Sees(kb) {
			out = append(out, kb)
		}
	}
	return out, nil
}

func TestRouteAuthorises(t *testing.T) {
	all := bases{
		{ID: "1", Name: "one", TenantID: "t", Visibility: core.VisibilityPublic},
		{ID: "2", Name: "two", TenantID: "t", Visibility: core.VisibilityPrivate},
		{ID: "3", Name: "three", TenantID: "other", Visibility: core.VisibilityPublic},
	}
	scope := core.Scope{TenantID: "t"}
	tests := []struct {
		named []string
		mine  []string // of the assistant
		want  string
		code  core.Code
	}{
		{want: "1"},
		{mine: []string{"one"}, want: "1"},
		{named: []string{"1", "one"}, want: "1"},
		{named: []string{"2"}, code: core.CodeNotFound},
		{named: []string{"1", "3"}, code: core.CodeNotFound},
	}
	for _, tt := range tests {
		req := pipeline.Request{Scope: scope, BaseIDs: tt.named, Assistant: core.Assistant{BaseIDs: tt.mine}}
		turn := pipeline.NewTurn(req, (&recorder{}).publish, time.Now)
		err := stage.Route(all).Handle(t.Context(), pipeline.StageRoute, turn, func(context.Context) error { return nil })
		var ids []string
		for _, b := range turn.Bases.Value() {
			ids = append(ids, b.ID)
		}
		if core.CodeOf(err) != tt.code || strings.Join(ids, " ") != tt.want {
			t.Errorf("%+v: got %v, %v", tt, ids, err)
		}
	}
}

func TestReferencesHoldAShortQuote(t *testing.T) {
	_, rec := run(t, &script{deltas: []llm.Delta{{Text: "ok"}}}, "q", passage("x", "d", strings.Repeat("字", 1000), .9))
	var p pipeline.References
	if err := json.Unmarshal(rec.events[0].Data, &p); err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(p.References[0].Quote)); n > 201 {
		t.Errorf("quote of %d characters", n)
	}
}

// TagsNamed gives none: the bases have no tags.
func (bases) TagsNamed(context.Context, []string, []string) ([]string, error) { return nil, nil }
