package builtin

import (
	"testing"

	"kaoju/internal/llm"
)

func TestAssessTellsAnswersFromTheRest(t *testing.T) {
	station := passage("c1", "嘉兴南站", "嘉兴南站位于嘉兴市南湖区。车站建筑总面积近5.6万平方米，由站房与站台雨棚组成。")
	other := passage("c1", "海宁西站", "海宁西站位于海宁市。海宁西站总建筑面积1.7万平方米，其中站房面积4933平方米。")
	warsaw := passage("c1", "Warsaw", "Warsaw is the capital of Poland. The Warsaw Stock Exchange was established in 1817.")
	tests := []struct {
		name, question string
		yes, no        llm.Evidence
	}{
		{"another subject", "嘉兴南站建筑总面积为多少平方米？", station, other},
		{"traditional question", "嘉興南站建築總面積為多少平方米？", station, other},
		{"English", "When was the Warsaw Stock Exchange established?", warsaw, passage("c1", "Printer manual", manual)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			yes := Assess(tt.question, []llm.Evidence{tt.no, tt.yes})
			no := Assess(tt.question, []llm.Evidence{tt.no})
			if yes.Probability < .6 || no.Probability > .4 || yes.Best != 1 {
				t.Errorf("with the answer %.2f (best %d), without %.2f", yes.Probability, yes.Best, no.Probability)
			}
		})
	}
}

// To stand first among passages that have nothing of the question is no merit.
func TestAssessOfALeadWithoutGrounds(t *testing.T) {
	first, second := passage("c1", "Printer manual", manual), passage("c2", "Leave", "Staff have 15 days of leave.")
	second.Score = .2
	if a := Assess("公司的股票代码是什么？", []llm.Evidence{first, second}); a.Probability >= RefusalThresholdChinese {
		t.Errorf("probability %.3f", a.Probability)
	}
}

func TestAssessWithoutAnythingToCompare(t *testing.T) {
	text := []llm.Evidence{passage("c1", "休假制度", handbook)}
	tests := []struct {
		name, question string
		evidence       []llm.Evidence
	}{
		{"no evidence", "年假几天？", nil},
		{"empty passage", "年假几天？", []llm.Evidence{{Handle: "c1"}}},
		{"no question", "", text},
		{"only a question word", "什么？", text},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if a := Assess(tt.question, tt.evidence); a.Probability != 0 || a.Best != -1 {
				t.Errorf("got %.2f, best %d", a.Probability, a.Best)
			}
		})
	}
}

func TestDenies(t *testing.T) {
	for s, want := range map[string]bool{
		"Which river does not freeze?": true, "Who wasn't there?": true, "Who knows the note?": false,
		"他不是学生": true, "他是学生": false,
	} {
		if denies(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}
