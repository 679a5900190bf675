// Package eventlog is the append-only log of a turn: the one thing that every
// protocol reads. A writer appends; any number of readers follow from any
// event, pushed and not polled.
//
// Package memory keeps logs in process, package redis for several replicas.
// Both pass the suite in eventlogtest.
package eventlog

import (
	"context"

	"kaoju/internal/core"
)

// Log is a set of turn logs, each named by its assistant message's id.
type Log interface {
	// Append adds an event, allots its Seq, and wakes the readers. The first
	// event of a turn is agent_query, whose payload names the session. After
	// a terminal event only a session title is taken: anything else is a
	// core.CodeConflict. A log that is full is a core.CodeTooLarge; terminal
	// events and titles are taken even then.
	Append(ctx context.Context, turnID string, e core.Event) (core.Event, error)
	// Read gives the events after seq (0 for all) that are there now, without
	// waiting. A turn that is not known, or no longer, is a
	// core.CodeNotFound. The slice is shared: it must not be changed.
	Read(ctx context.Context, turnID string, after int64) ([]core.Event, error)
	// Wait is Read that blocks until there is at least one event after seq,
	// or ctx ends (ctx's error), or the log is closed (core.CodeUnavailable).
	Wait(ctx context.Context, turnID string, after int64) ([]core.Event, error)
}

// Stopper is a Log that several processes share. The process that is told to
// stop a turn need not be the one that runs it: it asks on the turn's log, and
// the one that runs it stops, stores what there is, and appends the end.
type Stopper interface {
	// AskStop asks. A turn that is not known, or no longer, is a
	// core.CodeNotFound; one that has ended is left alone.
	AskStop(ctx context.Context, turnID string) error
	// AwaitStop blocks until somebody asked, now or before, or ctx ends (ctx's
	// error), or the log is closed (core.CodeUnavailable). It outlasts a log
	// that is out of reach for a while.
	AwaitStop(ctx context.Context, turnID string) error
}
