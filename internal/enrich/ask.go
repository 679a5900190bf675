package enrich

import (
	"context"
	"slices"
	"time"

	"kaoju/internal/core"
)

// Enrichment gives what models add to the documents of a base.
func (e *Enricher) Enrichment(ctx context.Context, scope core.Scope, base string) (core.Enrichment, error) {
	b, err := e.Store.Base(ctx, scope, base)
	if err != nil {
		return core.Enrichment{}, err
	}
	return e.Store.Enrichment(ctx, b.ID)
}

// SetEnrichment says what models add to documents that are published from now
// on.
func (e *Enricher) SetEnrichment(ctx context.Context, scope core.Scope, base string, want core.Enrichment) (core.Enrichment, error) {
	b, err := e.Store.Base(ctx, scope, base)
	if err != nil {
		return want, err
	}
	if b.Kind == core.BaseFAQ {
		return want, core.Errorf(core.CodeConflict, "models add nothing to FAQ bases")
	}
	return want, e.Store.SetEnrichment(ctx, b.ID, want)
}

// Enrich queues steps of a document again, or for the first time; none means those
// that failed or were skipped. Steps that are switched off for the base are done
// all the same where they are named.
func (e *Enricher) Enrich(ctx context.Context, scope core.Scope, documentID string, steps []core.EnrichStep) ([]core.Enriched, error) {
	d, err := e.Store.Document(ctx, scope, documentID)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		if !slices.Contains(core.EnrichSteps(), s) {
			return nil, core.Errorf(core.CodeInvalid, "there is no step %q; there are %v", s, core.EnrichSteps())
		}
	}
	if d.State != core.DocumentReady {
		return nil, core.Errorf(core.CodeConflict, "the document is not ready; it is enriched once it is")
	}
	now, err := e.Store.EnrichmentOf(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	own, err := e.Store.Enrichment(ctx, d.BaseID)
	if err != nil {
		return nil, err
	}
	list := e.renewed(now, own, steps)
	if err := e.Store.AskEnrichment(ctx, d, list); err != nil {
		return nil, err
	}
	e.Wake()
	return list, nil
}

// renewed gives where the steps of a document stand once some are asked for.
func (e *Enricher) renewed(now []core.Enriched, own core.Enrichment, steps []core.EnrichStep) (list []core.Enriched) {
	for _, s := range core.EnrichSteps() {
		at := slices.IndexFunc(now, func(x core.Enriched) bool { return x.Step == s })
		step := core.Enriched{Step: s, State: core.EnrichSkipped, Reason: "switched off for this knowledge base"}
		if at >= 0 {
			step = now[at]
		}
		again := slices.Contains(steps, s) || len(steps) == 0 && own.Wants(s) && (step.State == core.EnrichFailed || step.State == core.EnrichSkipped)
		if again && step.State != core.EnrichRunning {
			step = core.Enriched{Step: s, State: core.EnrichPending, UpdatedAt: time.Now().UTC()}
			if why := e.without(s); why != "" {
				step.State, step.Reason = core.EnrichSkipped, why
			}
		}
		list = append(list, step)
	}
	return list
}
