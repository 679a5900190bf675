package stage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kaoju/internal/answer"
	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
)

// Complete streams the model's answer, with its marks turned into the numbers
// of the references. What it publishes is the answer, byte for byte.
func Complete(model llm.Chat, cfg config.Chat, prompts *prompt.Library) pipeline.Plugin {
	return step{"complete", pipeline.StageComplete, func(ctx context.Context, t *pipeline.Turn) error {
		w := writer{turn: t, prompts: prompts, expander: answer.NewExpander(sourcesOf(t), t.Request.Cites()), model: llm.NameOf(ctx, model), guard: newGuard(t.Prompt.Value().Messages)}
		req := llm.ChatRequest{
			Messages: t.Prompt.Value().Messages, Question: t.Question(), Evidence: t.Evidence.Value(), Aliases: t.Aliases.Value(),
			Temperature: cfg.Temperature, MaxTokens: cfg.MaxTokens,
		}
		err := w.ask(ctx, model, req)
		if err != nil && !errors.Is(err, errLeak) {
			return err
		}
		return w.end(ctx)
	}}
}

// writer turns a model's deltas into answer events.
type writer struct {
	turn         *pipeline.Turn
	prompts      *prompt.Library
	expander     *answer.Expander
	guard        *guard
	model        string
	before       string // said before the model's first word
	text         string
	insufficient bool
	degraded     bool
	finish       string
	assessed     *float64
}

func (w *writer) delta(ctx context.Context, d llm.Delta) error {
	w.insufficient = w.insufficient || d.Insufficient
	if d.Finish != "" {
		w.finish, w.assessed = d.Finish, d.Assessed
	}
	if d.Degraded != "" {
		w.degraded = true
		w.turn.Note(pipeline.StageComplete, "degraded", d.Degraded)
	}
	if d.Reasoning != "" {
		if err := w.turn.Publish(ctx, core.Event{Type: core.EventThinking, Content: d.Reasoning}); err != nil {
			return err
		}
	}
	return w.say(ctx, w.expander.Write(d.Text))
}

// say writes what the model says, but for its instructions.
func (w *writer) say(ctx context.Context, s string) error {
	if err := w.write(ctx, w.guard.pass(s)); err != nil {
		return err
	}
	if w.guard.leaked {
		return errLeak
	}
	return nil
}

// close writes what is left of the model's words, and a refusal where it was
// about to say its instructions.
func (w *writer) close(ctx context.Context) error {
	if !w.guard.leaked {
		if err := w.say(ctx, w.expander.Flush()); err != nil && !errors.Is(err, errLeak) {
			return err
		}
	}
	if !w.guard.leaked {
		return w.write(ctx, w.guard.flush())
	}
	w.insufficient = true
	w.turn.Note(pipeline.StageComplete, "guard", "the model began to say its instructions; it was ended")
	words := keepsSecret(w.turn.Request.Question)
	if w.text != "" {
		words = "\n\n" + words
	}
	return w.write(ctx, words)
}

func (w *writer) write(ctx context.Context, s string) error {
	if s == "" {
		return nil
	}
	s, w.before = w.before+s, ""
	w.text += s
	return w.turn.Publish(ctx, core.Event{Type: core.EventAnswer, Content: s})
}

func (w *writer) end(ctx context.Context) error {
	if err := w.close(ctx); err != nil {
		return err
	}
	if w.text == "" && w.insufficient {
		if err := w.write(ctx, w.nothing()); err != nil {
			return err
		}
	}
	if w.text == "" && w.finish == "length" {
		return core.Errorf(core.CodeUnavailable, "the model used up its tokens before it wrote an answer; raise chat.max_tokens")
	}
	listed, err := w.amend(ctx)
	if err != nil {
		return err
	}
	w.turn.Note(pipeline.StageComplete, "model", w.model)
	w.turn.Note(pipeline.StageComplete, "answer", fmt.Sprintf("%d bytes, cites %d, %d marks removed, insufficient %t",
		len(w.text), len(w.expander.Cited()), w.expander.Invalid(), w.insufficient))
	return w.turn.Answer.Set(pipeline.Answer{
		HitType: w.hitType(), Text: w.text, Model: w.model, Insufficient: w.insufficient, Degraded: w.degraded, Assessed: w.assessed,
		Cited: answer.Union(w.expander.Cited(), listed), Invalid: w.expander.Invalid(), Marks: w.expander.Marks(),
	})
}

// amend adds what a written answer leaves out: the cells of the table row that
// it is about, and, where it cites nothing, the sources that it was written
// from. What it adds is streamed like any other text; listed are the numbers
// of the sources in the closing line, which cite nothing.
func (w *writer) amend(ctx context.Context) (listed []int, err error) {
	sources, ok := w.turn.Sources.Get()
	if !ok || w.insufficient || w.degraded || strings.TrimSpace(w.text) == "" || w.finish == "length" {
		return nil, nil
	}
	if err := w.rowDetails(ctx, sources); err != nil {
		return nil, err
	}
	style := w.turn.Request.Cites()
	if len(w.expander.Cited()) > 0 || style == core.CiteNothing {
		return nil, nil
	}
	line, listed := answer.SourceLine(w.text, sources, style)
	w.turn.Note(pipeline.StageComplete, "sources_appended", fmt.Sprint(len(listed)))
	return listed, w.write(ctx, line)
}

// rowDetails adds the cells of a row that an answer from a table left out.
// Behind code that was never closed nothing can be cited: nothing is added.
func (w *writer) rowDetails(ctx context.Context, sources *answer.Sources) error {
	if !w.turn.Plan.Value().PreferTable {
		return nil
	}
	added := w.expander.Write(answer.RowDetails(w.turn.Question(), w.text, sources)) + w.expander.Flush()
	if added == "" || strings.Contains(added, "<ref") {
		return nil
	}
	w.turn.Note(pipeline.StageComplete, "table_row", "cells that the answer left out were added")
	return w.write(ctx, added)
}

// nothing is said where no writer found anything to say.
func (w *writer) nothing() string {
	t := w.turn
	if t.Prompt.Value().Talk {
		return smallTalk(t.Request, t.Understanding.Value().Intent)
	}
	return t.Prompts(w.prompts).Insufficient(t.Request.Assistant, t.Request.Question)
}

// hitType is known here only where no evidence was asked for: small talk is a
// direct answer, anything else is said without documents.
func (w *writer) hitType() core.HitType {
	switch t := w.turn; {
	case !t.Prompt.Value().Talk:
		return ""
	case t.Understanding.Value().Intent.Talks():
		return core.HitDirect
	}
	return core.HitFallback
}

// sourcesOf is the register of the turn; an empty one where it has no
// evidence, so that marks which a model makes up are removed.
func sourcesOf(t *pipeline.Turn) *answer.Sources {
	if s, ok := t.Sources.Get(); ok {
		return s
	}
	return answer.NewSources()
}
