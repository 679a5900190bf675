package cache

import (
	"context"
	"sync"

	"kaoju/internal/core"
)

// Boundary is who asks whom: entries of two boundaries are never shared.
type Boundary struct {
	Tenant     string
	Assistant  string
	Datasets   []string // nil means all of the tenant
	Visibility []core.Visibility
	Roles      []string
	Rerank     string // the model that ranks what is found
}

// BoundaryOf gives the boundary of a caller who asks an assistant.
func BoundaryOf(scope core.Scope, a core.Assistant) Boundary {
	return Boundary{
		Tenant: scope.TenantID, Assistant: a.ID, Datasets: scope.Datasets, Visibility: scope.Visibility, Roles: scope.Roles, Rerank: a.Models.Rerank,
	}
}

// write puts the boundary into a key.
func (b Boundary) write(w *writing) {
	w.text(b.Tenant, b.Assistant, b.Rerank)
	w.flag(b.Datasets == nil) // all, or the named ones
	w.texts(b.Datasets)
	w.number(uint64(len(b.Visibility)))
	for _, v := range b.Visibility {
		w.text(string(v))
	}
	w.texts(b.Roles)
}

// Event is one look-up.
type Event struct {
	Kind   string `json:"source_type"` // embedding, faq or doc
	Hit    bool   `json:"hit"`
	Bypass string `json:"bypass,omitempty"` // why the cache was left aside
}

// Log is what the look-ups under a context came to. It is safe for any number
// of goroutines.
type Log struct {
	boundary Boundary
	mu       sync.Mutex
	events   []Event
}

type logKey struct{}

// With gives a context whose searches belong to a boundary, and their log.
// Searches under other contexts are not kept.
func With(ctx context.Context, b Boundary) (context.Context, *Log) {
	l := &Log{boundary: b}
	return context.WithValue(ctx, logKey{}, l), l
}

func logOf(ctx context.Context) *Log {
	l, _ := ctx.Value(logKey{}).(*Log)
	return l
}

func (l *Log) add(e Event) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// Events gives the look-ups so far, in their order.
func (l *Log) Events() []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Event{}, l.events...)
}
