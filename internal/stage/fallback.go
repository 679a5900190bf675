package stage

import (
	"context"
	"errors"

	"kaoju/internal/answer"
	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
	"kaoju/internal/text"
)

// Fallback answers turns for which nothing was found: with fixed words in the
// language of the question and the assistant's support contact, or, where the
// strategy says so and there is a chat model, with what that model has to say,
// under a line that tells that no document stands behind it.
type Fallback struct {
	Prompts  *prompt.Library
	Model    llm.Chat
	Speaks   func(context.Context) bool // whether Model is more than the built-in answerer
	Strategy core.FallbackStrategy
	Chat     config.Chat
}

// Answer writes the answer. It is a pipeline.Runner's Fallback.
func (f Fallback) Answer(ctx context.Context, t *pipeline.Turn) error {
	speaks := f.Speaks != nil && f.Speaks(ctx)
	strategy := t.Request.Fallback.Or(t.Request.Assistant.Fallback.Strategy).Or(f.Strategy).Or(core.FallbackFixed)
	talk := t.Understanding.Value().Intent.Talks()
	if speaks && (talk || strategy == core.FallbackModel) {
		if err := f.written(ctx, t, talk); err != nil || t.Answer.Value().Text != "" {
			return err
		}
	}
	t.Note(pipeline.StageComplete, "fallback", string(core.FallbackFixed))
	a := pipeline.Answer{Text: t.Prompts(f.Prompts).Insufficient(t.Request.Assistant, t.Request.Question), Insufficient: true, HitType: core.HitInsufficient}
	if talk {
		a = pipeline.Answer{Text: smallTalk(t.Request, t.Understanding.Value().Intent), HitType: core.HitDirect}
	}
	if err := t.Publish(ctx, core.Event{Type: core.EventAnswer, Content: a.Text}); err != nil {
		return err
	}
	return t.Answer.Set(a)
}

// written lets the model answer; it sets no answer where the model gives none
// before its first word.
func (f Fallback) written(ctx context.Context, t *pipeline.Turn, talk bool) error {
	w := writer{turn: t, prompts: f.Prompts, expander: answer.NewExpander(answer.NewSources(), t.Request.Cites()), model: llm.NameOf(ctx, f.Model)}
	req := llm.ChatRequest{Question: t.Question(), Temperature: f.Chat.Temperature, MaxTokens: f.Chat.MaxTokens}
	if talk {
		req.Messages = talkMessages(f.Prompts, t)
	} else {
		req.Messages = t.Prompts(f.Prompts).Fallback(prompt.Ask{
			Assistant: t.Request.Assistant, Question: t.Question(), Said: said(t.History.Value()), Now: t.Now(),
		})
		w.before = withoutDocuments(t.Request.Question)
	}
	w.guard = newGuard(req.Messages)
	err := f.Model.Stream(ctx, req, func(d llm.Delta) error {
		if d.Degraded != "" || d.Insufficient {
			return errNoWords
		}
		return w.delta(ctx, d)
	})
	if err == nil || errors.Is(err, errLeak) {
		err = w.close(ctx)
	}
	if w.text == "" && ctx.Err() == nil {
		t.Note(pipeline.StageComplete, "degraded", "the model gave no fallback answer: "+reasonOf(err))
		return nil
	}
	if err != nil {
		return err
	}
	t.Note(pipeline.StageComplete, "fallback", string(core.FallbackModel))
	hit := core.HitFallback
	if talk {
		hit = core.HitDirect
	}
	return t.Answer.Set(pipeline.Answer{Text: w.text, Model: w.model, HitType: hit})
}

var errNoWords = core.Errorf(core.CodeUnavailable, "the chat model does not answer")

func reasonOf(err error) string {
	if err == nil {
		return "it wrote nothing"
	}
	return core.PublicMessage(err)
}

// withoutDocuments is the line above an answer that no document carries.
func withoutDocuments(question string) string {
	if text.DetectLanguage(question) == text.English {
		return "The documents hold nothing on this. Without them, from the model's general knowledge:\n\n"
	}
	return "资料中没有相关内容。以下不依据任何文件，来自模型的一般知识：\n\n"
}
