package openai

import (
	"container/list"
	"context"
	"sync"
	"time"

	"kaoju/internal/llm"
)

// queue lets at most so many calls of one model run at once. Places go round
// the callers that wait (a turn is one caller, llm.CallerOf), and to each
// caller's calls in their order: a turn with many calls does not hold up the
// others.
type queue struct {
	mu      sync.Mutex
	free    int
	callers map[any]*list.Element // of order, by caller
	order   list.List             // of *caller, who is next first
}

// caller is one that waits, with its calls.
type caller struct {
	key   any
	calls list.List // of chan struct{}; closed when the place is given
}

func newQueue(places int) *queue { return &queue{free: places, callers: map[any]*list.Element{}} }

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
	key := llm.CallerOf(ctx)
	if key == nil {
		key = turn // nobody we know: a caller of its own
	}
	q.line(key).PushBack(turn)
	q.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		q.withdraw(key, turn)
		return context.Cause(ctx)
	}
}

// line gives the waiting calls of a caller. q.mu is held.
func (q *queue) line(key any) *list.List {
	e := q.callers[key]
	if e == nil {
		e = q.order.PushBack(&caller{key: key})
		q.callers[key] = e
	}
	return &e.Value.(*caller).calls
}

// withdraw gives up waiting; a place that was given meanwhile goes on to the
// next.
func (q *queue) withdraw(key any, turn chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-turn:
		q.pass()
		return
	default:
	}
	calls := q.line(key)
	for e := calls.Front(); e != nil; e = e.Next() {
		if e.Value == turn {
			calls.Remove(e)
			break
		}
	}
	if calls.Len() == 0 {
		q.drop(q.callers[key])
	}
}

// drop takes a caller without calls out of the line. q.mu is held.
func (q *queue) drop(e *list.Element) {
	delete(q.callers, e.Value.(*caller).key)
	q.order.Remove(e)
}

func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pass()
}

// pass gives a place to the caller whose turn it is, who then stands behind
// the others. q.mu is held.
func (q *queue) pass() {
	first := q.order.Front()
	if first == nil {
		q.free++
		return
	}
	calls := &first.Value.(*caller).calls
	close(calls.Remove(calls.Front()).(chan struct{}))
	if calls.Len() == 0 {
		q.drop(first)
		return
	}
	q.order.MoveToBack(first)
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
