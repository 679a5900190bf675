package stage

import (
	"context"
	"slices"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
)

// merging is what the steps of a merge work with.
type merging struct {
	searcher Searcher
	passages Passages
	sketches *retrieve.Sketches
	cfg      config.Retrieve
}

// mergeStep makes a list of passages of another.
type mergeStep struct {
	name string // in the trace
	work func(ctx context.Context, t *pipeline.Turn, list []retrieve.Found) ([]retrieve.Found, error)
}

// steps gives the steps of a merge after the choice of its input, in their
// order.
func (m merging) steps() []mergeStep {
	steps := []mergeStep{
		{"duplicates", m.duplicates},
		{"cited", m.cited},
		{"lifted", m.lifted},
		{"joined", m.joined},
		{"answers", m.answers},
		{"widened", m.widened},
		{"contained", m.contained},
	}
	return slices.DeleteFunc(steps, func(s mergeStep) bool {
		return s.name == "joined" && m.cfg.Join == 0 || s.name == "widened" && m.cfg.Widen == 0
	})
}

func (m merging) duplicates(_ context.Context, _ *pipeline.Turn, list []retrieve.Found) ([]retrieve.Found, error) {
	return m.sketches.Dedup(list), nil
}

// cited adds what the last answer cited, where it is not there already.
func (m merging) cited(ctx context.Context, t *pipeline.Turn, list []retrieve.Found) ([]retrieve.Found, error) {
	again, err := citedBefore(ctx, t, m.searcher, m.passages)
	if err != nil || len(again) == 0 {
		return list, err
	}
	return m.sketches.Dedup(append(slices.Clip(list), again...)), nil
}

// lifted gives what still is a child the text of its parent, as branches and
// searches without ranking leave it, and what was read in a picture the text
// around the picture.
func (m merging) lifted(ctx context.Context, _ *pipeline.Turn, list []retrieve.Found) ([]retrieve.Found, error) {
	if !slices.ContainsFunc(list, func(f retrieve.Found) bool { return f.Chunk.ParentID != "" && liftable(f.Chunk.Type) }) {
		return list, nil
	}
	return lift(ctx, m.passages, list)
}

func (m merging) joined(_ context.Context, _ *pipeline.Turn, list []retrieve.Found) ([]retrieve.Found, error) {
	return retrieve.JoinNeighbours(list, m.cfg.Join), nil
}

// answers puts the entry in the place of a question of an FAQ base: what is
// read and cited is its answer. A question whose entry is gone goes too.
func (m merging) answers(ctx context.Context, _ *pipeline.Turn, list []retrieve.Found) ([]retrieve.Found, error) {
	var ids []string
	for _, f := range list {
		if f.Chunk.Type == core.ChunkFAQQuestion {
			ids = append(ids, f.Chunk.ParentID)
		}
	}
	if len(ids) == 0 {
		return list, nil
	}
	entries, err := m.passages.ChunksByID(ctx, ids)
	if err != nil {
		return list, core.Wrap(err, core.CodeOf(err), "the answers of standard questions could not be read")
	}
	filled := make([]retrieve.Found, 0, len(list))
	for _, f := range list {
		if f.Chunk.Type == core.ChunkFAQQuestion {
			i := slices.IndexFunc(entries, func(c core.Chunk) bool { return c.ID == f.Chunk.ParentID })
			if i < 0 || entries[i].FAQ == nil || entries[i].FAQ.Disabled {
				continue
			}
			f.Chunk, f.Text = entries[i], entries[i].Content
		}
		filled = append(filled, f)
	}
	return m.sketches.Dedup(filled), nil
}

// widened gives the best short passages, as many as are kept, the text around
// them.
func (m merging) widened(ctx context.Context, t *pipeline.Turn, list []retrieve.Found) ([]retrieve.Found, error) {
	sorted := retrieve.SortTop(list, 0)
	best := sorted
	if keep := t.Plan.Value().Keep; keep > 0 && keep < len(best) {
		best = best[:keep]
	}
	wide, err := retrieve.Widen(ctx, best, m.cfg.Widen, m.passages)
	if err != nil {
		return list, core.Wrap(err, core.CodeOf(err), "the text around short passages could not be read")
	}
	return append(wide, sorted[len(best):]...), nil
}

func (m merging) contained(_ context.Context, _ *pipeline.Turn, list []retrieve.Found) ([]retrieve.Found, error) {
	return m.sketches.DropContained(list), nil
}
