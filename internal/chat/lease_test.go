package chat_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// stall answers half and waits for its end.
func stall(ctx context.Context, _ pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
	if err := publish(ctx, core.Event{Type: core.EventAnswer, Content: "half"}); err != nil {
		return pipeline.Outcome{}, err
	}
	<-ctx.Done()
	return pipeline.Outcome{}, ctx.Err()
}

// openShared is open with leases.
func openShared(t *testing.T, answer answerFunc) world {
	t.Helper()
	w := open(t, chat.Limits{}, answer)
	w.Leases = w.store
	return w
}

// Fault 4: what a process that died was writing is finished by another as soon
// as its lease runs out, and not before, with what its readers saw: the log
// outlived it and holds more than the last checkpoint.
func TestAnswersOfADeadProcessAreTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := openShared(t, stall)
		m := w.leave(t, "half an")
		if _, err := w.log.Append(t.Context(), m.ID, core.Event{Type: core.EventAnswer, Content: " answer"}); err != nil {
			t.Fatal(err)
		}
		w.store.owners[m.ID], w.store.leases["dead"] = "dead", time.Now().Add(30*time.Second)
		if err := w.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		running := w.ask(t, "q") // ours, and alive
		time.Sleep(29 * time.Second)
		if m = w.stored(t, m.ID); m.State != core.MessagePending {
			t.Fatalf("before the lease ran out: %s", m.State)
		}
		_, tail, err := w.Follow(t.Context(), core.OwnerScope(), "s", m.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		events := all(t, tail)
		if m = w.stored(t, m.ID); m.State != core.MessageInterrupted || m.Content != "half an answer" || textOf(events) != m.Content {
			t.Fatalf("stored %s %q, told %q", m.State, m.Content, textOf(events))
		}
		if m := w.stored(t, running.AssistantMessage.ID); m.State != core.MessagePending {
			t.Errorf("the running answer is %s", m.State)
		}
		w.close(t)
		if len(w.store.leases) != 1 {
			t.Errorf("the lease was not given up: %v", w.store.leases)
		}
	})
}

// A process that cannot renew its lease gives its turns up before it ends.
func TestProcessWithoutALeaseGivesUpItsTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := openShared(t, stall)
		if err := w.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		started := w.ask(t, "q")
		w.store.mu.Lock()
		w.store.failLease = func(string) error { return errors.New("the store is away") }
		w.store.mu.Unlock()
		begun := time.Now()
		events := all(t, started.Events)
		if took := time.Since(begun); events[2].Type != core.EventStop || took >= 30*time.Second {
			t.Errorf("%s after %v", shape(events), took)
		}
		if m := w.stored(t, started.AssistantMessage.ID); m.State != core.MessageInterrupted || m.Content != "half" {
			t.Errorf("stored %s %q", m.State, m.Content)
		}
		w.close(t)
	})
}

// A turn whose message another process has finished, or somebody deleted,
// ends at its next checkpoint.
func TestTurnThatLostItsMessageEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, chat.Limits{}, stall)
		started := w.ask(t, "q")
		w.store.mu.Lock()
		delete(w.store.messages, started.AssistantMessage.ID)
		w.store.mu.Unlock()
		if events := all(t, started.Events); shape(events) != "agent_query answer error session_title" {
			t.Errorf("told %s", shape(events))
		}
		w.close(t)
	})
}
