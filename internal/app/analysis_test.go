package app

import (
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

const spending = "姓名,部门,金额\n李雷,销售部,1200\n韩梅梅,研发部,800\n王芳,销售部,300\n赵强,行政部,450\n"

// analyst is the default assistant with one switch.
func analyst(change func(*core.Assistant)) core.Assistant {
	a := core.DefaultAssistant(core.DefaultTenantID)
	change(&a)
	return a
}

// data_analysis: what a question asks of a table is computed, by rules without a
// model, and cited; without the switch nothing is.
func TestDataAnalysis(t *testing.T) {
	d := newDesk(t, map[string]string{"报销明细.csv": spending, "年假.md": leaveRules["年假.md"]})
	ask := func(who core.Assistant, question string) pipeline.Outcome {
		out, err := d.answerer.Answer(t.Context(), pipeline.Request{Scope: core.OwnerScope(), Assistant: who, Question: question}, discard)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	on := analyst(func(a *core.Assistant) { a.DataAnalysis = true })
	for question, want := range map[string]string{
		"报销明细中销售部的金额合计是多少？": "1500", "报销明细里的平均金额是多少？": "687.5", "报销明细中谁的金额最高？": "李雷",
	} {
		out := ask(on, question)
		if !strings.Contains(out.Answer, want) || len(out.Citations) == 0 || out.References[0].Document != "报销明细.csv" || out.References[0].Score != 1 {
			t.Errorf("%s → %q, %+v", question, out.Answer, out.References)
		}
	}
	if out := ask(core.DefaultAssistant(core.DefaultTenantID), "报销明细中销售部的金额合计是多少？"); strings.Contains(out.Answer, "1500") {
		t.Errorf("without the switch: %q", out.Answer)
	}
	if out := ask(on, asked); !strings.Contains(out.Answer, "5 天") || noteOf(out, pipeline.StageData, "results") != "0" {
		t.Errorf("of no table: %q, %+v", out.Answer, out.Notes)
	}
}

// A chat model writes what the rules do not read; what it should not write is
// not run, and the turn goes on.
func TestAModelWritesTheStatement(t *testing.T) {
	for says, want := range map[string]string{
		`{"sql":"SELECT c2 AS dept, sum(c3) AS total FROM t GROUP BY c2 ORDER BY 2 DESC"}`: "dept: 销售部; total: 1500",
		`{"sql":"DROP TABLE t"}`: "", `{"sql":""}`: "", "I cannot.": "",
	} {
		d, e := modelled(t, spoken{" ", says}, map[string]string{"报销明细.csv": spending}, nil)
		out, err := d.answerer.Answer(t.Context(), pipeline.Request{
			Scope: core.OwnerScope(), Assistant: analyst(func(a *core.Assistant) { a.DataAnalysis = true }), Question: "报销明细按部门分组的金额排名"}, discard)
		if err != nil {
			t.Fatal(err)
		}
		last := e.Requests()[e.Calls()-1].Body
		if want != "" && !strings.Contains(last, want) || (noteOf(out, pipeline.StageData, "results") == "1") != (want != "") {
			t.Errorf("%s: notes %+v\nthe model was told %s", says, out.Notes, last)
		}
	}
}

// web_search and tools: the trace says that there are none.
func TestSwitchesWithoutAServerSaySo(t *testing.T) {
	d := newDesk(t, leaveRules)
	out, err := d.answerer.Answer(t.Context(), pipeline.Request{
		Scope: core.OwnerScope(), Assistant: analyst(func(a *core.Assistant) { a.WebSearch, a.Tools = true, true }), Question: "公司病假需要什么证明"}, discard)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(noteOf(out, pipeline.StagePlan, "web_search"), "not configured") || !strings.Contains(noteOf(out, pipeline.StagePlan, "tools"), "without tools") {
		t.Errorf("%+v", out.Notes)
	}
}
