package app

import (
	"context"
	"strings"

	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/prompt"
	"kaoju/internal/text"
)

// titler has a model think of titles; chat asks it, and checks what it gives.
type titler struct {
	model   llm.Chat
	prompts *prompt.Library
	ledger  ledger
}

// newTitler gives the titler of a model that writes answers; nil where that is
// the built-in one, which writes from evidence only. A model that is away is
// not replaced by it either.
func newTitler(writer llm.Chat, prompts *prompt.Library, l ledger) chat.Titler {
	configured, ok := writer.(llm.Fallback)
	if !ok {
		return nil
	}
	return titler{model: configured.Primary, prompts: prompts, ledger: l}
}

// titleTokens is more than a title needs, and enough for a model that thinks
// first.
const titleTokens = 512

// Title gives the model's title for a question.
func (t titler) Title(ctx context.Context, question string) (string, error) {
	system, user := t.prompts.Get(prompt.GroupTitle, "").Render(text.DetectLanguage(question), prompt.Values{Query: question})
	var title strings.Builder
	counted, meter := llm.WithMeter(ctx)
	err := t.model.Stream(counted, llm.ChatRequest{
		Messages:  []llm.Message{{Role: "system", Content: system}, {Role: "user", Content: user}},
		MaxTokens: titleTokens,
	}, func(d llm.Delta) error {
		title.WriteString(d.Text)
		return nil
	})
	t.ledger.record(ctx, core.DefaultTenantID, meter.Sum())
	return title.String(), err
}
