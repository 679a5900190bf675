package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

func gone(texts []string) ([][]float32, error) {
	return nil, core.Wrap(errors.Join(llm.ErrAway, fmt.Errorf("refused for %d", len(texts))), core.CodeUnavailable, "the model cannot be reached")
}

// A59: a model that is away for longer than all attempts fails no document;
// whoever asks is told why they wait, and all goes on once it answers.
func TestDocumentsWaitForTheModel(t *testing.T) {
	r := newRig(t, t.TempDir())
	log := r.logTo()
	r.embedder.embed = func(_ context.Context, texts []string) ([][]float32, error) {
		if r.embedder.calls.Load() <= 10*maxAttempts {
			return gone(texts)
		}
		if r.told.Load() != true {
			t.Error("the log was not told that documents wait")
		}
		return make4(len(texts)), nil
	}
	r.start()
	for i := range 5 {
		r.add(fmt.Sprint(i), fmt.Sprint("text ", i))
	}
	if p := r.settled(); p.Ready != 5 {
		t.Errorf("ended at %+v", p)
	}
	if !strings.Contains(log.b.String(), "ingestion stands still") {
		t.Errorf("the log has\n%s", log.b.String())
	}
}

// A text that brings the endpoint down each time fails after maxAttempts, for
// the others get through.
func TestTextThatBringsTheModelDown(t *testing.T) {
	r := newRig(t, t.TempDir())
	r.deps.Workers = 1
	r.embedder.embed = func(_ context.Context, texts []string) ([][]float32, error) {
		if strings.Contains(texts[0], "crash") {
			return gone(texts)
		}
		return make4(len(texts)), nil
	}
	r.start()
	d := r.add("a", "crash")
	for i := 0; r.document(d.ID).State != core.DocumentFailed; i++ {
		if i == 500 {
			t.Fatal("it is never given up")
		}
		r.add(fmt.Sprint(i), fmt.Sprint("good text ", i))
	}
	r.settled()
}

// Waiting documents go on when the model answers another, long before their
// time.
func TestOutageEndsEarly(t *testing.T) {
	r := newRig(t, t.TempDir())
	r.deps.Backoff = func(int) time.Duration { return time.Hour }
	r.outage.failed()
	if !r.outage.failed() {
		t.Error("the second failure in a row is blamed on the document")
	}
	n, back := r.outage.state()
	slept := make(chan struct{})
	go func() {
		r.sleepUnless(t.Context(), n, back)
		close(slept)
	}()
	r.outage.over()
	select {
	case <-slept:
	case <-time.After(10 * time.Second):
		t.Fatal("still asleep")
	}
	if r.outage.failed() {
		t.Error("the first failure after an answer is not counted")
	}
}
