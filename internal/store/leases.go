package store

import (
	"context"
	"time"
)

// leaseAge is how long the row of a lease that ran out is kept. Answers of
// its owner count as nobody's with or without it.
const leaseAge = time.Hour

// Shared reports whether other processes may have the database open too. The
// folder's lock keeps a SQLite database to one.
func (db *DB) Shared() bool { return db.dialect != sqliteDialect }

// RenewLease keeps a process's claim on the answers that it writes until a
// time, and forgets those that ran out long ago.
func (db *DB) RenewLease(ctx context.Context, owner string, until time.Time) error {
	return db.write(ctx, "renew the lease", func(tx *tx) error {
		if err := tx.exec("DELETE FROM leases WHERE until < ?", millis(until.Add(-leaseAge))); err != nil {
			return err
		}
		return tx.exec(`INSERT INTO leases (owner, until) VALUES (?, ?)
			ON CONFLICT (owner) DO UPDATE SET until = excluded.until`, owner, millis(until))
	})
}

// EndLease gives a process's claim up at once.
func (db *DB) EndLease(ctx context.Context, owner string) error {
	return db.write(ctx, "end the lease", func(tx *tx) error {
		return tx.exec("DELETE FROM leases WHERE owner = ?", owner)
	})
}
