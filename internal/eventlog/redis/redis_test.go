package redis_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	client "github.com/redis/go-redis/v9"

	"kaoju/internal/core"
	"kaoju/internal/eventlog"
	"kaoju/internal/eventlog/eventlogtest"
	"kaoju/internal/eventlog/redis"
)

// fresh numbers the prefixes, so that each log begins empty.
func fresh() func() string {
	n := 0
	return func() string {
		n++
		return fmt.Sprintf("test%d:", n)
	}
}

func TestConformance(t *testing.T) {
	s, prefix := serve(t, false), fresh()
	eventlogtest.Run(t, func(t *testing.T) eventlog.Log { return s.open(t, redis.Options{Prefix: prefix()}) })
}

// replicas are two servers: one writes, the other is read.
type replicas struct{ writer, reader *redis.Log }

func (r replicas) Append(ctx context.Context, turn string, e core.Event) (core.Event, error) {
	return r.writer.Append(ctx, turn, e)
}

func (r replicas) Read(ctx context.Context, turn string, after int64) ([]core.Event, error) {
	return r.reader.Read(ctx, turn, after)
}

func (r replicas) Wait(ctx context.Context, turn string, after int64) ([]core.Event, error) {
	return r.reader.Wait(ctx, turn, after)
}

func TestConformanceOfTwoReplicas(t *testing.T) {
	s, prefix := serve(t, false), fresh()
	eventlogtest.Run(t, func(t *testing.T) eventlog.Log {
		o := redis.Options{Prefix: prefix()}
		return replicas{s.open(t, o), s.open(t, o)}
	})
}

func put(t *testing.T, log eventlog.Log, turn string, e core.Event, want core.Code) {
	t.Helper()
	if _, err := log.Append(t.Context(), turn, e); core.CodeOf(err) != want {
		t.Fatalf("append %s to %s: %v, want code %q", e.Type, turn, err, want)
	}
}

var (
	opening  = core.Event{Type: core.EventAgentQuery, Data: []byte(`{"session_id":"s"}`)}
	complete = core.Event{Type: core.EventComplete, Done: true}
)

func answer(text string) core.Event { return core.Event{Type: core.EventAnswer, Content: text} }

// TestRestartInMidStream kills Redis between events and while some are
// written. Nothing is lost, doubled or out of order, and readers notice
// nothing but a pause.
func TestRestartInMidStream(t *testing.T) {
	const n = 300
	s := serve(t, true)
	log := s.open(t, redis.Options{})
	put(t, log, "m", opening, "")
	texts, errs := make([]string, 5), make([]error, 5)
	var readers sync.WaitGroup
	for i := range texts {
		reader := s.open(t, redis.Options{})
		readers.Go(func() { texts[i], errs[i] = follow(t.Context(), reader) })
	}
	want := ""
	restarted := make(chan struct{})
	for i := range n {
		if i == n/3 { // while this loop goes on writing
			go func() {
				defer close(restarted)
				s.Kill()
				s.Start(t)
			}()
		}
		text := fmt.Sprintf("字%d;", i)
		put(t, log, "m", answer(text), "")
		want += text
	}
	<-restarted
	put(t, log, "m", complete, "")
	readers.Wait()
	for i := range texts {
		if errs[i] != nil || texts[i] != want {
			t.Errorf("reader %d has %d bytes of %d: %v", i, len(texts[i]), len(want), errs[i])
		}
	}
}

// follow reads turn m to its end, and fails on a gap.
func follow(ctx context.Context, log eventlog.Log) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	after, text := int64(0), ""
	for {
		events, err := log.Wait(ctx, "m", after)
		if err != nil {
			return text, err
		}
		for _, e := range events {
			if e.Seq != after+1 {
				return text, fmt.Errorf("event %d follows %d", e.Seq, after)
			}
			after, text = e.Seq, text+e.Content
			if e.Type.Terminal() {
				return text, nil
			}
		}
	}
}

// TestLostLog shows that a turn whose log is lost is not begun anew.
func TestLostLog(t *testing.T) {
	s := serve(t, false) // keeps nothing
	log := s.open(t, redis.Options{})
	put(t, log, "m", opening, "")
	got := make(chan error, 1)
	go func() {
		_, err := log.Wait(t.Context(), "m", 1)
		got <- err
	}()
	s.Kill()
	s.Start(t)
	if err := <-got; core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a reader of a log that was lost: %v", err)
	}
	put(t, log, "m", answer("x"), core.CodeUnavailable)
	put(t, log, "m", complete, core.CodeUnavailable)
	put(t, log, "other", core.Event{Type: core.EventSessionTitle}, core.CodeNotFound)
	put(t, log, "new", opening, "")
}

func TestRedisThatIsAway(t *testing.T) {
	s := serve(t, false)
	log := s.open(t, redis.Options{Patience: time.Millisecond})
	put(t, log, "m", opening, "")
	got := make(chan error, 1)
	go func() {
		_, err := log.Wait(t.Context(), "m", 1)
		got <- err
	}()
	s.Kill()
	if err := <-got; core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("a reader when Redis goes: %v", err)
	}
	put(t, log, "m", answer("x"), core.CodeUnavailable)
	if _, err := log.Read(t.Context(), "m", 0); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("read: %v", err)
	}
}

// TestLostReply cuts the connection after Redis has taken an event and before
// it can say so: the event is there once.
func TestLostReply(t *testing.T) {
	s := serve(t, false)
	p := newProxy(t, s.Socket())
	log, err := redis.Open(t.Context(), redis.Options{URL: "unix://" + p.socket})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	put(t, log, "m", opening, "") // loads the script
	p.dropReplyTo("the text")
	e, err := log.Append(t.Context(), "m", answer("the text"))
	if err != nil || e.Seq != 2 {
		t.Fatalf("event %d, %v", e.Seq, err)
	}
	if p.dropped() != 1 {
		t.Fatalf("%d replies were dropped", p.dropped())
	}
	put(t, log, "m", answer("next"), "")
	if events, err := log.Read(t.Context(), "m", 0); err != nil || len(events) != 3 || events[2].Content != "next" {
		t.Fatalf("events %+v, %v", events, err)
	}
}

