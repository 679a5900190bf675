package app

import (
	"context"
	"log/slog"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/store"
)

// ledger keeps what models cost.
type ledger struct{ db *store.DB }

// record books what a meter counted. What was asked for is not undone because
// its cost could not be written down.
func (l ledger) record(ctx context.Context, tenantID string, spent []core.Spent) {
	if err := l.db.RecordUsage(context.WithoutCancel(ctx), tenantID, spent); err != nil {
		slog.Warn("the use of models could not be recorded", "error", err)
	}
}

// bookedEmbedder books what the passages of documents cost.
type bookedEmbedder struct {
	llm.Embedder
	ledger ledger
}

// Embed asks the model and books the calls.
func (b bookedEmbedder) Embed(ctx context.Context, purpose llm.Purpose, texts []string) ([][]float32, error) {
	counted, meter := llm.WithMeter(ctx)
	vectors, err := b.Embedder.Embed(counted, purpose, texts)
	b.ledger.record(ctx, core.DefaultTenantID, meter.Sum())
	return vectors, err
}
