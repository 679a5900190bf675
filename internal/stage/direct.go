package stage

import (
	"context"
	"slices"
	"strings"

	"kaoju/internal/assistant"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/text"
)

// Rulebook gives the rules of routing that are in force.
type Rulebook interface {
	Rules() *assistant.Set
}

// Direct answers what needs no search, before anything is read: greetings,
// calls for a person, what no assistant here answers, and questions about
// another part of the knowledge than the one that the caller chose. Register
// it behind Route.
func Direct(rules Rulebook, patterns *assistant.Patterns, speaks func(context.Context) bool) pipeline.Plugin {
	return step{"direct", pipeline.StageRoute, func(ctx context.Context, t *pipeline.Turn) error {
		if t.Request.RetrieveOnly {
			return nil
		}
		d, words := direct(rules.Rules(), patterns, t)
		if d.Intent == pipeline.LabelGreeting && speaks(ctx) {
			return nil // a chat model greets back, in its own words
		}
		if words == "" {
			return nil
		}
		d.Route, d.Rule = pipeline.RouteDirect, d.Confidence
		t.Note(pipeline.StageRoute, "route", pipeline.RouteDirect)
		t.Note(pipeline.StageRoute, "intent", d.Intent)
		t.Note(pipeline.StageRoute, "reason", d.Reason)
		if err := t.Decision.Set(d); err != nil {
			return err
		}
		return answerDirectly(ctx, t, words)
	}}
}

// How sure the rules are of what they answer themselves.
const (
	sureGreeting   = 1
	sureOutOfScope = .95
	sureHuman      = .9
)

func direct(rules *assistant.Set, patterns *assistant.Patterns, t *pipeline.Turn) (pipeline.Decision, string) {
	q, who := t.Request.Question, t.Request.Assistant
	english := text.DetectLanguage(q) == text.English
	switch {
	case rules.Greeting(q):
		return pipeline.Decision{Intent: pipeline.LabelGreeting, Confidence: sureGreeting, Reason: "greeting_rule"},
			smallTalk(t.Request, pipeline.IntentGreeting)
	case rules.HumanService(q) || patterns.Match(who.Routing.HumanService, q):
		return pipeline.Decision{Intent: pipeline.LabelHuman, Confidence: sureHuman, Reason: "human_service_rule"}, toPerson(who, english)
	case rules.OutOfScope(q) || patterns.Match(who.Routing.OutOfScope, q):
		return pipeline.Decision{Intent: pipeline.LabelOutOfScope, Confidence: sureOutOfScope, Reason: "out_of_scope_rule"}, outOfScope(who, english)
	}
	if chosen, other, ok := beyond(patterns, t); ok {
		return pipeline.Decision{Intent: pipeline.LabelOutOfScope, Confidence: sureOutOfScope, Reason: "source_boundary", Source: other.Name},
			elsewhere(chosen, other, english)
	}
	return pipeline.Decision{}, ""
}

// beyond reports that the caller chose sources of which the question is about
// none, while it is clearly about another one.
func beyond(patterns *assistant.Patterns, t *pipeline.Turn) (chosen, other core.AssistantSource, ok bool) {
	who := t.Request.Assistant
	if !who.Routing.Boundary || len(t.Request.BaseIDs) == 0 {
		return chosen, other, false
	}
	about := patterns.SourcesOf(who, t.Request.Question)
	for _, s := range about {
		if covers(s, t.Bases.Value()) {
			return chosen, other, false
		}
	}
	for _, s := range who.Routing.Sources {
		if len(about) > 0 && covers(s, t.Bases.Value()) {
			return s, about[0], true
		}
	}
	return chosen, other, false
}

// covers reports whether one of the bases belongs to a source.
func covers(s core.AssistantSource, bases []core.KnowledgeBase) bool {
	return slices.ContainsFunc(bases, func(b core.KnowledgeBase) bool { return holds(s, b) })
}

func holds(s core.AssistantSource, b core.KnowledgeBase) bool {
	names := s.Bases
	if len(names) == 0 {
		names = []string{s.Name}
	}
	return slices.Contains(names, b.ID) || slices.Contains(names, b.Name)
}

func toPerson(a core.Assistant, english bool) string {
	contact := strings.TrimSpace(a.SupportContact)
	switch {
	case english && contact != "":
		return "A person can help you: please contact " + contact + "."
	case english:
		return "I cannot put you through to a person; please ask whoever runs this service."
	case contact != "":
		return "已为你提供人工服务的联系方式：" + contact + "。"
	}
	return "这里没有登记人工服务的联系方式，请联系管理员。"
}

func outOfScope(a core.Assistant, english bool) string {
	domain := strings.TrimSpace(a.BusinessDomain)
	switch {
	case english && domain != "":
		return "I do not answer that. Ask me about " + domain + "; I answer from the documents and show where each answer stands."
	case english:
		return "I do not answer that. I answer questions from the documents that I was given, and show where each answer stands."
	case domain != "":
		return "这个问题不在我的服务范围内。我只依据知识库回答" + domain + "方面的问题。"
	}
	return "这个问题不在我的服务范围内。我只依据知识库中的文件回答问题。"
}

func elsewhere(chosen, other core.AssistantSource, english bool) string {
	if english {
		return "You chose “" + titleOf(chosen) + "”, and this question is about “" + titleOf(other) + "”. Choose that, or all sources, and ask again."
	}
	return "当前选择的是“" + titleOf(chosen) + "”，这个问题属于“" + titleOf(other) + "”。请切换到该范围或选择全部范围后再问。"
}

func titleOf(s core.AssistantSource) string {
	if s.Title != "" {
		return s.Title
	}
	return s.Name
}
