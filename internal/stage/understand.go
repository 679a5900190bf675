package stage

import (
	"context"
	"fmt"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
)

// Understander makes of a question, and of what was said before it, what it
// means. Package understand has them.
type Understander interface {
	Understand(ctx context.Context, question string, said []pipeline.Round) (pipeline.Understanding, error)
}

// Understand settles the stand-alone question, which is searched for and
// answered, and what the user wants. Where that fails the question is taken as
// it stands.
func Understand(u Understander) pipeline.Plugin {
	return step{"understand", pipeline.StageUnderstand, func(ctx context.Context, t *pipeline.Turn) error {
		req := t.Request
		got, err := u.Understand(ctx, req.Question, t.History.Value())
		if seen := t.Seen.Value(); seen != "" && err != nil && ctx.Err() == nil {
			got, err = pipeline.Understanding{Question: req.Question, Intent: pipeline.IntentSearch, Reason: "as it stands"}, nil
		}
		if err != nil {
			return core.Wrap(err, core.CodeOf(err), "the question could not be understood; it is taken as it stands")
		}
		got = withSight(got, pictureOf(t, got))
		t.Note(pipeline.StageUnderstand, "intent", string(got.Intent))
		t.Note(pipeline.StageUnderstand, "rewritten", fmt.Sprint(got.Rewritten))
		t.Note(pipeline.StageUnderstand, "reason", got.Reason)
		if got.Rewritten {
			t.Note(pipeline.StageUnderstand, "question", got.Question)
		}
		if got.Image != "" {
			t.Note(pipeline.StageUnderstand, "image", fmt.Sprintf("described in %d characters", utf8.RuneCountInString(got.Image)))
		}
		return t.Understanding.Set(got)
	}}
}

// Names knows what words of a question are called elsewhere in bases.
type Names interface {
	Aliases(ctx context.Context, baseIDs []string, question string) ([]llm.Alias, error)
}

// KnowNames finds the other names of the words of the understood question,
// which what ranks, answers and judges goes by; register it behind Understand.
// Where it fails the turn goes on without them.
func KnowNames(n Names) pipeline.Plugin {
	return step{"names", pipeline.StageUnderstand, func(ctx context.Context, t *pipeline.Turn) error {
		var ids []string
		for _, b := range t.Bases.Value() {
			ids = append(ids, b.ID)
		}
		list, err := n.Aliases(ctx, ids, t.Question())
		if err != nil {
			t.Note(pipeline.StageUnderstand, "names", "left out: "+core.PublicMessage(err))
			return nil
		}
		for _, a := range list {
			t.Note(pipeline.StageUnderstand, "names", a.Of+" = "+a.Said)
		}
		return t.Aliases.Set(list)
	}}
}

// Entities finds what a question speaks of by name, for searches in a graph.
type Entities interface {
	Entities(ctx context.Context, scope core.Scope, question string) ([]string, error)
}

// NoEntities finds none: it stands where there is no graph.
type NoEntities struct{}

// Entities gives nothing.
func (NoEntities) Entities(context.Context, core.Scope, string) ([]string, error) { return nil, nil }

// ExtractEntity names the entities of the understood question; register it
// behind Understand. Where it fails the search goes on without them.
func ExtractEntity(e Entities) pipeline.Plugin {
	return step{"extract_entity", pipeline.StageUnderstand, func(ctx context.Context, t *pipeline.Turn) error {
		if !t.Retrieves() {
			return nil
		}
		names, err := e.Entities(ctx, t.Request.Scope, t.Question())
		if err != nil {
			t.Note(pipeline.StageUnderstand, "entities", "left out: "+core.PublicMessage(err))
			return nil
		}
		if len(names) > 0 {
			t.Note(pipeline.StageUnderstand, "entities", fmt.Sprint(len(names)))
		}
		return t.Entities.Set(names)
	}}
}
