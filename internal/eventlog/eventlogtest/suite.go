// Package eventlogtest is the conformance suite of eventlog.Log: what every
// protocol relies on, whoever keeps the log.
//
//	func TestLog(t *testing.T) {
//		eventlogtest.Run(t, func(t *testing.T) eventlog.Log { … })
//	}
package eventlogtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/eventlog"
)

// patience is how long a test waits for what must happen. Nothing waits for
// it where the log is right.
const patience = 10 * time.Second

// Run checks a log. open gives an empty one for each test and closes it with
// t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) eventlog.Log) {
	tests := []struct {
		name string
		run  func(*testing.T, eventlog.Log)
	}{
		{"Order", testOrder},
		{"AfterCursor", testAfterCursor},
		{"UnknownTurn", testUnknownTurn},
		{"TurnsAreApart", testTurnsAreApart},
		{"TerminalRule", testTerminalRule},
		{"PayloadSurvives", testPayload},
		{"WaitWakes", testWaitWakes},
		{"WaitCancel", testWaitCancel},
		{"ManyReaders", testManyReaders},
		{"SlowReader", testSlowReader},
		{"LateReader", testLateReader},
		{"ManyWriters", testManyWriters},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) { tc.run(t, open(t)) })
	}
}

func answer(i int) core.Event {
	return core.Event{Type: core.EventAnswer, Content: fmt.Sprintf("字%d;", i)}
}

func mustAppend(t *testing.T, log eventlog.Log, turn string, e core.Event) core.Event {
	t.Helper()
	got, err := log.Append(t.Context(), turn, e)
	if err != nil {
		t.Fatalf("append %s: %v", e.Type, err)
	}
	return got
}

func mustRead(t *testing.T, log eventlog.Log, turn string, after int64) []core.Event {
	t.Helper()
	events, err := log.Read(t.Context(), turn, after)
	if err != nil {
		t.Fatalf("read after %d: %v", after, err)
	}
	return events
}

// fill writes agent_query and n increments.
func fill(t *testing.T, log eventlog.Log, turn string, n int) {
	t.Helper()
	mustAppend(t, log, turn, core.Event{Type: core.EventAgentQuery, Data: []byte(`{"session_id":"s"}`)})
	for i := range n {
		mustAppend(t, log, turn, answer(i))
	}
}

// follow reads turn m from after to the terminal event, and fails on a gap.
func follow(ctx context.Context, log eventlog.Log, after int64) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text := ""
	for {
		events, err := log.Wait(ctx, "m", after)
		if err != nil {
			return text, fmt.Errorf("wait after %d: %w", after, err)
		}
		for _, e := range events {
			if e.Seq != after+1 {
				return text, fmt.Errorf("event %d follows %d", e.Seq, after)
			}
			after = e.Seq
			text += e.Content
			if e.Type.Terminal() {
				return text, nil
			}
		}
	}
}

func testOrder(t *testing.T, log eventlog.Log) {
	for i := int64(1); i <= 5; i++ {
		if e := mustAppend(t, log, "m", answer(int(i))); e.Seq != i {
			t.Fatalf("event %d got number %d", i, e.Seq)
		}
	}
	for i, e := range mustRead(t, log, "m", 0) {
		if e.Seq != int64(i)+1 || e.Content != answer(i+1).Content {
			t.Fatalf("place %d holds %d %q", i, e.Seq, e.Content)
		}
	}
}

func testAfterCursor(t *testing.T, log eventlog.Log) {
	fill(t, log, "m", 3) // 4 events
	for after, want := range map[int64]int{-1: 4, 0: 4, 1: 3, 3: 1, 4: 0, 99: 0} {
		if got := mustRead(t, log, "m", after); len(got) != want {
			t.Errorf("after %d: %d events, want %d", after, len(got), want)
		}
	}
}

func testUnknownTurn(t *testing.T, log eventlog.Log) {
	if _, err := log.Read(t.Context(), "nobody", 0); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("read: %v", err)
	}
	if _, err := log.Wait(t.Context(), "nobody", 0); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("wait: %v", err)
	}
}

func testTurnsAreApart(t *testing.T, log eventlog.Log) {
	fill(t, log, "a", 2)
	fill(t, log, "b", 1)
	if a, b := mustRead(t, log, "a", 0), mustRead(t, log, "b", 0); len(a) != 3 || len(b) != 2 || b[1].Seq != 2 {
		t.Fatalf("a has %d events, b has %d", len(a), len(b))
	}
}

