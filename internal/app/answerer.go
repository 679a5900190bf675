package app

import (
	"context"
	"time"

	"kaoju/internal/pipeline"
)

// answerer runs turns through the stages; chat asks it.
type answerer struct {
	runner pipeline.Runner
}

// Answer takes one turn from its request to its outcome.
func (a answerer) Answer(ctx context.Context, req pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
	return a.runner.Run(ctx, pipeline.Steps(req), pipeline.NewTurn(req, publish, time.Now))
}
