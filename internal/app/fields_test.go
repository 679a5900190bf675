package app

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/knowledge"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/pipeline"
)

// described are the fields of an assistant that say what it is, and change no
// answer: they stand in lists, in addresses and beside the question box.
var described = []string{"ID", "TenantID", "Description", "Questions", "Origin", "CreatedAt", "UpdatedAt"}

// elsewhere are the fields that other tests of the package follow.
var elsewhere = []string{"Models.Chat", "Models.Understand", "Models.Rerank", "Routing.Narrow", "Routing.Sources", "Routing.Boundary", "Fallback.NoBuiltin"}

// changed are the fields that change an answer: how, and of what question.
var changed = map[string]struct {
	question string
	change   func(*core.Assistant)
}{
	"Name":                       {"你好", func(a *core.Assistant) { a.Name = "小考" }},
	"BusinessDomain":             {"彩票怎么买", func(a *core.Assistant) { a.BusinessDomain, a.Routing.OutOfScope = "人事", []string{"彩票"} }},
	"Industry":                   {asked, func(a *core.Assistant) { a.Industry, a.Prompts.SystemText = "航运", "行业 {{industry}}" }},
	"SupportContact":             {"转人工", func(a *core.Assistant) { a.SupportContact = "8001" }},
	"BaseIDs":                    {asked, func(a *core.Assistant) { a.BaseIDs = []string{"faq"} }},
	"MultiTurn":                  {"那病假呢", func(a *core.Assistant) { a.MultiTurn = false }},
	"Citations":                  {asked, func(a *core.Assistant) { a.Citations = false }},
	"CitationStyle":              {asked, func(a *core.Assistant) { a.CitationStyle = core.CiteTags }},
	"WebSearch":                  {asked, func(a *core.Assistant) { a.WebSearch = true }},
	"DataAnalysis":               {"报销明细中销售部的金额合计是多少？", func(a *core.Assistant) { a.DataAnalysis = true }},
	"Tools":                      {asked, func(a *core.Assistant) { a.Tools = true }},
	"Prompts.System":             {asked, func(a *core.Assistant) { a.Prompts.System = "pure_chat" }},
	"Prompts.Context":            {asked, func(a *core.Assistant) { a.Prompts.Context = "simple_context" }},
	"Prompts.SystemText":         {asked, func(a *core.Assistant) { a.Prompts.SystemText = "像公证人一样回答。" }},
	"Retrieval.TopK":             {asked, func(a *core.Assistant) { a.Retrieval.TopK = 1 }},
	"Retrieval.RerankTopK":       {asked, func(a *core.Assistant) { a.Retrieval.RerankTopK = 1 }},
	"Retrieval.Evidence":         {asked, func(a *core.Assistant) { a.Retrieval.Evidence = 7 }},
	"Retrieval.MinScore":         {asked, func(a *core.Assistant) { a.Retrieval.MinScore = .99 }},
	"Retrieval.KeywordThreshold": {asked, func(a *core.Assistant) { a.Retrieval.KeywordThreshold, a.Retrieval.VectorThreshold = .99, .01 }},
	"Retrieval.VectorThreshold":  {asked, func(a *core.Assistant) { a.Retrieval.VectorThreshold = .99 }},
	"Retrieval.EvidenceChars":    {asked, func(a *core.Assistant) { a.Retrieval.EvidenceChars = 1 }},
	"Retrieval.DocumentChars":    {asked, func(a *core.Assistant) { a.Retrieval.DocumentChars = 1 }},
	"FAQ.Off":                    {"加班怎么算", func(a *core.Assistant) { a.FAQ.Off = true }},
	"FAQ.ExactOnly":              {"请问一下加班是怎么算的", func(a *core.Assistant) { a.FAQ.ExactOnly = true }},
	"FAQ.Direct":                 {"请问一下公司里加班工资到底应该是怎么算的", func(a *core.Assistant) { a.FAQ.Direct = .99 }},
	"FAQ.Guarded":                {"加班怎样算", func(a *core.Assistant) { a.FAQ.Guarded = .99 }},
	"FAQ.Pricing":                {"加班的费用怎么算", func(a *core.Assistant) { a.FAQ.Pricing = .99 }},
	"FAQ.Compliance":             {"加班合同怎么算", func(a *core.Assistant) { a.FAQ.Compliance = .99 }},
	"Fallback.Strategy":          {"量子纠缠与黑洞蒸发", func(a *core.Assistant) { a.Fallback.Strategy = core.FallbackModel }},
	"Fallback.Text":              {"量子纠缠与黑洞蒸发", func(a *core.Assistant) { a.Fallback.Text = "请打电话。" }},
	"Routing.OutOfScope":         {"彩票怎么买", func(a *core.Assistant) { a.Routing.OutOfScope = []string{"彩票"} }},
	"Routing.HumanService":       {"叫店长来", func(a *core.Assistant) { a.Routing.HumanService = []string{"店长"} }},
}

