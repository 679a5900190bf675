package ingest

import (
	"errors"
	"sync"

	"kaoju/internal/llm"
)

// maxOutage bounds how far the waits for a model that is away grow: by the
// usual backoff, a bit over a minute.
const maxOutage = 7

// away reports whether a failure speaks against a model's endpoint and not
// against the text that it was given.
func away(err error) bool {
	return errors.Is(err, llm.ErrAway) || errors.Is(err, llm.ErrResting) || errors.Is(err, llm.ErrLimited)
}

// outage counts how often the model failed to answer since it last did. Its
// zero value is ready.
type outage struct {
	mu       sync.Mutex
	failures int
	back     chan struct{} // closed when the model answers; nil while it does
}

// failed notes a failure. It reports whether nobody was answered since the
// failure before, so that no document is to blame: a text that brings the
// endpoint down each time is told by the others, which get through.
func (o *outage) failed() (blameless bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failures++; o.back == nil {
		o.back = make(chan struct{})
	}
	return o.failures > 1
}

// state gives how long the outage lasts, in failures, and what ends it.
func (o *outage) state() (failures int, back <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failures, o.back
}

// over notes that the model answered: all who wait go on at once.
func (o *outage) over() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.back != nil {
		close(o.back)
		o.failures, o.back = 0, nil
	}
}
