package builtin

import (
	"context"
	"errors"
	"strings"
	"testing"

	"kaoju/internal/llm"
)

// stream runs the answerer and joins its deltas.
func stream(t *testing.T, question string, evidence ...llm.Evidence) (text string, deltas []llm.Delta) {
	t.Helper()
	req := llm.ChatRequest{Question: question, Evidence: evidence}
	err := NewAnswerer().Stream(context.Background(), req, func(d llm.Delta) error {
		text += d.Text
		deltas = append(deltas, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text, deltas
}

func passage(handle, title, text string) llm.Evidence {
	return llm.Evidence{Handle: handle, Type: "text", Title: title, Text: text, Score: .8}
}

const (
	handbook = "本制度适用于全体员工。员工入职满一年后，每年享有带薪年假五天。年假须提前三天在系统里申请。" +
		"病假须附医院证明，由部门主管张伟审批。公司总部位于杭州市西湖区文三路。公司成立于2009年3月。"
	manual = "The QTR-7310 is a network printer for small offices. It prints 32 pages per minute in colour. " +
		"The printer was designed by Alice Brown in 2014. Paper jams occur because the rear roller collects dust. " +
		"Its headquarters are located in Rotterdam."
)

func TestAnswererQuotesWhatIsAsked(t *testing.T) {
	tests := []struct{ question, want string }{
		{"入职满一年的员工有几天年假？", "每年享有带薪年假五天。<ref id=\"c1\"/>"},
		{"病假由谁审批？", "由部门主管张伟审批。<ref id=\"c1\"/>"},
		{"公司是哪一年成立的？", "公司成立于2009年3月。<ref id=\"c1\"/>"},
		{"公司總部在哪裡？", "公司总部位于杭州市西湖区文三路。<ref id=\"c1\"/>"},
		{"Who designed the QTR-7310 printer?", "designed by Alice Brown in 2014.<ref id=\"c2\"/>"},
		{"How many pages per minute does the QTR-7310 print?", "It prints 32 pages per minute in colour.<ref id=\"c2\"/>"},
		{"Why do paper jams occur?", "because the rear roller collects dust.<ref id=\"c2\"/>"},
	}
	for _, tt := range tests {
		t.Run(tt.question, func(t *testing.T) {
			text, deltas := stream(t, tt.question, passage("c1", "休假制度", handbook), passage("c2", "Printer manual", manual))
			if !strings.Contains(text, tt.want) {
				t.Errorf("%q does not hold %q", text, tt.want)
			}
			if n := strings.Count(text, "<ref "); n > maxSentences || n != len(deltas) {
				t.Errorf("%d marks in %d deltas", n, len(deltas))
			}
			if last := deltas[len(deltas)-1]; last.Finish != "stop" || last.Insufficient {
				t.Errorf("last delta %+v", last)
			}
		})
	}
}

// How a refusal reads is not the model's to say.
func TestAnswererRefusesWithoutWords(t *testing.T) {
	tests := []struct {
		question string
		evidence []llm.Evidence
	}{
		{"火星上最高的山叫什么？", []llm.Evidence{passage("c1", "Printer manual", manual)}},
		{"火星上最高的山叫什麼？", []llm.Evidence{passage("c1", "休假制度", handbook)}},
		{"What is the highest mountain on Mars?", []llm.Evidence{passage("c1", "休假制度", handbook)}},
		{"年假几天？", nil},
		{"", []llm.Evidence{passage("c1", "休假制度", handbook)}},
		{"???", []llm.Evidence{passage("c1", "休假制度", "")}},
	}
	for _, tt := range tests {
		t.Run(tt.question, func(t *testing.T) {
			text, deltas := stream(t, tt.question, tt.evidence...)
			if text != "" || len(deltas) != 1 || !deltas[0].Insufficient || deltas[0].Finish != "stop" {
				t.Errorf("%q, %+v", text, deltas)
			}
		})
	}
}

func TestAnswererGivesStandardAnswers(t *testing.T) {
	faq := llm.Evidence{
		Handle: "c2", Type: "faq", Question: "如何重置密码？", Score: .9,
		Text: "如何重置密码？", Answers: []string{"在登录页点击“忘记密码”。", "也可以致电 8008。"},
	}
	text, _ := stream(t, "密码怎么重置", passage("c1", "休假制度", handbook), faq)
	if !strings.HasPrefix(text, "在登录页点击“忘记密码”。<ref id=\"c2\"/>") || !strings.Contains(text, "也可以致电 8008。<ref id=\"c2\"/>") {
		t.Errorf("got %q", text)
	}
}

func TestAnswererGivesCellsOfARow(t *testing.T) {
	row := llm.Evidence{
		Handle: "c1", Type: "table_row", Title: "订单", Score: .8,
		Text: "订单号: A-1007\n客户: 远山科技\n金额: 5000元\n状态：已发货\n负责人: 李雷",
	}
	tests := []struct{ question, want, not string }{
		{"订单A-1007的状态是什么？", "订单号：A-1007；状态：已发货", "金额"},
		{"订单A-1007怎么样了？", "负责人：李雷", ""},
	}
	for _, tt := range tests {
		text, _ := stream(t, tt.question, row)
		if !strings.Contains(text, tt.want) || tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s: %q", tt.question, text)
		}
	}
}

// row is a row of a table as ingestion writes it.
func row(handle, text string) llm.Evidence {
	return llm.Evidence{Handle: handle, Type: "table_row", Title: "表", Text: text, Score: .8}
}

func TestAnswererSaysNothingTwice(t *testing.T) {
	again := passage("c2", "Leave", "其他内容。员工入职满一年后, 每年享有带薪年假五天。")
	tests := []struct {
		name, question, once string
		evidence             []llm.Evidence
	}{
		{"a sentence of two documents", "入职满一年的员工有几天年假？", "带薪年假五天",
			[]llm.Evidence{passage("c1", "休假制度", handbook), again}},
		{"rows that differ in what is not asked", "2020 年的 Freshwater Ducks 是多少？", "135", []llm.Evidence{
			row("c1", "Year: 2020\nFreshwater Ducks: 135\nSource: A"), row("c2", "Year: 2020\nFreshwater Ducks: 135\nSource: B")}},
		{"a line and a few words more", "天气接口在哪里申请？", "请在这里申请", []llm.Evidence{passage("c1", "常见问答",
			"天气接口请在这里申请：https://weather.example.org/services/weather\n\n1. 怎么查询？\n\n天气接口请在这里申请：https://weather.example.org/services/weather后填入\n")}},
		{"a row and a text", "EQ-39999 归哪个班组？", "维修二班", []llm.Evidence{
			row("c1", "设备: EQ-39999\n班组: 维修二班"), passage("c2", "设备", "设备：EQ-39999；班组：维修二班")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if text, _ := stream(t, tt.question, tt.evidence...); strings.Count(text, tt.once) != 1 {
				t.Errorf("got %q", text)
			}
		})
	}
}

func TestAnswererLeavesOutOtherRows(t *testing.T) {
	rows := []llm.Evidence{
		row("c1", "设备: EQ-39998\n班组: 维修一班"), row("c2", "设备: EQ-39999\n班组: 维修二班"), row("c3", "设备: EQ-40000\n班组: 维修三班"),
	}
	tests := []struct {
		question string
		want     []string
		not      string
	}{
		{"EQ-39999 归哪个班组？", []string{"维修二班"}, "维修一班"},
		{"EQ-39998 和 EQ-39999 归哪个班组？", []string{"维修一班", "维修二班"}, "维修三班"},
	}
	for _, tt := range tests {
		text, _ := stream(t, tt.question, rows...)
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q lacks %s", tt.question, text, want)
			}
		}
		if strings.Contains(text, tt.not) {
			t.Errorf("%s: %q holds %s", tt.question, text, tt.not)
		}
	}
}

