package builtin

import (
	"strings"
	"testing"

	"kaoju/internal/llm"
)

const (
	benchEnglish = "The committee approved the revised travel policy after the annual review, and employees must book domestic flights at least 14 days in advance. "
	benchChinese = "差旅费用须在三十天内提交报销，逾期不予受理；员工应当提前十四天预订国内航班，并附上审批单号。"
)

func BenchmarkRerank(b *testing.B) {
	tests := []struct{ name, question, sentence string }{
		{"english", "How early must employees book domestic flights?", benchEnglish},
		{"chinese", "员工应当提前多少天预订国内航班？", benchChinese},
	}
	for _, tt := range tests {
		passages := make([]llm.Passage, 50)
		for i := range passages {
			body := strings.Repeat(tt.sentence, 1+1600/len([]rune(tt.sentence)))
			passages[i] = llm.Passage{Title: "Travel 差旅", Text: string([]rune(body)[:1600])}
		}
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := NewReranker().Rerank(b.Context(), tt.question, passages); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(passages)), "µs/passage")
		})
	}
}

func BenchmarkEmbed(b *testing.B) {
	for name, sentence := range map[string]string{"english": benchEnglish, "chinese": benchChinese} {
		body := string([]rune(strings.Repeat(sentence, 20))[:400])
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := (Embedder{}).Embed(b.Context(), llm.ForPassage, []string{body}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "passages/s")
		})
	}
}
