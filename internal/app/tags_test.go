package app

import (
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
	"kaoju/internal/pipeline"
)

// A question that names tags stays within the documents and standard questions
// that have one of them, in every base; a name that nothing has finds nothing.
func TestQuestionsWithinTags(t *testing.T) {
	d := newDesk(t, nil)
	for name, tag := range map[string]string{"旧制度.md": "2023", "新制度.md": "2024"} {
		doc := d.add(name, "# 年假制度\n\n员工年假为 "+map[string]string{"2023": "5", "2024": "8"}[tag]+" 天。\n")
		d.settle()
		if _, err := d.knowledge.ChangeDocument(t.Context(), core.OwnerScope(), doc.ID, knowledge.DocumentChange{Tags: &[]string{tag, "人事"}}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := d.knowledge.CreateBase(t.Context(), core.OwnerScope(), knowledge.NewBase{Name: "问答", Kind: core.BaseFAQ})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.knowledge.CreateFAQ(t.Context(), core.OwnerScope(), b.ID, core.FAQ{FAQEntry: core.FAQEntry{Question: "打卡地点在哪里？", Answers: []string{"东门。"}}, Tags: []string{"考勤"}})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(question string, tags ...string) pipeline.Outcome {
		t.Helper()
		out, err := d.answerer.Answer(t.Context(), pipeline.Request{Scope: core.OwnerScope(), Question: question, Assistant: core.DefaultAssistant(core.DefaultTenantID), Tags: tags}, discard)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for tag, want := range map[string]string{"2023": "5 天", "2024": "8 天"} {
		out := ask("员工年假有几天？", tag)
		if !strings.Contains(out.Answer, want) || len(out.Ranked) != 1 {
			t.Errorf("%s: %q from %d passages", tag, out.Answer, len(out.Ranked))
		}
	}
	if out := ask("员工年假有几天？", "2023", "2024"); len(out.Ranked) != 2 {
		t.Errorf("two tags: %d passages", len(out.Ranked))
	}
	if out := ask("员工年假有几天？", "没有的标签"); out.HitType != core.HitInsufficient || len(out.Ranked) != 0 {
		t.Errorf("a tag that nothing has: %s, %d passages", out.HitType, len(out.Ranked))
	}
	if out := ask("打卡地点在哪里？", "考勤"); !strings.Contains(out.Answer, "东门") {
		t.Errorf("a standard question with the tag: %q", out.Answer)
	}
	if out := ask("打卡地点在哪里？", "2024"); strings.Contains(out.Answer, "东门") {
		t.Errorf("a standard question without the tag: %q", out.Answer)
	}
}
