package stage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kaoju/internal/assistant"
	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
	"kaoju/internal/retrieve"
	"kaoju/internal/stage"
	"kaoju/internal/text"
)

// book is the rules in the binary.
type book struct{}

func (book) Rules() *assistant.Set { return assistant.DefaultRules() }

func planner(cfg *config.Config) pipeline.Plugin {
	return stage.Planner{Retrieve: cfg.Retrieve, Evidence: cfg.Evidence, Rules: book{}, Patterns: &assistant.Patterns{}, Prompts: prompt.Default()}.Plugin()
}

// entries are standard questions that are found by words in common.
type entries struct {
	list  []core.FAQEntry
	asked []retrieve.FAQRequest
}

func (e *entries) candidate(i int, score float64, exact bool) retrieve.FAQCandidate {
	id := fmt.Sprintf("faq-%d", i)
	f := e.list[i]
	return retrieve.FAQCandidate{
		Found: retrieve.Found{
			Chunk:    core.Chunk{ID: id, DocumentID: id, BaseID: "f", Type: core.ChunkFAQ, Content: f.Question, FAQ: &f},
			Document: core.Document{ID: id, Name: f.Question, Title: f.Question}, Text: f.Question, Score: score,
		},
		Matched: f.Question, Exact: exact,
	}
}

func (e *entries) refuses(i int, q string) bool {
	return slices.ContainsFunc(e.list[i].Negative, func(n string) bool { return text.Key(n) == text.Key(q) })
}

func (e *entries) Exact(_ context.Context, where []index.Target, q string) (out []retrieve.FAQCandidate, _ error) {
	for i, f := range e.list {
		if len(where) > 0 && text.Key(f.Question) == text.Key(q) && !e.refuses(i, q) {
			out = append(out, e.candidate(i, 1, true))
		}
	}
	return out, nil
}

func (e *entries) Search(_ context.Context, req retrieve.FAQRequest) (out []retrieve.FAQCandidate, _ error) {
	e.asked = append(e.asked, req)
	for i, f := range e.list {
		if e.refuses(i, req.Question) {
			continue
		}
		exact := text.Key(f.Question) == text.Key(req.Question)
		score := text.Jaccard(words(f.Question), words(req.Question))
		if exact || score > 0 {
			out = append(out, e.candidate(i, score, exact))
		}
	}
	slices.SortFunc(out, func(a, b retrieve.FAQCandidate) int { return int(1000 * (b.Score - a.Score)) })
	return out, nil
}

func words(s string) (out []string) {
	for _, t := range text.Terms(s) {
		out = append(out, t.Text)
	}
	return out
}

// understands gives one understanding whatever is asked.
type understands pipeline.Understanding

func (u understands) Understand(_ context.Context, q string, _ []pipeline.Round) (pipeline.Understanding, error) {
	out := pipeline.Understanding(u)
	if out.Question == "" {
		out.Question = q
	}
	return out, nil
}

// office is a whole pipeline over a document base and an FAQ base.
type office struct {
	faqs       *entries
	found      []retrieve.Found
	model      *script
	understood pipeline.Understanding
	searches   *searcher
}

func (o *office) ask(t *testing.T, req pipeline.Request) (pipeline.Outcome, *pipeline.Turn) {
	t.Helper()
	cfg, p, prompts := config.Default(), &assistant.Patterns{}, prompt.Default()
	if o.model == nil {
		o.model = &script{deltas: []llm.Delta{{Text: `经理审批 <ref id="c1"/>。`}}}
	}
	o.searches = &searcher{found: o.found}
	req.Scope = core.Scope{TenantID: "t"}
	rec := &recorder{}
	turn := pipeline.NewTurn(req, rec.publish, time.Now)
	all := bases{
		{ID: "f", Name: "faq", TenantID: "t", Kind: core.BaseFAQ, ActiveVersion: 1, Visibility: core.VisibilityPublic},
		{ID: "b", Name: "hr", TenantID: "t", Kind: core.BaseDocument, ActiveVersion: 1, Visibility: core.VisibilityPublic},
		{ID: "m", Name: "money", TenantID: "t", Kind: core.BaseDocument, ActiveVersion: 1, Visibility: core.VisibilityPublic},
	}
	runner := pipeline.Runner{Registry: pipeline.NewRegistry(
		stage.Route(all), stage.Direct(book{}, p, no), stage.Probe(o.faqs, book{}, p), stage.Understand(understands(o.understood)),
		stage.Planner{Retrieve: cfg.Retrieve, Evidence: cfg.Evidence, Rules: book{}, Patterns: p, Prompts: prompts}.Plugin(),
		stage.FAQ(o.faqs), stage.Search(o.searches, library{}, cfg.Retrieve), stage.Merge(o.searches, library{}, nil, config.Retrieve{}), stage.TopK(1, nil),
		stage.Assemble(prompts), stage.Complete(o.model, cfg.Chat, prompts), stage.Verify(assessor(.9)),
	), Fallback: stage.Fallback{Prompts: prompts}.Answer}
	out, err := runner.Run(t.Context(), pipeline.Steps(req), turn)
	if err != nil {
		t.Fatal(err)
	}
	if rec.text() != out.Answer {
		t.Errorf("streamed %q, stored %q", rec.text(), out.Answer)
	}
	return out, turn
}

