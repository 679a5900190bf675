package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/eval"
	"kaoju/internal/knowledge"
	"kaoju/internal/pipeline"
)

// Evaluation measures the product on one set: the real store, ingestion and
// pipeline over a data folder of its own. It is an eval.System.
type Evaluation struct {
	app      *App
	passages map[string][]string // document id to the ids of the set's passages with that content
	document map[string]string   // and back
}

// OpenEvaluation opens the product over cfg.Data, which should be empty.
// Close it when done.
func OpenEvaluation(ctx context.Context, cfg *config.Config) (*Evaluation, error) {
	a, err := Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Evaluation{app: a, passages: map[string][]string{}, document: map[string]string{}}, nil
}

// Close ends the product.
func (e *Evaluation) Close() error { return e.app.Close() }

// Ingest adds the passages, a document each, and waits until they are
// searchable. A passage that the product refuses is an error.
func (e *Evaluation) Ingest(ctx context.Context, docs []eval.Doc) error {
	for i, d := range docs {
		added, _, err := e.app.knowledge.Add(ctx, core.OwnerScope(), knowledge.AddRequest{
			Base: core.DefaultBaseName, Name: strconv.Itoa(i) + ".txt", Title: d.Title, Source: "text",
			Content: strings.NewReader(d.Text),
		})
		if err != nil {
			return fmt.Errorf("add passage %s: %w", d.ID, err)
		}
		e.passages[added.ID] = append(e.passages[added.ID], d.ID)
		e.document[d.ID] = added.ID
	}
	return e.settle(ctx)
}

// settle waits until no document is on its way.
func (e *Evaluation) settle(ctx context.Context) error {
	base, err := e.app.db.Base(ctx, core.OwnerScope(), core.DefaultBaseName)
	if err != nil {
		return err
	}
	for {
		changed := e.app.worker.Changed()
		p, err := e.app.worker.Progress(ctx, base.ID)
		if err != nil {
			return err
		}
		if p.Left() == 0 && p.Failed > 0 {
			return core.Errorf(core.CodeInternal, "%d passages could not be ingested", p.Failed)
		}
		if p.Left() == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Search ranks the set's passages, each by its best chunk.
func (e *Evaluation) Search(ctx context.Context, q eval.Question, k int) (eval.Ranking, error) {
	req := e.request(q)
	req.RetrieveOnly, req.TopK = true, 2*k // several passages found may be of one document
	out, err := e.app.answerer.Answer(ctx, req, discard)
	if err != nil {
		return eval.Ranking{}, err
	}
	ranking := eval.Ranking{Timings: out.Timings}
	seen := map[string]bool{}
	for _, f := range out.Ranked {
		if seen[f.Document.ID] || len(ranking.Docs) >= k {
			continue
		}
		seen[f.Document.ID] = true
		ranking.Docs = append(ranking.Docs, e.passages[f.Document.ID]...)
	}
	return ranking, nil
}

// Ask takes a question through the whole pipeline.
func (e *Evaluation) Ask(ctx context.Context, q eval.Question) (eval.Answer, error) {
	out, err := e.app.answerer.Answer(ctx, e.request(q), discard)
	if err != nil {
		return eval.Answer{}, err
	}
	return eval.Answer{
		Text: out.Answer, Probability: out.Confidence.Probability,
		Refused: out.HitType == core.HitInsufficient, Timings: out.Timings,
	}, nil
}

func (e *Evaluation) request(q eval.Question) pipeline.Request {
	req := pipeline.Request{
		Scope: core.OwnerScope(), Assistant: core.Assistant{MultiTurn: true}, Question: q.Text, History: rounds(q.History),
	}
	for _, id := range q.OnlyDocs {
		if d, ok := e.document[id]; ok {
			req.DocumentIDs = append(req.DocumentIDs, d)
		}
	}
	return req
}

// rounds pairs the messages of a conversation: a question with what followed.
func rounds(said []eval.Turn) []pipeline.Round {
	var out []pipeline.Round
	for _, m := range said {
		switch {
		case m.Role == string(core.RoleUser):
			out = append(out, pipeline.Round{Question: m.Text})
		case len(out) > 0:
			out[len(out)-1].Answer = m.Text
		}
	}
	return out
}

// discard drops a turn's events.
func discard(context.Context, core.Event) error { return nil }
