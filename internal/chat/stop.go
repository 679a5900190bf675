package chat

import (
	"context"
	"errors"
	"slices"

	"kaoju/internal/core"
	"kaoju/internal/eventlog"
)

// Stop ends the turn of an assistant message at once and keeps the text so
// far. It gives the state in which the message ended; a turn that is over is
// left as it is. The turn may run in another process that shares the log.
// sessionID "" means whichever session the message is in.
func (s *Service) Stop(ctx context.Context, scope core.Scope, sessionID, messageID string) (core.MessageState, error) {
	m, err := s.answerMessage(ctx, scope, sessionID, messageID)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	t := s.running[messageID]
	s.mu.Unlock()
	if t == nil {
		return s.stopElsewhere(ctx, scope, m)
	}
	t.cancel(errStopped)
	select {
	case <-t.done:
		return t.message.State, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// stopElsewhere has another process stop a turn, and waits for its end.
func (s *Service) stopElsewhere(ctx context.Context, scope core.Scope, m core.Message) (core.MessageState, error) {
	// It may have ended since it was read.
	m, err := s.Messages.Message(ctx, scope, m.ID)
	log, shared := s.Log.(eventlog.Stopper)
	if err != nil || m.State != core.MessagePending || !shared {
		return m.State, err
	}
	waiting, cancel := context.WithTimeout(ctx, s.Limits.Stop)
	defer cancel()
	if err := log.AskStop(waiting, m.ID); err != nil {
		return "", err
	}
	if err := s.awaitEnd(waiting, m.ID); err != nil {
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return "", core.Errorf(core.CodeUnavailable, "the server that writes the answer does not react; if it is gone, the answer ends within a minute")
		}
		return "", err
	}
	m, err = s.Messages.Message(ctx, scope, m.ID)
	return m.State, err
}

// awaitEnd waits for the terminal event of a turn.
func (s *Service) awaitEnd(ctx context.Context, messageID string) error {
	for after := int64(0); ; {
		events, err := s.Log.Wait(ctx, messageID, after)
		if err != nil {
			return err
		}
		if ended(events) {
			return nil
		}
		after += int64(len(events))
	}
}

// heed stops the turn when another process asks for that on its log.
func (t *turn) heed(ctx context.Context, log eventlog.Stopper) {
	if log.AwaitStop(ctx, t.message.ID) == nil {
		t.cancel(errStopped)
	}
}

// stopAll stops the turns of sessions that are to be deleted, wherever they
// run; ids nil means all of the caller's.
func (s *Service) stopAll(ctx context.Context, scope core.Scope, ids []string) error {
	for _, t := range s.turnsOf(scope, ids) {
		t.cancel(errStopped)
		select {
		case <-t.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	log, shared := s.Log.(eventlog.Stopper)
	if !shared {
		return nil
	}
	pending, err := s.Rounds.PendingMessages(ctx, s.Now().AddDate(100, 0, 0)) // whoever writes them
	if err != nil {
		return err
	}
	for _, m := range pending {
		if !s.among(ctx, scope, ids, m.SessionID) {
			continue
		}
		// A process that does not hear of it notices at its next checkpoint.
		if err := log.AskStop(ctx, m.ID); err != nil {
			s.Logger.Warn("an answer in a deleted session was not stopped", "message_id", m.ID, "error", err)
		}
	}
	return nil
}

// among reports whether a session is one of ids or, for nil, the caller's.
func (s *Service) among(ctx context.Context, scope core.Scope, ids []string, sessionID string) bool {
	if ids != nil {
		return slices.Contains(ids, sessionID)
	}
	_, err := s.Sessions.Session(ctx, scope, sessionID)
	return err == nil
}
