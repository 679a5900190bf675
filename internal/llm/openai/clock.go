package openai

import (
	"context"
	"time"
)

// Clock is the time that timeouts, pauses and the breaker run on. Tests give
// their own.
type Clock interface {
	Now() time.Time
	// Sleep returns after d, or with the cause of ctx as soon as ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
	// AfterFunc calls f in a goroutine of its own after d.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is what AfterFunc gives; *time.Timer is one.
type Timer interface {
	Stop() bool
	Reset(d time.Duration) bool
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (systemClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
