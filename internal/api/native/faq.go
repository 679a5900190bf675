package native

import (
	"context"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

// FAQs edits the entries of FAQ bases.
type FAQs interface {
	FAQs(ctx context.Context, scope core.Scope, base string, p knowledge.FAQPage) ([]core.FAQ, int, error)
	FAQ(ctx context.Context, scope core.Scope, base, id string) (core.FAQ, error)
	CreateFAQ(ctx context.Context, scope core.Scope, base string, f core.FAQ) (core.FAQ, error)
	ChangeFAQ(ctx context.Context, scope core.Scope, base, id string, change func(*core.FAQ) error) (core.FAQ, error)
	DeleteFAQs(ctx context.Context, scope core.Scope, base string, ids []string) error
}

// FAQCandidate is an entry that may answer a question.
type FAQCandidate struct {
	Entry    FAQ     `json:"entry"`
	Score    float64 `json:"score" doc:"likeness of the questions, 0 to 1"`
	Matched  string  `json:"matched_question"`
	Exact    bool    `json:"exact" doc:"the questions are equal but for case, width, punctuation and script"`
	Standard bool    `json:"standard" doc:"it is the entry's standard question that matched"`
}

// FAQFinder finds the entries that a question leads to, in the active version
// of a base that was authorised.
type FAQFinder interface {
	FindFAQs(ctx context.Context, base core.KnowledgeBase, question string, limit int) ([]FAQCandidate, error)
}

// FAQ is an entry as clients see it.
type FAQ struct {
	ID        string              `json:"id"`
	BaseID    string              `json:"knowledge_base_id"`
	FolderID  string              `json:"folder_id,omitempty"`
	Question  string              `json:"standard_question"`
	Similar   []string            `json:"similar_questions"`
	Negative  []string            `json:"negative_questions"`
	Answers   []string            `json:"answers"`
	Strategy  core.AnswerStrategy `json:"answer_strategy"`
	Tags      []string            `json:"tags"`
	Enabled   bool                `json:"enabled"`
	CreatedAt time.Time           `json:"created_at"`
	UpdatedAt time.Time           `json:"updated_at"`
}

// ViewFAQ gives an entry as clients see it.
func ViewFAQ(f core.FAQ) FAQ {
	return FAQ{
		ID: f.ID, BaseID: f.BaseID, FolderID: f.FolderID, Question: f.Question, Similar: orEmpty(f.Similar),
		Negative: orEmpty(f.Negative), Answers: orEmpty(f.Answers), Strategy: f.Strategy, Tags: orEmpty(f.Tags),
		Enabled: !f.Disabled, CreatedAt: f.CreatedAt, UpdatedAt: f.UpdatedAt,
	}
}

// ListFAQsInput names a base and a page of its entries.
type ListFAQsInput struct {
	ByID
	Page
	Query    string `query:"query" maxLength:"500" doc:"words that must all occur in a question or answer"`
	Tag      string `query:"tag" doc:"name of a tag"`
	FolderID string `query:"folder_id"`
	Enabled  string `query:"enabled" enum:"true,false" doc:"only those that are enabled, or that are not"`
}

// ListFAQs gives the entries of an FAQ base, the newest first.
func (h *Handlers) ListFAQs(ctx context.Context, in *ListFAQsInput) (*Reply[List[FAQ]], error) {
	page := knowledge.FAQPage{Query: in.Query, Tag: in.Tag, FolderID: in.FolderID, Offset: in.Offset, Limit: in.Limit}
	if in.Enabled != "" {
		enabled := in.Enabled == "true"
		page.Enabled = &enabled
	}
	entries, total, err := h.FAQ.FAQs(ctx, scopeOf(ctx), in.ID, page)
	views := make([]FAQ, len(entries))
	for i, f := range entries {
		views[i] = ViewFAQ(f)
	}
	return list(views, total, err)
}

// FAQBody is an entry as a client sends it. When it changes one, fields that
// are left out stay as they are.
type FAQBody struct {
	Question *string              `json:"standard_question,omitempty"`
	Similar  *[]string            `json:"similar_questions,omitempty"`
	Negative *[]string            `json:"negative_questions,omitempty" doc:"questions that the entry must not answer"`
	Answers  *[]string            `json:"answers,omitempty"`
	Strategy *core.AnswerStrategy `json:"answer_strategy,omitempty" enum:"all,random"`
	Tags     *[]string            `json:"tags,omitempty"`
	Enabled  *bool                `json:"enabled,omitempty"`
	FolderID *string              `json:"folder_id,omitempty"`
}

// apply changes what the body names.
func (b FAQBody) apply(f *core.FAQ) {
	set(&f.Question, b.Question)
	set(&f.Similar, b.Similar)
	set(&f.Negative, b.Negative)
	set(&f.Answers, b.Answers)
	set(&f.Strategy, b.Strategy)
	set(&f.Tags, b.Tags)
	set(&f.FolderID, b.FolderID)
	if b.Enabled != nil {
		f.Disabled = !*b.Enabled
	}
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// CreateFAQInput adds an entry.
type CreateFAQInput struct {
	ByID
	Body FAQBody
}

// CreateFAQ adds an entry.
func (h *Handlers) CreateFAQ(ctx context.Context, in *CreateFAQInput) (*Reply[FAQ], error) {
	var f core.FAQ
	in.Body.apply(&f)
	made, err := h.FAQ.CreateFAQ(ctx, scopeOf(ctx), in.ID, f)
	return reply(ViewFAQ(made), err)
}

// FAQInBase names an entry of a base.
type FAQInBase struct {
	ByID
	EntryID string `path:"entry_id"`
}

// OneFAQ gives one entry.
func (h *Handlers) OneFAQ(ctx context.Context, in *FAQInBase) (*Reply[FAQ], error) {
	f, err := h.FAQ.FAQ(ctx, scopeOf(ctx), in.ID, in.EntryID)
	return reply(ViewFAQ(f), err)
}

// ChangeFAQInput changes an entry.
type ChangeFAQInput struct {
	FAQInBase
	Body FAQBody
}

// ChangeFAQ changes the fields of an entry that the body names.
func (h *Handlers) ChangeFAQ(ctx context.Context, in *ChangeFAQInput) (*Reply[FAQ], error) {
	f, err := h.FAQ.ChangeFAQ(ctx, scopeOf(ctx), in.ID, in.EntryID, func(f *core.FAQ) error {
		in.Body.apply(f)
		return nil
	})
	return reply(ViewFAQ(f), err)
}

// DeleteFAQ removes an entry.
func (h *Handlers) DeleteFAQ(ctx context.Context, in *FAQInBase) (*Empty, error) {
	return &Empty{}, h.FAQ.DeleteFAQs(ctx, scopeOf(ctx), in.ID, []string{in.EntryID})
}

// DeleteFAQsInput names entries to remove.
type DeleteFAQsInput struct {
	ByID
	Body struct {
		IDs []string `json:"ids" minItems:"1" maxItems:"1000"`
	}
}

// DeleteFAQs removes many entries, or none.
func (h *Handlers) DeleteFAQs(ctx context.Context, in *DeleteFAQsInput) (*Empty, error) {
	return &Empty{}, h.FAQ.DeleteFAQs(ctx, scopeOf(ctx), in.ID, in.Body.IDs)
}

// FindFAQsInput asks which entries a question leads to.
type FindFAQsInput struct {
	ByID
	Body struct {
		Question string `json:"question" minLength:"1" maxLength:"4000"`
		Limit    int    `json:"limit,omitempty" minimum:"1" maximum:"100" default:"5"`
	}
}

// FindFAQs gives the entries that a question leads to, with their scores.
func (h *Handlers) FindFAQs(ctx context.Context, in *FindFAQsInput) (*Reply[List[FAQCandidate]], error) {
	b, err := h.Library.Base(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	found, err := h.Finder.FindFAQs(ctx, b, in.Body.Question, in.Body.Limit)
	return list(found, len(found), err)
}
