package openai_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/openai"
)

var update = flag.Bool("update", false, "write the golden transcripts")

const key = "sk-TEST-123456"

// TestHabits plays every habit over a connection, and then split at every byte.
// What the caller sees is the golden transcript each time.
func TestHabits(t *testing.T) {
	for _, name := range llmtest.Habits(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := llmtest.Habit(t, name)
			e := llmtest.Start(t, script)
			got := play(t, e, 0)
			golden := filepath.Join("testdata", "golden", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Fatalf("got:\n%s\nwant:\n%s", got, want)
			}
			e.Client = e.Direct()
			longest := 0
			for _, r := range script {
				longest = max(longest, r.Len())
			}
			for n := 1; n < longest; n++ {
				if got := play(t, e, n); got != string(want) {
					t.Fatalf("split at %d, got:\n%s\nwant:\n%s", n, got, want)
				}
			}
		})
	}
}

// play gives the transcript of one call with the bodies split at a byte.
func play(t *testing.T, e *llmtest.Endpoint, split int) string {
	t.Helper()
	e.Rewind(split)
	clock := &stillClock{}
	var cost []llm.Usage
	model, err := openai.NewChat(openai.Options{BaseURL: e.URL, Model: "m", APIKey: key}, openai.Env{
		HTTP: e.Client, Clock: clock, Rand: func() float64 { return 0 },
		OnUsage: func(_ context.Context, u llm.Usage) { cost = append(cost, u) },
	})
	if err != nil {
		t.Fatal(err)
	}
	var tr transcript
	err = model.Stream(context.Background(), request(), tr.add)
	var out strings.Builder
	fmt.Fprint(&out, tr.String())
	writeError(&out, err)
	for _, u := range cost {
		fmt.Fprintf(&out, "usage: in %d (cached %d), out %d (reasoning %d), estimated %t\n", u.Input, u.Cached, u.Output, u.Reasoning, u.Estimated)
	}
	fmt.Fprintf(&out, "calls: %d, pauses: %v\n", e.Calls(), clock.slept)
	if strings.Contains(fmt.Sprintf("%+v %s", err, core.PublicMessage(err)), key) {
		t.Errorf("the error shows the key: %v", err)
	}
	return out.String()
}

func writeError(out *strings.Builder, err error) {
	if err == nil {
		return
	}
	fmt.Fprintf(out, "error: %s: %s\n", core.CodeOf(err), core.PublicMessage(err))
	var long *llm.ContextLengthError
	if errors.As(err, &long) {
		fmt.Fprintf(out, "context: limit %d, given %d\n", long.Limit, long.Given)
	}
	for _, e := range []error{llm.ErrNoText, llm.ErrFiltered, llm.ErrLimited, llm.ErrBlind, llm.ErrResting} {
		if errors.Is(err, e) {
			fmt.Fprintf(out, "is: %v\n", e)
		}
	}
}

func request() llm.ChatRequest {
	return llm.ChatRequest{Messages: []llm.Message{{Role: "user", Content: "How many days? 几天？"}}, MaxTokens: 100}
}

// transcript puts increments of the same sort together: how they are cut is not
// what matters.
type transcript struct {
	kind  string
	text  string
	lines []string
}

func (tr *transcript) add(d llm.Delta) error {
	tr.put("reasoning", d.Reasoning)
	tr.put("text", d.Text)
	for _, c := range d.ToolCalls {
		tr.put("call", fmt.Sprintf("%s %s %s", c.ID, c.Name, c.Arguments))
		tr.end()
	}
	tr.put("finish", d.Finish)
	return nil
}

func (tr *transcript) put(kind, s string) {
	if s == "" {
		return
	}
	if kind != tr.kind {
		tr.end()
	}
	tr.kind, tr.text = kind, tr.text+s
}

func (tr *transcript) end() {
	if tr.kind != "" {
		tr.lines = append(tr.lines, fmt.Sprintf("%s: %q\n", tr.kind, tr.text))
	}
	tr.kind, tr.text = "", ""
}

func (tr *transcript) String() string {
	tr.end()
	return strings.Join(tr.lines, "")
}

// stillClock is a clock that stands still: pauses are noted and pass at once,
// timers never run out.
type stillClock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func (c *stillClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *stillClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slept, c.now = append(c.slept, d), c.now.Add(d)
	return context.Cause(ctx)
}

func (c *stillClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (*stillClock) AfterFunc(time.Duration, func()) openai.Timer { return stillTimer{} }

type stillTimer struct{}

func (stillTimer) Stop() bool               { return true }
func (stillTimer) Reset(time.Duration) bool { return true }
