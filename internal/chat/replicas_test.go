package chat_test

import (
	"context"
	"log/slog"
	"testing"

	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/eventlog/redis"
	"kaoju/internal/eventlog/redistest"
	"kaoju/internal/pipeline"
	"kaoju/internal/store"
)

// replica is a server beside others: a chat service with a view of its own of
// the log that they share.
func replica(t *testing.T, db *store.DB, server *redistest.Server, answer answerFunc) *chat.Service {
	t.Helper()
	log, err := redis.Open(t.Context(), redis.Options{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	s := chat.New(chat.Options{
		Sessions: db, Rounds: db, Messages: db, Archive: db, Sources: db, Leases: db, Log: log,
		Answerer: answer, Logger: slog.New(slog.DiscardHandler),
	})
	if err := s.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
		log.Close()
	})
	return s
}

// model is a model that says half and hangs, and tells when it is cancelled.
func model(cancelled chan<- error) answerFunc {
	return func(ctx context.Context, r pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
		out, err := stall(ctx, r, publish)
		cancelled <- context.Cause(ctx)
		return out, err
	}
}

// A30: a stop that reaches another replica than the one that asks the model
// cancels the model call, keeps the text so far, and readers of both see the
// same end.
func TestStopFromAnotherReplica(t *testing.T) {
	db, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	server, cancelled := redistest.Serve(t, false), make(chan error, 2)
	runs, other := replica(t, db, server, model(cancelled)), replica(t, db, server, model(cancelled))
	session, err := runs.CreateSession(t.Context(), core.OwnerScope(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	started := begin(t, runs, session.ID)
	state, err := other.Stop(t.Context(), core.OwnerScope(), session.ID, started.AssistantMessage.ID)
	if err != nil || state != core.MessageStopped {
		t.Fatalf("stopped from the other: %s, %v", state, err)
	}
	if cause := <-cancelled; cause == nil {
		t.Error("the model call went on")
	}
	_, tail, err := other.Follow(t.Context(), core.OwnerScope(), session.ID, started.AssistantMessage.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := other.Message(t.Context(), core.OwnerScope(), started.AssistantMessage.ID)
	if err != nil {
		t.Fatal(err)
	}
	there := all(t, tail)
	if shape(there) != "agent_query answer stop session_title" || textOf(there) != "half" || m.Content != "half" {
		t.Errorf("the other tells %s, stored %q", shape(there), m.Content)
	}
	if state, err := other.Stop(t.Context(), core.OwnerScope(), "", m.ID); err != nil || state != core.MessageStopped {
		t.Errorf("a second stop: %s, %v", state, err)
	}
}

// Deleting a session stops its turn wherever that runs.
func TestDeletedSessionStopsTheTurnOfAnotherReplica(t *testing.T) {
	db, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	server, cancelled := redistest.Serve(t, false), make(chan error, 2)
	runs, other := replica(t, db, server, model(cancelled)), replica(t, db, server, model(cancelled))
	for _, all := range []bool{false, true} {
		session, err := runs.CreateSession(t.Context(), core.OwnerScope(), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		begin(t, runs, session.ID)
		ids := []string{session.ID}
		if all {
			ids = nil
		}
		if n, err := other.DeleteSessions(t.Context(), core.OwnerScope(), ids); err != nil || n != 1 {
			t.Fatalf("deleted %d, %v", n, err)
		}
		<-cancelled
	}
}

// begin asks and waits for the first text.
func begin(t *testing.T, s *chat.Service, session string) chat.Started {
	t.Helper()
	started, err := s.Ask(t.Context(), core.OwnerScope(), chat.AskRequest{SessionID: session, Question: "q"})
	if err != nil {
		t.Fatal(err)
	}
	for text := ""; text == ""; {
		events, err := started.Events.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text = textOf(events)
	}
	return started
}