func hr() core.Assistant {
	return core.Assistant{ID: "hr", Name: "小考", SupportContact: "人事热线 8001", BusinessDomain: "人事与财务", MultiTurn: true, Citations: true,
		Routing: core.AssistantRouting{Boundary: true, OutOfScope: []string{"彩票|股票", `\blottery\b`}, Sources: []core.AssistantSource{
			{Name: "hr", Title: "人事", Patterns: []string{"入职|年假|请假"}}, {Name: "money", Title: "财务", Patterns: []string{"报销|发票"}},
		}}}
}

// 你好, 转人工, 彩票怎么买 and the boundary of a source are answered at once.
func TestDirectAnswers(t *testing.T) {
	tests := []struct {
		question, intent, says string
		bases                  []string
		sure                   float64
	}{
		{question: "你好", intent: "greeting", says: "小考", sure: 1},
		{question: "转人工", intent: "human_service", says: "人事热线 8001", sure: .9},
		{question: "彩票怎么买", intent: "out_of_scope", says: "人事与财务", sure: .95},
		{question: "Where can I buy a lottery ticket?", intent: "out_of_scope", says: "do not answer that", sure: .95},
		{question: "报销怎么申请？", bases: []string{"hr"}, intent: "out_of_scope", says: "财务", sure: .95},
	}
	for _, tt := range tests {
		o := &office{faqs: &entries{list: []core.FAQEntry{{Question: tt.question, Answers: []string{"the FAQ"}}}}}
		out, _ := o.ask(t, pipeline.Request{Question: tt.question, BaseIDs: tt.bases, Assistant: hr()})
		if !strings.Contains(out.Answer, tt.says) || out.HitType != core.HitDirect || out.Account.Intent != tt.intent || out.Account.Route != pipeline.RouteDirect {
			t.Errorf("%s → %q, %s, %+v", tt.question, out.Answer, out.HitType, out.Account.Decision)
		}
		if out.Confidence.Score != .9 || out.Confidence.Status != "not_applicable" || out.Account.Confidence != tt.sure {
			t.Errorf("%s: %+v", tt.question, out.Confidence)
		}
		if o.model.calls != 0 || o.searches.asked.Question != "" || len(o.faqs.asked) > 0 || out.Account.FirstMS == nil || out.Account.Plan != nil {
			t.Errorf("%s: something was searched, or a model asked", tt.question)
		}
	}
}

func TestTheChosenSourceIsNoBoundary(t *testing.T) {
	for _, bases := range [][]string{nil, {"money"}, {"hr", "money"}} {
		o := &office{faqs: &entries{}, found: []retrieve.Found{passage("x", "d", "报销由经理审批。", .8)}}
		if out, _ := o.ask(t, pipeline.Request{Question: "报销怎么申请？", BaseIDs: bases, Assistant: hr()}); out.HitType != core.HitRAG {
			t.Errorf("%v: %s %q", bases, out.HitType, out.Answer)
		}
	}
}

