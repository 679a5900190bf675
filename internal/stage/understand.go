package stage

import (
	"context"
	"fmt"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/text"
)

// Understander makes of a question, and of what was said before it, what it
// means. Package understand has them.
type Understander interface {
	Understand(ctx context.Context, question string, said []pipeline.Round) (pipeline.Understanding, error)
}

// Understand settles the stand-alone question, which is searched for and
// answered, and what the user wants. A greeting and small talk are answered
// at once.
func Understand(u Understander) pipeline.Plugin {
	return step{"understand", pipeline.StageUnderstand, func(ctx context.Context, t *pipeline.Turn) error {
		req := t.Request
		got, err := u.Understand(ctx, req.Question, t.History.Value())
		if err != nil {
			return core.Wrap(err, core.CodeOf(err), "the question could not be understood; it is taken as it stands")
		}
		t.Note(pipeline.StageUnderstand, "intent", string(got.Intent))
		t.Note(pipeline.StageUnderstand, "rewritten", fmt.Sprint(got.Rewritten))
		t.Note(pipeline.StageUnderstand, "reason", got.Reason)
		if got.Rewritten {
			t.Note(pipeline.StageUnderstand, "question", got.Question)
		}
		if err := t.Understanding.Set(got); err != nil {
			return err
		}
		if words := smallTalk(req, got.Intent); words != "" && !req.RetrieveOnly {
			return answerDirectly(ctx, t, words)
		}
		return nil
	}}
}

// smallTalk is the answer to what asks nothing of the documents; empty for
// questions.
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
	case intent == pipeline.IntentChitchat && english:
		return "I answer questions from your documents and show where each answer stands. Ask me anything that they may hold."
	case intent == pipeline.IntentChitchat:
		return "我依据知识库中的文件回答问题，并注明每个答案的出处。如有想查的内容，请直接提问。"
	}
	return ""
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
