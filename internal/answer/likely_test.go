package answer

import (
	"strings"
	"testing"

	"kaoju/internal/core"
)

func TestRate(t *testing.T) {
	entry := func(score float64, questions ...string) Entry {
		return Entry{Score: score, Matched: questions[0], Questions: questions}
	}
	const asked = "年假一共有几天可以休？"
	near := Rate(asked, []Entry{entry(.85, "年假一共有几天？", "可以休几天年假？"), entry(.3, "病假有几天？")})
	if near[0].Chance < .72 || near[1].Chance > .3 || near[0].Order <= near[1].Order {
		t.Errorf("a question that is plainly meant: %v", near)
	}
	rival := Rate(asked, []Entry{entry(.85, "年假一共有几天？"), entry(.84, "年假一共可以休几次？")})
	if rival[0].Chance >= near[0].Chance || rival[0].Chance > .72 {
		t.Errorf("two that are as near: %v", rival)
	}
	if Rate(asked, nil) == nil || len(Rate("", []Entry{{}})) != 1 {
		t.Error("nothing found gives nothing")
	}
	with, without := Rate("工资最高的是谁？", []Entry{entry(.9, "工资最高的是谁呢？")}), Rate("工资最高的是谁？", []Entry{entry(.9, "工资最低的是谁呢？")})
	if without[0].Chance >= with[0].Chance {
		t.Errorf("a contrary is as likely: %v, %v", with, without)
	}
}

// What the questions of an entry say between them counts, not the best alone.
func TestRateReadsAllQuestions(t *testing.T) {
	asked := "my card was swallowed by the machine abroad"
	refund := Entry{Score: .5, Matched: "my card was refunded", Questions: []string{"my card was refunded", "refund to my account", "where is my refund"}}
	machine := Entry{Score: .5, Matched: "the machine kept my card", Questions: []string{"the machine kept my card", "an ATM swallowed it", "card lost in a machine abroad"}}
	if got := Rate(asked, []Entry{refund, machine}); got[1].Order <= got[0].Order {
		t.Errorf("%v", got)
	}
}

// Whatever entries and questions are, ratings are numbers.
func FuzzRate(f *testing.F) {
	f.Add("年假几天", "年假有几天", "5 天", .5)
	f.Add("", "", "", 0.0)
	f.Add("\xff？", "？", "x", 1.0)
	f.Fuzz(func(t *testing.T, question, said, answer string, score float64) {
		if score < 0 || score > 1 || score != score {
			score = .5
		}
		for _, r := range Rate(question, []Entry{{Score: score, Matched: said, Questions: []string{said, question}, Answers: []string{answer}}, {}}) {
			if !(r.Chance >= 0 && r.Chance <= 1) || r.Order != r.Order {
				t.Errorf("%+v", r)
			}
		}
	})
}

func BenchmarkRate(b *testing.B) {
	var entries []Entry
	for range 20 {
		e := Entry{Score: .5, Matched: "How do I activate a card?"}
		for range 10 {
			e.Questions = append(e.Questions, "I have a new card and I need to activate it before I can travel")
		}
		entries = append(entries, e)
	}
	for b.Loop() {
		Rate("how can I activate the card that just came?", entries)
	}
}

func TestOpposed(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"谁的工资最高？", "谁的工资最低？", true},
		{"怎么开通账号", "怎么关闭账号", true},
		{"哪些员工没有报销", "哪些员工有报销", true},
		{"Who is the oldest singer?", "Who is the youngest singer?", true},
		{"I can't log in", "I can log in", true},
		{"How many notes are there?", "How many notes exist?", false},
		{"年假几天", "年假有几天", false},
	}
	for _, tt := range tests {
		if got := opposed(tt.a, tt.b); got != tt.want {
			t.Errorf("%s / %s: %t", tt.a, tt.b, got)
		}
	}
}

func TestStandard(t *testing.T) {
	e := core.FAQEntry{Answers: []string{"one", "two"}}
	if got := Standard(e, "x"); got != "one\n\ntwo" {
		t.Errorf("all: %q", got)
	}
	e.Strategy = core.AnswerRandom
	seen := map[string]bool{}
	for _, seed := range []string{"a", "b", "c", "d", "e", "f"} {
		seen[Standard(e, seed)] = true
	}
	if !seen["one"] || !seen["two"] || Standard(core.FAQEntry{}, "a") != "" {
		t.Errorf("random: %v", seen)
	}
}

// Live, stored and read again (A15–A20): the line that is added resolves to
// the sources that it names, and a source's name is never a mark.
func TestSourceLineHoldsItsMarks(t *testing.T) {
	sources := NewSources()
	for _, name := range []string{"a [1] b.md", "c.md", "d.md", "e.md"} {
		sources.Add(core.Reference{ChunkID: name, Document: name}, name)
	}
	line, listed := SourceLine("答案。", sources, core.CiteNumbers)
	x := NewExpander(sources, core.CiteNumbers)
	if got := x.Write("答案。"+line) + x.Flush(); got != "答案。"+line {
		t.Errorf("%q becomes %q", line, got)
	}
	if len(listed) != 3 || len(x.Cited()) != 3 || !strings.HasPrefix(line, "\n\n参考来源：[1] a (1) b.md；[2] ") {
		t.Errorf("%q, %v, %v", line, listed, x.Cited())
	}
	if r := Support("答案是这样的。"+line, marksOf("答案是这样的。"+line, sources), sources); r.Coverage != 0 {
		t.Errorf("the line counts as citation: %+v", r)
	}
	if line, _ := SourceLine("An answer.", sources, core.CiteNumbers); !strings.HasPrefix(line, "\n\nSources: [1]") {
		t.Errorf("%q", line)
	}
}