// A question that is a standard question word for word (A42) has its answer
// before anything else happens; so the plan says.
func TestExactFAQ(t *testing.T) {
	entry := core.FAQEntry{Question: "怎么开发票？", Answers: []string{strings.Repeat("请在系统中提交开票申请。", 50)}, Negative: []string{"怎么开假发票"}}
	for question, exact := range map[string]bool{"怎么开发票？": true, " 怎麼開發票 ": true, "怎么开发票": true, "怎么开假发票": false, "怎么开收据？": false} {
		o := &office{faqs: &entries{list: []core.FAQEntry{entry}}, found: []retrieve.Found{passage("x", "d", "收据在前台领取。", .8)}}
		out, _ := o.ask(t, pipeline.Request{Question: question, Assistant: hr()})
		if (out.HitType == core.HitFAQExact) != exact {
			t.Errorf("%s: %s", question, out.HitType)
			continue
		}
		if !exact {
			continue
		}
		p := out.Account.Plan
		if out.Answer != entry.Answers[0] || o.model.calls != 0 || o.searches.asked.Question != "" {
			t.Errorf("%s → %q", question, out.Answer)
		}
		if p == nil || !p.RunFAQ || p.RunDocs || p.Rerank || !p.FAQExactOnly || p.Reason != "standard_question_exact" || out.Account.Route != pipeline.RouteFAQExact {
			t.Errorf("%s: plan %+v", question, p)
		}
		if out.Confidence.Score != .95 || out.Confidence.Reasons[0] != "faq_exact_match" || len(out.References) != 1 || out.References[0].Number != 1 {
			t.Errorf("%s: %+v, %+v", question, out.Confidence, out.References)
		}
	}
}

// 新人入职需要完成哪些流程？: the probe's list is used again, and only the
// other wordings are searched for.
func TestProbedCandidatesAreUsedAgain(t *testing.T) {
	const question = "新人入职需要完成哪些流程？"
	tests := []struct {
		name     string
		question string
		who      func(*core.Assistant)
		under    pipeline.Understanding
		searches int // of wordings, after the probe
		reused   bool
	}{
		{name: "all four hold", question: question, searches: 2, reused: true},
		{name: "the question was completed", question: question, under: pipeline.Understanding{Question: question + "（续）", Rewritten: true, Intent: pipeline.IntentFollowUp}, searches: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := &office{faqs: &entries{list: []core.FAQEntry{{Question: "员工离职需要办理哪些手续？", Answers: []string{"交接。"}}}},
				found: []retrieve.Found{passage("x", "d", "新员工入职需要提交材料。", .8)}, understood: tt.under}
			out, turn := o.ask(t, pipeline.Request{Question: tt.question, Assistant: hr()})
			probes := len(o.faqs.asked)
			if probes == 0 || o.faqs.asked[0].Question != question || o.faqs.asked[0].Limit < 24 {
				t.Fatalf("asked %+v", o.faqs.asked)
			}
			if got := probes - 1; !tt.reused && got < tt.searches || tt.reused && got != tt.searches {
				t.Errorf("%d searches after the probe: %+v", got, o.faqs.asked)
			}
			reused := slices.ContainsFunc(out.Notes, func(n core.TraceNote) bool { return n.Key == "reused" })
			if reused != tt.reused {
				t.Errorf("reused = %t", reused)
			}
			if tt.reused && (len(out.Account.Variants) != 3 || out.Account.Variants[0] != question) {
				t.Errorf("variants %q", out.Account.Variants)
			}
			if turn.Profile.Value().Name() == "" {
				t.Error("no profile")
			}
		})
	}
}

// An assistant may keep to the source that a question is about.
func TestNarrowing(t *testing.T) {
	who := hr()
	who.Routing.Narrow = true
	for question, want := range map[string]int{"报销怎么申请？": 2, "公司的地址在哪里？": 3} { // the FAQ base is always asked
		o := &office{faqs: &entries{}, found: []retrieve.Found{passage("x", "d", "由经理审批。", .8)}}
		o.ask(t, pipeline.Request{Question: question, Assistant: who})
		if got := o.searches.asked.Targets; len(got) != want {
			t.Errorf("%s: %+v", question, got)
		}
	}
}

