package builtin

import (
	"strings"
	"testing"

	"kaoju/internal/llm"
)

// Sentences that call a thing by its other name answer as if they had the
// question's own; names that do not stand in the question change nothing.
func TestOtherNamesOfTheQuestionsWords(t *testing.T) {
	platform := passage("c1", "系统", "供应链可视化平台由物流部负责。仓储系统由仓库部负责。HRMS-2 由人事处负责。")
	english := passage("c1", "Systems", "The supply chain visibility platform is run by Logistics. The warehouse system is run by Stores.")
	tests := []struct {
		name, question string
		evidence       llm.Evidence
		aliases        []llm.Alias
		want           string
		likely         bool
	}{
		{"none", "天眼项目由谁负责？", platform, nil, "", false},
		{"one", "天眼项目由谁负责？", platform, []llm.Alias{{Of: "天眼项目", Said: "供应链可视化平台"}}, "供应链可视化平台由物流部负责", true},
		{"of words that are not asked for", "天眼项目由谁负责？", platform, []llm.Alias{{Of: "地眼项目", Said: "供应链可视化平台"}}, "", false},
		{"empty", "天眼项目由谁负责？", platform, []llm.Alias{{}, {Of: "天眼项目"}, {Said: "平台"}}, "", false},
		{"several words, inflected", "Who runs Skyeye?", english, []llm.Alias{{Of: "Skyeye", Said: "supply chain visibility platforms"}}, "run by Logistics", true},
		{"of a code", "QX-17 由谁负责？", platform, []llm.Alias{{Of: "QX-17", Said: "HRMS-2"}}, "HRMS-2 由人事处负责", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := (*Readings)(nil).Assess(tt.question, []llm.Evidence{tt.evidence}, tt.aliases...).Probability
			if likely := p >= doubtful; likely != tt.likely {
				t.Errorf("the probability is %.2f", p)
			}
			var said strings.Builder
			req := llm.ChatRequest{Question: tt.question, Evidence: []llm.Evidence{tt.evidence}, Aliases: tt.aliases}
			if err := NewAnswerer().Stream(t.Context(), req, func(d llm.Delta) error { said.WriteString(d.Text); return nil }); err != nil {
				t.Fatal(err)
			}
			if tt.want != "" && !strings.HasPrefix(said.String(), tt.want) && !strings.Contains(strings.SplitN(said.String(), "<ref", 2)[0], tt.want) {
				t.Errorf("%q does not begin with %q", said.String(), tt.want)
			}
		})
	}
}
