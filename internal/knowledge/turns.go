package knowledge

import (
	"context"
	"sync"
)

// turns lets the edits of a base take turns where one must see what the other
// did, as with questions that may stand only once. Bases do not wait for each
// other. The zero value is ready.
type turns struct {
	mu    sync.Mutex
	taken map[string]*turn
}

type turn struct {
	busy    chan struct{} // holds a token while an edit runs
	waiting int
}

// take waits for a base's turn, or for the end of ctx. Call done at its end.
func (t *turns) take(ctx context.Context, baseID string) (done func(), err error) {
	one := t.enter(baseID)
	select {
	case one.busy <- struct{}{}:
	case <-ctx.Done():
		t.leave(baseID, one)
		return nil, context.Cause(ctx)
	}
	return func() {
		<-one.busy
		t.leave(baseID, one)
	}, nil
}

func (t *turns) enter(baseID string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken == nil {
		t.taken = map[string]*turn{}
	}
	one := t.taken[baseID]
	if one == nil {
		one = &turn{busy: make(chan struct{}, 1)}
		t.taken[baseID] = one
	}
	one.waiting++
	return one
}

func (t *turns) leave(baseID string, one *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.waiting--; one.waiting == 0 {
		delete(t.taken, baseID)
	}
}