func testTerminalRule(t *testing.T, log eventlog.Log) {
	for _, end := range []core.EventType{core.EventComplete, core.EventError, core.EventStop} {
		turn := string(end)
		fill(t, log, turn, 1)
		mustAppend(t, log, turn, core.Event{Type: end, Done: true})
		for _, late := range []core.EventType{core.EventAnswer, core.EventComplete, core.EventError, core.EventStop} {
			if _, err := log.Append(t.Context(), turn, core.Event{Type: late}); core.CodeOf(err) != core.CodeConflict {
				t.Errorf("%s after %s: %v", late, end, err)
			}
		}
		if e := mustAppend(t, log, turn, core.Event{Type: core.EventSessionTitle, Content: "题"}); e.Seq != 4 {
			t.Errorf("title has number %d, want 4", e.Seq)
		}
	}
}

func testPayload(t *testing.T, log eventlog.Log) {
	want := core.Event{Type: core.EventComplete, Content: "换行\n<b>\u2028", Done: true, Data: []byte(`{"a":[1,"二"]}`)}
	mustAppend(t, log, "m", want)
	got := mustRead(t, log, "m", 0)[0]
	if got.Type != want.Type || got.Content != want.Content || !got.Done || string(got.Data) != string(want.Data) {
		t.Fatalf("got %+v", got)
	}
}

func testWaitWakes(t *testing.T, log eventlog.Log) {
	fill(t, log, "m", 0)
	got := make(chan error, 1)
	go func() {
		events, err := log.Wait(t.Context(), "m", 1)
		if err == nil && (len(events) == 0 || events[0].Seq != 2) {
			err = fmt.Errorf("got %+v", events)
		}
		got <- err
	}()
	mustAppend(t, log, "m", answer(1))
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}

func testWaitCancel(t *testing.T, log eventlog.Log) {
	fill(t, log, "m", 0)
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error, 1)
	go func() {
		_, err := log.Wait(ctx, "m", 1)
		got <- err
	}()
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if e := mustAppend(t, log, "m", answer(1)); e.Seq != 2 {
		t.Fatalf("a reader that left changed the log: %d", e.Seq)
	}
}

func testManyReaders(t *testing.T, log eventlog.Log) {
	const readers, n = 20, 200
	fill(t, log, "m", 0)
	want, texts, errs := "", make([]string, readers), make([]error, readers)
	var wg sync.WaitGroup
	for r := range readers {
		wg.Go(func() { texts[r], errs[r] = follow(t.Context(), log, 0) })
	}
	for i := range n {
		want += mustAppend(t, log, "m", answer(i)).Content
	}
	mustAppend(t, log, "m", core.Event{Type: core.EventComplete, Done: true})
	wg.Wait()
	for r := range readers {
		if errs[r] != nil || texts[r] != want {
			t.Fatalf("reader %d: %d bytes of %d, %v", r, len(texts[r]), len(want), errs[r])
		}
	}
}

// testSlowReader reads one batch and then lets the writer run to the end: the
// writer must not wait, and the reader must not lose anything.
func testSlowReader(t *testing.T, log eventlog.Log) {
	fill(t, log, "m", 0)
	first, err := log.Wait(t.Context(), "m", 0)
	if err != nil || len(first) != 1 {
		t.Fatalf("%d events, %v", len(first), err)
	}
	want := ""
	for i := range 1000 {
		want += mustAppend(t, log, "m", answer(i)).Content
	}
	mustAppend(t, log, "m", core.Event{Type: core.EventComplete, Done: true})
	text, err := follow(t.Context(), log, 1)
	if err != nil || text != want {
		t.Fatalf("%d bytes of %d, %v", len(text), len(want), err)
	}
}

func testLateReader(t *testing.T, log eventlog.Log) {
	fill(t, log, "m", 10)
	mustAppend(t, log, "m", core.Event{Type: core.EventComplete, Done: true})
	whole, err := follow(t.Context(), log, 0)
	if err != nil {
		t.Fatal(err)
	}
	for after := range int64(11) { // a reader that was cut off after any event
		head := ""
		for _, e := range mustRead(t, log, "m", 0)[:after] {
			head += e.Content
		}
		tail, err := follow(t.Context(), log, after)
		if err != nil || head+tail != whole {
			t.Fatalf("resumed after %d: %q, %v", after, head+tail, err)
		}
	}
}

func testManyWriters(t *testing.T, log eventlog.Log) {
	const writers, each = 8, 50
	fill(t, log, "m", 0)
	var wg sync.WaitGroup
	errs := make(chan error, writers*each)
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if _, err := log.Append(t.Context(), "m", answer(w*each+i)); err != nil {
					errs <- err
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, e := range mustRead(t, log, "m", 1) {
		if e.Seq != int64(i)+2 || seen[e.Content] {
			t.Fatalf("event %d is %d %q", i, e.Seq, e.Content)
		}
		seen[e.Content] = true
	}
	if len(seen) != writers*each {
		t.Fatalf("%d events of %d", len(seen), writers*each)
	}
}
