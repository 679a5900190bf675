package app

import (
	"context"
	"log/slog"

	"kaoju/internal/llm"
	"kaoju/internal/prompt"
	"kaoju/internal/wiki/synthesis"
)

// openWiki starts what writes pages of a wiki from documents, with the model
// that writes answers. The built-in answerer cannot: chat gives nil for it.
func (a *App) openWiki(ctx context.Context, prompts *prompt.Library, chat func() llm.Chat) error {
	a.pages = synthesis.New(synthesis.Deps{
		Store: a.db, Pages: a.wiki, Chat: chat, Prompts: prompts, Spent: ledger{a.db}.record, Log: slog.Default(),
	})
	if err := a.pages.Start(ctx); err != nil {
		return err
	}
	a.onClose(func() error { a.pages.Close(); return nil })
	return nil
}
