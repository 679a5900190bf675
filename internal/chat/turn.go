package chat

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/eventlog"
	"kaoju/internal/pipeline"
)

// turn is the work on one answer. Its supervisor goroutine stores checkpoints
// and the end; the stages run in a second one, so that a stage that does not
// listen cannot hold up a stop.
type turn struct {
	service  *Service
	request  pipeline.Request
	message  core.Message // as it was begun; only the supervisor changes it
	short    string       // the title that the question gives a session without one
	titleDue bool         // the session has it, from this turn
	titling  *titling     // nil until a model is asked; only the supervisor changes it
	started  time.Time
	recorder *recorder
	cancel   context.CancelCauseFunc
	done     chan struct{} // closed after the terminal event; message is final then
}

// result is what the stages came to.
type result struct {
	outcome pipeline.Outcome
	err     error
}

// start runs an admitted turn.
func (s *Service) start(t *turn) {
	ctx, expire := context.WithTimeoutCause(s.base, s.Limits.Turn, errTooLong)
	ctx, t.cancel = context.WithCancelCause(ctx)
	s.mu.Lock()
	s.running[t.message.ID] = t
	s.mu.Unlock()
	results := make(chan result, 1)
	s.wg.Go(func() {
		defer expire()
		t.supervise(ctx, results)
	})
	if log, ok := s.Log.(eventlog.Stopper); ok {
		s.wg.Go(func() { t.heed(ctx, log) })
	}
	go func() {
		defer s.leave() // the place that admit took counts this goroutine
		outcome, err := s.answer(ctx, t.request, t.recorder.publish)
		results <- result{outcome, err}
	}()
}

// answer calls the pipeline and turns a panic into an error.
func (s *Service) answer(ctx context.Context, req pipeline.Request, publish pipeline.Publish) (out pipeline.Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Logger.Error("a stage panicked", "request_id", req.RequestID, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a stage panicked: %v", p)
		}
	}()
	return s.Answerer.Answer(ctx, req, publish)
}

// supervise waits for the stages, stores the text so far while they run, and
// ends the turn.
func (t *turn) supervise(ctx context.Context, results <-chan result) {
	defer t.cancel(nil)
	last := t.started
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case r := <-results:
			t.finish(ctx, r)
			return
		case <-ctx.Done():
			t.finish(ctx, t.cancelled(ctx, results))
			return
		case <-timer.C:
			t.checkpoint(ctx)
			last = t.service.Now()
		case <-t.recorder.changed:
			if t.recorder.unsaved() >= t.service.Limits.CheckpointLen {
				t.checkpoint(ctx)
				last = t.service.Now()
				continue
			}
			timer.Reset(max(0, last.Add(t.service.Limits.Checkpoint).Sub(t.service.Now())))
		}
	}
}

// cancelled closes the record, so that nothing more is shown, and gives the
// stages a moment to report what they did.
func (t *turn) cancelled(ctx context.Context, results <-chan result) result {
	t.recorder.seal()
	grace := time.NewTimer(t.service.Limits.Grace)
	defer grace.Stop()
	select {
	case r := <-results:
		return r
	case <-grace.C:
		return result{err: context.Cause(ctx)}
	}
}

// checkpoint stores what was shown so far. A turn that has come so far is
// written by a model, which may then also think of a title.
func (t *turn) checkpoint(ctx context.Context) {
	m := t.message
	m.Content, m.References = t.recorder.save()
	m.Thinking = t.recorder.thought()
	err := t.service.Rounds.CheckpointMessage(ctx, m)
	switch {
	case core.CodeOf(err) == core.CodeConflict:
		t.cancel(errLost) // deleted, or finished by another process
	case err != nil && ctx.Err() == nil:
		t.service.Logger.Warn("the text so far was not stored", "message_id", m.ID, "error", err)
	}
	t.beginTitle()
}

