package synthesis

import (
	"context"
	"slices"

	"kaoju/internal/core"
	"kaoju/internal/store"
)

// Request says which pages are to be written of what.
type Request struct {
	Wiki      string   // id or name of the wiki base
	Source    string   // id or name of a base of documents
	Documents []string // ids of its documents; none means all that are ready
	// Share says that the readers of the wiki may read what the source says, also
	// those who do not see the source.
	Share bool
}

// maxDocuments is how many documents a job reads.
const maxDocuments = 1000

// Begin queues a job. Without a chat model it is a core.CodeUnavailable that
// says what to configure; where people see the wiki who do not see the source, a
// core.CodeForbidden unless the request shares it; while another job writes the wiki, a
// core.CodeConflict.
func (w *Worker) Begin(ctx context.Context, scope core.Scope, r Request) (core.WikiJob, error) {
	b, err := w.deps.Store.Base(ctx, scope, r.Wiki)
	if err != nil {
		return core.WikiJob{}, err
	}
	source, err := w.deps.Store.Base(ctx, scope, r.Source)
	switch {
	case err != nil:
		return core.WikiJob{}, err
	case b.Kind != core.BaseWiki:
		return core.WikiJob{}, core.Errorf(core.CodeConflict, "the knowledge base %q is of kind %s and has no pages; make one of kind wiki", b.Name, b.Kind)
	case source.Kind != core.BaseDocument:
		return core.WikiJob{}, core.Errorf(core.CodeConflict, "pages are written of documents; the knowledge base %q is of kind %s", source.Name, source.Kind)
	case !r.Share && !source.KeptIn(b):
		return core.WikiJob{}, core.Errorf(core.CodeForbidden, "pages quote their sources, and people who do not see %q see the wiki %q; say share to write them all the same", source.Name, b.Name)
	case w.deps.Chat() == nil:
		return core.WikiJob{}, errNoModel()
	}
	items, err := w.documents(ctx, source, r.Documents)
	if err != nil {
		return core.WikiJob{}, err
	}
	j := core.WikiJob{ID: core.NewID(), BaseID: b.ID, SourceID: source.ID, TenantID: scope.TenantID, UserID: scope.UserID}
	if err := w.deps.Store.AddWikiJob(ctx, j, items); err != nil {
		return core.WikiJob{}, err
	}
	w.awake()
	return w.deps.Store.WikiJob(ctx, j.ID)
}

func errNoModel() error {
	return core.Errorf(core.CodeUnavailable, "writing pages needs a chat model; add one with `kaoju models add`, or set chat_model.base_url and chat_model.name")
}

// documents gives the documents to read as items.
func (w *Worker) documents(ctx context.Context, source core.KnowledgeBase, only []string) ([]store.WikiItem, error) {
	list, total, err := w.deps.Store.FilterDocuments(ctx, source.ID, store.DocumentFilter{State: core.DocumentReady}, 0, maxDocuments)
	if err != nil {
		return nil, err
	}
	if total > maxDocuments && len(only) == 0 {
		return nil, core.Errorf(core.CodeTooLarge, "a job reads at most %d documents, and the knowledge base has %d; name those that count", maxDocuments, total)
	}
	slices.Reverse(list) // the oldest first
	var items []store.WikiItem
	for _, d := range list {
		if len(only) == 0 || slices.Contains(only, d.ID) {
			items = append(items, store.WikiItem{Step: core.WikiStepRead, Position: len(items), Ref: d.ID, Name: d.Title})
		}
	}
	switch {
	case len(items) < len(only):
		return nil, core.Errorf(core.CodeNotFound, "%d of the documents are not in the knowledge base %q, or not ready", len(only)-len(items), source.Name)
	case len(items) == 0:
		return nil, core.Errorf(core.CodeEmpty, "the knowledge base %q has no document that is ready", source.Name)
	}
	return items, nil
}

func (w *Worker) awake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
	w.changed()
}

// Job gives a job of a wiki that the scope sees.
func (w *Worker) Job(ctx context.Context, scope core.Scope, base, id string) (core.WikiJob, error) {
	b, err := w.deps.Store.Base(ctx, scope, base)
	if err != nil {
		return core.WikiJob{}, err
	}
	j, err := w.deps.Store.WikiJob(ctx, id)
	if err == nil && j.BaseID != b.ID {
		err = core.Errorf(core.CodeNotFound, "there is no job %q", id)
	}
	if err != nil {
		return core.WikiJob{}, err
	}
	return j, nil
}

// Jobs gives the last jobs of a wiki, the newest first.
func (w *Worker) Jobs(ctx context.Context, scope core.Scope, base string) ([]core.WikiJob, error) {
	b, err := w.deps.Store.Base(ctx, scope, base)
	if err != nil {
		return nil, err
	}
	return w.deps.Store.WikiJobs(ctx, b.ID)
}

// Stop ends a job that is queued or running: it has failed then, with
// core.CodeCanceled, what it wrote stays, and it may be resumed.
func (w *Worker) Stop(ctx context.Context, scope core.Scope, base, id string) (core.WikiJob, error) {
	if _, err := w.Job(ctx, scope, base, id); err != nil {
		return core.WikiJob{}, err
	}
	stopped, err := w.deps.Store.EndWikiJob(ctx, id, []core.JobState{core.JobQueued, core.JobRunning}, core.JobFailed,
		core.Errorf(core.CodeCanceled, "stopped by a user"))
	if err == nil && !stopped {
		err = core.Errorf(core.CodeConflict, "the job has ended already")
	}
	if err != nil {
		return core.WikiJob{}, err
	}
	w.mu.Lock()
	if cancel := w.running[id]; cancel != nil {
		cancel()
	}
	w.mu.Unlock()
	w.changed()
	return w.deps.Store.WikiJob(ctx, id)
}

// Resume lets a job that ended go on: with what is not done yet, and with what
// failed.
func (w *Worker) Resume(ctx context.Context, scope core.Scope, base, id string) (core.WikiJob, error) {
	if _, err := w.Job(ctx, scope, base, id); err != nil {
		return core.WikiJob{}, err
	}
	if w.deps.Chat() == nil {
		return core.WikiJob{}, errNoModel()
	}
	queued, err := w.deps.Store.EndWikiJob(ctx, id, []core.JobState{core.JobFailed, core.JobDone}, core.JobQueued, nil)
	if err == nil && !queued {
		err = core.Errorf(core.CodeConflict, "pages are being written for this wiki already")
	}
	if err != nil {
		return core.WikiJob{}, err
	}
	w.awake()
	return w.deps.Store.WikiJob(ctx, id)
}
