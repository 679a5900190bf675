package stage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"kaoju/internal/assistant"
	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
)

// Thresholds of a standard answer to a question that is only like the
// standard one, unless the assistant has its own.
const (
	faqDirect     = .72
	faqGuarded    = .78 // follow-ups, and questions that say little
	faqPricing    = .84
	faqCompliance = .86
)

// Passages in the prompt that kinds of question want at least.
const (
	evidenceKnowledge = 5
	evidenceRisk      = 6
	evidenceTable     = 7
)

// Planner decides by rules, without a model, how a turn searches and how it
// answers, and writes down why.
type Planner struct {
	Retrieve config.Retrieve
	Evidence config.Evidence
	Rules    Rulebook
	Patterns *assistant.Patterns
	Prompts  *prompt.Library
}

// Plugin gives the planner's plugin.
func (p Planner) Plugin() pipeline.Plugin {
	return step{"plan", pipeline.StagePlan, func(_ context.Context, t *pipeline.Turn) error {
		rules := p.Rules.Rules()
		d := decide(rules, p.Patterns, t)
		plan := p.plan(t, d, rules.IsShort(t.Question()))
		words := []string{t.Question()}
		if plan.Rewording {
			words = rules.Variants(t.Question())
		}
		profile := t.Prompts(p.Prompts).Profile(t.Request.Assistant, d.Category, d.Intent)
		t.Note(pipeline.StagePlan, "intent", fmt.Sprintf("%s %.2f: %s", d.Intent, d.Confidence, d.Reason))
		t.Note(pipeline.StagePlan, "reason", plan.Reason)
		t.Note(pipeline.StagePlan, "profile", profile.Name()+": "+profile.Reason())
		if d.Category != "" {
			t.Note(pipeline.StagePlan, "category", d.Category)
		}
		for _, set := range []error{t.Decision.Set(d), t.Plan.Set(plan), t.Wordings.Set(words), t.Profile.Set(profile)} {
			if set != nil {
				return set
			}
		}
		return nil
	}}
}

// layers collects a plan with the reasons of each change.
type layers struct {
	pipeline.Plan
	reasons []string
}

func (l *layers) because(format string, args ...any) {
	l.reasons = append(l.reasons, fmt.Sprintf(format, args...))
}

func (p Planner) plan(t *pipeline.Turn, d pipeline.Decision, short bool) pipeline.Plan {
	own := t.Request.Assistant
	l := layers{Plan: pipeline.Plan{
		RunFAQ: !own.FAQ.Off && !t.Request.RetrieveOnly && len(faqTargets(t)) > 0, RunDocs: true, Rerank: true, FAQTopK: faqTopK,
		TopK: cmp.Or(own.Retrieval.TopK, p.Retrieve.TopK), Keep: cmp.Or(own.Retrieval.RerankTopK, p.Retrieve.RerankTopK),
		Evidence: cmp.Or(own.Retrieval.Evidence, p.Evidence.TopN), Scoped: len(t.Request.DocumentIDs)+len(t.Request.FolderIDs)+len(t.Request.Tags) > 0,
		FAQDirect: cmp.Or(own.FAQ.Direct, faqDirect), FAQExactOnly: own.FAQ.ExactOnly, MinScore: own.Retrieval.MinScore,
		Chars: cmp.Or(own.Retrieval.EvidenceChars, p.Evidence.Chars), DocChars: cmp.Or(own.Retrieval.DocumentChars, p.Evidence.DocumentChars),
	}}
	l.because("documents")
	if l.Scoped {
		l.because("those that the user chose, without thresholds")
	}
	l.atHand(t)
	l.narrow(t, d)
	l.intent(d, own.FAQ)
	if short && l.RunFAQ {
		l.guard(cmp.Or(own.FAQ.Guarded, faqGuarded), "the question is short")
	}
	l.category(d.Category, own.FAQ)
	if k := t.Request.TopK; k > 0 {
		l.Keep, l.Evidence, l.TopK = k, min(k, l.Evidence), max(l.TopK, k)
		l.because("the request asks for %d passages", k)
	}
	l.Reason = strings.Join(l.reasons, "; ")
	return l.Plan
}

// atHand keeps to the documents of the last answer where the question is about
// "this document" and the user chose none.
func (l *layers) atHand(t *pipeline.Turn) {
	if t.Understanding.Value().Intent != pipeline.IntentDocument || l.Scoped {
		return
	}
	for _, r := range lastCited(t.History.Value()) {
		if !slices.Contains(l.Documents, r.DocumentID) {
			l.Documents = append(l.Documents, r.DocumentID)
		}
	}
	if len(l.Documents) > 0 {
		l.Scoped, l.RunFAQ = true, false
		l.because("only the documents of the last answer, which it speaks of, without thresholds")
	}
}

