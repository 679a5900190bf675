package stage

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
	"kaoju/internal/text"
)

// Sight is what looks at the pictures of a question.
type Sight struct {
	Model   func() llm.Vision // nil, or giving nil: there is none
	Prompts *prompt.Library
}

// How much of a description is kept, and how much of it is searched for, in
// characters.
const (
	longestSight  = 1000
	searchedSight = 300
)

// reasonPictures stands with an answer to a question whose pictures nobody
// looked at.
const reasonPictures = "pictures_not_read"

// Look has a model describe the pictures of a question; register it before
// Understand. What is seen is searched for with the question, and kept for the
// next one. Where no model sees, or it fails, the turn goes on with the words
// alone and says so.
func Look(s Sight) pipeline.Plugin {
	return step{"look", pipeline.StageUnderstand, func(ctx context.Context, t *pipeline.Turn) error {
		if len(t.Request.Images) == 0 {
			return nil
		}
		return t.Seen.Set(s.look(ctx, t))
	}}
}

// look describes the pictures; "" where nobody can.
func (s Sight) look(ctx context.Context, t *pipeline.Turn) string {
	var model llm.Vision
	if s.Model != nil {
		model = s.Model()
	}
	if model == nil {
		t.Note(pipeline.StageUnderstand, "pictures", "left out: no vision model is set (vision_model)")
		return ""
	}
	system, user := t.Prompts(s.Prompts).Get(prompt.GroupIntent, "look").Render(text.DetectLanguage(t.Request.Question), prompt.Values{
		Query: t.Request.Question,
	})
	said, err := model.See(ctx, llm.Look{System: system, Question: user, Images: t.Request.Images})
	if err != nil {
		t.Note(pipeline.StageUnderstand, "pictures", "left out: "+core.PublicMessage(err))
		return ""
	}
	said = text.Truncate(withoutThinking(said), longestSight)
	t.Note(pipeline.StageUnderstand, "pictures", fmt.Sprintf("%d described in %d characters by %s", len(t.Request.Images), utf8.RuneCountInString(said), model.Model()))
	return said
}

// pictureOf says what the question's pictures show, or that of the question
// before, where it speaks of a picture and brings none.
func pictureOf(t *pipeline.Turn, u pipeline.Understanding) string {
	said := t.History.Value()
	if len(t.Request.Images) == 0 && u.Intent == pipeline.IntentImage && len(said) > 0 {
		return said[len(said)-1].Image
	}
	return t.Seen.Value()
}

// withSight adds what the pictures show to what is searched for.
func withSight(u pipeline.Understanding, seen string) pipeline.Understanding {
	if seen == "" {
		return u
	}
	u.Image = seen
	flat := strings.Join(strings.Fields(seen), " ")
	u.Question += " (" + text.Truncate(flat, searchedSight) + ")"
	u.Rewritten, u.Reason = true, u.Reason+"; with what its pictures show"
	return u
}
