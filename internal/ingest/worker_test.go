package ingest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

func TestDocumentBecomesReady(t *testing.T) {
	r := newRig(t, t.TempDir()).start()
	d := r.add("note.md", "年假五天。")
	if p := r.settled(); p.Ready != 1 || p.Failed != 0 {
		t.Fatalf("progress is %+v", p)
	}
	got := r.document(d.ID)
	if got.State != core.DocumentReady || got.Chunks != 1 || got.Format != "text" || got.Title != "note" {
		t.Errorf("document is %+v", got)
	}
	if live := r.live(); len(live) != 1 || live[0] != "年假五天。" {
		t.Errorf("live chunks are %q", live)
	}
	if len(r.engine.refreshed) != 1 {
		t.Errorf("the engine was refreshed %d times, want 1", len(r.engine.refreshed))
	}
}

// A document that comes in parts, and has more chunks than are indexed at
// once, is there as a whole and each chunk once.
func TestDocumentInParts(t *testing.T) {
	const first, second = pageSize, 7
	r := newRig(t, t.TempDir()).start()
	d := r.add("long.txt", long(first)+"\f"+long(second))
	if p := r.settled(); p.Ready != 1 || p.Failed != 0 {
		t.Fatalf("progress is %+v", p)
	}
	if got := r.document(d.ID); got.Chunks != first+second {
		t.Errorf("the document counts %d chunks, want %d", got.Chunks, first+second)
	}
	if n := len(r.live()); n != first+second {
		t.Errorf("%d live chunks, want %d", n, first+second)
	}
}

// A part that cannot be read fails the document, and leaves nothing of the
// parts before it.
func TestPoisonedPart(t *testing.T) {
	r := newRig(t, t.TempDir()).start()
	d := r.add("long.txt", long(3)+"\fpoison")
	if p := r.settled(); p.Failed != 1 {
		t.Fatalf("progress is %+v", p)
	}
	left, err := r.db.UnindexedChunks(t.Context(), d.ID, -1, 10)
	must(t, err)
	if got := r.document(d.ID); got.ErrorCode != core.CodeCorrupt || len(left) > 0 {
		t.Errorf("the document says %q and %d chunks are left", got.ErrorCode, len(left))
	}
}

// A66: one poison file among many fails alone, once, with its reason.
func TestPoisonFileFailsAlone(t *testing.T) {
	r := newRig(t, t.TempDir()).start()
	bad := r.add("bad.pdf", "poison")
	for i := range 99 {
		r.add(fmt.Sprint(i), fmt.Sprint("text ", i))
	}
	if p := r.settled(); p.Ready != 99 || p.Failed != 1 {
		t.Fatalf("progress is %+v, want 99 ready and 1 failed", p)
	}
	if d := r.document(bad.ID); d.ErrorCode != core.CodeCorrupt || d.Error != "the file is damaged" {
		t.Errorf("the bad file says %q %q", d.ErrorCode, d.Error)
	}
	if n := r.parser.calls.Load(); n != 100 {
		t.Errorf("%d files were parsed, want 100: a file that cannot be read is not tried again", n)
	}
	b, err := r.db.Base(t.Context(), core.OwnerScope(), core.DefaultBaseName)
	must(t, err)
	if b.ActiveVersion > 30 {
		t.Errorf("99 documents made %d versions", b.ActiveVersion)
	}
}

// Uploads that come at once are all there in the end, each once.
func TestParallelUploads(t *testing.T) {
	const clients, each = 8, 25
	r := newRig(t, t.TempDir()).start()
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := range each {
				_, added, err := r.k.Add(context.Background(), core.OwnerScope(), knowledge.AddRequest{
					Base: core.DefaultBaseName, Name: fmt.Sprint(c, "-", i), Content: strings.NewReader(fmt.Sprint("client ", c, " file ", i))})
				if err != nil || !added {
					t.Errorf("client %d file %d: added %v, %v", c, i, added, err)
				}
			}
		})
	}
	wg.Wait()
	if p := r.settled(); p.Ready != clients*each || p.Failed != 0 {
		t.Errorf("progress is %+v, want %d ready", p, clients*each)
	}
	if n := len(r.live()); n != clients*each {
		t.Errorf("%d live chunks, want %d", n, clients*each)
	}
}

func TestNoTextIsEmpty(t *testing.T) {
	r := newRig(t, t.TempDir()).start()
	d := r.add("blank.txt", "  \n \n")
	r.settled()
	if got := r.document(d.ID); got.State != core.DocumentFailed || got.ErrorCode != core.CodeEmpty {
		t.Errorf("document is %+v", got)
	}
}

