// Package memory keeps the logs of turns in this process.
//
//	log := memory.New(memory.DefaultLimits(), time.Now)
//	defer log.Close()
//
// Memory is bounded: a turn, the turns of one session, and all turns together
// have a limit each. When a session or the whole is full, finished turns give
// way, the oldest first; a turn that still does not fit gets
// core.CodeTooLarge. Terminal events and titles are always taken, so that
// every turn can end. A finished turn is forgotten after Limits.Keep.
//
// Appending never waits for readers, and readers never copy: events are
// immutable, so all of them read the same array.
package memory

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/eventlog"
)

var _ eventlog.Log = (*Log)(nil)

// Limits bound a Log. Sizes are bytes of content and payload, with a small
// charge for each event.
type Limits struct {
	Turn    int64         // of one turn
	Session int64         // of all turns of one session
	Total   int64         // of the whole log
	Keep    time.Duration // how long a turn is kept after its terminal event
}

// DefaultLimits suit one server: 8 MiB a turn, 32 MiB a session, 256 MiB in
// all, kept for an hour.
func DefaultLimits() Limits {
	return Limits{Turn: 8 << 20, Session: 32 << 20, Total: 256 << 20, Keep: time.Hour}
}

// eventCharge is what an event costs beside its text: the struct and its
// share of a growing array.
const eventCharge = 128

// Log is an eventlog.Log in memory, safe for any number of goroutines.
type Log struct {
	limits Limits
	now    func() time.Time
	total  atomic.Int64
	closed chan struct{}

	mu       sync.RWMutex // guards what follows; taken before a turn's own lock
	turns    map[string]*turn
	sessions map[string]*session
	finished []*turn // in the order in which they ended
	shut     bool
}

// session adds up the turns of a conversation.
type session struct {
	bytes atomic.Int64
	turns int // guarded by Log.mu
}

// turn is one log. Its id and session never change.
type turn struct {
	id      string
	session *session
	owner   string // the session's id

	mu     sync.Mutex
	events []core.Event
	bytes  int64
	wake   chan struct{} // closed at the next change; nil while nobody waits
	ended  time.Time     // of the terminal event; zero before
	gone   bool          // forgotten
}

// New makes an empty log. now is the clock that decides when a finished turn
// has been kept for long enough.
func New(limits Limits, now func() time.Time) *Log {
	return &Log{
		limits:   limits,
		now:      now,
		closed:   make(chan struct{}),
		turns:    map[string]*turn{},
		sessions: map[string]*session{},
	}
}

// Close wakes all waiting readers, which get core.CodeUnavailable. What is
// there can still be read.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.shut {
		l.shut = true
		close(l.closed)
	}
}

// Append adds e to the turn's log; see eventlog.Log. The first event of a
// turn should be agent_query, whose payload names the session.
func (l *Log) Append(_ context.Context, turnID string, e core.Event) (core.Event, error) {
	t := l.lookup(turnID)
	if t == nil {
		t = l.create(turnID, e)
	}
	size := int64(len(e.Content)+len(e.Data)) + eventCharge
	if err := l.reserve(t, size, exempt(e.Type)); err != nil {
		return core.Event{}, err
	}
	e, err := t.append(e, size, l.now)
	if err != nil {
		l.release(t, size)
		return core.Event{}, err
	}
	if e.Type.Terminal() {
		l.mu.Lock()
		l.finished = append(l.finished, t)
		l.mu.Unlock()
	}
	return e, nil
}

// Read gives the events after seq without waiting. The slice is shared and
// must not be changed.
func (l *Log) Read(_ context.Context, turnID string, after int64) ([]core.Event, error) {
	t := l.lookup(turnID)
	if t == nil {
		return nil, unknown(turnID)
	}
	events, _, err := t.after(after, false)
	return events, err
}

// Wait is Read that blocks until there is something to read.
func (l *Log) Wait(ctx context.Context, turnID string, after int64) ([]core.Event, error) {
	t := l.lookup(turnID)
	if t == nil {
		return nil, unknown(turnID)
	}
	for {
		events, wake, err := t.after(after, true)
		if err != nil || len(events) > 0 {
			return events, err
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.closed:
			return nil, core.Errorf(core.CodeUnavailable, "the server is shutting down")
		}
	}
}

// lookup finds a turn that is still to be kept.
func (l *Log) lookup(id string) *turn {
	l.mu.RLock()
	t := l.turns[id]
	l.mu.RUnlock()
	if t == nil || t.expired(l.now(), l.limits.Keep) {
		return nil
	}
	return t
}

// create makes room by forgetting what expired, and opens a turn.
func (l *Log) create(id string, first core.Event) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep()
	if t := l.turns[id]; t != nil { // another writer was first
		return t
	}
	t := &turn{id: id, owner: sessionOf(id, first)}
	t.session = l.sessions[t.owner]
	if t.session == nil {
		t.session = &session{}
		l.sessions[t.owner] = t.session
	}
	t.session.turns++
	l.turns[id] = t
	return t
}

// sessionOf reads the session's id from a turn's first event. A turn that
// names none counts as a session of its own.
func sessionOf(turnID string, first core.Event) string {
	var payload struct {
		SessionID string `json:"session_id"`
	}
	if json.Unmarshal(first.Data, &payload) != nil || payload.SessionID == "" {
		return turnID
	}
	return payload.SessionID
}

// exempt reports whether an event is taken whatever the limits say.
func exempt(t core.EventType) bool {
	return t.Terminal() || t == core.EventSessionTitle
}

func unknown(turnID string) error {
	return core.Errorf(core.CodeNotFound, "there is no event log for message %q", turnID)
}
