package store

import (
	"os"
	"path/filepath"
	"testing"

	"kaoju/internal/core"
)

func TestInspect(t *testing.T) {
	dir := t.TempDir()
	if seen, err := Inspect(t.Context(), dir); err != nil || seen.Exists {
		t.Errorf("an empty folder: %+v, %v", seen, err)
	}
	db, err := Open(t.Context(), dir)
	must(t, err)
	seen, err := Inspect(t.Context(), dir) // while it is open
	if err != nil || !seen.Exists || seen.Schema == 0 || seen.Schema != seen.Newest {
		t.Errorf("an open database: %+v, %v", seen, err)
	}
	_, err = db.writer.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
	must(t, err)
	if _, err := Inspect(t.Context(), dir); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a newer database: %v", err)
	}
	must(t, db.Close())
	must(t, os.WriteFile(filepath.Join(dir, "kaoju.db"), []byte("this is no database, but a text of some length"), 0o600))
	if _, err := Inspect(t.Context(), dir); core.CodeOf(err) != core.CodeCorrupt {
		t.Errorf("no database: %v", err)
	}
}
