package streams

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"kaoju/internal/eventlog"
	"kaoju/internal/eventlog/memory"

	"kaoju/internal/core"
)

func run(t *testing.T, log eventlog.Log, rate float64, plan Plan) Report {
	t.Helper()
	s, err := Serve(t.Context(), t.TempDir(), log, Pace{Tokens: 100, Rate: rate})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	r, err := Run(t.Context(), Target{URL: s.URL}, plan)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A31: every reader's connection breaks at random events, and each has all of
// the answer, once.
func TestNothingIsLostOverReconnects(t *testing.T) {
	log := memory.New(memory.DefaultLimits(), time.Now)
	defer log.Close()
	r := run(t, log, 200, Plan{Streams: 40, Cuts: 5, Within: 15, Questions: []string{"q"}, Seed: 1})
	// How often they break depends on the machine: who comes back late gets what
	// was missed in few events, and may have the end before the next cut.
	if !r.Clean() || r.Reconnects < 40 || r.Token.P50 == 0 || r.Done.P99 < r.Done.P50 || r.References.P50 > r.Token.P50 {
		t.Fatalf("%+v\n%s", r, r.Table())
	}
	if table := r.Table(); !strings.Contains(table, "| 40 | ") || strings.Count(table, "\n") != 3 {
		t.Errorf("table:\n%s", table)
	}
}

// faulty spoils a log as a careless one would be, so that the measurement is
// seen to notice.
type faulty struct {
	eventlog.Log
	spoil func(after int64, events []core.Event) []core.Event
}

func (f faulty) Wait(ctx context.Context, turn string, after int64) ([]core.Event, error) {
	events, err := f.Log.Wait(ctx, turn, after)
	return f.spoil(after, events), err
}

func TestFaultsAreSeen(t *testing.T) {
	drop := func(_ int64, events []core.Event) []core.Event {
		events = slices.Clone(events)
		for i, e := range events {
			if e.Type == core.EventAnswer && e.Seq%7 == 0 {
				events[i].Content = ""
			}
		}
		return events
	}
	log := memory.New(memory.DefaultLimits(), time.Now)
	defer log.Close()
	if r := run(t, faulty{log, drop}, 2000, Plan{Streams: 10, Cuts: 3, Within: 15, Questions: []string{"q"}}); r.Lost == 0 && r.Failed == 0 {
		t.Errorf("a log that drops text passes: %+v", r)
	}
	for name, s := range map[string]struct {
		read, stored string
		backwards    int
		err          error
		want         func(Report) int
	}{
		"lost":      {"ab", "abc", 0, nil, func(r Report) int { return r.Lost }},
		"doubled":   {"abbc", "abc", 0, nil, func(r Report) int { return r.Doubled }},
		"swapped":   {"acb", "abc", 0, nil, func(r Report) int { return r.Reordered }},
		"backwards": {"abc", "abc", 1, nil, func(r Report) int { return r.Reordered }},
		"failed":    {"", "", 0, errors.New("x"), func(r Report) int { return r.Failed }},
	} {
		r := &reader{stored: s.stored, backwards: s.backwards, err: s.err}
		r.text.WriteString(s.read)
		if got := report([]*reader{r}, time.Second); s.want(got) != 1 || got.Clean() {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	if _, err := Run(t.Context(), Target{}, Plan{}); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("an empty plan: %v", err)
	}
	r, err := Run(t.Context(), Target{URL: "http://127.0.0.1:1"}, Plan{Streams: 2, Questions: []string{"q"}})
	if err != nil || r.Failed != 2 || core.CodeOf(r.FirstError) != core.CodeUnavailable {
		t.Errorf("nobody there: %+v, %v", r, err)
	}
}
