package memory_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/eventlog"
	"kaoju/internal/eventlog/eventlogtest"
	"kaoju/internal/eventlog/memory"
)

func TestConformance(t *testing.T) {
	eventlogtest.Run(t, func(t *testing.T) eventlog.Log {
		log := memory.New(memory.DefaultLimits(), time.Now)
		t.Cleanup(log.Close)
		return log
	})
}

func start(t *testing.T, log *memory.Log, session, turn string) {
	t.Helper()
	put(t, log, turn, core.Event{Type: core.EventAgentQuery, Data: []byte(`{"session_id":"` + session + `"}`)}, "")
}

// put appends and checks the code of the error ("" for none).
func put(t *testing.T, log *memory.Log, turn string, e core.Event, want core.Code) {
	t.Helper()
	if _, err := log.Append(t.Context(), turn, e); core.CodeOf(err) != want {
		t.Fatalf("append %s to %s: %v, want code %q", e.Type, turn, err, want)
	}
}

func known(log *memory.Log, turn string) bool {
	_, err := log.Read(context.Background(), turn, 0)
	return err == nil
}

func text(n int) core.Event {
	return core.Event{Type: core.EventAnswer, Content: strings.Repeat("x", n)}
}

var complete = core.Event{Type: core.EventComplete, Done: true}

func TestTurnLimit(t *testing.T) {
	limits := memory.DefaultLimits()
	limits.Turn = 3000
	log := memory.New(limits, time.Now)
	start(t, log, "s", "m")
	put(t, log, "m", text(2000), "")
	put(t, log, "m", text(1000), core.CodeTooLarge)
	put(t, log, "m", text(100), "") // a refused event takes no room
	put(t, log, "m", core.Event{Type: core.EventError, Content: strings.Repeat("x", 5000)}, "")
	events, err := log.Read(t.Context(), "m", 0)
	if err != nil || len(events) != 4 || events[3].Seq != 4 {
		t.Fatalf("%d events, %v", len(events), err)
	}
}

func TestSessionLimitDropsItsOldestFinishedTurn(t *testing.T) {
	limits := memory.DefaultLimits()
	limits.Session = 5000
	log := memory.New(limits, time.Now)
	start(t, log, "other", "x")
	put(t, log, "x", complete, "")
	for _, m := range []string{"a", "b"} {
		start(t, log, "s", m)
		put(t, log, m, text(1500), "")
		put(t, log, m, complete, "")
	}
	start(t, log, "s", "c")
	put(t, log, "c", text(1500), "")
	if known(log, "a") || !known(log, "b") || !known(log, "x") {
		t.Fatal("the session's oldest finished turn, and only that, should be gone")
	}
	put(t, log, "c", text(4000), core.CodeTooLarge) // b goes too, and it is not enough
	put(t, log, "c", complete, "")
}

func TestTotalLimitDropsTheOldestFinishedTurn(t *testing.T) {
	limits := memory.DefaultLimits()
	limits.Total = 5000
	log := memory.New(limits, time.Now)
	for _, m := range []string{"a", "b", "c"} {
		start(t, log, "session of "+m, m)
		put(t, log, m, text(1500), "")
		put(t, log, m, complete, "")
	}
	if known(log, "a") || !known(log, "b") || !known(log, "c") {
		t.Fatal("the oldest turn, and only that, should be gone")
	}
	start(t, log, "s", "big")
	put(t, log, "big", text(5000), core.CodeTooLarge)
}

// Fault 6: buffers are freed.
func TestFinishedTurnIsForgottenAfterAnHour(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	log := memory.New(memory.DefaultLimits(), func() time.Time { return now })
	start(t, log, "s", "done")
	put(t, log, "done", complete, "")
	start(t, log, "s", "running")
	now = now.Add(time.Hour - time.Second)
	if !known(log, "done") {
		t.Fatal("forgotten too early")
	}
	now = now.Add(time.Second)
	if known(log, "done") || !known(log, "running") {
		t.Fatal("a finished turn goes after an hour, a running one never")
	}
	start(t, log, "s", "next") // sweeps
	now = now.Add(-time.Minute)
	if known(log, "done") {
		t.Fatal("the turn was hidden, not freed")
	}
}

func TestCloseWakesReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := memory.New(memory.DefaultLimits(), time.Now)
		start(t, log, "s", "m")
		got := make(chan error, 1)
		go func() {
			_, err := log.Wait(t.Context(), "m", 1)
			got <- err
		}()
		synctest.Wait()
		log.Close()
		log.Close()
		if err := <-got; core.CodeOf(err) != core.CodeUnavailable {
			t.Fatalf("got %v", err)
		}
	})
}

func TestEvictionWakesReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := memory.DefaultLimits()
		limits.Total = 3000
		log := memory.New(limits, time.Now)
		start(t, log, "s", "m")
		put(t, log, "m", complete, "")
		got := make(chan error, 1)
		go func() { // waits for a title
			_, err := log.Wait(t.Context(), "m", 2)
			got <- err
		}()
		synctest.Wait()
		start(t, log, "other", "n")
		put(t, log, "n", text(2700), "")
		if err := <-got; core.CodeOf(err) != core.CodeNotFound {
			t.Fatalf("got %v", err)
		}
	})
}

func BenchmarkAppendRead(b *testing.B) {
	log := memory.New(memory.DefaultLimits(), time.Now)
	e := core.Event{Type: core.EventAnswer, Content: "字"}
	for i := 0; b.Loop(); i++ {
		turn := "m" + string(rune('a'+i/10000%26))
		if i%10000 == 0 {
			log = memory.New(memory.DefaultLimits(), time.Now)
		}
		e, _ := log.Append(b.Context(), turn, e)
		if _, err := log.Read(b.Context(), turn, e.Seq-1); err != nil {
			b.Fatal(err)
		}
	}
}
