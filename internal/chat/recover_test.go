package chat_test

import (
	"testing"

	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// leave puts a pending answer with a log into the world, as a process that
// was killed would leave it behind a log that outlives it.
func (w world) leave(t *testing.T, content string) core.Message {
	t.Helper()
	m := core.Message{ID: core.NewID(), SessionID: "s", RequestID: "r", Role: core.RoleAssistant, Order: 2, State: core.MessagePending, Content: content}
	w.store.messages[m.ID] = m
	for _, e := range []core.Event{
		{Type: core.EventAgentQuery, Data: pipeline.Data(chat.AgentQuery{SessionID: "s", MessageID: m.ID, TitleDue: true})},
		{Type: core.EventAnswer, Content: content},
	} {
		if _, err := w.log.Append(t.Context(), m.ID, e); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// Fault 4: the answer of a process that was killed ends, also for a reader who
// waits at a log that outlived it.
func TestRecoverEndsLogsThatOutliveTheirProcess(t *testing.T) {
	w := open(t, chat.Limits{}, say())
	defer w.close(t)
	m := w.leave(t, "half")
	_, tail, err := w.Follow(t.Context(), core.OwnerScope(), "s", m.ID, 2)
	if err != nil {
		t.Fatal(err)
	}
	rest := make(chan []core.Event, 1)
	go func() { rest <- all(t, tail) }()
	if err := w.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-rest; shape(got) != "stop" || got[0].Seq != 3 {
		t.Fatalf("the reader who waited got %+v", got)
	}
	if m = w.stored(t, m.ID); m.State != core.MessageInterrupted || m.Content != "half" {
		t.Fatalf("stored %+v", m)
	}
}

// A log that has no end although the answer has one is not waited at: the
// turn could not reach it.
func TestAnswerWhoseLogHasNoEndIsRetold(t *testing.T) {
	w := open(t, chat.Limits{}, say())
	defer w.close(t)
	m := w.leave(t, "half")
	m.State, m.Content, m.Thinking = core.MessageComplete, "half and the rest", "aloud"
	w.store.messages[m.ID] = m
	_, tail, err := w.Follow(t.Context(), core.OwnerScope(), "s", m.ID, 2)
	if err != nil {
		t.Fatal(err)
	}
	if events := all(t, tail); shape(events) != "agent_query thinking answer complete" || textOf(events) != m.Content || events[1].Content != "aloud" {
		t.Fatalf("told %+v", events)
	}
}