// finish stores the message, appends the terminal event, and then the title.
func (t *turn) finish(ctx context.Context, r result) {
	t.recorder.seal()
	m := t.concluded(ctx, r)
	m.UpdatedAt = t.service.Now().UTC()
	trace := core.Trace{
		ID: core.NewID(), MessageID: m.ID, Timings: r.outcome.Timings, Notes: r.outcome.Notes, CreatedAt: m.UpdatedAt,
	}
	cause := r.err
	if err := t.store(m, trace); err != nil {
		// What was shown is not kept: the reader must hear of it.
		m, cause = failed(m, err), err
	}
	t.message = m
	elapsed := t.service.Now().Sub(t.started)
	t.append(terminal(m, &r.outcome, elapsed, cause))
	t.service.mu.Lock()
	delete(t.service.running, m.ID)
	t.service.mu.Unlock()
	close(t.done)
	t.title()
}

// concluded decides how the turn ended. Cancellation comes before any other
// error, and a complete answer that raced with it stays complete.
func (t *turn) concluded(ctx context.Context, r result) core.Message {
	m := t.message
	m.Content, m.References = t.recorder.result()
	m.Thinking = t.recorder.thought()
	whole := r.err == nil && r.outcome.Answer == m.Content
	if ctx.Err() != nil && !whole {
		return cutShort(m, context.Cause(ctx))
	}
	if r.err != nil {
		t.service.Logger.Error("a turn failed", "request_id", m.RequestID, "code", core.CodeOf(r.err), "error", r.err)
		return failed(m, r.err)
	}
	if !whole {
		t.service.Logger.Error("the streamed text is not the answer; the streamed text is kept",
			"request_id", m.RequestID, "streamed_bytes", len(m.Content), "answer_bytes", len(r.outcome.Answer))
	}
	m.State, m.HitType = core.MessageComplete, r.outcome.HitType
	m.References = r.outcome.References
	m.Citations = citationsOf(m.Content, r.outcome)
	m.Image = r.outcome.Seen
	confidence := r.outcome.Confidence
	m.Confidence = &confidence
	if whole {
		m.Unsupported = r.outcome.Unsupported // their places are those of the whole answer
	}
	return m
}

// citationsOf leaves out the citations whose claim is not where they say, as
// happens when the streamed text is not the answer.
func citationsOf(text string, out pipeline.Outcome) []core.Citation {
	if text == out.Answer {
		return out.Citations
	}
	var kept []core.Citation
	for _, c := range out.Citations {
		if c.AnswerStart < 0 || c.AnswerStart > c.AnswerEnd || c.AnswerEnd > min(len(text), len(out.Answer)) {
			continue
		}
		if text[c.AnswerStart:c.AnswerEnd] == out.Answer[c.AnswerStart:c.AnswerEnd] {
			kept = append(kept, c)
		}
	}
	return kept
}

// cutShort marks a message whose turn was cancelled.
func cutShort(m core.Message, cause error) core.Message {
	switch {
	case errors.Is(cause, errStopped):
		m.State = core.MessageStopped
	case errors.Is(cause, errTooLong):
		m.State, m.ErrorCode = core.MessageFailed, core.CodeTimeout
	default:
		m.State, m.ErrorCode = core.MessageInterrupted, core.CodeInterrupted
	}
	return m
}

func failed(m core.Message, err error) core.Message {
	m.State, m.ErrorCode = core.MessageFailed, core.CodeOf(err)
	if errors.Is(err, context.DeadlineExceeded) && m.ErrorCode == core.CodeInternal {
		m.ErrorCode = core.CodeTimeout
	}
	return m
}

// storeTimeout bounds the writes that end a turn; they belong to no request.
const storeTimeout = 10 * time.Second

func (t *turn) store(m core.Message, trace core.Trace) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	err := t.service.Rounds.FinishMessage(ctx, m, trace)
	if err != nil {
		t.service.Logger.Error("an answer was not stored", "message_id", m.ID, "error", err)
	}
	return err
}

func (t *turn) append(e core.Event) {
	if _, err := t.service.Log.Append(context.Background(), t.message.ID, e); err != nil {
		t.service.Logger.Error("an event was not logged", "message_id", t.message.ID, "type", e.Type, "error", err)
	}
}