// What a document says in brackets and tags must not become a citation of
// ours, and code must not swallow one.
func TestAnswererDefusesMarksOfDocuments(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"footnote", "珠穆朗玛峰的高度为8848米[1][23]。", "高度为8848米［1］［23］。<ref id=\"c1\"/>"},
		{"tag", "珠穆朗玛峰的高度写作<ref id=\"c9\"/>8848米。", "＜ref id=\"c9\"/>8848米。<ref id=\"c1\"/>"},
		{"document number", "珠穆朗玛峰的高度见国发[2024号]8848米。", "国发[2024号]8848米。<ref id=\"c1\"/>"},
		{"fence", "```\n珠穆朗玛峰的高度为8848米。\n```", "珠穆朗玛峰的高度为8848米。<ref id=\"c1\"/>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, _ := stream(t, "珠穆朗玛峰的高度是多少？", passage("c1", "珠穆朗玛峰", tt.text))
			if !strings.Contains(text, tt.want) || strings.Contains(text, "```") {
				t.Errorf("got %q, want %q", text, tt.want)
			}
		})
	}
}

func TestAnswererSaysWhenItQuotesAnotherLanguage(t *testing.T) {
	text, _ := stream(t, "QTR-7310 printer 是谁设计的？", passage("c1", "Printer manual", manual))
	if !strings.HasPrefix(text, "资料原文：") || !strings.Contains(text, "Alice Brown") {
		t.Errorf("got %q", text)
	}
}

