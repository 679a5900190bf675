package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/eval"
	"kaoju/internal/knowledge"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
	"kaoju/internal/text"
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
// searchable. A passage that the product refuses is an error. Those that are
// FAQ entries go into a base of entries instead.
func (e *Evaluation) Ingest(ctx context.Context, docs []eval.Doc) error {
	var entries []eval.Doc
	for i, d := range docs {
		if d.FAQ != nil {
			entries = append(entries, d)
			continue
		}
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
	if err := e.ingestFAQ(ctx, entries); err != nil {
		return err
	}
	return e.settle(ctx)
}

// ingestFAQ makes an FAQ base of the set's entries. Those that share a
// question are one entry, as in the product.
func (e *Evaluation) ingestFAQ(ctx context.Context, docs []eval.Doc) error {
	if len(docs) == 0 {
		return nil
	}
	b, err := e.app.knowledge.CreateBase(ctx, core.OwnerScope(), knowledge.NewBase{Name: "faq", Kind: core.BaseFAQ})
	if err != nil {
		return err
	}
	owner := map[string]string{} // by text.Key of a question, the entry's id
	for _, d := range docs {
		if id := owner[text.Key(d.FAQ.Question)]; id != "" {
			e.passages[id] = append(e.passages[id], d.ID)
			e.document[d.ID] = id
			continue
		}
		made, err := e.app.knowledge.CreateFAQ(ctx, core.OwnerScope(), b.ID, core.FAQ{FAQEntry: entryOf(d, owner)})
		if err != nil {
			return fmt.Errorf("add entry %s: %w", d.ID, err)
		}
		for _, q := range made.Questions() {
			owner[text.Key(q)] = made.ID
		}
		e.passages[made.ID] = append(e.passages[made.ID], d.ID)
		e.document[d.ID] = made.ID
	}
	return nil
}

// entryOf leaves out what the product does not take: questions that lead to
// another entry. What the sets list as negative are near misses, not questions
// that an editor refused.
func entryOf(d eval.Doc, owner map[string]string) core.FAQEntry {
	f := *d.FAQ
	f.Negative = nil
	f.Similar = slices.DeleteFunc(slices.Clone(f.Similar), func(q string) bool { return owner[text.Key(q)] != "" })
	if len(f.Answers) == 0 {
		f.Answers = []string{d.Title}
	}
	return f
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
	return eval.Ranking{Docs: e.ranked(out.Ranked, k), Stages: e.stages(out.Debug, k), Timings: out.Timings}, nil
}

// stages gives the rankings after fusion, lifting, rerank and merge.
func (e *Evaluation) stages(d *pipeline.Debug, k int) []eval.Ranked {
	if d == nil {
		return nil
	}
	return []eval.Ranked{
		{Stage: "fused", Docs: e.ranked(retrieve.SortTop(d.Fused, 0), k)},
		{Stage: "reranked", Docs: e.ranked(d.Reranked, k)},
		{Stage: "merged", Docs: e.ranked(d.Merged, k)},
	}
}

// ranked gives the first k of the set's passages, each by the best of what was
// found of it.
func (e *Evaluation) ranked(found []retrieve.Found, k int) []string {
	var docs []string
	seen := map[string]bool{}
	for _, f := range found {
		if seen[f.Document.ID] || len(docs) >= k {
			continue
		}
		seen[f.Document.ID] = true
		docs = append(docs, e.passages[f.Document.ID]...)
	}
	return docs
}

// Ask takes a question through the whole pipeline.
func (e *Evaluation) Ask(ctx context.Context, q eval.Question) (eval.Answer, error) {
	out, err := e.app.answerer.Answer(ctx, e.request(q), discard)
	if err != nil {
		return eval.Answer{}, err
	}
	nearest, direct := e.nearest(out)
	return eval.Answer{
		Nearest: nearest, Direct: direct,
		Text: out.Answer, Probability: out.Confidence.Probability,
		Refused: out.HitType == core.HitInsufficient, Timings: out.Timings,
	}, nil
}

// nearest gives the entry that a question is most like, and whether its answer
// was given.
func (e *Evaluation) nearest(out pipeline.Outcome) (ids []string, direct bool) {
	direct = out.HitType == core.HitFAQExact || out.HitType == core.HitFAQ
	switch {
	case direct && len(out.References) > 0:
		return e.passages[out.References[0].DocumentID], true
	case len(out.FAQ) > 0:
		return e.passages[out.FAQ[0].Document.ID], false
	}
	return nil, false
}

func (e *Evaluation) request(q eval.Question) pipeline.Request {
	req := pipeline.Request{
		Scope: core.OwnerScope(), Assistant: core.Assistant{MultiTurn: true, Citations: true}, Question: q.Text, History: rounds(q.History),
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
