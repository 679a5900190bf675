package native

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kaoju/internal/api/sse"
	"kaoju/internal/core"
	"kaoju/internal/wiki/synthesis"
)

// WikiJobs has a model write pages of documents.
type WikiJobs interface {
	Begin(ctx context.Context, scope core.Scope, r synthesis.Request) (core.WikiJob, error)
	Jobs(ctx context.Context, scope core.Scope, base string) ([]core.WikiJob, error)
	Job(ctx context.Context, scope core.Scope, base, id string) (core.WikiJob, error)
}

// WikiWork stops jobs, resumes them, and tells when one changed.
type WikiWork interface {
	Stop(ctx context.Context, scope core.Scope, base, id string) (core.WikiJob, error)
	Resume(ctx context.Context, scope core.Scope, base, id string) (core.WikiJob, error)
	// Changed gives a channel that is closed when a job changes. Take it before
	// reading the job, so that no change is missed.
	Changed() <-chan struct{}
}

// BeginWikiJobInput says of which documents pages are to be written.
type BeginWikiJobInput struct {
	ByID
	Body struct {
		Source    string   `json:"source_knowledge_base_id" minLength:"1" doc:"id or name of a base of documents"`
		Documents []string `json:"document_ids,omitempty" maxItems:"1000" doc:"none means all that are ready"`
		Share     bool     `json:"share,omitempty" doc:"the readers of the wiki may read what the source says, also those who do not see it"`
	}
}

// BeginWikiJob queues a job.
func (h *Handlers) BeginWikiJob(ctx context.Context, in *BeginWikiJobInput) (*Reply[core.WikiJob], error) {
	return reply(h.WikiJobs.Begin(ctx, scopeOf(ctx), synthesis.Request{Wiki: in.ID, Source: in.Body.Source, Documents: in.Body.Documents, Share: in.Body.Share}))
}

// ListWikiJobs gives the last jobs of a wiki, the newest first.
func (h *Handlers) ListWikiJobs(ctx context.Context, in *ByID) (*Reply[List[core.WikiJob]], error) {
	jobs, err := h.WikiJobs.Jobs(ctx, scopeOf(ctx), in.ID)
	return list(jobs, len(jobs), err)
}

// WikiJobInput names a job of a wiki.
type WikiJobInput struct {
	ByID
	Job string `path:"job"`
}

// OneWikiJob gives a job with what failed of it.
func (h *Handlers) OneWikiJob(ctx context.Context, in *WikiJobInput) (*Reply[core.WikiJob], error) {
	return reply(h.WikiJobs.Job(ctx, scopeOf(ctx), in.ID, in.Job))
}

// StopWikiJob ends a job; what it wrote stays.
func (h *Handlers) StopWikiJob(ctx context.Context, in *WikiJobInput) (*Reply[core.WikiJob], error) {
	return reply(h.WikiWork.Stop(ctx, scopeOf(ctx), in.ID, in.Job))
}

// ResumeWikiJob lets a job that ended go on.
func (h *Handlers) ResumeWikiJob(ctx context.Context, in *WikiJobInput) (*Reply[core.WikiJob], error) {
	return reply(h.WikiWork.Resume(ctx, scopeOf(ctx), in.ID, in.Job))
}

// FollowWikiJob streams a job at once and whenever it changed, until it has
// ended, the reader leaves or the server stops.
func (h *Handlers) FollowWikiJob(ctx context.Context, in *WikiJobInput) (*huma.StreamResponse, error) {
	if _, err := h.WikiJobs.Job(ctx, scopeOf(ctx), in.ID, in.Job); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		h.tellWikiJob(r.Context(), sse.Open(w), in)
	}}, nil
}

func (h *Handlers) tellWikiJob(ctx context.Context, out *sse.Writer, in *WikiJobInput) {
	for {
		changed := h.WikiWork.Changed()
		job, err := h.WikiJobs.Job(ctx, scopeOf(ctx), in.ID, in.Job)
		if err == nil {
			if err = out.JSON("job", 0, job); err == nil {
				err = out.Flush()
			}
		}
		if err != nil || job.State == core.JobDone || job.State == core.JobFailed {
			return
		}
		if err := h.awaitChange(ctx, out, changed); err != nil {
			return
		}
	}
}