// fieldsOf names the fields of a struct of ours, those inside of structs too.
func fieldsOf(of reflect.Type, prefix string) (names []string) {
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Type.Kind() == reflect.Struct && strings.HasPrefix(f.Type.Name(), "Assistant") {
			names = append(names, fieldsOf(f.Type, f.Name+".")...)
			continue
		}
		names = append(names, prefix+f.Name)
	}
	return names
}

// signature is all that a question came to: text, decisions, and what the model
// was told.
func signature(t *testing.T, d desk, e *llmtest.Endpoint, who core.Assistant, question string) string {
	t.Helper()
	before := e.Calls()
	out, err := d.answerer.Answer(t.Context(), pipeline.Request{
		Scope: core.OwnerScope(), Assistant: who, Question: question, History: []pipeline.Round{{Question: "年假几天", Answer: "5 天。"}},
	}, discard)
	if err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	told := ""
	for _, r := range e.Requests()[before:] {
		told += r.Body
	}
	plan := ""
	if out.Account.Plan != nil {
		plan = fmt.Sprintf("%+v", *out.Account.Plan)
	}
	notes := ""
	for _, n := range out.Notes {
		if n.Key == "web_search" || n.Key == "tools" {
			notes += n.Value
		}
	}
	return fmt.Sprint(out.Answer, out.HitType, len(out.References), plan, notes, told)
}

// Every field of an assistant changes what it is for: none is stored in vain.
func TestEveryFieldOfAnAssistantIsFollowed(t *testing.T) {
	for _, name := range fieldsOf(reflect.TypeFor[core.Assistant](), "") {
		_, known := changed[name]
		if !known && !strings.Contains(" "+strings.Join(append(described, elsewhere...), " ")+" ", " "+name+" ") {
			t.Errorf("nothing says what %s changes", name)
		}
	}
	d, e := modelled(t, spoken{" ", `员工年假为 5 天 <ref id="c1"/>。`}, leaveRules, func(c *config.Config) { c.Understand.By = config.UnderstandRules })
	d.add("报销明细.csv", spending)
	if _, err := d.knowledge.CreateBase(t.Context(), core.OwnerScope(), knowledge.NewBase{Name: "faq", Kind: core.BaseFAQ}); err != nil {
		t.Fatal(err)
	}
	entry := core.FAQEntry{Question: "加班怎么算", Similar: []string{"公司加班工资怎么算", "加班的费用怎么算的", "加班符合劳动法吗"}, Answers: []string{"按小时算。"}}
	if _, err := d.knowledge.CreateFAQ(t.Context(), core.OwnerScope(), "faq", core.FAQ{FAQEntry: entry}); err != nil {
		t.Fatal(err)
	}
	d.settle()
	plain := core.DefaultAssistant(core.DefaultTenantID)
	for name, c := range changed {
		plain := plain
		if strings.HasPrefix(name, "Fallback.") {
			plain.Retrieval.MinScore = .99 // nothing is found
		}
		own := plain
		c.change(&own)
		if signature(t, d, e, plain, c.question) == signature(t, d, e, own, c.question) {
			t.Errorf("%s changes nothing of %s", name, c.question)
		}
	}
}