// TestGapsAndJunk damages a log in every way that Redis can: the reader says
// so, and passes over nothing.
func TestGapsAndJunk(t *testing.T) {
	s := serve(t, false)
	log, bare := s.open(t, redis.Options{}), s.bare(t)
	good := map[string]any{"t": "answer", "c": "x", "d": "0", "p": ""}
	for name, damage := range map[string]func(key string) error{
		"a gap":        func(key string) error { return bare.XDel(t.Context(), key, "2-0").Err() },
		"a lost start": func(key string) error { return bare.XTrimMaxLen(t.Context(), key, 1).Err() },
		"a foreign id": func(key string) error {
			return bare.XAdd(t.Context(), &client.XAddArgs{Stream: key, ID: "3-7", Values: good}).Err()
		},
		"a missing field": func(key string) error {
			return bare.XAdd(t.Context(), &client.XAddArgs{Stream: key, ID: "4-0", Values: map[string]any{"t": "answer"}}).Err()
		},
		"broken payload": func(key string) error {
			return bare.XAdd(t.Context(), &client.XAddArgs{Stream: key, ID: "4-0", Values: map[string]any{"t": "answer", "c": "", "d": "0", "p": "{"}}).Err()
		},
	} {
		put(t, log, name, opening, "")
		put(t, log, name, answer("a"), "")
		put(t, log, name, answer("b"), "")
		if err := damage("kaoju:turn:{" + name + "}"); err != nil {
			t.Fatal(err)
		}
		if events, err := log.Read(t.Context(), name, 0); core.CodeOf(err) != core.CodeCorrupt || events != nil {
			t.Errorf("%s: read %+v, %v", name, events, err)
		}
		if _, err := log.Wait(t.Context(), name, 0); core.CodeOf(err) != core.CodeCorrupt {
			t.Errorf("%s: wait: %v", name, err)
		}
		put(t, log, name, answer("c"), core.CodeUnavailable)
	}
}

func TestLimitAndTimeToLive(t *testing.T) {
	s := serve(t, false)
	log, bare := s.open(t, redis.Options{Turn: 1000}), s.bare(t)
	put(t, log, "m", opening, "")
	put(t, log, "m", answer(strings.Repeat("x", 990)), core.CodeTooLarge)
	put(t, log, "m", answer(strings.Repeat("x", 900)), "") // a refused event takes no room
	put(t, log, "m", core.Event{Type: core.EventError, Content: strings.Repeat("x", 5000), Done: true}, "")
	put(t, log, "m", core.Event{Type: core.EventSessionTitle, Content: strings.Repeat("x", 5000)}, "")
	for _, key := range []string{"kaoju:turn:{m}", "kaoju:turn:{m}:count"} {
		if ttl := bare.PTTL(t.Context(), key).Val(); ttl > time.Hour || ttl < time.Hour-time.Minute {
			t.Errorf("%s lives for %s", key, ttl)
		}
	}
	short := s.open(t, redis.Options{Prefix: "short:", TTL: time.Millisecond})
	put(t, short, "m", opening, "")
	for _, err := short.Read(t.Context(), "m", 0); core.CodeOf(err) != core.CodeNotFound; _, err = short.Read(t.Context(), "m", 0) {
		if err != nil || t.Context().Err() != nil {
			t.Fatalf("waiting for the end of a log's life: %v", err)
		}
	}
}

func TestCloseWakesReaders(t *testing.T) {
	s := serve(t, false)
	log := s.open(t, redis.Options{})
	put(t, log, "m", opening, "")
	got := make(chan error, 1)
	go func() {
		_, err := log.Wait(t.Context(), "m", 1)
		got <- err
	}()
	log.Close()
	log.Close()
	if err := <-got; core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("got %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for url, code := range map[string]core.Code{
		"http://user:secret@host": core.CodeInvalid, "": core.CodeInvalid,
		"unix://" + filepath.Join(t.TempDir(), "nobody.sock"): core.CodeUnavailable,
	} {
		_, err := redis.Open(t.Context(), redis.Options{URL: url})
		if core.CodeOf(err) != code || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// proxy stands between a log and its server, and can lose a reply.
type proxy struct {
	socket, target string

	mu    sync.Mutex
	armed string // a request that holds this loses its reply
	lost  int
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	p := &proxy{socket: filepath.Join(t.TempDir(), "proxy.sock"), target: target}
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "unix", p.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.pass(conn)
		}
	}()
	return p
}

func (p *proxy) pass(conn net.Conn) {
	defer conn.Close()
	var dialer net.Dialer
	server, err := dialer.DialContext(context.Background(), "unix", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(conn, server); _ = conn.Close() }()
	buf := make([]byte, 64<<10)
	for {
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		drop := p.matches(string(buf[:n]))
		if drop {
			_ = conn.(*net.UnixConn).CloseWrite() // the client hears no more
			_ = conn.Close()
		}
		if _, err := server.Write(buf[:n]); err != nil && !errors.Is(err, net.ErrClosed) {
			return
		}
		if drop {
			_, _ = server.Read(buf) // Redis has done it
			return
		}
	}
}

func (p *proxy) matches(request string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.armed == "" || !strings.Contains(request, p.armed) {
		return false
	}
	p.armed = ""
	p.lost++
	return true
}

func (p *proxy) dropReplyTo(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = text
}

func (p *proxy) dropped() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}
