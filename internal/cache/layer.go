package cache

import (
	"time"

	"kaoju/internal/memo"
)

// layer keeps values for a time, within a bound of memory: what was asked for
// lately stays longest.
type layer[V any] struct {
	kept *memo.Memo[key, dated[V]]
	life time.Duration
	now  func() time.Time
}

type dated[V any] struct {
	value V
	until time.Time
}

func newLayer[V any](bytes int64, life time.Duration, now func() time.Time) *layer[V] {
	return &layer[V]{kept: memo.New[key, dated[V]](bytes), life: life, now: now}
}

func (l *layer[V]) get(k key) (V, bool) {
	d, ok := l.kept.Get(k)
	if !ok || !l.now().Before(d.until) {
		var none V
		return none, false
	}
	return d.value, true
}

// put keeps a value of so many bytes.
func (l *layer[V]) put(k key, v V, bytes int64) {
	l.kept.Put(l.kept.Age(), k, dated[V]{v, l.now().Add(l.life)}, bytes+int64(len(k))+24)
}
