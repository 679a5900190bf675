package chat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/eventlog"
)

// Tail reads a turn's events, from any of them to the last. It is for one
// goroutine; a turn may have any number of tails.
type Tail struct {
	log       eventlog.Log
	turnID    string
	after     int64
	titleDue  bool
	titleWait time.Duration
	titleBy   time.Time    // set at the terminal event, while a title is due
	closed    bool         // nothing more will come
	told      []core.Event // a stored message to tell instead of the log
}

// joinFrom is the length of a batch from which neighbouring increments are
// joined: a reader so far behind is served better by one large event.
const joinFrom = 64

// Next waits for events and gives them in order; io.EOF after the last. When
// ctx ends first it gives ctx's error, and can be called again.
func (t *Tail) Next(ctx context.Context) ([]core.Event, error) {
	if t.told != nil {
		events := t.told
		t.told = nil
		return events, nil
	}
	if t.closed {
		return nil, io.EOF
	}
	events, err := t.wait(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		t.pass(e)
	}
	return joined(events), nil
}

// Over reports whether there is nothing more to come, so that Next would give
// io.EOF at once.
func (t *Tail) Over() bool { return t.closed && t.told == nil }

// wait reads the log; past the terminal event it waits for the title, and no
// longer than a title is worth.
func (t *Tail) wait(ctx context.Context) ([]core.Event, error) {
	if t.titleBy.IsZero() {
		return t.log.Wait(ctx, t.turnID, t.after)
	}
	limited, cancel := context.WithDeadline(ctx, t.titleBy)
	defer cancel()
	events, err := t.log.Wait(limited, t.turnID, t.after)
	if errors.Is(err, context.DeadlineExceeded) && !time.Now().Before(t.titleBy) {
		t.closed = true
		return nil, io.EOF
	}
	return events, err
}

// pass moves the cursor over an event.
func (t *Tail) pass(e core.Event) {
	t.after = max(t.after, e.Seq)
	switch {
	case e.Type == core.EventAgentQuery:
		var opening AgentQuery
		_ = json.Unmarshal(e.Data, &opening) // ours; without it no title is waited for
		t.titleDue = opening.TitleDue
	case e.Type.Terminal() && t.titleDue && !interrupted(e):
		t.titleBy = time.Now().Add(t.titleWait)
	case e.Type.Terminal(), e.Type == core.EventSessionTitle:
		t.closed = true
	}
}

// interrupted reports whether a turn ended with its server, which then gives no
// title any more.
func interrupted(e core.Event) bool {
	var end Stopped
	return e.Type == core.EventStop && json.Unmarshal(e.Data, &end) == nil && end.Reason == core.MessageInterrupted
}

// joined merges neighbouring increments of a long batch. The merged event has
// the number of its last part, so that a cursor stays true.
func joined(events []core.Event) []core.Event {
	if len(events) < joinFrom {
		return events
	}
	var out []core.Event
	for i := 0; i < len(events); {
		end := i + 1
		for end < len(events) && joins(events[i], events[end]) {
			end++
		}
		out = append(out, merge(events[i:end]))
		i = end
	}
	return out
}

// joins reports whether b is a plain increment of the same text as a.
func joins(a, b core.Event) bool {
	plain := func(e core.Event) bool {
		return (e.Type == core.EventAnswer || e.Type == core.EventThinking) && len(e.Data) == 0 && !e.Done
	}
	return a.Type == b.Type && plain(a) && plain(b)
}

func merge(run []core.Event) core.Event {
	e := run[len(run)-1]
	if len(run) > 1 {
		var text strings.Builder
		for _, part := range run {
			text.WriteString(part.Content)
		}
		e.Content = text.String()
	}
	return e
}

func (s *Service) tail(messageID string, after int64) *Tail {
	return &Tail{log: s.Log, turnID: messageID, after: after, titleWait: s.Limits.Title}
}

// Follow reads the turn of an assistant message again, from the event after
// `after` (0 for all). A turn whose log is gone is told from the stored
// message, from the start whatever after says; see AgentQuery.Replay.
// sessionID "" means whichever session the message is in.
func (s *Service) Follow(ctx context.Context, scope core.Scope, sessionID, messageID string, after int64) (core.Message, *Tail, error) {
	m, err := s.answerMessage(ctx, scope, sessionID, messageID)
	if err != nil {
		return m, nil, err
	}
	s.mu.Lock()
	t := s.running[messageID]
	s.mu.Unlock()
	events, err := s.Log.Read(ctx, messageID, 0)
	if core.CodeOf(err) == core.CodeNotFound {
		tail, err := s.stored(ctx, scope, messageID)
		return m, tail, err
	}
	if err != nil {
		return m, nil, err
	}
	if m.State != core.MessagePending && t == nil && !ended(events) {
		// The turn ended without its log: its process died, or could not
		// reach the log. Nobody will write on.
		tail, err := s.stored(ctx, scope, messageID)
		return m, tail, err
	}
	if after < 0 || after > int64(len(events)) {
		return m, nil, core.Errorf(core.CodeInvalid, "there is no event %d; the last is %d", after, len(events))
	}
	tail := s.tail(messageID, after)
	for _, e := range events[:after] {
		tail.pass(e)
	}
	if after < int64(len(events)) {
		tail.closed = false // the title is there already
	}
	return m, tail, nil
}

// ended reports whether a log has its terminal event.
func ended(events []core.Event) bool {
	for _, e := range slices.Backward(events) {
		if e.Type.Terminal() {
			return true
		}
	}
	return false
}

// answerMessage finds an assistant message inside a session.
func (s *Service) answerMessage(ctx context.Context, scope core.Scope, sessionID, messageID string) (core.Message, error) {
	m, err := s.Messages.Message(ctx, scope, messageID)
	if err != nil {
		return m, err
	}
	if m.Role != core.RoleAssistant || (sessionID != "" && m.SessionID != sessionID) {
		return m, core.Errorf(core.CodeNotFound, "the session has no answer %q", messageID)
	}
	return m, nil
}

// stored tells a message that has ended. The message is read again, since the
// turn may have ended after the caller looked.
func (s *Service) stored(ctx context.Context, scope core.Scope, messageID string) (*Tail, error) {
	m, err := s.Messages.Message(ctx, scope, messageID)
	if err != nil {
		return nil, err
	}
	if m.State == core.MessagePending {
		return nil, core.Errorf(core.CodeUnavailable, "the answer has just begun; try again in a moment")
	}
	return &Tail{told: retell(m), closed: true}, nil
}
