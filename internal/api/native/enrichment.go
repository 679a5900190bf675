package native

import (
	"context"

	"kaoju/internal/core"
)

// Enrichments say what models add to documents, and have them do it again.
type Enrichments interface {
	Enrichment(ctx context.Context, scope core.Scope, base string) (core.Enrichment, error)
	SetEnrichment(ctx context.Context, scope core.Scope, base string, e core.Enrichment) (core.Enrichment, error)
	// Enrich queues steps of a document; none means those that failed or were
	// skipped.
	Enrich(ctx context.Context, scope core.Scope, documentID string, steps []core.EnrichStep) ([]core.Enriched, error)
}

// Enrichment gives what models add to the documents of a base.
func (h *Handlers) Enrichment(ctx context.Context, in *ByID) (*Reply[core.Enrichment], error) {
	return reply(h.Enrichments.Enrichment(ctx, scopeOf(ctx), in.ID))
}

// EnrichmentInput says what models add to the documents of a base.
type EnrichmentInput struct {
	ByID
	Body struct {
		Summary   bool  `json:"summary,omitempty" doc:"a passage that sums the document up"`
		Questions int   `json:"questions,omitempty" minimum:"0" maximum:"10" doc:"questions that each passage answers; it is found by them, too"`
		Tables    bool  `json:"tables,omitempty" doc:"what tables hold, and their columns"`
		Tags      bool  `json:"tags,omitempty" doc:"up to five tags"`
		Pictures  *bool `json:"pictures,omitempty" doc:"pictures described and read, scanned pages too; on where a vision model is set, unless this is false"`
	}
}

// SetEnrichment says what models add to documents that are published from now
// on.
func (h *Handlers) SetEnrichment(ctx context.Context, in *EnrichmentInput) (*Reply[core.Enrichment], error) {
	return reply(h.Enrichments.SetEnrichment(ctx, scopeOf(ctx), in.ID, core.Enrichment(in.Body)))
}

// EnrichInput names the steps to be done for a document.
type EnrichInput struct {
	ByID
	Body struct {
		Steps []core.EnrichStep `json:"steps,omitempty" maxItems:"5" enum:"pictures,summary,tables,tags,questions" doc:"none means those that failed or were skipped"`
	}
}

// Enrich has models add to a document, again or for the first time.
func (h *Handlers) Enrich(ctx context.Context, in *EnrichInput) (*Reply[List[core.Enriched]], error) {
	steps, err := h.Enrichments.Enrich(ctx, scopeOf(ctx), in.ID, in.Body.Steps)
	return list(steps, len(steps), err)
}
