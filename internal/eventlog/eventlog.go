// Package eventlog is the append-only log of a turn: the one thing that every
// protocol reads. A writer appends; any number of readers follow from any
// event, pushed and not polled.
//
// Package memory keeps logs in process; package redis will keep them for
// several replicas. Both pass the suite in eventlogtest.
package eventlog

import (
	"context"

	"kaoju/internal/core"
)

// Log is a set of turn logs, each named by its assistant message's id.
type Log interface {
	// Append adds an event, allots its Seq, and wakes the readers. After a
	// terminal event only a session title is taken: anything else is a
	// core.CodeConflict.
	Append(ctx context.Context, turnID string, e core.Event) (core.Event, error)
	// Read gives the events after seq (0 for all) that are there now, without
	// waiting. A turn that is not known is a core.CodeNotFound.
	Read(ctx context.Context, turnID string, after int64) ([]core.Event, error)
	// Wait is Read that blocks until there is at least one event after seq,
	// or ctx ends, or the log is closed.
	Wait(ctx context.Context, turnID string, after int64) ([]core.Event, error)
}
