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
func (w *Worker) settle(ctx context.Context, it *work, err error) (wait bool) {
	var lasting *permanent
	code := core.CodeOf(err)
	log := w.deps.Log.With("document", it.doc.ID, "step", it.job.Step, "attempt", it.job.Attempts)
	switch {
	case ctx.Err() != nil:
		w.requeue(ctx, *it, true)
	case code == core.CodeCanceled || errors.Is(err, context.Canceled):
		w.requeue(ctx, *it, false)
	case code == core.CodeDiskFull:
		it.blameless = true
		w.stall(ctx, err)
		return true
	case away(err) && w.outage.failed():
		it.blameless = true
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
		w.record(ctx, *it, func(ctx context.Context) error {
			return w.deps.Store.FailJob(ctx, it.job, code, core.PublicMessage(err))
		})
	}
	return false
}

// again waits and puts jobs back in the queue. The wait keeps the caller: a
// model or disk that fails one document fails the next as well. The attempts
// of blameless jobs do not count, and their wait ends once the model answers.
func (w *Worker) again(ctx context.Context, list ...work) {
	if len(list) == 0 {
		return
	}
	n, back := w.outage.state()
	w.sleepUnless(ctx, max(min(n, maxOutage), list[0].job.Attempts), back)
	for _, it := range list {
		if it.blameless {
			w.record(ctx, it, func(ctx context.Context) error { return w.deps.Store.DeferJob(ctx, it.job.ID) })
		} else {
			w.requeue(ctx, it, false)
		}
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
