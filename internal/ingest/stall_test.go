package ingest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

// logged is a log that may be read while it is written.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) errors() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), "level=ERROR") + strings.Count(l.b.String(), "level=WARN")
}

func (r *rig) logTo() *logged {
	l := &logged{}
	r.deps.Log = slog.New(slog.NewTextHandler(l, nil))
	return l
}

// A disk that is full when jobs are begun: whoever follows is told why, the
// log hears of it once and not once a document, and all goes on afterwards.
func TestStalledWhileTheDiskIsFull(t *testing.T) {
	r := newRig(t, t.TempDir())
	log := r.logTo()
	free := make(chan struct{})
	begin := r.claim
	r.claim = func(ctx context.Context, oldest bool) (core.Job, core.Document, bool, error) {
		select {
		case <-free:
			return begin(ctx, oldest)
		default:
			return core.Job{}, core.Document{}, false, core.Errorf(core.CodeDiskFull, "could not begin a job: the disk is full")
		}
	}
	for i := range 20 {
		r.add(fmt.Sprint(i), fmt.Sprint("text ", i))
	}
	changed := r.Changed()
	r.start()
	for r.Stalled() == nil {
		select {
		case <-changed:
			changed = r.Changed()
		case <-time.After(10 * time.Second):
			t.Fatal("nobody is told that the work stands still")
		}
	}
	if err := r.Stalled(); core.CodeOf(err) != core.CodeDiskFull || core.PublicMessage(err) != "documents wait: could not begin a job: the disk is full" {
		t.Errorf("stalled by %v", err)
	}
	close(free)
	if p := r.settled(); p.Ready != 20 {
		t.Errorf("ended at %+v", p)
	}
	if err := r.Stalled(); err != nil {
		t.Errorf("still stalled by %v", err)
	}
	if n := log.errors(); n != 1 {
		t.Errorf("the log has %d warnings, want 1:\n%s", n, log.b.String())
	}
}

// A disk that fills up in the middle of the work fails no document, however
// often they are tried, and is logged once.
func TestFullDiskFailsNoDocument(t *testing.T) {
	r := newRig(t, t.TempDir())
	log := r.logTo()
	r.embedder.embed = func(_ context.Context, texts []string) ([][]float32, error) {
		if r.embedder.calls.Load() <= 10*maxAttempts {
			return nil, core.Errorf(core.CodeDiskFull, "the disk is full")
		}
		vectors := make([][]float32, len(texts))
		for i := range vectors {
			vectors[i] = []float32{1, 0, 0, 0}
		}
		return vectors, nil
	}
	r.start()
	for i := range 5 {
		r.add(fmt.Sprint(i), fmt.Sprint("text ", i))
	}
	if p := r.settled(); p.Ready != 5 {
		t.Errorf("ended at %+v", p)
	}
	if n := log.errors(); n != 1 {
		t.Errorf("the log has %d warnings, want 1:\n%s", n, log.b.String())
	}
}

// What became of a job is stored once it can be, so that none stands as
// running for ever.
func TestStateOfAJobIsRecordedLater(t *testing.T) {
	r := newRig(t, t.TempDir())
	tries := 0
	r.record(t.Context(), work{}, func(context.Context) error {
		if tries++; tries < 4 {
			return core.Errorf(core.CodeDiskFull, "the disk is full")
		}
		return nil
	})
	if tries != 4 {
		t.Errorf("tried %d times, want 4", tries)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	tries = 0
	r.record(over, work{}, func(context.Context) error { tries++; return core.Errorf(core.CodeBusy, "busy") })
	if tries != 1 {
		t.Errorf("tried %d times while stopping, want 1", tries)
	}
}

// A single upload goes before the rest of a bulk; and a bulk goes on while
// single ones come.
func TestSingleUploadOvertakesABulk(t *testing.T) {
	r := newRig(t, t.TempDir())
	r.deps.Workers = 1
	put := func(name string, bulk bool) {
		_, _, err := r.k.Add(t.Context(), core.OwnerScope(), knowledge.AddRequest{
			Base: core.DefaultBaseName, Name: name, Content: strings.NewReader(name), Bulk: bulk})
		must(t, err)
	}
	for i := range 6 {
		put(fmt.Sprint("bulk", i), true)
	}
	for i := range 6 {
		put(fmt.Sprint("single", i), false)
	}
	var order []string
	begin := r.claim
	r.claim = func(ctx context.Context, oldest bool) (core.Job, core.Document, bool, error) {
		j, d, ok, err := begin(ctx, oldest)
		if ok {
			order = append(order, d.Name)
		}
		return j, d, ok, err
	}
	r.start()
	r.settled()
	r.Close()
	want := "single0 single1 single2 bulk0 single3 single4 single5 bulk1 bulk2 bulk3 bulk4 bulk5"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("order %s,\nwant  %s", got, want)
	}
}

// Work that is cancelled ends at once, says so, and can be begun again.
func TestCancelAndRetry(t *testing.T) {
	r := newRig(t, t.TempDir())
	started := make(chan struct{}, 9)
	r.embedder.embed = func(ctx context.Context, texts []string) ([][]float32, error) {
		if r.embedder.calls.Load() > 1 {
			return [][]float32{{1, 0, 0, 0}}, nil
		}
		started <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r.start()
	d := r.add("a", "text")
	<-started
	must(t, r.k.Stop(t.Context(), core.OwnerScope(), d.ID))
	r.settled()
	if got := r.document(d.ID); got.State != core.DocumentFailed || got.ErrorCode != core.CodeCanceled {
		t.Errorf("stopped, the document is %+v", got)
	}
	if err := r.k.Stop(t.Context(), core.OwnerScope(), d.ID); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("stopped twice: %v", err)
	}
	_, err := r.k.Retry(t.Context(), core.OwnerScope(), d.ID)
	must(t, err)
	r.settled()
	if got := r.document(d.ID); got.State != core.DocumentReady || len(r.live()) == 0 {
		t.Errorf("after another try: %+v", got)
	}
	if _, err := r.k.Retry(t.Context(), core.OwnerScope(), d.ID); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a document that is ready is tried again: %v", err)
	}
}
