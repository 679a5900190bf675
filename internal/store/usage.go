package store

import (
	"context"
	"time"

	"kaoju/internal/core"
)

const daySeconds = 24 * 60 * 60

// RecordUsage adds to what a tenant has spent today.
func (db *DB) RecordUsage(ctx context.Context, tenantID string, list []core.Spent) error {
	if len(list) == 0 {
		return nil
	}
	day := clock().Unix() / daySeconds
	return db.write(ctx, "record the use of models", func(tx *tx) error {
		for _, s := range list {
			err := tx.exec(`INSERT INTO model_usage (tenant_id, day, kind, model, calls, input_tokens, cached_tokens,
					output_tokens, reasoning_tokens, estimated_calls) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (tenant_id, day, kind, model) DO UPDATE SET calls = model_usage.calls + excluded.calls,
					input_tokens = model_usage.input_tokens + excluded.input_tokens,
					cached_tokens = model_usage.cached_tokens + excluded.cached_tokens,
					output_tokens = model_usage.output_tokens + excluded.output_tokens,
					reasoning_tokens = model_usage.reasoning_tokens + excluded.reasoning_tokens,
					estimated_calls = model_usage.estimated_calls + excluded.estimated_calls`,
				tenantID, day, s.Kind, s.Model, s.Calls, s.Input, s.Cached, s.Output, s.Reasoning, s.Estimated)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// BaseTenant gives the tenant of a base.
func (db *DB) BaseTenant(ctx context.Context, baseID string) (string, error) {
	id, err := one(ctx, db, func(s scanner) (id string, err error) { return id, s.Scan(&id) },
		"SELECT tenant_id FROM knowledge_bases WHERE id = ?", baseID)
	return id, found(err, core.Errorf(core.CodeNotFound, "there is no knowledge base %q", baseID))
}

// Usage gives what the scope's tenant has spent in the last days, today among
// them, the newest day first.
func (db *DB) Usage(ctx context.Context, scope core.Scope, days int) ([]core.DayUsage, error) {
	return all(ctx, db, func(s scanner) (u core.DayUsage, err error) {
		var day int64
		err = s.Scan(&day, &u.Kind, &u.Model, &u.Calls, &u.Input, &u.Cached, &u.Output, &u.Reasoning, &u.Estimated)
		u.Day = time.Unix(day*daySeconds, 0).UTC().Format(time.DateOnly)
		return u, err
	}, `SELECT day, kind, model, calls, input_tokens, cached_tokens, output_tokens, reasoning_tokens, estimated_calls
		FROM model_usage WHERE tenant_id = ? AND day > ? ORDER BY day DESC, kind, model`,
		scope.TenantID, clock().Unix()/daySeconds-int64(days))
}