// A failed file is tried again when it comes again, under its old id.
func TestFailedFileMayComeAgain(t *testing.T) {
	r := newRig(t, t.TempDir()).start()
	fail := true
	r.embedder.embed = func(context.Context, []string) ([][]float32, error) {
		if fail {
			return nil, core.Errorf(core.CodeForbidden, "no credit left")
		}
		return [][]float32{{1, 0, 0, 0}}, nil
	}
	d := r.add("a", "text")
	r.settled()
	if got := r.document(d.ID); got.State != core.DocumentFailed || got.ErrorCode != core.CodeForbidden {
		t.Fatalf("document is %+v", got)
	}
	fail = false
	again, added, err := r.k.Add(t.Context(), core.OwnerScope(), knowledge.AddRequest{
		Base: "default", Name: "a", Content: strings.NewReader("text")})
	must(t, err)
	if !added || again.ID != d.ID {
		t.Errorf("added %v as %s, want the old document %s again", added, again.ID, d.ID)
	}
	r.settled()
	if got := r.document(d.ID); got.State != core.DocumentReady || got.Error != "" {
		t.Errorf("document is %+v", got)
	}
}

func TestTransientFailures(t *testing.T) {
	for _, c := range []struct {
		name     string
		failures int64
		state    core.DocumentState
		calls    int64
	}{{"pass", 3, core.DocumentReady, 4}, {"last", 100, core.DocumentFailed, maxAttempts}} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, t.TempDir())
			r.embedder.embed = func(context.Context, []string) ([][]float32, error) {
				if r.embedder.calls.Load() <= c.failures {
					return nil, core.Errorf(core.CodeUnavailable, "the model does not answer")
				}
				return [][]float32{{1, 0, 0, 0}}, nil
			}
			r.start()
			d := r.add("a", "text")
			r.settled()
			if got := r.document(d.ID); got.State != c.state {
				t.Errorf("document is %+v, want %s", got, c.state)
			}
			if n := r.embedder.calls.Load(); n != c.calls {
				t.Errorf("the model was called %d times, want %d", n, c.calls)
			}
			if n := r.parser.calls.Load(); n != 1 {
				t.Errorf("the file was parsed %d times, want 1: the step before is not done again", n)
			}
		})
	}
}

// A60: a model that lies about its dimension fails the document for good.
func TestWrongDimension(t *testing.T) {
	r := newRig(t, t.TempDir())
	r.embedder.embed = func(context.Context, []string) ([][]float32, error) { return [][]float32{{1, 0}}, nil }
	r.start()
	d := r.add("a", "text")
	r.settled()
	if got := r.document(d.ID); got.ErrorCode != core.CodeInvalid || !strings.Contains(got.Error, "2 values") {
		t.Errorf("document is %+v", got)
	}
	if n := r.embedder.calls.Load(); n != 1 {
		t.Errorf("the model was called %d times, want 1", n)
	}
}

// A58: deleting while it is processed stops the job and leaves nothing.
func TestDeleteWhileProcessing(t *testing.T) {
	r := newRig(t, t.TempDir())
	started := make(chan struct{})
	r.embedder.embed = func(ctx context.Context, _ []string) ([][]float32, error) {
		close(started)
		<-ctx.Done() // only the deletion ends it
		return nil, ctx.Err()
	}
	r.start()
	d := r.add("a", long(3))
	<-started
	must(t, r.k.Delete(t.Context(), core.OwnerScope(), d.ID))
	r.settled()
	_, err := r.db.Document(t.Context(), core.OwnerScope(), d.ID)
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("the deleted document gives %v", err)
	}
	if live := r.live(); len(live) != 0 {
		t.Errorf("live chunks are %q", live)
	}
	left, err := r.db.NeighbourChunks(t.Context(), d.ID, core.ChunkText, 0, 100)
	must(t, err)
	if len(left) != 0 {
		t.Errorf("%d orphan chunks", len(left))
	}
}

// The same, with results that arrive after the deletion.
func TestLateResultsOfADeletedDocument(t *testing.T) {
	for _, point := range []string{"parse", "chunk", "chunked", "embed", "embedded", "publish"} {
		t.Run(point, func(t *testing.T) {
			r := newRig(t, t.TempDir())
			var id string
			var once sync.Once
			r.probe = func(at string) {
				if at == point {
					once.Do(func() {
						_, err := r.db.DeleteDocument(context.Background(), core.OwnerScope(), id)
						if err != nil {
							t.Error(err)
						}
					})
				}
			}
			id = r.add("a", long(2)).ID
			r.start()
			r.settled()
			r.Close()
			left, err := r.db.NeighbourChunks(context.Background(), id, core.ChunkText, 0, 100)
			must(t, err)
			if live := r.live(); len(left)+len(live) != 0 {
				t.Errorf("%d orphan chunks, %d in the index", len(left), len(live))
			}
		})
	}
}

