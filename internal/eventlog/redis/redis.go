// Package redis keeps the logs of turns in Redis, so that several replicas of
// the server tell the same answers.
//
//	log, err := redis.Open(ctx, redis.Options{URL: "redis://localhost:6379/0"})
//	defer log.Close()
//
// A turn is a stream whose entries are numbered 1-0, 2-0, …, and a hash that
// counts them. One script appends: it allots the number, keeps the rule about
// terminal events, and tells every replica, in one step. Readers are pushed:
// each replica has one subscription, and looks again whenever that was
// renewed. Both keys live for an hour after the last event.
//
// While Redis cannot be reached, calls wait for Options.Patience and then fail
// with core.CodeUnavailable. A call whose answer was lost with its connection
// is made again without appending twice. A log that Redis has lost is never
// begun anew under the same turn: the writer gets core.CodeUnavailable.
package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"kaoju/internal/core"
	"kaoju/internal/eventlog"
)

var _ eventlog.Log = (*Log)(nil)

// Options say where Redis is. Zero values mean the defaults.
type Options struct {
	URL      string        // redis://, rediss:// or unix://, with user, password and database
	Prefix   string        // of keys and the channel; "kaoju:"
	TTL      time.Duration // how long a turn is kept after its last event; 1 hour
	Turn     int64         // bytes of one turn; 8 MiB
	Patience time.Duration // how long a call waits for a Redis that is away; 3 s
}

func (o Options) withDefaults() Options {
	if o.Prefix == "" {
		o.Prefix = "kaoju:"
	}
	if o.TTL == 0 {
		o.TTL = time.Hour
	}
	if o.Turn == 0 {
		o.Turn = 8 << 20
	}
	if o.Patience == 0 {
		o.Patience = 3 * time.Second
	}
	return o
}

// Log is an eventlog.Log in Redis, safe for any number of goroutines and
// replicas.
type Log struct {
	Options
	client *redis.Client
	pubsub *redis.PubSub
	append *redis.Script
	// stopping is the script of AskStop.
	stopping *redis.Script
	stop     context.CancelFunc
	closed   chan struct{}
	once     sync.Once
	wg       sync.WaitGroup

	mu      sync.Mutex
	waiting map[string]*watch // by turn
	written map[string]int64  // the last event of the turns that are written here
}

// Open connects. A URL that cannot be read is core.CodeInvalid, a Redis that
// does not answer core.CodeUnavailable. Close the log when done.
func Open(ctx context.Context, o Options) (*Log, error) {
	o = o.withDefaults()
	settings, err := redis.ParseURL(o.URL)
	if err != nil {
		// The cause repeats the URL, which may hold a password.
		return nil, core.Errorf(core.CodeInvalid, "the address of Redis is not of the form redis://[user:password@]host:port/database")
	}
	settings.MaxRetries = -1 // calls are repeated here, where it is known which may be
	l := &Log{
		Options: o, client: redis.NewClient(settings), append: redis.NewScript(appendScript), stopping: redis.NewScript(stopScript), closed: make(chan struct{}),
		waiting: map[string]*watch{}, written: map[string]int64{},
	}
	l.pubsub = l.client.Subscribe(ctx, l.channel())
	if _, err := l.pubsub.Receive(ctx); err != nil {
		_ = l.pubsub.Close()
		_ = l.client.Close()
		return nil, core.Wrap(err, core.CodeUnavailable, "Redis does not answer")
	}
	var listening context.Context
	listening, l.stop = context.WithCancel(context.Background())
	l.wg.Go(func() { l.listen(listening) })
	return l, nil
}

// Close wakes all waiting readers, which get core.CodeUnavailable, and
// disconnects.
func (l *Log) Close() {
	l.once.Do(func() {
		close(l.closed)
		l.stop()
		_ = l.pubsub.Close() // ends a listen that waits
		l.wg.Wait()
		_ = l.client.Close()
	})
}

func (l *Log) channel() string { return l.Prefix + "events" }

// The braces keep both keys of a turn on one node of a cluster.
func (l *Log) streamKey(turnID string) string { return l.Prefix + "turn:{" + turnID + "}" }
func (l *Log) countKey(turnID string) string  { return l.streamKey(turnID) + ":count" }

