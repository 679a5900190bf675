package llm

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"kaoju/internal/core"
)

// Meter adds up what the calls under a context cost. It is safe for any number
// of goroutines.
type Meter struct {
	mu    sync.Mutex
	spent map[[2]string]*core.Spent
}

type meterKey struct{}

// WithMeter gives a context whose calls are counted by the meter.
func WithMeter(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{spent: map[[2]string]*core.Spent{}}
	return context.WithValue(ctx, meterKey{}, m), m
}

// CallerOf gives what calls under a context have in common: those of one turn
// share its meter. It is nil where there is none, and else comparable.
func CallerOf(ctx context.Context) any {
	if m, ok := ctx.Value(meterKey{}).(*Meter); ok {
		return m
	}
	return nil
}

type baseKey struct{}

// WithBase gives a context whose calls are made for a knowledge base.
func WithBase(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, baseKey{}, id)
}

// BaseOf gives the knowledge base that calls under a context are made for; ""
// where it is none.
func BaseOf(ctx context.Context) string {
	id, _ := ctx.Value(baseKey{}).(string)
	return id
}

// Spend counts a call under its context's meter, if there is one.
func Spend(ctx context.Context, u Usage) {
	if m, ok := ctx.Value(meterKey{}).(*Meter); ok {
		m.add(u)
	}
}

func (m *Meter) add(u Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := [2]string{u.Kind, u.Model}
	s := m.spent[key]
	if s == nil {
		s = &core.Spent{Kind: u.Kind, Model: u.Model}
		m.spent[key] = s
	}
	s.Calls++
	s.Input += int64(u.Input)
	s.Cached += int64(u.Cached)
	s.Output += int64(u.Output)
	s.Reasoning += int64(u.Reasoning)
	if u.Estimated {
		s.Estimated++
	}
}

// Sum gives what was spent so far, by kind and model; nil where nothing was.
func (m *Meter) Sum() []core.Spent {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []core.Spent
	for _, s := range m.spent {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b core.Spent) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Model, b.Model)) })
	return list
}