// A61: a new file takes the place of its namesake, and only then.
func TestNewVersionOfAFile(t *testing.T) {
	r := newRig(t, t.TempDir()).start()
	old := r.add("a.md", "三天")
	r.settled()
	r.add("b.md", "别的")
	r.settled()
	r.add("a.md", "五天")
	if p := r.settled(); p.Ready != 2 {
		t.Errorf("progress is %+v, want 2 ready", p)
	}
	live := strings.Join(r.live(), " ")
	if strings.Contains(live, "三天") || !strings.Contains(live, "五天") || !strings.Contains(live, "别的") {
		t.Errorf("live chunks are %q", live)
	}
	list, total, err := r.k.Documents(t.Context(), core.OwnerScope(), "default", 0, 10)
	must(t, err)
	if total != 2 || len(list) != 2 {
		t.Errorf("the list shows %d of %d documents, want 2", len(list), total)
	}
	r.document(old.ID) // still there for the answers that cite it
	// The old content is new again once it was replaced.
	r.add("a.md", "三天")
	r.settled()
	if live := strings.Join(r.live(), " "); strings.Contains(live, "五天") || !strings.Contains(live, "三天") {
		t.Errorf("live chunks are %q", live)
	}
}

// Stopping leaves a job as it was; the next worker ends it.
func TestStopAndGoOn(t *testing.T) {
	dir := t.TempDir()
	r := newRig(t, dir)
	reached := make(chan struct{})
	r.embedder.embed = func(ctx context.Context, texts []string) ([][]float32, error) {
		if r.embedder.calls.Load() == 2 {
			close(reached)
			<-ctx.Done()
			return nil, fmt.Errorf("stopped: %w", ctx.Err())
		}
		return make4(len(texts)), nil
	}
	must(t, r.Start(t.Context()))
	d := r.add("a", long(batchSize+10))
	<-reached
	r.Close()

	next := newRig(t, dir).start()
	next.settled()
	if got := next.document(d.ID); got.State != core.DocumentReady || got.Chunks != batchSize+10 {
		t.Errorf("document is %+v", got)
	}
	if n := next.parser.calls.Load(); n != 0 {
		t.Errorf("the file was parsed again")
	}
	if n := next.embedder.calls.Load(); n != 1 {
		t.Errorf("%d batches were embedded again, want the 1 that was missing", n)
	}
	if live := next.live(); len(live) != batchSize+10 {
		t.Errorf("%d live chunks, want %d", len(live), batchSize+10)
	}
}

func make4(n int) [][]float32 {
	v := make([][]float32, n)
	for i := range v {
		v[i] = []float32{0, 1, 0, 0}
	}
	return v
}

// A file that ends the server each time is given up.
func TestGivesUpOnAFileThatEndsTheServer(t *testing.T) {
	r := newRig(t, t.TempDir())
	d := r.add("a", "text")
	for range maxAttempts {
		_, _, ok, err := r.db.ClaimJob(t.Context(), false)
		must(t, err)
		if !ok {
			t.Fatal("no job")
		}
		must(t, r.db.RecoverJobs(t.Context()))
	}
	r.start()
	r.settled()
	if got := r.document(d.ID); got.State != core.DocumentFailed || r.parser.calls.Load() != 0 {
		t.Errorf("document is %+v, parsed %d times", got, r.parser.calls.Load())
	}
}

func TestKeywordOnly(t *testing.T) {
	r := newRig(t, t.TempDir())
	r.deps.Embedder = nil
	r.start()
	r.add("a", "text")
	if p := r.settled(); p.Ready != 1 {
		t.Errorf("progress is %+v", p)
	}
}

func TestProgressShowsSteps(t *testing.T) {
	r := newRig(t, t.TempDir())
	release := make(chan struct{})
	r.embedder.embed = func(_ context.Context, texts []string) ([][]float32, error) {
		<-release
		return make4(len(texts)), nil
	}
	r.start()
	d := r.add("a", "text")
	for {
		changes := r.Changed()
		p, err := r.Progress(t.Context(), core.DefaultBaseName)
		must(t, err)
		if p.Steps[d.ID] == core.StepEmbed && p.Processing == 1 {
			break
		}
		<-changes
	}
	close(release)
	if p := r.settled(); len(p.Steps) != 0 {
		t.Errorf("steps are %v after the end", p.Steps)
	}
}

func TestDeletedBaseStopsItsJobs(t *testing.T) {
	r := newRig(t, t.TempDir())
	b, err := r.k.CreateBase(t.Context(), core.OwnerScope(), knowledge.NewBase{Name: "b"})
	must(t, err)
	_, _, err = r.k.Add(t.Context(), core.OwnerScope(), knowledge.AddRequest{Base: "b", Name: "a", Content: strings.NewReader("x")})
	must(t, err)
	var once sync.Once
	r.probe = func(at string) {
		if at == "publish" {
			once.Do(func() { must(t, r.k.DeleteBase(context.Background(), core.OwnerScope(), b.ID)) })
		}
	}
	r.start()
	r.add("c", "y")
	if p := r.settled(); p.Ready != 1 {
		t.Errorf("progress is %+v", p)
	}
	if _, err := r.db.Base(t.Context(), core.OwnerScope(), "b"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("the deleted base gives %v", err)
	}
}