// 报销超过5000需要谁审批: the intent may be that of a standard question, the
// category is money, and money decides.
func TestPlanLayers(t *testing.T) {
	tests := []struct {
		question          string
		under             pipeline.Understanding
		intent, category  string
		profile           string
		direct            float64
		evidence          int
		tables, exactOnly bool
		rule              float64
	}{
		{question: "报销超过5000需要谁审批", intent: "faq_query", category: "pricing", profile: "pricing_guard", direct: .84, evidence: 6, rule: .84},
		{question: "那审批呢？", under: pipeline.Understanding{Question: "出差的审批流程是什么？", Rewritten: true, Intent: pipeline.IntentFollowUp}, intent: "follow_up", profile: "follow_up", direct: .78, evidence: 6, rule: .8},
		{question: "合同的违约责任怎么定", intent: "faq_query", category: "compliance", profile: "compliance_guard", direct: .86, evidence: 6, rule: .82},
		{question: "打印机卡纸以后应该按什么顺序去检查和处理呢", intent: "faq_query", category: "troubleshooting", profile: "troubleshooting_steps", direct: .72, evidence: 6, rule: .82},
		{question: "请把考勤制度里面关于迟到和早退的全部内容总结一下给我看看", intent: "knowledge_query", category: "summary", profile: "source_bound_summary", direct: .72, evidence: 6, rule: .84},
		{question: "资产编号 IT-0042 的负责人是谁，现在放在哪个办公室里面", intent: "knowledge_query", category: "table", profile: "knowledge_answer", direct: .72, evidence: 7, tables: true, exactOnly: true, rule: .84},
		{question: "入职以后前三个月的培训都由人事部门来组织和安排吗请说明一下", intent: "faq_query", profile: "faq_answer", direct: .72, evidence: 6, rule: .84},
		{question: "年假几天", intent: "faq_query", profile: "faq_answer", direct: .78, evidence: 6, rule: .84},
		{question: "考勤", intent: "knowledge_query", profile: "knowledge_answer", direct: .78, evidence: 6, rule: .6},
	}
	for _, tt := range tests {
		o := &office{faqs: &entries{}, found: []retrieve.Found{passage("x", "d", "由经理审批。", .8)}, understood: tt.under}
		out, _ := o.ask(t, pipeline.Request{Question: tt.question, Assistant: hr()})
		a, p := out.Account, out.Account.Plan
		if a.Intent != tt.intent || a.Category != tt.category || a.Profile != tt.profile || a.Rule != tt.rule {
			t.Errorf("%s: %+v, profile %s", tt.question, a.Decision, a.Profile)
		}
		if p.FAQDirect != tt.direct || p.Evidence != tt.evidence || p.PreferTable != tt.tables || p.FAQExactOnly != tt.exactOnly || !p.RunFAQ || !p.RunDocs || p.Reason == "" {
			t.Errorf("%s: %+v", tt.question, *p)
		}
	}
}

// The persona is in the profile's words, and the citation protocol behind it.
func TestProfileIsInThePrompt(t *testing.T) {
	o := &office{faqs: &entries{}, found: []retrieve.Found{passage("x", "d", "报销由经理审批。", .8)}}
	o.ask(t, pipeline.Request{Question: "报销超过5000需要谁审批", Assistant: hr()})
	system := o.model.asked.Messages[0].Content
	money, protocol := strings.Index(system, "涉及费用"), strings.Index(system, `<ref id="ID"/>`)
	if money < 0 || protocol < money || !strings.Contains(system, "人事热线 8001") || strings.Contains(system, "{support_contact}") {
		t.Errorf("system prompt %q", system)
	}
}

// Evidence: standard questions first and two at most, rows first where the
// plan prefers them, labels with sheet and row.
func TestEvidenceOrder(t *testing.T) {
	row := passage("row", "assets", "资产编号: IT-0042\n负责人: 张伟", .4)
	row.Chunk.Type, row.Chunk.Sheet, row.Chunk.Row = core.ChunkTableRow, "设备", 7
	o := &office{
		faqs: &entries{list: []core.FAQEntry{
			{Question: "资产编号 IT-0042 的负责人是谁来着呢", Answers: []string{"张伟"}},
			{Question: "资产编号 IT-0042 的负责人是哪位", Answers: []string{"张伟"}}, {Question: "资产编号 IT-0042 的负责人叫什么", Answers: []string{"张伟"}},
		}},
		found: []retrieve.Found{passage("x", "d", "资产由各部门负责人管理。", .8), row},
	}
	_, turn := o.ask(t, pipeline.Request{Question: "资产编号 IT-0042 的负责人是谁", Assistant: hr()})
	var got []string
	for _, e := range turn.Evidence.Value() {
		got = append(got, e.Type)
	}
	if s := strings.Join(got, " "); !strings.HasPrefix(s, "faq ") || !strings.HasSuffix(s, " table_row text") || strings.Count(s, "faq") > 2 {
		t.Errorf("evidence %s", s)
	}
	if user := o.model.asked.Messages[len(o.model.asked.Messages)-1].Content; !strings.Contains(user, "设备 / row 7") {
		t.Errorf("the row is not labelled: %s", user)
	}
}

