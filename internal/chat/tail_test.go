package chat_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// A31, fault 16: a reader goes on after any event.
func TestResumeAfterEveryEvent(t *testing.T) {
	w := open(t, chat.Limits{}, say("一", "二", "三", "四", "五"))
	defer w.close(t)
	started := w.ask(t, "q")
	whole := all(t, started.Events)
	for after := range len(whole) + 1 {
		_, tail, err := w.Follow(t.Context(), core.OwnerScope(), "s", started.AssistantMessage.ID, int64(after))
		if err != nil {
			t.Fatalf("after %d: %v", after, err)
		}
		rest := all(t, tail)
		if len(rest) != len(whole)-after || textOf(whole[:after])+textOf(rest) != textOf(whole) {
			t.Fatalf("after %d: %d events", after, len(rest))
		}
	}
	for _, after := range []int64{-1, int64(len(whole)) + 1} {
		if _, _, err := w.Follow(t.Context(), core.OwnerScope(), "s", started.AssistantMessage.ID, after); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("after %d: %v", after, err)
		}
	}
}

// A32: whoever comes back to 20,000 increments gets four events.
func TestLongCatchUpIsJoined(t *testing.T) {
	var parts []string
	for i := range 20_000 {
		parts = append(parts, fmt.Sprintf("字%d,", i))
	}
	w := open(t, chat.Limits{}, say(parts...))
	defer w.close(t)
	started := w.ask(t, "q")
	all(t, started.Events)
	_, tail, err := w.Follow(t.Context(), core.OwnerScope(), "s", started.AssistantMessage.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	events := all(t, tail)
	if shape(events) != "agent_query answer complete session_title" || len(events) != 4 {
		t.Fatalf("%d events: %s", len(events), shape(events))
	}
	if textOf(events) != strings.Join(parts, "") || events[1].Seq != 20_001 {
		t.Fatalf("joined event has number %d", events[1].Seq)
	}
}

// A32: whoever comes back while a long answer is written gets what was missed
// as one event, and then every increment as it comes.
func TestReaderOfALongAnswerGetsASnapshotThenIncrements(t *testing.T) {
	const before, live = 20_000, 100
	step, caughtUp := make(chan struct{}), make(chan struct{})
	w := open(t, chat.Limits{}, func(ctx context.Context, _ pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
		text := ""
		for i := range before + live {
			if i == before {
				close(caughtUp)
			}
			if i >= before {
				<-step
			}
			text += fmt.Sprintf("字%d,", i)
			if err := publish(ctx, core.Event{Type: core.EventAnswer, Content: fmt.Sprintf("字%d,", i)}); err != nil {
				return pipeline.Outcome{}, err
			}
		}
		return pipeline.Outcome{Answer: text}, nil
	})
	defer w.close(t)
	started := w.ask(t, "q")
	<-caughtUp
	_, tail, err := w.Follow(t.Context(), core.OwnerScope(), "s", started.AssistantMessage.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	events, err := tail.Next(t.Context())
	if err != nil || shape(events) != "agent_query answer" || len(events) != 2 || events[1].Seq != before+1 {
		t.Fatalf("the snapshot has %d events: %s, %v", len(events), shape(events), err)
	}
	for i := range live {
		step <- struct{}{}
		next, err := tail.Next(t.Context())
		if err != nil || next[0].Seq != int64(before+2+i) || next[0].Content != fmt.Sprintf("字%d,", before+i) {
			t.Fatalf("increment %d: %+v, %v", i, next, err)
		}
		events = append(events, next...)
	}
	events = append(events, all(t, tail)...)
	if m := w.stored(t, started.AssistantMessage.ID); textOf(events) != m.Content {
		t.Errorf("read %d bytes of %d", len(textOf(events)), len(m.Content))
	}
}

// Fault 3: a title that never comes, of a turn that lost its log, holds the
// connection for 3 s.
func TestTitleIsWaitedForNoLongerThanItIsWorth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, chat.Limits{}, say())
		m := w.leave(t, "half")
		if _, err := w.log.Append(t.Context(), m.ID, core.Event{Type: core.EventComplete, Done: true}); err != nil {
			t.Fatal(err)
		}
		_, tail, err := w.Follow(t.Context(), core.OwnerScope(), "s", m.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if events := all(t, tail); shape(events) != "agent_query answer complete" || time.Since(begun) != 3*time.Second {
			t.Fatalf("%s after %v", shape(events), time.Since(begun))
		}
		w.close(t)
	})
}

// A78, fault 3: the title is of the question, and the stream closes with it.
func TestTitleComesOnce(t *testing.T) {
	w := open(t, chat.Limits{}, say("ja"))
	defer w.close(t)
	first := all(t, w.ask(t, "  What is\nthe leave policy?  ").Events)
	if last := first[len(first)-1]; last.Type != core.EventSessionTitle || last.Content != "What is the leave policy?" {
		t.Fatalf("last event %+v", last)
	}
	if second := all(t, w.ask(t, "And then?").Events); shape(second) != "agent_query answer complete" {
		t.Fatalf("events: %s", shape(second))
	}
	if s := w.store.sessions["s"]; s.Title != "What is the leave policy?" {
		t.Fatalf("title %q", s.Title)
	}
}

