package app

import (
	"context"

	"kaoju/internal/api/ragchat"
	"kaoju/internal/store"
)

// numbers gives the RagChat API the store's numbers, in its own words.
type numbers struct{ db *store.DB }

func (n numbers) Numbers(ctx context.Context, kind ragchat.Kind, ids []string) ([]int64, error) {
	return n.db.Numbers(ctx, store.Numbered(kind), ids)
}

func (n numbers) NumberedID(ctx context.Context, kind ragchat.Kind, number int64) (string, error) {
	return n.db.NumberedID(ctx, store.Numbered(kind), number)
}
