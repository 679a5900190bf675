package streams

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Report is what a load came to.
type Report struct {
	Streams    int
	Reconnects int
	Bytes      int // of answers
	Elapsed    time.Duration
	// Faults: streams whose text lacks, repeats or confuses something, and
	// those that did not end well.
	Lost, Doubled, Reordered, Failed int
	FirstError                       error // of the first stream that failed
	Event, References, Token, Done   Quantiles
}

// Quantiles of the times of all streams; zero where none was seen.
type Quantiles struct{ P50, P99 time.Duration }

// Clean reports whether every stream was read without a fault.
func (r Report) Clean() bool { return r.Lost+r.Doubled+r.Reordered+r.Failed == 0 }

func report(readers []*reader, elapsed time.Duration) Report {
	out := Report{Streams: len(readers), Elapsed: elapsed}
	var seen [4][]time.Duration
	for _, r := range readers {
		out.Reconnects += r.reconnects
		out.Bytes += r.text.Len()
		out.judge(r)
		for i, t := range []time.Duration{r.times.event, r.times.references, r.times.token, r.times.complete} {
			if t > 0 {
				seen[i] = append(seen[i], t)
			}
		}
	}
	out.Event, out.References, out.Token, out.Done = quantiles(seen[0]), quantiles(seen[1]), quantiles(seen[2]), quantiles(seen[3])
	return out
}

// judge compares what was read with what was stored.
func (r *Report) judge(s *reader) {
	text := s.text.String()
	switch {
	case s.err != nil:
		r.Failed++
		if r.FirstError == nil {
			r.FirstError = s.err
		}
	case len(text) < len(s.stored):
		r.Lost++
	case len(text) > len(s.stored):
		r.Doubled++
	case text != s.stored || s.backwards > 0:
		r.Reordered++
	}
}

func quantiles(times []time.Duration) Quantiles {
	if len(times) == 0 {
		return Quantiles{}
	}
	slices.Sort(times)
	at := func(share float64) time.Duration { return times[min(len(times)-1, int(share*float64(len(times))))] }
	return Quantiles{P50: at(.5), P99: at(.99)}
}

// Table gives the report as a Markdown table.
func (r Report) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| streams | reconnects | lost | doubled | reordered | failed | answers/s | first event p50 / p99 | references p50 / p99 | first token p50 / p99 | complete p50 / p99 |\n")
	fmt.Fprintf(&b, "|---|---|---|---|---|---|---|---|---|---|---|\n")
	fmt.Fprintf(&b, "| %d | %d | %d | %d | %d | %d | %.1f | %s | %s | %s | %s |\n",
		r.Streams, r.Reconnects, r.Lost, r.Doubled, r.Reordered, r.Failed, float64(r.Streams-r.Failed)/r.Elapsed.Seconds(),
		r.Event, r.References, r.Token, r.Done)
	return b.String()
}

// String gives both in milliseconds.
func (q Quantiles) String() string {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return fmt.Sprintf("%.1f / %.1f ms", ms(q.P50), ms(q.P99))
}
