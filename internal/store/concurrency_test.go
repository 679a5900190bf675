package store

import (
	"fmt"
	"sync"
	"testing"

	"kaoju/internal/core"
)

// TestManyWritersAndReaders lets 8 writers and 32 readers loose: nothing ever
// fails, and readers only see whole transactions (faults 1 and 14).
func TestManyWritersAndReaders(t *testing.T) {
	db := open(t)
	for i := range 8 {
		newSession(t, db, fmt.Sprint(i))
	}
	var writers, all sync.WaitGroup
	done := make(chan struct{})
	for i := range 8 {
		work := func() { writeRounds(t, db, fmt.Sprint(i), 12) }
		writers.Go(work)
	}
	for i := range 32 {
		all.Go(func() {
			for {
				readRounds(t, db, fmt.Sprint(i%8))
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(done)
	all.Wait()
	total, err := db.count(t.Context(), "SELECT COUNT(*) FROM messages WHERE state = 'complete'")
	must(t, err)
	if total != 8*12*2 {
		t.Errorf("%d complete messages, want %d", total, 8*12*2)
	}
}

func writeRounds(t *testing.T, db *DB, session string, n int) {
	for range n {
		r, err := db.BeginRound(t.Context(), core.OwnerScope(), core.NewRound{
			Question: core.Message{ID: core.NewID(), SessionID: session, Content: "q"}, Answer: core.Message{ID: core.NewID()},
		})
		if err != nil {
			t.Error(err)
			return
		}
		a := r.Answer
		a.Content = "half"
		if err := db.CheckpointMessage(t.Context(), a); err != nil {
			t.Error(err)
		}
		a.Content, a.State = "whole", core.MessageComplete
		if err := db.FinishMessage(t.Context(), a, core.Trace{}); err != nil {
			t.Error(err)
		}
	}
}

func readRounds(t *testing.T, db *DB, session string) {
	list, err := db.ListMessages(t.Context(), core.OwnerScope(), session, 0, 10)
	if err != nil {
		t.Error(err)
		return
	}
	if len(list)%2 != 0 {
		t.Errorf("%d messages: half a round is visible", len(list))
	}
	for _, m := range list {
		if m.State == core.MessageComplete && m.Role == core.RoleAssistant && m.Content != "whole" {
			t.Errorf("a complete message reads %q", m.Content)
		}
	}
	if _, err := db.ListBases(t.Context(), core.OwnerScope()); err != nil {
		t.Error(err)
	}
}

// A transaction that fails leaves nothing behind.
func TestFailedWriteRollsBack(t *testing.T) {
	db := open(t)
	newSession(t, db, "s")
	_, a := begin(t, db, "s")
	_, err := db.BeginRound(t.Context(), core.OwnerScope(), core.NewRound{
		Question: core.Message{ID: core.NewID(), SessionID: "s"}, Answer: core.Message{ID: a.ID},
	})
	if err == nil {
		t.Fatal("two messages share an id")
	}
	s, err := db.Session(t.Context(), core.OwnerScope(), "s")
	must(t, err)
	q, b := begin(t, db, "s")
	if s.Messages != 2 || q.Order != 3 || b.Order != 4 {
		t.Errorf("%d messages, then orders %d and %d", s.Messages, q.Order, b.Order)
	}
}

// A full disk is said as such, and what was there stays readable.
func TestFullDisk(t *testing.T) {
	db := open(t)
	newSession(t, db, "s")
	_, a := begin(t, db, "s")
	_, err := db.writer.Exec("PRAGMA max_page_count = 1")
	must(t, err)
	a.State, a.Content = core.MessageComplete, fmt.Sprintf("%01000000d", 1)
	wantCode(t, db.FinishMessage(t.Context(), a, core.Trace{}), core.CodeDiskFull)
	got, err := db.Message(t.Context(), core.OwnerScope(), a.ID)
	must(t, err)
	if got.State != core.MessagePending {
		t.Errorf("the message is %s, want pending", got.State)
	}
	_, err = db.writer.Exec("PRAGMA max_page_count = 1000000")
	must(t, err)
	must(t, db.FinishMessage(t.Context(), a, core.Trace{}))
}
