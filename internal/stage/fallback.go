package stage

import (
	"context"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/text"
)

// Fallback answers a turn for which nothing was found: a fixed sentence in
// the language of the question, with the assistant's support contact, and no
// model call.
func Fallback(ctx context.Context, t *pipeline.Turn) error {
	words := insufficient(t.Request.Question, t.Request.Assistant.SupportContact)
	if err := t.Publish(ctx, core.Event{Type: core.EventAnswer, Content: words}); err != nil {
		return err
	}
	return t.Answer.Set(pipeline.Answer{Text: words, Insufficient: true, HitType: core.HitInsufficient})
}

// insufficient says in the language of the question that the documents hold
// no answer.
func insufficient(question, contact string) string {
	if text.DetectLanguage(question) == text.English {
		if contact != "" {
			return "I don't know: the documents hold no reliable answer to this. Please ask " + contact + "."
		}
		return "I don't know: the documents hold no reliable answer to this."
	}
	if contact != "" {
		return "无法确认：现有资料中没有足以回答这个问题的可靠依据，请联系" + contact + "。"
	}
	return "无法确认：现有资料中没有足以回答这个问题的可靠依据。"
}
