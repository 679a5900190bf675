package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"kaoju/internal/core"
)

// Runner triggers the stages of turns. It keeps no state of its own and runs
// any number of turns at once.
type Runner struct {
	Registry *Registry
	// Fallback writes the answer of a turn for which nothing was found: it
	// sets the turn's Answer and streams it.
	Fallback func(ctx context.Context, t *Turn) error
	// Timeout is the time of a turn, of which steps have shares; 0 means no
	// limit.
	Timeout time.Duration
	// Log gets one line a stage at debug level; nil means slog's default.
	Log *slog.Logger
}

// Run takes the turn through its steps and gives what came out. The outcome
// is filled as far as the turn came, also with an error.
//
// Cancellation is looked at before a stage's own error, so that a stop never
// becomes a fallback answer.
func (r Runner) Run(ctx context.Context, steps []Step, t *Turn) (Outcome, error) {
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Timeout)
		defer cancel()
	}
	err := r.steps(ctx, steps, t)
	return t.outcome(), err
}

func (r Runner) steps(ctx context.Context, steps []Step, t *Turn) error {
	start := t.now()
	progress := windows{turn: t}
	for i, step := range steps {
		if step.When != nil && !step.When(t) {
			continue
		}
		if ended := ctxError(ctx); ended != nil {
			return errors.Join(ended, progress.close(context.WithoutCancel(ctx), false))
		}
		if err := progress.enter(ctx, step.Window); err != nil {
			return err
		}
		err := r.step(ctx, step, t, start)
		if ended := ctxError(ctx); ended != nil {
			return errors.Join(ended, progress.close(context.WithoutCancel(ctx), false))
		}
		switch {
		case err == nil:
		case errors.Is(err, ErrAnswered), errors.Is(err, ErrNothingFound):
			if err := progress.close(ctx, true); err != nil {
				return err
			}
			return stopped(ctx, r.finish(ctx, err, steps[i+1:], t))
		default:
			return errors.Join(err, progress.close(ctx, false))
		}
	}
	return progress.close(ctx, true)
}

// finish ends a turn that is answered, or for which nothing was found: of the
// steps that remain only the check of the answer still runs.
func (r Runner) finish(ctx context.Context, reason error, rest []Step, t *Turn) error {
	if t.Request.RetrieveOnly {
		return nil
	}
	if errors.Is(reason, ErrNothingFound) {
		if err := r.Fallback(ctx, t); err != nil {
			return err
		}
	}
	for _, step := range rest {
		if step.Stage == StageVerify {
			return r.step(ctx, step, t, t.now())
		}
	}
	return nil
}

// step runs one stage with its timing, its degradation and its log line.
func (r Runner) step(ctx context.Context, step Step, t *Turn, start time.Time) error {
	if !r.Registry.Has(step.Stage) {
		return nil
	}
	left, shared := r.left(step, t.now().Sub(start))
	if shared && left <= 0 {
		t.timed(step.Stage, 0, "skipped: the turn is past its share of time")
		return nil
	}
	began := t.now()
	err := r.trigger(ctx, step, t, left)
	took := t.now().Sub(began)
	note := ""
	if err != nil && step.Optional && !early(err) && ctx.Err() == nil {
		t.Note(step.Stage, "degraded", string(core.CodeOf(err)))
		note, err = "degraded: "+core.PublicMessage(err), nil
	}
	t.timed(step.Stage, took, note)
	r.logger().DebugContext(ctx, "stage", "stage", step.Stage, "message", t.Request.MessageID, "elapsed", took, "note", note, "error", err)
	if err != nil && !early(err) {
		return fmt.Errorf("stage %s: %w", step.Stage, err)
	}
	return err
}

// left is the time that an optional step still has of its share, and whether
// it has one.
func (r Runner) left(step Step, passed time.Duration) (time.Duration, bool) {
	if !step.Optional || step.Share <= 0 || r.Timeout <= 0 {
		return 0, false
	}
	return time.Duration(step.Share*float64(r.Timeout)) - passed, true
}

// trigger runs the chain of a step, within the time that is left to it if that
// is known. A plugin that panics fails, so that its stage may still degrade and
// progress windows close.
func (r Runner) trigger(ctx context.Context, step Step, t *Turn, left time.Duration) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.logger().ErrorContext(ctx, "a stage panicked", "stage", step.Stage, "message", t.Request.MessageID,
				"panic", p, "stack", string(debug.Stack()))
			err = core.Errorf(core.CodeInternal, "stage %s panicked", step.Stage)
		}
	}()
	if left > 0 {
		within, cancel := context.WithTimeout(ctx, left)
		defer cancel()
		ctx = within
	}
	return r.Registry.trigger(ctx, step.Stage, t)
}

func (r Runner) logger() *slog.Logger {
	if r.Log == nil {
		return slog.Default()
	}
	return r.Log
}

func early(err error) bool {
	return errors.Is(err, ErrAnswered) || errors.Is(err, ErrNothingFound)
}

// stopped puts the end of a context before the error that it led to.
func stopped(ctx context.Context, err error) error {
	if ended := ctxError(ctx); err != nil && ended != nil {
		return errors.Join(ended, err)
	}
	return err
}

// ctxError turns the end of a context into the error that a turn ends with.
func ctxError(ctx context.Context) error {
	switch err := context.Cause(ctx); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return core.Wrap(err, core.CodeTimeout, "the answer took longer than allowed")
	default:
		return core.Wrap(err, core.CodeCanceled, "the turn was stopped")
	}
}