// narrow keeps to the source that the question is about, and to the standard
// questions, where the assistant wants that and the caller chose nothing.
func (l *layers) narrow(t *pipeline.Turn, d pipeline.Decision) {
	req := t.Request
	if !req.Assistant.Routing.Narrow || d.Source == "" || len(req.BaseIDs) > 0 {
		return
	}
	for _, s := range req.Assistant.Routing.Sources {
		for _, b := range t.Bases.Value() {
			if s.Name == d.Source && (holds(s, b) || b.Kind == core.BaseFAQ) {
				l.Only = append(l.Only, b.ID)
			}
		}
	}
	if len(l.Only) > 0 {
		l.because("it is about %s alone", d.Source)
	}
}

// intent changes what the intent wants.
func (l *layers) intent(d pipeline.Decision, own core.AssistantFAQ) {
	switch d.Intent {
	case pipeline.LabelFollowUp:
		l.FAQTopK, l.Rewording = faqFollowUpTopK, true
		l.guard(cmp.Or(own.Guarded, faqGuarded), "it goes on from what was said")
	case pipeline.LabelKnowledge:
		l.Evidence, l.Rewording = max(l.Evidence, evidenceKnowledge), true
		l.because("a question of knowledge: variants are allowed")
	case pipeline.LabelFAQ:
		l.Rewording = l.RunFAQ
		if l.RunFAQ {
			l.because("it looks like a standard question")
		}
	}
	if d.Confidence < sureIntent && l.RunFAQ {
		l.guard(cmp.Or(own.Guarded, faqGuarded), "the intent is not sure")
	}
}

// category changes what the kind of question wants.
func (l *layers) category(category string, own core.AssistantFAQ) {
	switch category {
	case assistant.CategoryPricing:
		l.Evidence = max(l.Evidence, evidenceRisk)
		l.guard(cmp.Or(own.Pricing, faqPricing), "it is about money")
	case assistant.CategoryCompliance:
		l.Evidence = max(l.Evidence, evidenceRisk)
		l.guard(cmp.Or(own.Compliance, faqCompliance), "it is about compliance")
	case assistant.CategoryTroubleshooting, assistant.CategorySummary:
		l.Evidence = max(l.Evidence, evidenceRisk)
		l.because("%s: more passages", category)
	case assistant.CategoryTable:
		l.Evidence, l.PreferTable, l.FAQExactOnly = max(l.Evidence, evidenceTable), true, true
		l.because("table: rows first, standard answers only word for word")
	}
}

// guard raises the threshold of a standard answer.
func (l *layers) guard(least float64, why string) {
	if l.FAQDirect < least {
		l.FAQDirect = least
	}
	l.because("%s: a standard answer needs %.2f", why, l.FAQDirect)
}

// Scores of the rules that tell intents apart.
const (
	sureFAQ         = .82 // one sign of a standard question
	sureFAQNamed    = .84 // and it names a source
	sureKnowledge   = .84
	sureFollowUp    = .8
	unsureKnowledge = .6
	sureIntent      = .7
	conflictCap     = .68 // where another reader of the question disagrees
	longQuestion    = 24  // characters from which a question asks for more than a standard answer
)

// decide says what the user wants, by rules; where a model read the question
// too and disagrees, it is less sure.
func decide(rules *assistant.Set, patterns *assistant.Patterns, t *pipeline.Turn) pipeline.Decision {
	q, u := t.Question(), t.Understanding.Value()
	d := pipeline.Decision{Route: pipeline.RouteRetrieval, Category: rules.Category(q)}
	about := patterns.SourcesOf(t.Request.Assistant, q)
	if len(about) > 0 {
		d.Source = about[0].Name
	}
	looks := rules.Probes(q, false)
	switch {
	case u.Rewritten || u.Intent == pipeline.IntentFollowUp:
		d.Intent, d.Rule, d.Reason = pipeline.LabelFollowUp, sureFollowUp, "history_rule"
	case looks && len(about) > 0:
		d.Intent, d.Rule, d.Reason = pipeline.LabelFAQ, sureFAQNamed, "faq_hint_and_source"
	case looks && utf8.RuneCountInString(q) <= longQuestion:
		d.Intent, d.Rule, d.Reason = pipeline.LabelFAQ, sureFAQ, "faq_hint"
	case looks || d.Category != "" || len(about) > 0 || rules.Asks(q):
		d.Intent, d.Rule, d.Reason = pipeline.LabelKnowledge, sureKnowledge, "strong_knowledge_rule"
	default:
		d.Intent, d.Rule, d.Reason = pipeline.LabelKnowledge, unsureKnowledge, "default"
	}
	d.Confidence = d.Rule
	if u.Unsure { // a model takes it for small talk
		d.Confidence = min(d.Confidence, conflictCap)
	}
	return d
}
