package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"kaoju/internal/core"
)

// crowd lets n short writes wait for the writer, so that they run together,
// and gives their results in the order of their numbers. then is called while
// they wait.
func crowd(t *testing.T, db *DB, n int, write func(i int) error, then func()) []error {
	t.Helper()
	busy, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		must(t, db.write(t.Context(), "hold the writer", func(*tx) error {
			close(busy)
			<-release
			return nil
		}))
	})
	<-busy
	results := make([]error, n)
	for i := range n {
		all.Go(func() { results[i] = write(i) })
		for db.short.waiting() <= i {
			runtime.Gosched()
		}
	}
	then()
	close(release)
	all.Wait()
	return results
}

func (q *queue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}

// Writes that share a commit are each all or nothing: one that fails leaves
// nothing behind, and the others nothing out.
func TestWritesThatShareACommit(t *testing.T) {
	db := open(t)
	const n = 150 // more than one commit takes
	wrong := errors.New("wrong")
	add := func(tx *tx, id string) error {
		return insertSession(tx, core.Session{ID: id, TenantID: core.DefaultTenantID, UserID: core.OwnerUserID}, 0)
	}
	results := crowd(t, db, n, func(i int) error {
		return db.together(t.Context(), "add", func(tx *tx) error {
			if err := add(tx, fmt.Sprint(i)); err != nil {
				return err
			}
			switch i % 3 {
			case 1:
				return wrong
			case 2:
				return tx.exec("INSERT INTO nothing VALUES (1)")
			}
			return add(tx, fmt.Sprint("second of ", i))
		})
	}, func() {})
	for i, err := range results {
		if (err == nil) != (i%3 == 0) || i%3 == 1 && !errors.Is(err, wrong) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if total, err := db.count(t.Context(), "SELECT COUNT(*) FROM sessions"); err != nil || total != 2*n/3 {
		t.Errorf("%d sessions, want %d; %v", total, 2*n/3, err)
	}
}

// Who leaves while it waits is not written, and does not hold up the others;
// a panic is its own caller's.
func TestWritersThatLeaveOrPanic(t *testing.T) {
	db := open(t)
	gone, leave := context.WithCancel(t.Context())
	results := crowd(t, db, 4, func(i int) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("recovered %v", p)
			}
		}()
		ctx := t.Context()
		if i == 2 {
			ctx = gone
		}
		return db.together(ctx, "add", func(tx *tx) error {
			if i == 1 {
				panic("mine")
			}
			return insertSession(tx, core.Session{ID: fmt.Sprint(i), TenantID: core.DefaultTenantID, UserID: core.OwnerUserID}, 0)
		})
	}, func() {
		for leave(); db.short.waiting() > 3; {
			runtime.Gosched()
		}
	})
	if results[0] != nil || results[3] != nil || fmt.Sprint(results[1]) != "recovered mine" || core.CodeOf(results[2]) != core.CodeCanceled {
		t.Errorf("results %v", results)
	}
	if total, err := db.count(t.Context(), "SELECT COUNT(*) FROM sessions"); err != nil || total != 2 {
		t.Errorf("%d sessions, %v", total, err)
	}
}

// Many writers at once cost fewer commits than writes, and lose nothing.
func BenchmarkRounds(b *testing.B) {
	db := open(b)
	newSession(b, db, "s")
	b.SetParallelism(16) // a processor
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, a := begin(b, db, "s")
			a.State = core.MessageComplete
			must(b, db.FinishMessage(b.Context(), a, core.Trace{}))
		}
	})
}