// What the model leaves out is added, streamed, and counts as no citation.
func TestAnswersAreAmended(t *testing.T) {
	o := &office{faqs: &entries{}, found: []retrieve.Found{passage("x", "手册", "报销由部门经理审批。", .8)},
		model: &script{deltas: []llm.Delta{{Text: "报销由部门经理审批。"}}}}
	out, _ := o.ask(t, pipeline.Request{Question: "报销怎么申请？", Assistant: hr()})
	if !strings.HasSuffix(out.Answer, "\n\n参考来源：[1] 手册.md") || out.References[0].Number != 1 {
		t.Errorf("answer %q, %+v", out.Answer, out.References)
	}
	if s := out.Confidence.Signals; s.Coverage != 0 || out.Confidence.Generation != .65 || out.Confidence.Status != "partial" {
		t.Errorf("confidence %+v", out.Confidence)
	}
	row := passage("row", "台账", "资产编号: IT-0042\n负责人: 张伟\n状态: 维修中", .9)
	row.Chunk.Type, row.Chunk.Row = core.ChunkTableRow, 3
	o = &office{faqs: &entries{}, found: []retrieve.Found{row}, model: &script{deltas: []llm.Delta{{Text: "IT-0042 由张伟负责"}}}}
	out, _ = o.ask(t, pipeline.Request{Question: "表格里资产编号 IT-0042 是怎么写的", Assistant: hr()})
	if !strings.Contains(out.Answer, "状态: 维修中 [1]") || strings.Contains(out.Answer, "参考来源") {
		t.Errorf("answer %q", out.Answer)
	}
}

// A claim that no source carries is shown as such, with what is missing.
func TestUnsupportedClaimsAreTold(t *testing.T) {
	o := &office{faqs: &entries{}, found: []retrieve.Found{passage("x", "手册", "报销由部门经理审批，三天内完成。", .8)},
		model: &script{deltas: []llm.Delta{{Text: `报销由部门经理审批 <ref id="c1"/>。审批需要 15 天完成 <ref id="c1"/>。`}}}}
	out, _ := o.ask(t, pipeline.Request{Question: "报销怎么申请？", Assistant: hr()})
	if len(out.Unsupported) != 1 || out.Unsupported[0].Reason != "unsupported_detail" || !slices.Contains(out.Unsupported[0].Missing, "15") {
		t.Fatalf("unsupported %+v", out.Unsupported)
	}
	if u := out.Unsupported[0]; out.Answer[u.AnswerStart:u.AnswerEnd] != u.Text || !strings.Contains(u.Text, "15 天") {
		t.Errorf("%+v", u)
	}
	if out.Confidence.Status != "partial" {
		t.Errorf("%+v", out.Confidence)
	}
}

// Evidence is strong, and the answer cites [9], which is not there: .35.
func TestCitationOfNothing(t *testing.T) {
	o := &office{faqs: &entries{}, found: []retrieve.Found{passage("x", "手册", "报销由部门经理审批。", .95)},
		model: &script{deltas: []llm.Delta{{Text: "报销由部门经理审批 [9]。"}}}}
	out, _ := o.ask(t, pipeline.Request{Question: "报销怎么申请？", Assistant: hr()})
	if strings.Contains(out.Answer, "[9]") || out.Confidence.Score != .35 || out.Confidence.Status != "failed" || out.Confidence.Level != core.LevelLow {
		t.Errorf("%q, %+v", out.Answer, out.Confidence)
	}
	if !slices.Contains(out.Confidence.Reasons, "invalid_citation") || out.Confidence.Signals.InvalidMarks != 1 {
		t.Errorf("%+v", out.Confidence)
	}
}
