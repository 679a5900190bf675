package ingest

import (
	"context"
	"errors"
	"log/slog"

	"kaoju/internal/core"
)

// settle decides what becomes of a job that did not get through: a stopped
// one goes back as it was, what may pass is tried again, and the rest has
// failed. It reports whether the next attempt should wait. Of a deleted
// document there is no job any more, and nothing happens.
func (w *Worker) settle(ctx context.Context, it work, err error) (wait bool) {
	var lasting *permanent
	code := core.CodeOf(err)
	log := w.deps.Log.With("document", it.doc.ID, "step", it.job.Step, "attempt", it.job.Attempts)
	switch {
	case ctx.Err() != nil:
		w.requeue(ctx, it, true)
	case code == core.CodeCanceled || errors.Is(err, context.Canceled):
		w.requeue(ctx, it, false)
	case code == core.CodeDiskFull:
		w.stall(ctx, err)
		return true
	case !errors.As(err, &lasting) && mayPass(code) && it.job.Attempts < maxAttempts:
		log.Warn("ingestion tries again later", "code", code, "error", err)
		return true
	default:
		level := slog.LevelWarn
		if errors.As(err, &lasting) && code != core.CodeInternal {
			level = slog.LevelInfo // the file is at fault, and its owner is told
		}
		log.Log(context.WithoutCancel(ctx), level, "ingestion failed", "code", code, "error", err)
		w.record(ctx, it, func(ctx context.Context) error {
			return w.deps.Store.FailJob(ctx, it.job, code, core.PublicMessage(err))
		})
	}
	return false
}

// again waits and puts jobs back in the queue. The wait keeps the caller: a
// model or disk that fails one document fails the next as well. A full disk
// does not count as an attempt: no file is at fault.
func (w *Worker) again(ctx context.Context, list ...work) {
	if len(list) == 0 {
		return
	}
	w.sleep(ctx, list[0].job.Attempts)
	for _, it := range list {
		w.requeue(ctx, it, w.Stalled() != nil)
		signal(w.wake)
	}
}

func (w *Worker) requeue(ctx context.Context, it work, forgive bool) {
	w.record(ctx, it, func(ctx context.Context) error {
		return w.deps.Store.RequeueJob(ctx, it.job.ID, forgive)
	})
}

// record stores what became of a job, also while the server stops, and goes on
// until it could: a job whose state is lost would stand as running for ever.
// Once the server stops it tries no more; the next start queues the job again.
func (w *Worker) record(ctx context.Context, it work, store func(context.Context) error) {
	for {
		err := store(context.WithoutCancel(ctx))
		if err == nil {
			return
		}
		if !mayPass(core.CodeOf(err)) || ctx.Err() != nil {
			w.deps.Log.Error("ingestion cannot record the state of a job", "document", it.doc.ID, "error", err)
			return
		}
		w.stall(ctx, err)
		w.sleep(ctx, maxAttempts)
	}
}
