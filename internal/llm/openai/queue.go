package openai

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// queue lets at most so many calls of one model run at once. Who comes first
// goes first: a caller with many calls waits behind the others like everybody.
type queue struct {
	mu      sync.Mutex
	free    int
	waiting list.List // of chan struct{}; closed when the place is given
}

func newQueue(places int) *queue { return &queue{free: places} }

// enter waits for a place. Every enter without an error needs one leave.
func (q *queue) enter(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	place := q.waiting.PushBack(turn)
	q.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		q.withdraw(place, turn)
		return context.Cause(ctx)
	}
}

// withdraw gives up waiting; a place that was given meanwhile goes on to the
// next.
func (q *queue) withdraw(place *list.Element, turn chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-turn:
		q.pass()
	default:
		q.waiting.Remove(place)
	}
}

func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pass()
}

// pass gives a place to whoever waits longest. q.mu is held.
func (q *queue) pass() {
	first := q.waiting.Front()
	if first == nil {
		q.free++
		return
	}
	close(q.waiting.Remove(first).(chan struct{}))
}

// pacer spreads calls so that no more than a number start in any minute.
type pacer struct {
	clock    Clock
	interval time.Duration // 0: no limit

	mu   sync.Mutex
	next time.Time
}

func newPacer(clock Clock, perMinute int) *pacer {
	p := &pacer{clock: clock}
	if perMinute > 0 {
		p.interval = time.Minute / time.Duration(perMinute)
	}
	return p
}

// wait returns when the caller may start. Who gives up has used its turn: the
// others keep theirs.
func (p *pacer) wait(ctx context.Context) error {
	if p.interval == 0 {
		return nil
	}
	p.mu.Lock()
	now := p.clock.Now()
	at := p.next
	if at.Before(now) {
		at = now
	}
	p.next = at.Add(p.interval)
	p.mu.Unlock()
	if d := at.Sub(now); d > 0 {
		return p.clock.Sleep(ctx, d)
	}
	return nil
}
