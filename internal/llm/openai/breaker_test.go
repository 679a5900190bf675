package openai

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestOldCallsDoNotClose: an answer to a call from before says nothing about
// the endpoint that fails now, and its failure does not prolong the rest.
func TestOldCallsDoNotClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &breaker{clock: systemClock{}, limit: 1, rest: time.Minute}
		enter := func() *ticket { k, _ := b.enter(); return k }
		slow, slower, failing := enter(), enter(), enter()
		failing.bad()
		slow.good()
		if k, rest := b.enter(); k != nil || rest != time.Minute {
			t.Errorf("closed by an old call: rest %s", rest)
		}
		<-time.After(time.Minute)
		slower.bad()
		probe := enter()
		if probe == nil || enter() != nil {
			t.Fatal("one probe, and one only")
		}
		probe.drop()
		if probe = enter(); probe == nil {
			t.Fatal("a dropped probe blocks the next")
		}
		probe.good()
		for range 2 {
			if enter() == nil {
				t.Error("still open")
			}
		}
	})
}

func TestBreakerCanBeOff(t *testing.T) {
	b := &breaker{clock: systemClock{}, limit: -1, rest: time.Minute}
	for range 100 {
		k, _ := b.enter()
		if k == nil {
			t.Fatal("open")
		}
		k.bad()
	}
}

// TestProbeThatWaitsForItsPace and gives up leaves the way to the next.
func TestProbeThatWaitsForItsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := newClient(Options{BaseURL: "http://x.test", Model: "m", Limit: Limits{PerMinute: 1, Failures: 1, Attempts: 1, Rest: time.Second}}, Env{}, "", "/x")
		if err != nil {
			t.Fatal(err)
		}
		bad := func(context.Context, *attempt) error { return &failure{trips: true, public: c.late("", 0).public} }
		if c.run(t.Context(), bad) == nil {
			t.Fatal("no error")
		}
		<-time.After(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if c.run(ctx, bad) == nil {
			t.Fatal("no error")
		}
		if k, _ := c.breaker.enter(); k == nil {
			t.Error("the probe that gave up blocks the next")
		}
	})
}
