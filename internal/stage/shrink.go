package stage

import (
	"context"
	"errors"
	"fmt"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
)

// ask has the model write, and once more, from the better half of the evidence
// and without what was said before, where the prompt is longer than the model
// can read. Nothing was streamed then: the endpoint refuses before it writes.
func (w *writer) ask(ctx context.Context, model llm.Chat, req llm.ChatRequest) error {
	yield := func(d llm.Delta) error { return w.delta(ctx, d) }
	req.Final = len(req.Evidence) == 0
	err := model.Stream(ctx, req, yield)
	long := new(llm.ContextLengthError)
	if !errors.As(err, &long) || w.text != "" || req.Final {
		return err
	}
	kept := req.Evidence[:(len(req.Evidence)+1)/2]
	w.turn.Note(pipeline.StageComplete, "shrunk", fmt.Sprintf("%d of %d passages: %s", len(kept), len(req.Evidence), long.Error()))
	req.Evidence, req.Messages, req.Final = kept, messages(w.turn, w.prompts, kept, nil), true
	return model.Stream(ctx, req, yield)
}

// messages renders the prompt of a turn over evidence.
func messages(t *pipeline.Turn, prompts *prompt.Library, evidence []llm.Evidence, rounds []pipeline.Round) []llm.Message {
	return t.Prompts(prompts).Messages(prompt.Ask{
		Assistant: t.Request.Assistant, Question: withNames(t), Evidence: evidence,
		Said: said(rounds), Now: t.Now(), Profile: t.Profile.Value(), Intent: string(t.Understanding.Value().Intent), Unmarked: t.Request.Cites() == core.CiteNothing,
	})
}
