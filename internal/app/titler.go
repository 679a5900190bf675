package app

import (
	"context"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/registry"
	"kaoju/internal/prompt"
	"kaoju/internal/text"
)

// titler has the server's chat model think of titles; chat asks it, and checks
// what it gives. Without such a model, or while it is away, it gives none: the
// built-in answerer writes from evidence only.
type titler struct {
	models  *registry.Registry
	prompts *prompt.Library
	ledger  ledger
}

// titleTokens is more than a title needs, and enough for a model that thinks
// first.
const titleTokens = 512

// Title gives the model's title for a question.
func (t titler) Title(ctx context.Context, scope core.Scope, question string) (string, error) {
	model := t.models.Remote(ctx)
	if model == nil {
		return "", nil
	}
	system, user := t.prompts.Get(prompt.GroupTitle, "").Render(text.DetectLanguage(question), prompt.Values{Query: question})
	var title strings.Builder
	counted, meter := llm.WithMeter(ctx)
	err := model.Stream(counted, llm.ChatRequest{
		Messages:  []llm.Message{{Role: "system", Content: system}, {Role: "user", Content: user}},
		MaxTokens: titleTokens,
	}, func(d llm.Delta) error {
		title.WriteString(d.Text)
		return nil
	})
	t.ledger.record(ctx, scope.TenantID, meter.Sum())
	return title.String(), err
}
