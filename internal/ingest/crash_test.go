package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
	"kaoju/internal/store"
)

// The test binary is also the process that gets killed: with these variables
// set it ingests in the folder and kills itself at the n-th pass of a point.
const (
	childFolder = "KAOJU_INGEST_CHILD"
	childPoint  = "KAOJU_INGEST_KILL_AT" // "2 embed"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		if err := child(dir, os.Getenv(childPoint)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

const (
	crashDocuments = 3
	crashChunks    = batchSize + 6
)

// child ingests three documents, each a batch and a bit long, and prints the
// id of each that was acknowledged.
func child(dir, killAt string) error {
	ctx := context.Background()
	db, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	w := New(Deps{Store: db, Parser: &parser{}, Index: &engine{}, Embedder: &embedder{}, Workers: 1})
	var pass int
	var point string
	if _, err := fmt.Sscan(killAt, &pass, &point); err != nil {
		return err
	}
	w.probe = func(at string) { // one worker: points follow each other, but for the publisher's
		if at == point {
			if pass--; pass == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	}
	text := long(crashChunks)
	if point == "part" {
		text = long(crashChunks/2) + "\f" + long(crashChunks/2)
	}
	k := knowledge.New(knowledge.Options{Store: db, Work: w, Index: &engine{}, Limit: 1 << 20})
	for i := range crashDocuments {
		d, _, err := k.Add(ctx, core.OwnerScope(), knowledge.AddRequest{
			Base: core.DefaultBaseName, Name: fmt.Sprint(i), Content: strings.NewReader(fmt.Sprint(i, text))})
		if err != nil {
			return err
		}
		fmt.Println(d.ID)
	}
	if err := w.Start(ctx); err != nil {
		return err
	}
	select {} // until it is killed
}

// TestKillAtEachStep kills the process at each point of a job. The next start
// brings every acknowledged document into the index, each chunk once, and does
// no step again that was stored. (A63, A64, A65)
func TestKillAtEachStep(t *testing.T) {
	for _, c := range []struct {
		killAt string
		parses int64 // of the second process
		batch  int64 // batches that the second process embeds
	}{
		{"1 parse", 3, 6}, {"2 chunk", 2, 4}, {"1 chunked", 2, 6}, {"1 embed", 2, 6}, {"2 embed", 2, 5}, {"4 embed", 1, 3},
		{"1 embedded", 2, 4}, {"1 publish", 2, 4}, {"1 published", 2, 4},
		{"2 part", 4, 4},
	} {
		t.Run(c.killAt, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			ids := runUntilKilled(t, dir, c.killAt)
			r := newRig(t, dir).start()
			p := r.settled()
			if p.Ready != crashDocuments || p.Failed != 0 {
				t.Fatalf("progress is %+v", p)
			}
			for _, id := range ids {
				if d := r.document(id); d.State != core.DocumentReady || d.Chunks != crashChunks {
					t.Errorf("document is %+v", d)
				}
			}
			if n := len(r.live()); n != crashDocuments*crashChunks {
				t.Errorf("%d live chunks, want %d", n, crashDocuments*crashChunks)
			}
			// On a slow machine the publisher comes to its points before the last
			// documents are embedded, so that this is the most that is left.
			if n := r.parser.calls.Load(); n > c.parses {
				t.Errorf("%d files were parsed again, want %d", n, c.parses)
			}
			if n := r.embedder.calls.Load(); n > c.batch {
				t.Errorf("%d batches were embedded again, want %d", n, c.batch)
			}
		})
	}
}

func runUntilKilled(t *testing.T, dir, killAt string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childFolder+"="+dir, childPoint+"="+killAt)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child was not killed: %v\n%s", err, out)
	}
	ids := strings.Fields(string(out))
	if len(ids) != crashDocuments {
		t.Fatalf("%d documents were acknowledged, want %d", len(ids), crashDocuments)
	}
	return ids
}
