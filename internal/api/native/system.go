package native

import (
	"context"
	"io"
	"kaoju/internal/core"
	"runtime"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kaoju/internal/api/sse"
)

// Health says that the server can answer.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

// Healthz is ok when questions can be answered.
func (h *Handlers) Healthz(ctx context.Context, _ *Empty) (*Reply[Health], error) {
	if h.Ready != nil {
		if err := h.Ready(ctx); err != nil {
			return nil, err
		}
	}
	return reply(Health{Status: "ok", Version: h.Version}, nil)
}

// System describes the server, counting what the caller may see.
type System struct {
	Version   string    `json:"version"`
	GoVersion string    `json:"go_version"`
	StartedAt time.Time `json:"started_at"`
	Uptime    float64   `json:"uptime_seconds"`
	Bases     int       `json:"knowledge_bases"`
	Documents int       `json:"documents"`
	Sessions  int       `json:"sessions"`
}

// SystemInfo describes the server.
func (h *Handlers) SystemInfo(ctx context.Context, _ *Empty) (*Reply[System], error) {
	bases, err := h.Library.ListBases(ctx, scopeOf(ctx))
	if err != nil {
		return nil, err
	}
	documents := 0
	for _, b := range bases {
		documents += b.Documents
	}
	_, sessions, err := h.Chat.ListSessions(ctx, scopeOf(ctx), 0, 1)
	return reply(System{
		Version: h.Version, GoVersion: runtime.Version(), StartedAt: h.started.UTC(),
		Uptime: h.Now().Sub(h.started).Seconds(), Bases: len(bases), Documents: documents, Sessions: sessions,
	}, err)
}

// ProgressInput chooses what to count.
type ProgressInput struct {
	BaseID string `query:"knowledge_base_id" doc:"id or name of a base; none means all that are visible"`
}

// IngestProgress counts documents by state.
func (h *Handlers) IngestProgress(ctx context.Context, in *ProgressInput) (*Reply[Counts], error) {
	id, err := h.baseOrAll(ctx, in.BaseID)
	if err != nil {
		return nil, err
	}
	return reply(h.Progress.Progress(ctx, scopeOf(ctx), id))
}

func (h *Handlers) baseOrAll(ctx context.Context, idOrName string) (string, error) {
	if idOrName == "" {
		return "", nil
	}
	b, err := h.Library.Base(ctx, scopeOf(ctx), idOrName)
	return b.ID, err
}

// FollowProgress streams the counts at once and whenever they changed, until
// the reader leaves or the server stops.
func (h *Handlers) FollowProgress(ctx context.Context, in *ProgressInput) (*huma.StreamResponse, error) {
	id, err := h.baseOrAll(ctx, in.BaseID)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		h.tellProgress(r.Context(), sse.Open(w), id)
	}}, nil
}

func (h *Handlers) tellProgress(ctx context.Context, out *sse.Writer, baseID string) {
	told := Counts{Queued: -1} // unlike any count
	for {
		changed := h.Progress.Changed()
		counts, err := h.Progress.Progress(ctx, scopeOf(ctx), baseID)
		if err == nil && counts != told {
			if err = out.JSON("progress", 0, counts); err == nil {
				err = out.Flush()
			}
			told = counts
		}
		if err == nil {
			err = h.awaitChange(ctx, out, changed)
		}
		if err != nil {
			return
		}
	}
}

// awaitChange waits for the channel to be closed, and keeps the reader awake.
func (h *Handlers) awaitChange(ctx context.Context, out *sse.Writer, changed <-chan struct{}) error {
	heartbeat := time.NewTicker(h.Heartbeat)
	defer heartbeat.Stop()
	for {
		select {
		case <-changed:
			return nil
		case <-heartbeat.C:
			if err := out.Comment(); err != nil {
				return err
			}
		case <-h.Closing:
			return io.EOF
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// UsageInput says how far back to look.
type UsageInput struct {
	Days int `query:"days" minimum:"1" maximum:"400" default:"30" doc:"days to look back, today among them"`
}

// UsageReport is what models cost, by day, kind and model.
type UsageReport struct {
	Items []core.DayUsage `json:"items"`
}

// ReportUsage tells what the calls of models cost the caller's tenant.
func (h *Handlers) ReportUsage(ctx context.Context, in *UsageInput) (*Reply[UsageReport], error) {
	items, err := h.Usage.Usage(ctx, scopeOf(ctx), in.Days)
	return reply(UsageReport{Items: orEmpty(items)}, err)
}
