package redis

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// silence is how long the subscription may say nothing before it is asked
// whether it is still there.
const silence = 10 * time.Second

// listen wakes readers: of one turn when it has news, and all of them when the
// subscription is lost, so that they see whether Redis is, and when it is back,
// since news may have been missed in between.
func (l *Log) listen(ctx context.Context) {
	pause, asked := firstPause, false
	for ctx.Err() == nil {
		message, err := l.pubsub.ReceiveTimeout(ctx, silence)
		switch m := message.(type) {
		case *redis.Message:
			l.wake(m.Payload)
		case *redis.Subscription:
			l.wakeAll()
		}
		var late interface{ Timeout() bool }
		switch {
		case err == nil:
			pause, asked = firstPause, false
			continue
		case errors.As(err, &late) && late.Timeout() && !asked:
			asked = true
			if l.pubsub.Ping(ctx) == nil {
				continue
			}
		}
		asked = false
		l.wakeAll()
		pause = rest(ctx, pause)
	}
}

// watch is what the readers of one turn wait for.
type watch struct {
	news    chan struct{} // closed when there may be some
	readers int           // guarded by Log.mu
}

// watch joins the readers of a turn; leave it with unwatch.
func (l *Log) watch(turnID string) *watch {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.waiting[turnID]
	if w == nil {
		w = &watch{news: make(chan struct{})}
		l.waiting[turnID] = w
	}
	w.readers++
	return w
}

// unwatch leaves. The last reader takes what they waited for along.
func (l *Log) unwatch(turnID string, w *watch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.readers--; w.readers == 0 && l.waiting[turnID] == w {
		delete(l.waiting, turnID)
	}
}

func (l *Log) wake(turnID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := l.waiting[turnID]; w != nil {
		close(w.news)
		delete(l.waiting, turnID)
	}
}

func (l *Log) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.waiting {
		close(w.news)
	}
	clear(l.waiting)
}

// Pauses between attempts to reach a Redis that is away.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = 500 * time.Millisecond
)

// rest waits for a pause, or the end of ctx, and gives the next pause.
func rest(ctx context.Context, pause time.Duration) time.Duration {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return min(2*pause, lastPause)
}

// patiently makes a call until Redis answers it, for as long as patience
// lasts. An answer that is an error is an answer, unless it says that Redis is
// still loading.
func (l *Log) patiently(ctx context.Context, call func() error) error {
	limit := time.Now().Add(l.Patience)
	for pause := firstPause; ; {
		err := call()
		if err == nil || ctx.Err() != nil || !away(err) || time.Now().After(limit) {
			return err
		}
		select {
		case <-l.closed:
			return err
		default:
		}
		pause = rest(ctx, pause)
	}
}

// away reports whether an error means that Redis did not take the call.
func away(err error) bool {
	var said redis.Error
	if errors.As(err, &said) {
		return redis.IsLoadingError(err)
	}
	return true
}
