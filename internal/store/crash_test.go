package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"kaoju/internal/core"
)

// The test binary is also the process that gets killed: with this variable
// set it writes to the folder named there, and prints what is acknowledged.
const childVariable = "KAOJU_STORE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		child(dir)
	}
	os.Exit(m.Run())
}

// child adds rounds and documents until it is killed.
func child(dir string) {
	ctx := context.Background()
	fail := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	lock, err := Lock(dir)
	fail(err)
	fail(lock.Announce("http://127.0.0.1:1"))
	db, err := Open(ctx, dir)
	fail(err)
	session := core.NewID()
	fail(db.CreateSession(ctx, core.Session{ID: session, TenantID: core.DefaultTenantID, UserID: core.OwnerUserID}))
	for i := 0; ; i++ {
		r, err := db.BeginRound(ctx, core.OwnerScope(), core.NewRound{
			Question: core.Message{ID: core.NewID(), SessionID: session}, Answer: core.Message{ID: core.NewID()},
		})
		fail(err)
		a := r.Answer
		fmt.Println("pending", a.ID)
		a.State, a.Content = core.MessageComplete, strings.Repeat("x", 2000)
		fail(db.FinishMessage(ctx, a, core.Trace{}))
		fmt.Println("complete", a.ID)
		blob, err := db.StageBlob(ctx, strings.NewReader(session+fmt.Sprint(i)), 1<<20)
		fail(err)
		d, _, err := db.AddDocument(ctx, core.Document{ID: core.NewID(), BaseID: core.DefaultBaseName, Name: "a"}, blob)
		fail(err)
		fmt.Println("document", d.ID)
	}
}

// TestKill kills a writing process at random moments, again and again on the
// same folder, and looks for everything that it had acknowledged.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	acks := map[string]string{}
	for range 5 {
		runUntilKilled(t, dir, 20+rand.IntN(60), acks)
		if url, ok := ReadServer(dir); ok {
			t.Errorf("a killed server is still announced at %s", url)
		}
	}
	lock, err := Lock(dir)
	must(t, err)
	defer lock.Release()
	db, err := Open(t.Context(), dir)
	must(t, err)
	defer db.Close()
	for id, what := range acks {
		checkAcknowledged(t, db, id, what)
	}
	if len(acks) < 50 {
		t.Errorf("only %d writes were acknowledged", len(acks))
	}
}

// runUntilKilled reads n acknowledgements, kills the process, and reads what
// it had printed before it died.
func runUntilKilled(t *testing.T, dir string, n int, acks map[string]string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		what, id, ok := strings.Cut(lines.Text(), " ")
		if what == "error" {
			t.Errorf("the child failed: %s", id)
		}
		if ok {
			acks[id] = what
		}
		if n--; n == 0 {
			must(t, cmd.Process.Kill())
		}
	}
	_ = cmd.Wait() // it was killed
}

func checkAcknowledged(t *testing.T, db *DB, id, what string) {
	t.Helper()
	if what == "document" {
		d, err := db.Document(t.Context(), core.OwnerScope(), id)
		if err != nil {
			t.Errorf("an acknowledged document is lost: %v", err)
			return
		}
		if b, err := db.ReadBlob(t.Context(), d.ContentHash); err != nil || int64(len(b)) != d.Size {
			t.Errorf("the original of document %s has %d bytes, want %d: %v", id, len(b), d.Size, err)
		}
		return
	}
	m, err := db.Message(t.Context(), core.OwnerScope(), id)
	switch {
	case err != nil:
		t.Errorf("an acknowledged message is lost: %v", err)
	case what == "complete" && (m.State != core.MessageComplete || len(m.Content) != 2000):
		t.Errorf("message %s is %s with %d bytes", id, m.State, len(m.Content))
	}
}
