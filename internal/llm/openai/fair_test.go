package openai

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"kaoju/internal/llm"
)

// A turn with many calls does not starve the others: places go round.
func TestQueueIsFairToTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order string
		var wg sync.WaitGroup
		wait := func(ctx context.Context, name string) {
			wg.Go(func() {
				if err := q.enter(ctx); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order += name
				mu.Unlock()
				q.leave()
			})
			synctest.Wait()
		}
		greedy, _ := llm.WithMeter(t.Context())
		modest, _ := llm.WithMeter(t.Context())
		for range 6 {
			wait(greedy, "g")
		}
		wait(modest, "m")
		wait(t.Context(), "x") // no turn: a caller of its own
		wait(modest, "m")
		q.leave()
		wg.Wait()
		if order != "gmxgmgggg" {
			t.Errorf("order %s", order)
		}
		if q.free != 1 || len(q.callers) != 0 {
			t.Errorf("%d free, %d callers", q.free, len(q.callers))
		}
	})
}

// 200 streams of 20 turns through 8 places: all get through, and no turn is
// served more than one round ahead of another.
func TestQueueStarvesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const turns, calls, places = 20, 10, 8
		q := newQueue(places)
		for range places {
			if err := q.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var mu sync.Mutex
		served := make([]int, turns)
		most := 0
		var wg sync.WaitGroup
		for i := range turns {
			ctx, _ := llm.WithMeter(t.Context())
			for range calls {
				wg.Go(func() {
					if err := q.enter(ctx); err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					served[i]++
					least := calls
					for _, n := range served {
						least = min(least, n)
					}
					most = max(most, served[i]-least)
					mu.Unlock()
				})
			}
		}
		for range turns * calls {
			synctest.Wait()
			q.leave()
		}
		wg.Wait()
		for i, n := range served {
			if n != calls {
				t.Errorf("turn %d was served %d times", i, n)
			}
		}
		if most > 1 {
			t.Errorf("a turn was %d rounds ahead", most)
		}
	})
}
