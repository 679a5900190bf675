package builtin

import (
	"strings"
	"testing"

	"kaoju/internal/llm"
)

const englishHandbook = "Every employee may take 15 days of paid leave a year. Sick leave needs a certificate from a doctor. " +
	"Travel expenses are reimbursed within 30 days after the trip. The password must be changed every 90 days. " +
	"Visitors must register at the front desk."

// The answer stands in the other language than the question (issue 7): it is
// quoted as it stands, and the words around it are the question's.
func TestAnswererAnswersAcrossLanguages(t *testing.T) {
	tests := []struct{ question, want string }{
		{"员工每年有多少天带薪假期？", "资料原文：Every employee may take 15 days of paid leave a year."},
		{"差旅费多少天内报销？", "within 30 days after the trip."},
		{"密码多久必须更换一次？", "The password must be changed every 90 days."},
		{"访客在哪里登记？", "Visitors must register at the front desk."},
		{"How many days of annual leave does an employee have every year?", "每年享有带薪年假五天"},
		{"Where is the headquarters of the company?", "公司总部位于杭州市西湖区文三路。"},
	}
	for _, tt := range tests {
		t.Run(tt.question, func(t *testing.T) {
			e := passage("c1", "Handbook", englishHandbook)
			if !strings.ContainsAny(tt.question, "？") {
				e = passage("c1", "休假制度", handbook)
			}
			text, _ := stream(t, tt.question, e)
			if !strings.Contains(text, tt.want) {
				t.Errorf("%q does not hold %q", text, tt.want)
			}
		})
	}
}

// A question that has nothing to do with a passage in the other language is
// refused, or its answer says that it is none.
func TestAnswererIsHonestAcrossLanguages(t *testing.T) {
	for _, question := range []string{"火星上最高的山叫什么？", "谁发明了电话？", "公司的股票代码是什么？"} {
		text, deltas := stream(t, question, passage("c1", "Handbook", englishHandbook))
		if !deltas[0].Insufficient && !strings.HasPrefix(text, "资料中没有直接的回答") {
			t.Errorf("%s: %q", question, text)
		}
	}
}

// Where both languages say it, the question's is quoted.
func TestAnswererPrefersTheQuestionsLanguage(t *testing.T) {
	question := "公司的总部在哪里？"
	own := passage("c2", "公司", "公司的总部位于杭州市西湖区。")
	other := passage("c1", "Company", "The headquarters of the company are in Hangzhou.")
	text, _ := stream(t, question, other, own)
	if !strings.HasPrefix(text, "公司的总部位于杭州市西湖区。") {
		t.Errorf("%q", text)
	}
}

func BenchmarkAnswerAcross(b *testing.B) {
	evidence := make([]llm.Evidence, 6)
	for i := range evidence {
		evidence[i] = passage("c1", "Handbook", strings.Repeat(englishHandbook+" ", 3))
	}
	readings := NewReadings(1 << 20)
	for b.Loop() {
		readings.Assess("员工每年有多少天带薪假期？", evidence)
	}
}
