package stage

import (
	"context"
	"fmt"

	"kaoju/internal/config"
	"kaoju/internal/pipeline"
)

// Plan decides by rules how the turn searches, and writes the reason down.
func Plan(cfg config.Retrieve, evidence config.Evidence) pipeline.Plugin {
	return step{"plan", pipeline.StagePlan, func(_ context.Context, t *pipeline.Turn) error {
		p := pipeline.Plan{
			TopK: cfg.TopK, Keep: cfg.RerankTopK, Evidence: evidence.TopN,
			Scoped: len(t.Request.DocumentIDs) > 0,
			Reason: "documents",
		}
		if p.Scoped {
			p.Reason = "documents that the user chose; no thresholds"
		}
		if k := t.Request.TopK; k > 0 {
			p.Keep, p.Evidence = k, min(k, p.Evidence)
			p.TopK = max(p.TopK, k)
			p.Reason += fmt.Sprintf("; the request asks for %d passages", k)
		}
		t.Note(pipeline.StagePlan, "reason", p.Reason)
		return t.Plan.Set(p)
	}}
}
