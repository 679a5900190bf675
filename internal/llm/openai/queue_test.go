package openai

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// TestQueueIsFair: who waits longest comes next, also past those who gave up.
func TestQueueIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []int
		impatient, giveUp := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range 10 {
			ctx := t.Context()
			if i%3 == 1 {
				ctx = impatient
			}
			wg.Go(func() {
				if q.enter(ctx) != nil {
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				q.leave()
			})
			synctest.Wait() // each stands in line before the next comes
		}
		giveUp()
		synctest.Wait()
		q.leave()
		wg.Wait()
		if want := []int{0, 2, 3, 5, 6, 8, 9}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
		if q.free != 1 || q.order.Len() != 0 || len(q.callers) != 0 {
			t.Errorf("%d free, %d waiting", q.free, q.order.Len())
		}
	})
}

// TestQueuePassesOn: a place that is given to someone who gives up at the same
// moment is not lost.
func TestQueuePassesOn(t *testing.T) {
	q := newQueue(0)
	turn := make(chan struct{})
	q.line("a").PushBack(turn)
	q.leave() // gives the place
	q.withdraw("a", turn)
	if err := q.enter(t.Context()); err != nil || q.free != 0 {
		t.Errorf("%v, %d free", err, q.free)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if err := q.enter(ended); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
}

// TestQueueUnderLoad hammers a queue with callers that come, go and give up.
func TestQueueUnderLoad(t *testing.T) {
	q := newQueue(3)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			for range 20 {
				ctx, cancel := context.WithCancel(t.Context())
				if i%2 == 0 {
					go cancel()
				}
				if q.enter(ctx) == nil {
					q.leave()
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if q.free != 3 || q.order.Len() != 0 || len(q.callers) != 0 {
		t.Errorf("%d free, %d waiting", q.free, q.order.Len())
	}
}
