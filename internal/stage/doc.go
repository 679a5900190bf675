// Package stage holds the plugins of the pipeline, a file each, in the order
// in which a question meets them: route, history, understand, plan, search, rerank, merge, topk,
// assemble, complete, verify; fallback is what answers when nothing was found.
//
// A plugin reads the request and the artifacts of earlier stages and sets its
// own. None of them talks HTTP or SQL: what they need of the world stands in
// small interfaces beside them, and app connects these.
package stage

import (
	"context"

	"kaoju/internal/pipeline"
)

// step is a plugin of one stage that only prepares: it does its work and goes
// on with the chain.
type step struct {
	name  string
	stage pipeline.Stage
	work  func(ctx context.Context, t *pipeline.Turn) error
}

func (s step) Name() string             { return s.name }
func (s step) Stages() []pipeline.Stage { return []pipeline.Stage{s.stage} }

func (s step) Handle(ctx context.Context, _ pipeline.Stage, t *pipeline.Turn, next pipeline.Next) error {
	if err := s.work(ctx, t); err != nil {
		return err
	}
	return next(ctx)
}
