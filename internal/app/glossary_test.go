package app

import (
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
