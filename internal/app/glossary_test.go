package app

import (
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// Request 6 of users: their own words. What a base calls by one name is found
// under any, in either language, and only where its glossary is asked.
func TestGlossaryFindsWhatIsMeant(t *testing.T) {
	d := newDesk(t, map[string]string{
		"horizon.md": "# 地平线平台\n\n地平线平台的年费为 30 万元，由信息部续签。\n",
		"leave.md":   "# 假期\n\n带薪年休假为 5 天。\n",
		"tower.md":   "# 塔台\n\n洋桐测试塔台位于北区。\n",
		"other.md":   "# 其他\n\n测试塔台位于南区，海洋观测站在东区。\n",
	})
	top := func(question string) string {
		t.Helper()
		out, err := d.answerer.Answer(t.Context(), pipeline.Request{Scope: core.OwnerScope(), Question: question, RetrieveOnly: true}, discard)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Ranked) == 0 {
			return ""
		}
		return out.Ranked[0].Document.Name
	}
	if got := top("HZN 多少钱"); got == "horizon.md" {
		t.Fatalf("without a glossary HZN finds %s already", got)
	}
	_, err := d.glossaries.Set(t.Context(), core.OwnerScope(), core.DefaultBaseName, []core.GlossaryEntry{
		{Term: "地平线平台", Synonyms: []string{"HZN"}, Translations: []string{"Horizon suite"}}, {Term: "年休假", Synonyms: []string{"PTO"}},
		{Term: "洋桐测试塔台"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"HZN 的年费是多少": "horizon.md", "Horizon suite 年费": "horizon.md", "PTO 有几天": "leave.md", "洋桐测试塔台在哪里": "tower.md",
	} {
		if got := top(question); got != want {
			t.Errorf("%s finds %q, want %s", question, got, want)
		}
	}
}

// A question that names a thing by a code name is answered from a passage that
// has only its long name: surely, cited, and without a hedge.
func TestGlossaryAnswersWhatIsMeant(t *testing.T) {
	d := newDesk(t, map[string]string{
		"platform.md": "# 系统\n\n供应链可视化平台由物流部负责，账号由各部门管理员开通。\n\n仓储系统由仓库部负责。\n",
		"hr.md":       "# Systems\n\nThe human resources portal is run by Personnel. Its password expires after 90 days.\n",
	})
	ask := func(question string) (out pipeline.Outcome, sure bool) {
		out = d.ask(question)
		return out, out.Confidence.Probability >= .5 && len(out.Citations) > 0
	}
	questions := map[string]string{"天眼项目由谁负责？": "物流部", "Who runs HRP?": "Personnel"}
	for question := range questions {
		if out, sure := ask(question); sure {
			t.Fatalf("%s: answered without a glossary already: %q", question, out.Answer)
		}
	}
	_, err := d.glossaries.Set(t.Context(), core.OwnerScope(), core.DefaultBaseName, []core.GlossaryEntry{
		{Term: "天眼项目", Synonyms: []string{"供应链可视化平台"}}, {Term: "HRP", Synonyms: []string{"human resources portal"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range questions {
		out, sure := ask(question)
		if !sure || !strings.Contains(out.Answer, want) || noteOf(out, pipeline.StageUnderstand, "names") == "" {
			t.Errorf("%s: %q with %.2f", question, out.Answer, out.Confidence.Probability)
		}
	}
}
