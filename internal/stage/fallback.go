package stage

import (
	"context"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
)

// Fallback answers a turn for which nothing was found: a fixed sentence in
// the language of the question, with the assistant's support contact, and no
// model call.
func Fallback(prompts *prompt.Library) func(ctx context.Context, t *pipeline.Turn) error {
	return func(ctx context.Context, t *pipeline.Turn) error {
		words := prompts.Insufficient(t.Request.Assistant, t.Request.Question)
		if err := t.Publish(ctx, core.Event{Type: core.EventAnswer, Content: words}); err != nil {
			return err
		}
		return t.Answer.Set(pipeline.Answer{Text: words, Insufficient: true, HitType: core.HitInsufficient})
	}
}
