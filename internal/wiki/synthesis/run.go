package synthesis

import (
	"context"
	"encoding/json"
	"errors"

	"kaoju/internal/core"
	"kaoju/internal/store"
)

// run is one pass over a job, from where it stands to its end.
type run struct {
	w     *Worker
	job   core.WikiJob
	base  core.KnowledgeBase // the wiki
	reads []document
}

// document is what is known of a document that was read.
type document struct {
	ID      string  `json:"-"`
	Title   string  `json:"-"`
	Summary string  `json:"summary"`
	Points  []point `json:"points"`
	Topics  []topic `json:"topics"`
}

// all does the steps of the job in their order; what is done is passed over.
func (r *run) all(ctx context.Context) error {
	var err error
	if r.base, err = r.w.deps.Store.WikiJobBase(ctx, r.job.BaseID); err != nil {
		return err
	}
	if err := r.step(ctx, core.WikiStepRead, nil, r.readOne); err != nil {
		return err
	}
	if err := r.gather(ctx); err != nil {
		return err
	}
	topics := r.topics()
	if err := r.step(ctx, core.WikiStepTopics, itemsOf(topics), r.topicWriter(topics)); err != nil {
		return err
	}
	paged, err := r.paged(ctx)
	if err != nil {
		return err
	}
	if err := r.step(ctx, core.WikiStepSummary, r.summaries(), r.summaryWriter(paged)); err != nil {
		return err
	}
	return r.step(ctx, core.WikiStepIndex, []store.WikiItem{{Step: core.WikiStepIndex, Ref: indexSlug, Name: indexSlug}}, r.indexWriter())
}

// step does the items of a step that wait, one after the other, and stores each
// as it is done. An item that the model makes nothing usable of has failed; any
// other failure ends the job.
func (r *run) step(ctx context.Context, step core.WikiStep, items []store.WikiItem, do func(context.Context, *store.WikiItem) error) error {
	db := r.w.deps.Store
	if err := db.EnterWikiStep(ctx, r.job.ID, step, items); err != nil {
		return err
	}
	r.w.changed()
	items, err := db.WikiItems(ctx, r.job.ID, step)
	if err != nil {
		return err
	}
	for _, i := range items {
		if i.State != core.JobQueued {
			continue
		}
		err := do(ctx, &i)
		i.State = core.JobDone
		if errors.Is(err, errUseless) || core.CodeOf(err) == core.CodeNotFound || core.CodeOf(err) == core.CodeEmpty {
			i.State, i.Error, err = core.JobFailed, reason(err), nil
		}
		if err != nil {
			return err
		}
		r.w.probe(string(step))
		if err := db.SaveWikiItem(ctx, r.job.ID, i); err != nil {
			return err
		}
		r.w.probe(string(step) + " saved")
		r.w.changed()
	}
	return nil
}

// reason says why an item failed, without the model's own words.
func reason(err error) string {
	if errors.Is(err, errUseless) {
		return "the model gave nothing usable: no JSON, a refusal, or no statement with a passage"
	}
	return core.PublicMessage(err)
}

// gather takes up what was read, in this pass and in earlier ones.
func (r *run) gather(ctx context.Context) error {
	items, err := r.w.deps.Store.WikiItems(ctx, r.job.ID, core.WikiStepRead)
	if err != nil {
		return err
	}
	for _, i := range items {
		if i.State != core.JobDone {
			continue
		}
		d := document{ID: i.Ref, Title: i.Name}
		if err := json.Unmarshal([]byte(i.Result), &d); err != nil {
			return core.Wrap(err, core.CodeInternal, "what was read of %s cannot be used", i.Name)
		}
		r.reads = append(r.reads, d)
	}
	if len(r.reads) == 0 {
		return core.Errorf(core.CodeUnavailable, "the model made nothing usable of any document")
	}
	return nil
}

// encode gives what an item keeps.
func encode(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", core.Wrap(err, core.CodeInternal, "what the model said cannot be stored")
	}
	return string(b), nil
}
