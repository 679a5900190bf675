// Package store keeps everything that must survive: it opens the data folder,
// migrates its database, and holds every SQL statement of the product.
//
//	lock, err := store.Lock(dir) // one server a folder
//	db, err := store.Open(ctx, dir)
//	defer db.Close()
//
// The folder holds kaoju.db (SQLite, WAL), blobs/ (originals, named by their
// SHA-256), kaoju.lock and server.json. Writes go through one connection,
// each in one immediate transaction, so that they queue instead of failing;
// reads have connections of their own and see what was committed before they
// began. All methods of DB are safe from any number of goroutines.
//
// Methods that take a core.Scope answer core.CodeNotFound for whatever lies
// outside of it. Those without one are for the server's own work (engines,
// ingestion, recovery) and are never reached by a request directly.
//
// Statements keep to what SQLite and PostgreSQL both understand: text ids,
// BIGINT Unix milliseconds, JSON as text, `?` placeholders that rebind turns
// into the database's own.
package store
