package builtin

import (
	"strings"
	"testing"

	"kaoju/internal/llm"
)

// A question about a code that the evidence does not name is not answered by
// what is said of another one.
func TestCodesThatNothingNames(t *testing.T) {
	voltage := passage("c1", "型号", "型号 QTR-7310 的额定电压为 220V，重量 18.5kg。型号 QTR-7320 的额定电压为 380V。")
	errors := passage("c1", "Error codes", "E-101 means paper jam. E-204 means toner empty. The phone ｉＰｈｏｎｅ１５Ｐｒｏ is supported.")
	tests := []struct {
		question string
		about    string
		named    bool
	}{
		{"QTR-7310的额定电压是多少？", "zh", true},
		{"qtr7310 的额定电压是多少？", "zh", true},
		{"QTR 7320的额定电压是多少？", "zh", true},
		{"QTR-9999的额定电压是多少？", "zh", false},
		{"QTR-7310 和 QTR-9999 的额定电压是多少？", "zh", false},
		{"What does E-204 mean?", "en", true},
		{"What does E-999 mean?", "en", false},
		{"Is iPhone15Pro supported?", "en", true},
		{"Is the paper jam well-known?", "en", true},
	}
	for _, tt := range tests {
		t.Run(tt.question, func(t *testing.T) {
			e := voltage
			if tt.about == "en" {
				e = errors
			}
			p := Assess(tt.question, []llm.Evidence{e}).Probability
			if !tt.named && p > unnamed {
				t.Errorf("the probability is %.2f", p)
			}
			if q := ask(tt.question); view(q, []llm.Evidence{e}, nil).lacksCode() == tt.named {
				t.Errorf("named %t; the codes are %q", !tt.named, q.codes)
			}
			answer, _ := stream(t, tt.question, e)
			if !tt.named && answer != "" && !strings.HasPrefix(answer, "The documents do not answer this") && !strings.HasPrefix(answer, "资料中没有直接的回答") {
				t.Errorf("answered as if it were known: %q", answer)
			}
		})
	}
}
