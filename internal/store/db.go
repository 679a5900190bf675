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

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"kaoju/internal/core"
)

// readers is how many statements may read at once; more wait their turn. Each
// connection holds a page cache of its own, so the number is also memory.
const readers = 8

// DB is an open data folder.
type DB struct {
	dir     string
	opened  time.Time
	dialect dialect
	writer  *sql.DB // one connection
	reader  *sql.DB
	stmts   sync.Map // reader statements by their text: *sql.Stmt
	written sync.Map // the same of the writer
	// writtenCount is how many there are.
	writtenCount atomic.Int64
	short        queue        // of short writes
	blobMu       sync.RWMutex // held exclusively while originals are removed

	passages passages
	embeds   atomic.Pointer[string] // the model whose vectors are taken; nil: any
	advanced func()                 // called after commits that moved the epoch on; nil: nobody waits
}

// Open opens the data folder dir, makes it where it is missing, and brings
// its database to the newest schema. Hold its Lock while it is open for
// writing. Close releases it.
func Open(ctx context.Context, dir string) (*DB, error) {
	if err := makeFolder(filepath.Join(dir, blobFolder)); err != nil {
		return nil, err
	}
	db := &DB{dir: dir, opened: clock(), dialect: sqliteDialect}
	if err := db.connect(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// Dir is the data folder.
func (db *DB) Dir() string { return db.dir }

func (db *DB) connect(ctx context.Context) error {
	path := filepath.Join(db.dir, "kaoju.db")
	var err error
	if db.writer, err = sql.Open("sqlite", dsn(path, writerPragmas)); err != nil {
		return failure(ctx, err, "open "+path)
	}
	db.writer.SetMaxOpenConns(1)
	db.writer.SetMaxIdleConns(1)
	if err := migrate(ctx, db.writer); err != nil {
		return failure(ctx, err, "open "+path)
	}
	if db.reader, err = sql.Open("sqlite", dsn(path, readerPragmas)); err != nil {
		return failure(ctx, err, "open "+path)
	}
	db.reader.SetMaxOpenConns(readers)
	db.reader.SetMaxIdleConns(readers)
	return db.seed(ctx)
}

// The busy timeout only matters to a second process on the folder (a backup);
// within one process the single writer queues. Readers need little room for
// pages: what searches read has a memory of its own (Remember).
var (
	writerPragmas = []string{"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "cache_size(-8000)"}
	readerPragmas = []string{"busy_timeout(10000)", "query_only(1)", "cache_size(-1000)"}
)

func dsn(path string, pragmas []string) string {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": pragmas}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}

// Close ends all connections. Statements that still run end first.
func (db *DB) Close() error {
	for _, stmts := range []*sync.Map{&db.stmts, &db.written} {
		stmts.Range(func(_, s any) bool {
			_ = s.(*sql.Stmt).Close()
			return true
		})
	}
	var err error
	if db.reader != nil {
		err = db.reader.Close()
	}
	if db.writer != nil {
		if e := db.writer.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	return nil
}

// seed makes what exists from the first start: a tenant, a knowledge base and
// an assistant.
func (db *DB) seed(ctx context.Context) error {
	var n int
	row, err := db.queryRow(ctx, "SELECT COUNT(*) FROM tenants")
	if err != nil {
		return failure(ctx, err, "read the tenants")
	}
	if err := row.Scan(&n); err != nil {
		return failure(ctx, err, "read the tenants")
	}
	if n > 0 {
		return nil
	}
	now := millis(clock())
	return db.write(ctx, "make the default tenant", func(tx *tx) error {
		if err := tx.exec("INSERT INTO tenants (id, name, created_at) VALUES (?, ?, ?)",
			core.DefaultTenantID, core.DefaultTenantID, now); err != nil {
			return err
		}
		if err := insertBase(tx, core.KnowledgeBase{
			ID: core.DefaultBaseName, TenantID: core.DefaultTenantID, DatasetID: core.DefaultDatasetID,
			Name: core.DefaultBaseName, Kind: core.BaseDocument, Visibility: core.VisibilityPublic,
		}); err != nil {
			return err
		}
		return insertAssistant(tx, core.DefaultAssistant(core.DefaultTenantID))
	})
}
