package llm_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

func TestMeter(t *testing.T) {
	llm.Spend(t.Context(), llm.Usage{Input: 1}) // counted by nobody
	ctx, meter := llm.WithMeter(t.Context())
	if meter.Sum() != nil {
		t.Errorf("nothing was spent, and it says %+v", meter.Sum())
	}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			llm.Spend(ctx, llm.Usage{Kind: llm.KindEmbed, Model: "e", Input: 2, Estimated: true})
			llm.Spend(context.WithoutCancel(ctx), llm.Usage{Kind: llm.KindChat, Model: "c", Input: 5, Cached: 3, Output: 4, Reasoning: 1})
		})
	}
	wg.Wait()
	want := []core.Spent{
		{Kind: llm.KindChat, Model: "c", Calls: 10, Input: 50, Cached: 30, Output: 40, Reasoning: 10},
		{Kind: llm.KindEmbed, Model: "e", Calls: 10, Input: 20, Estimated: 10},
	}
	if got := meter.Sum(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
