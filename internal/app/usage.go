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

// tenant gives whose base it is. What belongs to no base, or to one that was
// deleted meanwhile, is the default tenant's.
func (l ledger) tenant(ctx context.Context, baseID string) string {
	id, err := l.db.BaseTenant(context.WithoutCancel(ctx), baseID)
	if err != nil {
		return core.DefaultTenantID
	}
	return id
}

// bookedEmbedder books what the passages of documents cost on the tenant of
// their base.
type bookedEmbedder struct {
	llm.Embedder
	ledger ledger
}

// Embed asks the model and books the calls.
func (b bookedEmbedder) Embed(ctx context.Context, purpose llm.Purpose, texts []string) ([][]float32, error) {
	counted, meter := llm.WithMeter(ctx)
	vectors, err := b.Embedder.Embed(counted, purpose, texts)
	if spent := meter.Sum(); len(spent) > 0 {
		b.ledger.record(ctx, b.ledger.tenant(ctx, llm.BaseOf(ctx)), spent)
	}
	return vectors, err
}