func TestShorten(t *testing.T) {
	tests := map[string]string{
		"短问题":                   "短问题",
		strings.Repeat("长", 50): strings.Repeat("长", 39) + "…",
		"How many days of annual leave does an employee have?": "How many days of annual leave does an…",
		"a\x01b":  "ab",
		"a\n\n b": "a b",
	}
	for in, want := range tests {
		if got := chat.Shorten(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// TestManyReadersOverReconnects has readers that break off after every few
// events, while the answer is written. None may lose or repeat a character.
func TestManyReadersOverReconnects(t *testing.T) {
	const readers, increments = 50, 400
	step := make(chan struct{})
	want := ""
	w := open(t, chat.Limits{}, func(ctx context.Context, _ pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
		var out pipeline.Outcome
		for i := range increments {
			if i%40 == 0 {
				<-step
			}
			part := fmt.Sprintf("字%d,", i)
			if err := publish(ctx, core.Event{Type: core.EventAnswer, Content: part}); err != nil {
				return out, err
			}
			out.Answer += part
		}
		want = out.Answer
		return out, nil
	})
	defer w.close(t)
	started := w.ask(t, "q")
	var wg sync.WaitGroup
	texts := make([]string, readers)
	for r := range readers {
		wg.Go(func() { texts[r] = readInPieces(t, w, started.AssistantMessage.ID, r%7+1) })
	}
	for range increments / 40 {
		step <- struct{}{}
	}
	wg.Wait()
	for r, text := range texts {
		if text != want {
			t.Fatalf("reader %d has %d bytes of %d", r, len(text), len(want))
		}
	}
}

// readInPieces reads a turn and reconnects after so many events.
func readInPieces(t *testing.T, w world, messageID string, events int) string {
	text, after := "", int64(0)
	for {
		_, tail, err := w.Follow(t.Context(), core.OwnerScope(), "s", messageID, after)
		if err != nil {
			t.Error(err)
			return text
		}
		batch, err := tail.Next(t.Context())
		if err != nil {
			return text
		}
		batch = batch[:min(len(batch), events)]
		text += textOf(batch)
		after = batch[len(batch)-1].Seq
	}
}

func TestTwoQuestionsAtOnce(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	w := open(t, chat.Limits{}, func(ctx context.Context, r pipeline.Request, p pipeline.Publish) (pipeline.Outcome, error) {
		both.Done()
		both.Wait() // so that they truly run side by side
		return say("answer to "+r.Question)(ctx, r, p)
	})
	defer w.close(t)
	a, b := w.ask(t, "a"), w.ask(t, "b")
	if textOf(all(t, a.Events)) != "answer to a" || textOf(all(t, b.Events)) != "answer to b" {
		t.Fatal("the answers were mixed up")
	}
	orders := map[int64]bool{a.UserMessage.Order: true, a.AssistantMessage.Order: true, b.UserMessage.Order: true, b.AssistantMessage.Order: true}
	if len(orders) != 4 || a.RequestID == b.RequestID {
		t.Fatalf("orders %v", orders)
	}
}

func TestReaderThatLeavesDoesNotEndTheTurn(t *testing.T) {
	published, release := make(chan struct{}), make(chan struct{})
	w := open(t, chat.Limits{}, func(ctx context.Context, r pipeline.Request, p pipeline.Publish) (pipeline.Outcome, error) {
		close(published)
		<-release
		return say("whole")(ctx, r, p)
	})
	defer w.close(t)
	ctx, leave := context.WithCancel(t.Context())
	started, err := w.Ask(ctx, core.OwnerScope(), chat.AskRequest{SessionID: "s", Question: "q"})
	if err != nil {
		t.Fatal(err)
	}
	<-published
	leave()
	if _, err := started.Events.Next(ctx); err == nil {
		_, err = started.Events.Next(ctx)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
	close(release)
	_, tail, err := w.Follow(t.Context(), core.OwnerScope(), "", started.AssistantMessage.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := textOf(all(t, tail)); got != "whole" {
		t.Fatalf("got %q", got)
	}
}

func TestDeleteSessionStopsItsTurns(t *testing.T) {
	published := make(chan struct{})
	w := open(t, chat.Limits{}, func(ctx context.Context, _ pipeline.Request, _ pipeline.Publish) (pipeline.Outcome, error) {
		close(published)
		<-ctx.Done()
		return pipeline.Outcome{}, ctx.Err()
	})
	defer w.close(t)
	started := w.ask(t, "q")
	<-published
	if err := w.DeleteSession(t.Context(), core.OwnerScope(), "s"); err != nil {
		t.Fatal(err)
	}
	if m := w.stored(t, started.AssistantMessage.ID); m.State != core.MessageStopped {
		t.Fatalf("state %s", m.State)
	}
	if err := w.DeleteSession(t.Context(), core.OwnerScope(), "s"); core.CodeOf(err) != core.CodeNotFound {
		t.Fatalf("a second time: %v", err)
	}
}

func TestListMessages(t *testing.T) {
	w := open(t, chat.Limits{}, say("ja"))
	defer w.close(t)
	for range 3 {
		all(t, w.ask(t, "q").Events)
	}
	list, more, err := w.ListMessages(t.Context(), core.OwnerScope(), "s", 0, 4)
	if err != nil || !more || len(list) != 4 || list[0].Order != 3 || list[3].Order != 6 {
		t.Fatalf("%d messages, more %v, %v", len(list), more, err)
	}
	list, more, err = w.ListMessages(t.Context(), core.OwnerScope(), "s", 3, 4)
	if err != nil || more || len(list) != 2 || list[0].Order != 1 {
		t.Fatalf("%d messages, more %v, %v", len(list), more, err)
	}
}
