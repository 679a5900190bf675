package store

import (
	"context"

	"kaoju/internal/core"
)

// Numbered is a kind of object that has numbers beside its ids, for protocols
// that want numbers.
type Numbered string

// Kinds of numbered objects. Each counts from 1; a number is never reused.
const (
	NumberedSessions Numbered = "session"
	NumberedMessages Numbered = "message"
	NumberedBases    Numbered = "base"
)

// table is where the numbers of a kind are. Kinds are ours, never input.
func (n Numbered) table() string { return string(n) + "_numbers" }

// Numbers gives the numbers of objects, in the order of ids. An object gets
// its number when it is first asked for.
func (db *DB) Numbers(ctx context.Context, kind Numbered, ids []string) ([]int64, error) {
	numbers, complete := make([]int64, len(ids)), true
	for i, id := range ids {
		n, err := one(ctx, db, scanNumber, "SELECT number FROM "+kind.table()+" WHERE object_id = ?", id)
		if err := found(err, nil); err != nil {
			return nil, err
		}
		numbers[i], complete = n, complete && n > 0
	}
	if complete {
		return numbers, nil
	}
	err := db.write(ctx, "number the "+string(kind)+"s", func(tx *tx) error {
		for i, id := range ids {
			if numbers[i] > 0 {
				continue
			}
			n, err := number(tx, kind, id)
			if err != nil {
				return err
			}
			numbers[i] = n
		}
		return nil
	})
	return numbers, err
}

// number gives an object's number, allotting one where it has none.
func number(tx *tx, kind Numbered, id string) (int64, error) {
	// The counter's row is the lock.
	next, err := scanNumber(tx.row(`INSERT INTO counters (name, last) VALUES (?, 1)
		ON CONFLICT (name) DO UPDATE SET last = counters.last + 1 RETURNING last`, kind.table()))
	if err != nil {
		return 0, err
	}
	return scanNumber(tx.row("INSERT INTO "+kind.table()+` (number, object_id) VALUES (?, ?)
		ON CONFLICT (object_id) DO UPDATE SET object_id = excluded.object_id RETURNING number`, next, id))
}

// NumberedID gives the id behind a number. Whether the caller may see the
// object is for whoever reads it.
func (db *DB) NumberedID(ctx context.Context, kind Numbered, number int64) (string, error) {
	id, err := one(ctx, db, func(s scanner) (id string, err error) { return id, s.Scan(&id) },
		"SELECT object_id FROM "+kind.table()+" WHERE number = ?", number)
	return id, found(err, core.Errorf(core.CodeNotFound, "there is no %s %d", kind, number))
}

func scanNumber(s scanner) (n int64, err error) { return n, s.Scan(&n) }
