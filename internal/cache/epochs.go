package cache

import (
	"context"
	"sync"
	"time"
)

// epochLife is how long a process relies on the epoch that it read: so much
// later it sees changes that another process made. Its own it sees at once.
const epochLife = 3 * time.Second

// EpochReader reads the epoch; store.DB is one.
type EpochReader interface {
	Epoch(ctx context.Context) (int64, error)
}

// Epochs remembers the epoch for a short time. It is safe for concurrent use.
type Epochs struct {
	source EpochReader
	now    func() time.Time

	mu     sync.Mutex
	epoch  int64
	until  time.Time
	forgot uint64 // how often Forget was called
}

// NewEpochs makes the first layer over a source, with a clock.
func NewEpochs(source EpochReader, now func() time.Time) *Epochs {
	return &Epochs{source: source, now: now}
}

// Forget has the next question read the epoch anew. Call it after each change.
func (e *Epochs) Forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.until = time.Time{}
	e.forgot++
}

// current gives the epoch, from memory while that is fresh.
func (e *Epochs) current(ctx context.Context) (int64, error) {
	e.mu.Lock()
	epoch, fresh, forgot := e.epoch, e.now().Before(e.until), e.forgot
	e.mu.Unlock()
	if fresh {
		return epoch, nil
	}
	epoch, err := e.source.Epoch(ctx)
	if err != nil {
		return 0, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if forgot == e.forgot { // else what was read may be of before the change
		e.epoch, e.until = epoch, e.now().Add(epochLife)
	}
	return epoch, nil
}
