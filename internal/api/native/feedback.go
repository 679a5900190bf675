package native

import (
	"context"
	"strings"

	"kaoju/internal/core"
)

// Feedback keeps what users think of answers, and the questions that were not
// answered well. It sees only what the scope reaches.
type Feedback interface {
	PutFeedback(ctx context.Context, scope core.Scope, f core.Feedback) (core.Feedback, error)
	Feedback(ctx context.Context, scope core.Scope, messageID string) (core.Feedback, error)
	ListOpenQuestions(ctx context.Context, scope core.Scope, kind core.OpenKind, offset, limit int) ([]core.OpenQuestion, int, error)
	OpenQuestion(ctx context.Context, scope core.Scope, messageID string) (core.OpenQuestion, error)
	CloseQuestion(ctx context.Context, scope core.Scope, messageID, entryID string) error
}

// Ratings reads what a user thinks of answers.
type Ratings interface {
	// Ratings gives those of the messages that the scope's user has rated, by
	// message.
	Ratings(ctx context.Context, scope core.Scope, messageIDs []string) (map[string]core.Feedback, error)
}

// rated puts the caller's ratings to messages.
func (h *Handlers) rated(ctx context.Context, messages []core.Message) error {
	if h.Ratings == nil || len(messages) == 0 {
		return nil
	}
	ids := make([]string, len(messages))
	for i := range messages {
		ids[i] = messages[i].ID
	}
	ratings, err := h.Ratings.Ratings(ctx, scopeOf(ctx), ids)
	for i := range messages {
		if f, ok := ratings[messages[i].ID]; ok {
			messages[i].Feedback = &f
		}
	}
	return err
}

// RateInput rates an answer.
type RateInput struct {
	ByID
	Body struct {
		Rating  core.Rating `json:"rating" enum:"useful,not_useful"`
		Comment string      `json:"comment,omitempty" maxLength:"2000"`
	}
}

// Rate stores what the caller thinks of one of its answers; a second rating
// takes the place of the first.
func (h *Handlers) Rate(ctx context.Context, in *RateInput) (*Reply[core.Feedback], error) {
	return reply(h.Feedback.PutFeedback(ctx, scopeOf(ctx), core.Feedback{
		MessageID: in.ID, Rating: in.Body.Rating, Comment: strings.TrimSpace(in.Body.Comment),
	}))
}

// Rated gives what the caller thinks of an answer.
func (h *Handlers) Rated(ctx context.Context, in *ByID) (*Reply[core.Feedback], error) {
	return reply(h.Feedback.Feedback(ctx, scopeOf(ctx), in.ID))
}

// OpenQuestionsInput chooses a part of the open questions.
type OpenQuestionsInput struct {
	Page
	Kind core.OpenKind `query:"kind" enum:"unanswered,not_useful" doc:"why they are open; none means both"`
}

// OpenQuestions lists the questions that were not answered, or whose answer
// was rated as not useful, the newest first.
func (h *Handlers) OpenQuestions(ctx context.Context, in *OpenQuestionsInput) (*Reply[List[core.OpenQuestion]], error) {
	return list(h.Feedback.ListOpenQuestions(ctx, scopeOf(ctx), in.Kind, in.Offset, in.Limit))
}

// TurnIntoFAQInput makes an entry of an open question.
type TurnIntoFAQInput struct {
	ByID
	Body struct {
		BaseID   string   `json:"knowledge_base_id" doc:"the FAQ base, by id or name"`
		Question string   `json:"standard_question,omitempty" maxLength:"2000" doc:"empty: as it was asked"`
		Answers  []string `json:"answers" minItems:"1" maxItems:"50"`
	}
}

// TurnIntoFAQ makes an FAQ entry of an open question and closes it. Where the
// standard question is worded otherwise, the asked one leads to it too.
func (h *Handlers) TurnIntoFAQ(ctx context.Context, in *TurnIntoFAQInput) (*Reply[FAQ], error) {
	scope := scopeOf(ctx)
	q, err := h.Feedback.OpenQuestion(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	base, err := h.Library.Base(ctx, scope, in.Body.BaseID)
	if err != nil {
		return nil, err
	}
	entry := core.FAQEntry{Question: q.Question, Answers: in.Body.Answers}
	if own := strings.TrimSpace(in.Body.Question); own != "" && own != q.Question {
		entry.Question, entry.Similar = own, []string{q.Question}
	}
	made, err := h.FAQ.CreateFAQ(ctx, scope, base.ID, core.FAQ{FAQEntry: entry})
	if err != nil {
		return nil, err
	}
	return reply(ViewFAQ(made), h.Feedback.CloseQuestion(ctx, scope, in.ID, made.ID))
}

// CloseQuestion takes a question off the list without an entry.
func (h *Handlers) CloseQuestion(ctx context.Context, in *ByID) (*Empty, error) {
	return &Empty{}, h.Feedback.CloseQuestion(ctx, scopeOf(ctx), in.ID, "")
}
