package app

import (
	"context"
	"log/slog"

	"kaoju/internal/core"
	"kaoju/internal/enrich"
	"kaoju/internal/knowledge"
	"kaoju/internal/llm"
	"kaoju/internal/prompt"
)

// openEnrichment makes what has models add to documents.
func (a *App) openEnrichment() error {
	prompts, err := prompt.Load(a.cfg.Prompts.Dir)
	if err != nil {
		return err
	}
	a.enricher = enrich.New(enrich.Options{
		Store: a.db, Index: a.engine, Prompts: prompts, Pictures: a.parser(), Log: slog.Default(),
		Indexer: knowledge.Indexer{Embedder: a.embed.passages, Glossaries: a.glossaries},
		Chat:    func() llm.Chat { return a.registry.Remote(context.Background()) },
		Vision:  a.registry.Vision,
		Spent: func(ctx context.Context, spent []core.Spent) {
			if book := (ledger{a.db}); len(spent) > 0 {
				book.record(ctx, book.tenant(ctx, llm.BaseOf(ctx)), spent)
			}
		},
	})
	return nil
}