func TestAnswererQuotesNoHeadings(t *testing.T) {
	e := passage("c1", "休假制度", "休假制度\n\n## 年假几天\n\n入职满一年后享有年假五天。")
	e.Headings = []string{"年假几天"}
	if text, _ := stream(t, "休假制度里年假几天？", e); text != "入职满一年后享有年假五天。<ref id=\"c1\"/>" {
		t.Errorf("got %q", text)
	}
}

func TestAnswererStops(t *testing.T) {
	req := llm.ChatRequest{Question: "年假几天？", Evidence: []llm.Evidence{passage("c1", "休假制度", handbook)}}
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	err := NewAnswerer().Stream(ctx, req, func(llm.Delta) error {
		calls++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("error %v after %d deltas", err, calls)
	}
	broken := errors.New("the log is gone")
	if err := NewAnswerer().Stream(context.Background(), req, func(llm.Delta) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestAnswererIsDeterministic(t *testing.T) {
	first, _ := stream(t, "公司总部在哪里？", passage("c1", "休假制度", handbook), passage("c2", "Printer manual", manual))
	for range 20 {
		if again, _ := stream(t, "公司总部在哪里？", passage("c1", "休假制度", handbook), passage("c2", "Printer manual", manual)); again != first {
			t.Fatalf("%q, then %q", first, again)
		}
	}
}

func FuzzAnswerer(f *testing.F) {
	f.Add("公司总部在哪里？", handbook, "休假制度", "text")
	f.Add("Who designed it?", manual, "Printer [1]", "table_row")
	f.Add("几", "a: b\n：\n:", "", "table_row")
	f.Add("\xff什么", "`x`\n```\n[1] <ref", "（", "faq")
	f.Fuzz(func(t *testing.T, question, body, title, kind string) {
		e := llm.Evidence{Handle: "c1", Type: kind, Title: title, Text: body}
		if kind == "faq" {
			e.Question, e.Answers = title, []string{body}
		}
		evidence := []llm.Evidence{e, {Handle: "c2", Text: title}}
		text, deltas := stream(t, question, evidence...)
		if len(deltas) == 0 || deltas[len(deltas)-1].Finish != "stop" || (text == "") != deltas[0].Insufficient {
			t.Errorf("no proper end: %+v", deltas)
		}
		if p := Assess(question, evidence).Probability; !(p >= 0 && p <= 1) {
			t.Errorf("probability %v", p)
		}
	})
}

// A turn may spend two milliseconds on this: six passages, 6,000 characters.
func BenchmarkAnswer(b *testing.B) {
	var evidence []llm.Evidence
	for range 6 {
		evidence = append(evidence, passage("c1", "休假制度", strings.Repeat(handbook, 9)))
	}
	req := llm.ChatRequest{Question: "入职满一年的员工每年享有几天带薪年假，要提前多久申请？", Evidence: evidence}
	for b.Loop() {
		if err := NewAnswerer().Stream(context.Background(), req, func(llm.Delta) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
