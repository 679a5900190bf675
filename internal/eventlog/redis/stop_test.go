package redis_test

import (
	"context"
	"errors"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/eventlog/redis"
)

// A stop that one replica asks for reaches the one that waits for it, and one
// that was asked for before too. Readers of the turn see nothing of it.
func TestStopIsHeardByAnotherReplica(t *testing.T) {
	s := serve(t, false)
	runs, asks := s.open(t, redis.Options{}), s.open(t, redis.Options{})
	put(t, runs, "t", opening, "")
	for _, round := range []string{"while it waits", "before it waits"} {
		heard := make(chan error, 1)
		go func() { heard <- runs.AwaitStop(t.Context(), "t") }()
		if round == "while it waits" {
			select {
			case err := <-heard:
				t.Fatalf("heard before anybody asked: %v", err)
			default:
			}
		}
		if err := asks.AskStop(t.Context(), "t"); err != nil {
			t.Fatal(err)
		}
		if err := <-heard; err != nil {
			t.Fatalf("%s: %v", round, err)
		}
	}
	if events, err := asks.Read(t.Context(), "t", 0); err != nil || len(events) != 1 {
		t.Errorf("the readers see %d events, %v", len(events), err)
	}
	put(t, runs, "t", complete, "")
	if err := asks.AskStop(t.Context(), "t"); err != nil {
		t.Errorf("a turn that has ended: %v", err)
	}
	if err := asks.AskStop(t.Context(), "unknown"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("an unknown turn: %v", err)
	}
}

// Who waits for a stop sits out a Redis that goes and comes back.
func TestStopIsHeardAfterARestart(t *testing.T) {
	s := serve(t, true)
	runs, asks := s.open(t, redis.Options{}), s.open(t, redis.Options{})
	put(t, runs, "t", opening, "")
	heard := make(chan error, 1)
	go func() { heard <- runs.AwaitStop(t.Context(), "t") }()
	s.Kill()
	s.Start(t)
	if err := asks.AskStop(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	if err := <-heard; err != nil {
		t.Fatal(err)
	}
}

func TestAwaitStopEnds(t *testing.T) {
	s := serve(t, false)
	log := s.open(t, redis.Options{})
	put(t, log, "t", opening, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := log.AwaitStop(ctx, "t"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that left: %v", err)
	}
	heard := make(chan error, 1)
	go func() { heard <- log.AwaitStop(t.Context(), "t") }()
	log.Close()
	if err := <-heard; core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("a log that was closed: %v", err)
	}
}
