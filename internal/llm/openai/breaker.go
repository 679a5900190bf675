package openai

import (
	"sync"
	"time"
)

// breaker leaves an endpoint alone after repeated failures: closed while calls
// go well; open for a rest after too many failures in a row; then one call
// goes through as a probe while the others are still turned away, and its fate
// decides.
type breaker struct {
	clock Clock
	limit int // failures in a row; 0: never opens
	rest  time.Duration

	mu       sync.Mutex
	failures int
	until    time.Time // zero while closed
	probing  bool
}

// ticket is one call that the breaker let through. Its owner reports once how
// it went; a stream reports good at its first token, and may fail later.
type ticket struct {
	breaker *breaker
	probe   bool
}

// enter gives a ticket, or how long the endpoint still rests.
func (b *breaker) enter() (t *ticket, rest time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return &ticket{breaker: b}, 0
	}
	if left := b.until.Sub(b.clock.Now()); left > 0 {
		return nil, left
	}
	if b.probing {
		return nil, time.Second
	}
	b.probing = true
	return &ticket{breaker: b, probe: true}, 0
}

// good says that the endpoint works.
func (t *ticket) good() {
	b := t.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	if !t.probe && !b.until.IsZero() {
		return // an old call says nothing about the endpoint now
	}
	b.failures, b.until = 0, time.Time{}
	t.settle()
}

// bad says that the endpoint failed.
func (t *ticket) bad() {
	b := t.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	if t.probe || (b.limit > 0 && b.failures >= b.limit && b.until.IsZero()) {
		b.until = b.clock.Now().Add(b.rest)
	}
	t.settle()
}

// drop says that the call ended without telling anything about the endpoint.
func (t *ticket) drop() {
	t.breaker.mu.Lock()
	defer t.breaker.mu.Unlock()
	t.settle()
}

// settle ends the part of a probe. The breaker's mu is held.
func (t *ticket) settle() {
	if t.probe {
		t.probe, t.breaker.probing = false, false
	}
}
