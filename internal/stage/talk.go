package stage

import (
	"context"
	"fmt"

	"kaoju/internal/answer"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
	"kaoju/internal/retrieve"
	"kaoju/internal/text"
)

// talkUnless is the probability from which documents answer what a model took
// for small talk.
const talkUnless = .25

// profileTalk is the way of answering where no knowledge is asked for.
const profileTalk = "pure_chat"

// Talk stands around Assemble and takes the turns that ask nothing of the
// documents: greetings, small talk, conversations without knowledge. Where
// speaks says that there is a chat model, it is told what the intent's template
// says; without one the answer is a fixed, polite sentence.
//
// What a model alone takes for small talk is small talk only where the
// documents do not answer it; and so is a question about a picture, which is
// answered from the picture then.
func Talk(prompts *prompt.Library, assessor Assessor, speaks func(context.Context) bool) pipeline.Plugin {
	return talk{prompts, assessor, speaks}
}

type talk struct {
	prompts  *prompt.Library
	assessor Assessor
	speaks   func(context.Context) bool
}

func (talk) Name() string             { return "talk" }
func (talk) Stages() []pipeline.Stage { return []pipeline.Stage{pipeline.StageAssemble} }

func (p talk) Handle(ctx context.Context, _ pipeline.Stage, t *pipeline.Turn, next pipeline.Next) error {
	if !talks(t) || p.answered(t) {
		return next(ctx)
	}
	intent := talkIntent(t)
	t.Note(pipeline.StageAssemble, "profile", intent)
	if !p.speaks(ctx) {
		return answerDirectly(ctx, t, fixedTalk(t))
	}
	return t.Prompt.Set(pipeline.Prompt{Profile: intent, Talk: true, Messages: talkMessages(p.prompts, t)})
}

// talks reports whether the turn asks nothing of any document, as far as its
// words tell.
func talks(t *pipeline.Turn) bool {
	return t.Request.Talk || t.Understanding.Value().Intent.Talks() || ofPicture(t)
}

// ofPicture reports whether the question is about a picture that somebody has
// looked at.
func ofPicture(t *pipeline.Turn) bool {
	u := t.Understanding.Value()
	return u.Intent == pipeline.IntentImage && u.Image != ""
}

// answered reports whether the documents answer all the same what a model took
// for small talk.
func (p talk) answered(t *pipeline.Turn) bool {
	found := t.Ranked.Value()
	if t.Request.Talk || len(found) == 0 || !t.Understanding.Value().Unsure && !ofPicture(t) {
		return false
	}
	probability := p.assessor.Probability(t.Question(), t.Aliases.Value(), firstEvidence(found, t.Plan.Value().Evidence))
	t.Note(pipeline.StageAssemble, "small_talk", fmt.Sprintf("the documents answer with probability %.2f", probability))
	return probability >= talkUnless
}

func firstEvidence(found []retrieve.Found, n int) []llm.Evidence {
	sources := answer.NewSources()
	out := make([]llm.Evidence, 0, n)
	for _, f := range found[:min(n, len(found))] {
		out = append(out, toEvidence(sources.Add(reference(f), f.Text, f.Parts...), f))
	}
	return out
}

// talkIntent names the template for the turn.
func talkIntent(t *pipeline.Turn) string {
	if intent := t.Understanding.Value().Intent; intent.Talks() || ofPicture(t) {
		return string(intent)
	}
	return profileTalk
}

func talkMessages(prompts *prompt.Library, t *pipeline.Turn) []llm.Message {
	question := t.Question()
	if ofPicture(t) {
		question = t.Request.Question + "\n<picture>\n" + t.Understanding.Value().Image + "\n</picture>"
	}
	return t.Prompts(prompts).Talk(prompt.Ask{
		Assistant: t.Request.Assistant, Question: question, Said: said(t.History.Value()), Now: t.Now(), System: talkIntent(t),
	})
}

// fixedTalk is what is said where no model talks.
func fixedTalk(t *pipeline.Turn) string {
	u := t.Understanding.Value()
	switch {
	case !ofPicture(t):
		return smallTalk(t.Request, u.Intent)
	case text.DetectLanguage(t.Request.Question) == text.English:
		return "The documents do not answer this. The picture shows, as a model reads it: " + u.Image
	}
	return "资料中没有对应的内容。图片中是（由模型读出）：" + u.Image
}

// smallTalk is the fixed answer to what asks nothing of the documents.
func smallTalk(req pipeline.Request, intent pipeline.Intent) string {
	english := text.DetectLanguage(req.Question) == text.English
	name := req.Assistant.SpokenName()
	switch {
	case intent == pipeline.IntentGreeting && english && name != "":
		return "Hello, I am " + name + ". I answer questions from your documents and show where each answer stands. What would you like to know?"
	case intent == pipeline.IntentGreeting && english:
		return "Hello! I answer questions from your documents and show where each answer stands. What would you like to know?"
	case intent == pipeline.IntentGreeting && name != "":
		return "你好，我是" + name + "，依据知识库中的文件回答问题，并注明每个答案的出处。请问想了解什么？"
	case intent == pipeline.IntentGreeting:
		return "你好！我依据知识库中的文件回答问题，并注明每个答案的出处。请问想了解什么？"
	case english:
		return "I answer questions from your documents and show where each answer stands. Ask me anything that they may hold."
	}
	return "我依据知识库中的文件回答问题，并注明每个答案的出处。如有想查的内容，请直接提问。"
}

// answerDirectly ends the turn with words that need no evidence.
func answerDirectly(ctx context.Context, t *pipeline.Turn, words string) error {
	if err := t.Publish(ctx, core.Event{Type: core.EventAnswer, Content: words}); err != nil {
		return err
	}
	if err := t.Answer.Set(pipeline.Answer{Text: words, HitType: core.HitDirect}); err != nil {
		return err
	}
	return pipeline.ErrAnswered
}
