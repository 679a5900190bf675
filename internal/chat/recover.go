package chat

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// Recover finishes the answers that an earlier process left pending: they
// keep what there is of them and are marked interrupted. Where several
// processes share the store it also takes this one's lease, and from then on
// does the same with the answers of every process whose lease runs out.
func (s *Service) Recover(ctx context.Context) error {
	if s.Leases != nil {
		if err := s.Leases.RenewLease(ctx, s.id, s.Now().Add(s.Limits.Lease)); err != nil {
			return err
		}
		s.keeper.Go(s.keepLease)
	}
	return s.takeOver(ctx)
}

// keepLease renews the lease three times in its time, and looks for answers
// that lost their process. A process that cannot renew its own gives up its
// turns before another takes them over.
func (s *Service) keepLease() {
	tick := time.NewTicker(s.Limits.Lease / 3)
	defer tick.Stop()
	renewed := s.Now()
	for {
		select {
		case <-s.base.Done():
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(s.base, s.Limits.Lease/3)
		now := s.Now()
		if err := s.Leases.RenewLease(ctx, s.id, now.Add(s.Limits.Lease)); err == nil {
			renewed = now
		} else {
			s.Logger.Warn("the lease of the running answers was not renewed", "error", err)
		}
		if s.Now().Sub(renewed) >= s.Limits.Lease*2/3 {
			s.giveUp()
		}
		if err := s.takeOver(ctx); err != nil {
			s.Logger.Warn("answers of other processes were not looked for", "error", err)
		}
		cancel()
	}
}

// giveUp interrupts the turns of a process that has lost its lease.
func (s *Service) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.running {
		t.cancel(errLost)
	}
}

// endLease gives the lease up once no turn runs.
func (s *Service) endLease() {
	if s.Leases == nil {
		return
	}
	s.keeper.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if err := s.Leases.EndLease(ctx, s.id); err != nil {
		s.Logger.Warn("the lease was not given up; it runs out by itself", "error", err)
	}
}

// takeOver finishes the answers that are nobody's.
func (s *Service) takeOver(ctx context.Context) error {
	pending, err := s.Rounds.PendingMessages(ctx, s.Now())
	if err != nil {
		return err
	}
	closed := 0
	for _, m := range pending {
		switch err := s.interrupt(ctx, m); core.CodeOf(err) {
		case "":
			closed++
		case core.CodeConflict: // another process was first
		default:
			return core.Wrap(err, core.CodeOf(err), "message %s could not be recovered", m.ID)
		}
	}
	if closed > 0 {
		s.Logger.Info("interrupted answers were closed", "count", closed)
	}
	return nil
}

// interrupt ends an answer that lost its process. Where its log outlived the
// process it holds more than the last checkpoint, and exactly what readers
// saw; whoever waits there for more then hears of the end.
func (s *Service) interrupt(ctx context.Context, m core.Message) error {
	// Follow tells the message all the same where the log cannot be reached.
	events, unread := s.Log.Read(ctx, m.ID, 0)
	m = withShown(m, events)
	m.State, m.ErrorCode, m.UpdatedAt = core.MessageInterrupted, core.CodeInterrupted, s.Now()
	trace := core.Trace{ID: core.NewID(), MessageID: m.ID, CreatedAt: m.UpdatedAt, Notes: []core.TraceNote{
		{Stage: "chat", Key: "interrupted", Value: "the server ended before the answer did"},
	}}
	if err := s.Rounds.FinishMessage(ctx, m, trace); err != nil {
		return err
	}
	if unread == nil && !ended(events) {
		s.closeLog(ctx, m)
	}
	return nil
}

func (s *Service) closeLog(ctx context.Context, m core.Message) {
	if _, err := s.Log.Append(ctx, m.ID, terminal(m, nil, m.UpdatedAt.Sub(m.CreatedAt), nil)); err != nil {
		s.Logger.Warn("the log of an interrupted answer was not closed", "message_id", m.ID, "error", err)
	}
}

// withShown gives a message the text and the references that its log holds,
// where that is more.
func withShown(m core.Message, events []core.Event) core.Message {
	var text strings.Builder
	for _, e := range events {
		switch e.Type {
		case core.EventAnswer:
			text.WriteString(e.Content)
		case core.EventReferences:
			var payload pipeline.References
			if json.Unmarshal(e.Data, &payload) == nil {
				m.References = payload.References
			}
		}
	}
	if text.Len() > len(m.Content) {
		m.Content = text.String()
	}
	return m
}