// Append adds an event to the turn's log; see eventlog.Log.
func (l *Log) Append(ctx context.Context, turnID string, e core.Event) (core.Event, error) {
	l.mu.Lock()
	known := l.written[turnID]
	l.mu.Unlock()
	nonce, again := core.NewID(), 0
	var seq int64
	err := l.patiently(ctx, func() (err error) {
		seq, err = l.append.Run(ctx, l.client, []string{l.streamKey(turnID), l.countKey(turnID)},
			string(e.Type), e.Content, flag(e.Done), string(e.Data), nonce, again, known, flag(e.Type.Terminal()),
			int64(len(e.Content)+len(e.Data)), l.Turn, l.TTL.Milliseconds(), l.channel(), turnID).Int64()
		again = 1
		return err
	})
	if err != nil {
		return core.Event{}, l.refused(turnID, e.Type, err)
	}
	l.wrote(turnID, seq, e.Type)
	e.Seq = seq
	return e, nil
}

// wrote remembers how far the log must reach from now on. After the terminal
// event at most a title comes, which needs no check.
func (l *Log) wrote(turnID string, seq int64, kind core.EventType) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case kind.Terminal(), kind == core.EventSessionTitle:
		delete(l.written, turnID)
	default:
		l.written[turnID] = max(l.written[turnID], seq)
	}
}

// refused turns the script's word into an error of ours.
func (l *Log) refused(turnID string, kind core.EventType, err error) error {
	var said redis.Error
	if errors.As(err, &said) {
		switch strings.TrimPrefix(said.Error(), "ERR ") {
		case "ENDED":
			return core.Errorf(core.CodeConflict, "the turn has ended; %s cannot follow", kind)
		case "FULL":
			return core.Errorf(core.CodeTooLarge, "the events of an answer are limited to %d bytes", l.Turn)
		case "GONE":
			return unknown(turnID)
		case "LOST":
			return core.Errorf(core.CodeUnavailable, "Redis has lost events of message %q", turnID)
		}
	}
	return failure(err, "append to the event log")
}

// Read gives the events after seq without waiting; see eventlog.Log. A gap,
// and an entry that cannot be decoded, is core.CodeCorrupt.
func (l *Log) Read(ctx context.Context, turnID string, after int64) ([]core.Event, error) {
	after = max(after, 0)
	var exists *redis.IntCmd
	var entries *redis.XMessageSliceCmd
	err := l.patiently(ctx, func() error {
		_, err := l.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			exists = p.Exists(ctx, l.streamKey(turnID))
			entries = p.XRange(ctx, l.streamKey(turnID), fmt.Sprintf("%d-0", after+1), "+")
			return nil
		})
		return err
	})
	if err != nil {
		return nil, failure(err, "read the event log")
	}
	if exists.Val() == 0 {
		return nil, unknown(turnID)
	}
	return decode(turnID, after, entries.Val())
}

// Wait is Read that blocks until there is something to read.
func (l *Log) Wait(ctx context.Context, turnID string, after int64) ([]core.Event, error) {
	for {
		events, err := l.await(ctx, turnID, after)
		if err != nil || len(events) > 0 {
			return events, err
		}
	}
}

// await reads and, where there is nothing, waits until there may be.
func (l *Log) await(ctx context.Context, turnID string, after int64) ([]core.Event, error) {
	w := l.watch(turnID) // before reading, so that nothing is missed
	defer l.unwatch(turnID, w)
	events, err := l.Read(ctx, turnID, after)
	if err != nil || len(events) > 0 {
		return events, err
	}
	return nil, l.hear(ctx, w)
}

// hear waits for news.
func (l *Log) hear(ctx context.Context, w *watch) error {
	select {
	case <-w.news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.closed:
		return core.Errorf(core.CodeUnavailable, "the server is shutting down")
	}
}

func unknown(turnID string) error {
	return core.Errorf(core.CodeNotFound, "there is no event log for message %q", turnID)
}

// failure names what could not be done. A caller that left is told so.
func failure(err error, what string) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return core.Wrap(err, core.CodeUnavailable, "could not %s: Redis does not answer", what)
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
