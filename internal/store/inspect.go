package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"kaoju/internal/core"
)

// Inspection is what Inspect saw of a data folder.
type Inspection struct {
	Exists bool  // there is a database
	Bytes  int64 // its size
	Schema int64 // of the database
	Newest int64 // that this program knows
}

// Inspect looks at the database of a data folder without changing or locking
// anything, also while a server has it open. A database that is damaged is a
// core.CodeCorrupt, one of a newer program a core.CodeConflict.
func Inspect(ctx context.Context, dir string) (Inspection, error) {
	path := filepath.Join(dir, "kaoju.db")
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Inspection{}, nil
	}
	if err != nil {
		return Inspection{}, failure(ctx, err, "look at "+path)
	}
	seen := Inspection{Exists: true, Bytes: info.Size()}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro&_pragma=busy_timeout(2000)"}).String())
	if err != nil {
		return seen, failure(ctx, err, "open "+path)
	}
	defer db.Close()
	return seen, inspect(ctx, db, &seen)
}

func inspect(ctx context.Context, db *sql.DB, seen *Inspection) error {
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return core.Wrap(err, core.CodeCorrupt, "the database cannot be read")
	}
	if verdict != "ok" {
		return core.Errorf(core.CodeCorrupt, "the database is damaged: %s", verdict)
	}
	if err := db.QueryRowContext(ctx, "SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&seen.Schema); err != nil {
		return core.Wrap(err, core.CodeCorrupt, "the database has no schema")
	}
	p, err := migrations(db)
	if err != nil {
		return fmt.Errorf("list the migrations: %w", err)
	}
	for _, s := range p.ListSources() {
		seen.Newest = max(seen.Newest, s.Version)
	}
	if seen.Schema > seen.Newest {
		return core.Errorf(core.CodeConflict, "the database has schema %d; this program knows %d at most", seen.Schema, seen.Newest)
	}
	return nil
}
