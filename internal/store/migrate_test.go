package store

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"kaoju/internal/core"
)

// TestMigrateFromEveryVersion opens a database that stopped at each earlier
// schema, and compares the result with a new one.
func TestMigrateFromEveryVersion(t *testing.T) {
	want := schema(t, open(t).writer)
	probe, err := sql.Open("sqlite", ":memory:")
	must(t, err)
	defer probe.Close()
	p, err := migrations(probe)
	must(t, err)
	for _, source := range p.ListSources() {
		dir := t.TempDir()
		old, err := sql.Open("sqlite", dsn(filepath.Join(dir, "kaoju.db"), writerPragmas))
		must(t, err)
		p, err := migrations(old)
		must(t, err)
		_, err = p.UpTo(t.Context(), source.Version)
		must(t, err)
		must(t, old.Close())

		db, err := Open(t.Context(), dir)
		must(t, err)
		if got := schema(t, db.writer); got != want {
			t.Errorf("from version %d the schema is\n%s\nwant\n%s", source.Version, got, want)
		}
		if _, err := db.Base(t.Context(), core.OwnerScope(), core.DefaultBaseName); err != nil {
			t.Errorf("from version %d: %v", source.Version, err)
		}
		must(t, db.Close())
	}
}

func schema(t *testing.T, db *sql.DB) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT COALESCE(sql, '') FROM sqlite_master ORDER BY type, name")
	must(t, err)
	all := ""
	must(t, drain(rows, func(s scanner) error {
		var line string
		err := s.Scan(&line)
		all += line + "\n"
		return err
	}))
	return all
}

// A database of a newer program is left alone.
func TestNewerDatabase(t *testing.T) {
	dir := t.TempDir()
	db, err := Open(t.Context(), dir)
	must(t, err)
	_, err = db.writer.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
	must(t, err)
	must(t, db.Close())
	_, err = Open(t.Context(), dir)
	wantCode(t, err, core.CodeConflict)
}

func TestUnusableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, writeFile(file, ""))
	_, err := Open(t.Context(), filepath.Join(file, "data"))
	wantCode(t, err, core.CodeInvalid)
	_, err = Lock(filepath.Join(file, "data"))
	wantCode(t, err, core.CodeInvalid)
	if !strings.Contains(core.PublicMessage(err), "not a directory") {
		t.Errorf("the message %q does not say why", core.PublicMessage(err))
	}
}

func TestDamagedDatabase(t *testing.T) {
	dir := t.TempDir()
	must(t, writeFile(filepath.Join(dir, "kaoju.db"), "this is not a database, but it is long enough to look at: "+string(make([]byte, 4096))))
	_, err := Open(t.Context(), dir)
	wantCode(t, err, core.CodeCorrupt)
}
