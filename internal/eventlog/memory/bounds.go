package memory

import (
	"slices"
	"time"

	"kaoju/internal/core"
)

// reserve counts size bytes for t. Where a limit is passed it first drops
// finished turns; exempt events are counted and never refused.
func (l *Log) reserve(t *turn, size int64, exempt bool) error {
	ofSession, ofAll := t.session.bytes.Add(size), l.total.Add(size)
	if ofSession > l.limits.Session {
		ofSession = l.evict(t, t.session)
	}
	if ofAll > l.limits.Total {
		l.evict(t, nil)
		ofAll = l.total.Load()
	}
	if exempt {
		return nil
	}
	var err error
	switch {
	case t.size()+size > l.limits.Turn:
		err = tooLarge("an answer", l.limits.Turn)
	case ofSession > l.limits.Session:
		err = tooLarge("the running answers of a session", l.limits.Session)
	case ofAll > l.limits.Total:
		err = tooLarge("all running answers together", l.limits.Total)
	}
	if err != nil {
		l.release(t, size)
	}
	return err
}

func tooLarge(what string, limit int64) error {
	return core.Errorf(core.CodeTooLarge, "the events of %s are limited to %d bytes", what, limit)
}

// release takes back what reserve counted.
func (l *Log) release(t *turn, size int64) {
	t.session.bytes.Add(-size)
	l.total.Add(-size)
}

// evict drops finished turns, the oldest first, until the limit holds: those
// of one session, or of all where of is nil. It gives the session's new size.
func (l *Log) evict(keep *turn, of *session) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	full := func() bool {
		if of != nil {
			return of.bytes.Load() > l.limits.Session
		}
		return l.total.Load() > l.limits.Total
	}
	l.finished = slices.DeleteFunc(l.finished, func(t *turn) bool {
		if t == keep || (of != nil && t.session != of) || !full() {
			return false
		}
		l.forget(t)
		return true
	})
	return keep.session.bytes.Load()
}

// sweep forgets the turns that were kept for long enough. Turns end in order
// of time, so it looks no further than the first that stays.
func (l *Log) sweep() {
	now, n := l.now(), 0
	for n < len(l.finished) && l.finished[n].expired(now, l.limits.Keep) {
		l.forget(l.finished[n])
		n++
	}
	l.finished = slices.Delete(l.finished, 0, n)
}

// forget removes a turn and wakes its readers; l.mu is held.
func (l *Log) forget(t *turn) {
	l.release(t, t.vanish())
	delete(l.turns, t.id)
	if t.session.turns--; t.session.turns == 0 {
		delete(l.sessions, t.owner)
	}
}

// append numbers an event, keeps it and wakes the readers.
func (t *turn) append(e core.Event, size int64, now func() time.Time) (core.Event, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return e, unknown(t.id)
	}
	if !t.ended.IsZero() && e.Type != core.EventSessionTitle {
		return e, core.Errorf(core.CodeConflict, "the turn has ended; %s cannot follow", e.Type)
	}
	e.Seq = int64(len(t.events)) + 1
	t.events = append(t.events, e)
	t.bytes += size
	if e.Type.Terminal() {
		t.ended = now()
	}
	t.notify()
	return e, nil
}

// after gives the events after seq and, where wait is set and there are none,
// a channel that is closed at the next change.
func (t *turn) after(seq int64, wait bool) ([]core.Event, <-chan struct{}, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return nil, nil, unknown(t.id)
	}
	n := int64(len(t.events))
	if from := max(seq, 0); from < n {
		return t.events[from:n:n], nil, nil
	}
	if wait && t.wake == nil {
		t.wake = make(chan struct{})
	}
	return nil, t.wake, nil
}

// notify wakes whoever waits; t.mu is held.
func (t *turn) notify() {
	if t.wake != nil {
		close(t.wake)
		t.wake = nil
	}
}

// vanish marks the turn as forgotten and gives what it had held.
func (t *turn) vanish() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone = true
	t.notify()
	return t.bytes
}

func (t *turn) size() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

func (t *turn) expired(now time.Time, keep time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.ended.IsZero() && now.Sub(t.ended) >= keep
}
