package store

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"kaoju/internal/core"
)

func open(t testing.TB) *DB {
	t.Helper()
	db, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	db.Remember(1 << 20) // every test here must do as well with it as without
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, code core.Code) {
	t.Helper()
	if core.CodeOf(err) != code {
		t.Fatalf("error %v has code %q, want %q", err, core.CodeOf(err), code)
	}
}

// addDocument stores a queued document with the given content.
func addDocument(t testing.TB, db *DB, baseID, name, content string) core.Document {
	t.Helper()
	blob, err := db.StageBlob(t.Context(), strings.NewReader(content), 1<<20)
	must(t, err)
	defer blob.Discard()
	d, _, err := db.AddDocument(t.Context(), core.Document{ID: core.NewID(), BaseID: baseID, Name: name, Source: "upload"}, blob)
	must(t, err)
	return d
}

// claim begins the oldest job, which must be that of the document.
func claim(t testing.TB, db *DB, documentID string) core.Job {
	t.Helper()
	job, doc, ok, err := db.ClaimJob(t.Context(), false)
	must(t, err)
	if !ok || doc.ID != documentID {
		t.Fatalf("claimed a job of document %q, want %q", doc.ID, documentID)
	}
	return job
}

// chunk brings a new document up to its last step, with n children under one
// parent, and gives its job.
func chunk(t testing.TB, db *DB, d core.Document, n int) (core.Job, []core.Chunk) {
	t.Helper()
	job := claim(t, db, d.ID)
	parent := core.Chunk{ID: core.NewID(), BaseID: d.BaseID, DocumentID: d.ID, Type: core.ChunkParentText, Content: "parent"}
	chunks := []core.Chunk{parent}
	entries := []Indexing{}
	for i := range n {
		c := core.Chunk{ID: core.NewID(), BaseID: d.BaseID, DocumentID: d.ID, ParentID: parent.ID, Type: core.ChunkText,
			Index: i, Start: i * 10, End: i*10 + 10, Content: fmt.Sprintf("%s passage %d", d.Name, i), Headings: []string{"一", "二"}}
		chunks = append(chunks, c)
		entries = append(entries, Indexing{ChunkID: c.ID, Terms: []byte("terms"), Vector: []byte{1, 2, 3, 4}})
	}
	must(t, db.SaveChunks(t.Context(), job.ID, d, Part{Chunks: chunks, First: true, Last: true}))
	must(t, db.SaveIndexing(t.Context(), job.ID, "test", entries, true))
	return job, chunks[1:]
}

// publish adds a document and brings it into the index.
func publish(t testing.TB, db *DB, baseID, name, content string, n int) (core.Document, []core.Chunk) {
	t.Helper()
	d := addDocument(t, db, baseID, name, content)
	job, chunks := chunk(t, db, d, n)
	_, err := db.PublishJobs(t.Context(), baseID, []core.Job{job})
	must(t, err)
	return d, chunks
}

func TestFirstOpenSeedsDefaults(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		db, err := Open(t.Context(), dir)
		must(t, err)
		b, err := db.Base(t.Context(), core.OwnerScope(), core.DefaultBaseName)
		must(t, err)
		if b.ActiveVersion != 0 || b.Kind != core.BaseDocument {
			t.Errorf("default base is %+v", b)
		}
		a, err := db.Assistant(t.Context(), core.OwnerScope(), "")
		must(t, err)
		if a.ID != core.DefaultAssistantID || !a.Citations {
			t.Errorf("default assistant is %+v", a)
		}
		must(t, db.Close())
	}
}

func TestOpenFolderWithOddName(t *testing.T) {
	dir := t.TempDir() + "/数据 ?a=b#c%20d"
	db, err := Open(t.Context(), dir)
	must(t, err)
	defer db.Close()
	var name string
	row, err := db.queryRow(t.Context(), "SELECT file FROM pragma_database_list")
	must(t, err)
	must(t, row.Scan(&name))
	if !strings.HasPrefix(name, dir) {
		t.Errorf("the database is at %s, want inside %s", name, dir)
	}
}

func TestRebind(t *testing.T) {
	if got := postgresDialect.rebind("a = ? AND b IN (?, ?)"); got != "a = $1 AND b IN ($2, $3)" {
		t.Errorf("rebind gave %q", got)
	}
}

func TestCanceledContext(t *testing.T) {
	db := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := db.Base(ctx, core.OwnerScope(), "default")
	wantCode(t, err, core.CodeCanceled)
	wantCode(t, db.CreateSession(ctx, core.Session{ID: "s"}), core.CodeCanceled)
}
