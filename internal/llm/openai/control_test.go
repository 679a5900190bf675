package openai_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/openai"
)

const (
	hello = `data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}` + "\n\n"
	bye   = `data: {"choices":[{"index":0,"delta":{"content":"."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	busy  = "status 503\n---\noverloaded\n"
)

func parse(t testing.TB, text string) llmtest.Script {
	t.Helper()
	s, err := llmtest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newChat(t testing.TB, e *llmtest.Endpoint, o openai.Options, env openai.Env) *openai.Chat {
	t.Helper()
	o.BaseURL, o.Model, o.APIKey, env.HTTP = e.URL, "m", key, e.Client
	m, err := openai.NewChat(o, env)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTimeouts runs on the fake time of a synctest bubble: what hangs there
// costs nothing here.
func TestTimeouts(t *testing.T) {
	tests := []struct {
		name   string
		script string
		calls  int
		took   time.Duration // without the pauses between attempts
		text   string
		want   string
	}{
		{"no answer", "---\n@gate never\n", 1, 10 * time.Second, "", "no first word"},
		{"only a role", "---\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n@gate never\n", 1, 10 * time.Second, "", "no first word"},
		{"a stream that calls itself JSON", "header Content-Type: application/json\n---\n" + hello + "@gate never\n", 1, 3 * time.Second, "Hello", "no further word"},
		{"then silence", "---\n" + hello + "@gate never\n", 1, 3 * time.Second, "Hello", "no further word"},
		{"signs of life without a word", "---\n" + hello + ": alive\n\n@gate never\n", 1, 3 * time.Second, "Hello", "no further word"},
		{"open after the end", "---\n" + hello + bye + "@gate never\n", 1, 200 * time.Millisecond, "Hello.", ""},
		{"open after the reason", "---\n" + hello + strings.TrimSuffix(bye, "data: [DONE]\n\n") + "@gate never\n", 1, 2 * time.Second, "Hello.", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := llmtest.Start(t, parse(t, tt.script))
				m := newChat(t, e, openai.Options{
					Timeout: openai.Timeouts{First: 10 * time.Second, Between: 3 * time.Second},
					Limit:   openai.Limits{Attempts: 2, Pause: time.Millisecond},
				}, openai.Env{Rand: func() float64 { return 0 }})
				start, text := time.Now(), ""
				err := m.Stream(t.Context(), request(), func(d llm.Delta) error { text += d.Text; return nil })
				if took := time.Since(start).Truncate(100 * time.Millisecond); took != tt.took || text != tt.text || e.Calls() != tt.calls {
					t.Errorf("took %s, calls %d, text %q; want %s, %d, %q", took, e.Calls(), text, tt.took, tt.calls, tt.text)
				}
				if tt.want == "" && err != nil || tt.want != "" && (core.CodeOf(err) != core.CodeTimeout || !strings.Contains(core.PublicMessage(err), tt.want)) {
					t.Errorf("error %v; want %q", err, tt.want)
				}
			})
		})
	}
}

// TestTotalTime: the caller's own slowness does not count as the endpoint's,
// but the total is a total.
func TestTotalTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := llmtest.Start(t, parse(t, "---\n"+hello+"@gate never\n"))
		m := newChat(t, e, openai.Options{Timeout: openai.Timeouts{Between: time.Minute, Total: 20 * time.Second}}, openai.Env{})
		start := time.Now()
		err := m.Stream(t.Context(), request(), func(llm.Delta) error { return nil })
		if core.CodeOf(err) != core.CodeTimeout || time.Since(start) != 20*time.Second || e.Calls() != 1 {
			t.Errorf("%v after %s and %d calls", err, time.Since(start), e.Calls())
		}
	})
}

func TestSlowReaderIsNotASilentEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := llmtest.Start(t, parse(t, "---\n"+hello+"@gate more\n"+bye))
		m := newChat(t, e, openai.Options{Timeout: openai.Timeouts{First: time.Second, Between: time.Second}}, openai.Env{})
		var once sync.Once
		slow := func(llm.Delta) error {
			<-time.After(time.Minute)
			once.Do(func() { e.Open("more") })
			return nil
		}
		if err := m.Stream(t.Context(), request(), slow); err != nil {
			t.Error(err)
		}
	})
}

func TestDeadlineOfTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := llmtest.Start(t, parse(t, "---\n@gate never\n"))
		m := newChat(t, e, openai.Options{}, openai.Env{})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := m.Stream(ctx, request(), func(llm.Delta) error { return nil })
		if core.CodeOf(err) != core.CodeTimeout || !errors.Is(err, context.DeadlineExceeded) || e.Calls() != 1 {
			t.Errorf("%v after %d calls", err, e.Calls())
		}
	})
}

// TestCancelReachesTheWire is A30: what the endpoint writes after the stop
// reaches nobody, and nothing is tried again.
func TestCancelReachesTheWire(t *testing.T) {
	script := "---\n" + hello + strings.Repeat("@gone\n"+hello, 50) + bye
	stop := errors.New("the reader left")
	for _, tt := range []struct {
		name  string
		start func(testing.TB, llmtest.Script, ...llmtest.Option) *llmtest.Endpoint
		end   func(cancel func()) error
		want  error
	}{
		{"context, pipe", llmtest.Start, func(cancel func()) error { cancel(); return nil }, context.Canceled},
		{"yield, pipe", llmtest.Start, func(func()) error { return stop }, stop},
		{"context, TCP", llmtest.StartTCP, func(cancel func()) error { cancel(); return nil }, context.Canceled},
		{"yield, TCP", llmtest.StartTCP, func(func()) error { return stop }, stop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := tt.start(t, parse(t, script))
			var cost []llm.Usage
			m := newChat(t, e, openai.Options{}, openai.Env{OnUsage: func(_ context.Context, u llm.Usage) { cost = append(cost, u) }})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			text := ""
			err := m.Stream(ctx, request(), func(d llm.Delta) error { text += d.Text; return tt.end(cancel) })
			<-e.Gone()
			if !errors.Is(err, tt.want) || text != "Hello" || e.Calls() != 1 {
				t.Errorf("error %v, text %q, calls %d", err, text, e.Calls())
			}
			if errors.Is(tt.want, context.Canceled) && core.CodeOf(err) != core.CodeCanceled {
				t.Errorf("code %s", core.CodeOf(err))
			}
			// What the kernel of a real connection still takes is its own affair.
			if n := e.SentAfterGone(); n != 0 && strings.Contains(tt.name, "pipe") {
				t.Errorf("%d bytes went out after the client had gone", n)
			}
			if len(cost) != 1 || !cost[0].Estimated || cost[0].Output == 0 {
				t.Errorf("usage %+v: a stopped call costs too", cost)
			}
		})
	}
}

func TestCancelWhileWaitingToTryAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := llmtest.Start(t, parse(t, "status 429\nheader Retry-After: 10\n---\n"))
		m := newChat(t, e, openai.Options{}, openai.Env{})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		err := m.Stream(ctx, request(), func(llm.Delta) error { return nil })
		if core.CodeOf(err) != core.CodeCanceled || time.Since(start) != time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

// TestBreaker: after failures in a row calls end without reaching the endpoint;
// after the rest one probe decides.
func TestBreaker(t *testing.T) {
	healthy := false
	e := llmtest.Start(t, nil, llmtest.Answer(func(llmtest.Request) llmtest.Script {
		if healthy {
			return parse(t, "---\n"+hello+bye)
		}
		return parse(t, busy)
	}))
	clock := &stillClock{now: time.Unix(1e9, 0)}
	m := newChat(t, e, openai.Options{Limit: openai.Limits{Attempts: 1, Failures: 2, Rest: 30 * time.Second}}, openai.Env{Clock: clock})
	call := func() error { return m.Stream(t.Context(), request(), func(llm.Delta) error { return nil }) }
	steps := []struct {
		healthy bool
		wait    time.Duration
		resting bool
		good    bool
		calls   int
	}{
		{false, 0, false, false, 1},
		{false, 0, false, false, 2},
		{true, 0, true, false, 2},                  // open
		{false, 30 * time.Second, false, false, 3}, // the probe fails
		{true, 29 * time.Second, true, false, 3},
		{true, time.Second, false, true, 4}, // the probe works
		{false, 0, false, false, 5},         // closed: counting starts anew
		{true, 0, false, true, 6},
	}
	for i, s := range steps {
		healthy = s.healthy
		clock.advance(s.wait)
		err := call()
		if errors.Is(err, llm.ErrResting) != s.resting || (err == nil) != s.good || e.Calls() != s.calls {
			t.Fatalf("step %d: error %v after %d calls", i, err, e.Calls())
		}
	}
}

// TestProbeIsAlone: while the probe runs, others are still turned away; from
// its first token on they are let through.
func TestProbeIsAlone(t *testing.T) {
	script := parse(t, busy+"===\n---\n@gate first\n"+hello+"@gate rest\n"+bye)
	calls, arrived := 0, make(chan struct{})
	e := llmtest.Start(t, nil, llmtest.Answer(func(llmtest.Request) llmtest.Script {
		if calls++; calls == 2 {
			close(arrived)
		}
		return script
	}))
	clock := &stillClock{now: time.Unix(1e9, 0)}
	m := newChat(t, e, openai.Options{Limit: openai.Limits{Attempts: 1, Failures: 1}}, openai.Env{Clock: clock})
	silent := func(llm.Delta) error { return nil }
	if err := m.Stream(t.Context(), request(), silent); err == nil {
		t.Fatal("no error")
	}
	clock.advance(time.Minute)
	begun, ended := make(chan struct{}), make(chan error)
	go func() {
		var once sync.Once
		ended <- m.Stream(t.Context(), request(), func(llm.Delta) error { once.Do(func() { close(begun) }); return nil })
	}()
	<-arrived
	if err := m.Stream(t.Context(), request(), silent); !errors.Is(err, llm.ErrResting) {
		t.Errorf("beside the probe: %v", err)
	}
	e.Open("first")
	<-begun
	go func() { ended <- m.Stream(t.Context(), request(), silent) }()
	e.Open("rest")
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestRefusalsDoNotTrip: an endpoint that refuses works, and a caller who leaves
// says nothing about it; neither keeps a probe from the next.
func TestRefusalsDoNotTrip(t *testing.T) {
	answers := []string{busy, "status 400\n---\n", busy, busy, "---\n@gone\n", "status 400\n---\n", busy, "---\n" + hello + bye}
	script := parse(t, strings.Join(answers, "===\n"))
	leave, cancel := context.WithCancel(t.Context())
	calls := 0
	e := llmtest.Start(t, nil, llmtest.Answer(func(llmtest.Request) llmtest.Script {
		if calls++; calls == 5 {
			cancel()
		}
		return script
	}))
	clock := &stillClock{now: time.Unix(1e9, 0)}
	m := newChat(t, e, openai.Options{Limit: openai.Limits{Attempts: 1, Failures: 2, Rest: time.Minute}}, openai.Env{Clock: clock})
	for i := range answers {
		if i >= 4 {
			clock.advance(time.Minute) // the fourth opened the breaker; the fifth is a probe
		}
		ctx := t.Context()
		if i == 4 {
			ctx = leave
		}
		err := m.Stream(ctx, request(), func(llm.Delta) error { return nil })
		if errors.Is(err, llm.ErrResting) || (err == nil) != (i == len(answers)-1) {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// TestManyStreams: 200 callers share four places. All get their answer, never
// more than four at once.
func TestManyStreams(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	e := llmtest.Start(t, parse(t, "---\n"+hello+bye))
	m := newChat(t, e, openai.Options{Limit: openai.Limits{Concurrent: 4}}, openai.Env{})
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			text := ""
			err := m.Stream(t.Context(), request(), func(d llm.Delta) error {
				mu.Lock()
				defer mu.Unlock()
				if text == "" {
					running++
				}
				most = max(most, running)
				if text += d.Text; d.Finish != "" {
					running--
				}
				return nil
			})
			if err != nil || text != "Hello." {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	wg.Wait()
	if most > 4 || e.Calls() != 200 {
		t.Errorf("%d at once, %d calls", most, e.Calls())
	}
}

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := llmtest.Start(t, parse(t, "---\n"+hello+bye))
		m := newChat(t, e, openai.Options{Limit: openai.Limits{PerMinute: 30}}, openai.Env{})
		start := time.Now()
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				if err := m.Stream(t.Context(), request(), func(llm.Delta) error { return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("6 calls at 30 a minute took %s", took)
		}
	})
}

// TestSecretsStayInside is A76: whatever the endpoint or the network says, no
// secret comes out, and none stands in printed options.
func TestSecretsStayInside(t *testing.T) {
	const password, token, query = "p4ssw0rd-x", "hdr-secret-77", "query-secret-99"
	o := openai.Options{
		BaseURL: "http://user-name:" + password + "@endpoint.test/v1?api-key=" + query, Model: "m", APIKey: key,
		Headers: map[string]openai.Secret{"X-Token": "Bearer " + token},
	}
	secrets := []string{key, password, token, query}
	all := strings.Join(secrets, " ")
	e := llmtest.Start(t, parse(t, "status 400\n---\n{\"error\":{\"message\":\"bad: "+all+"\"}}\n"))
	refused := openai.Env{HTTP: e.Client}
	unreachable := openai.Env{HTTP: llmtest.Unreachable("no route for " + all), Clock: &stillClock{}}
	for _, env := range []openai.Env{refused, unreachable} {
		m, err := openai.NewChat(o, env)
		if err != nil {
			t.Fatal(err)
		}
		err = m.Stream(t.Context(), request(), func(llm.Delta) error { return nil })
		shown := fmt.Sprintf("%v | %+v | %#v | %s", err, err, errors.Unwrap(err), core.PublicMessage(err))
		if err == nil || strings.Contains(core.PublicMessage(err), "endpoint.test") || !strings.Contains(shown, "***") {
			t.Errorf("error %s", shown)
		}
		for _, s := range append(secrets, "/v1/chat") {
			if strings.Contains(shown, s) {
				t.Errorf("%q is shown: %s", s, shown)
			}
		}
	}
	got := e.Requests()[0].Header
	if got.Get("Authorization") != "Bearer "+key || got.Get("X-Token") != "Bearer "+token {
		t.Errorf("headers %v", got)
	}
}
