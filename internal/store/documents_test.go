package store

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
)

func writeFile(path, content string) error { return os.WriteFile(path, []byte(content), 0o644) }

func stage(t *testing.T, db *DB, content string) Blob {
	t.Helper()
	b, err := db.StageBlob(t.Context(), strings.NewReader(content), 100)
	must(t, err)
	t.Cleanup(b.Discard)
	return b
}

func TestBlobs(t *testing.T) {
	db := open(t)
	_, err := db.StageBlob(t.Context(), strings.NewReader(strings.Repeat("x", 101)), 100)
	wantCode(t, err, core.CodeTooLarge)
	if !strings.Contains(core.PublicMessage(err), "100 bytes") {
		t.Errorf("the message %q does not name the limit", core.PublicMessage(err))
	}
	b := stage(t, db, strings.Repeat("x", 100))
	if b.Size != 100 {
		t.Errorf("size is %d", b.Size)
	}
	_, err = db.ReadBlob(t.Context(), b.Hash)
	wantCode(t, err, core.CodeNotFound)
	_, err = db.ReadBlob(t.Context(), "../../etc/passwd")
	wantCode(t, err, core.CodeNotFound)
	b.Discard()
	if left, _ := os.ReadDir(db.dir + "/" + blobFolder); len(left) != 0 {
		t.Errorf("%d files are left", len(left))
	}
}

// The original goes with the last document that has it.
func TestOriginalsAreShared(t *testing.T) {
	db := open(t)
	must(t, db.CreateBase(t.Context(), core.KnowledgeBase{ID: "b", TenantID: core.DefaultTenantID, Name: "b", Visibility: core.VisibilityPublic}))
	first := addDocument(t, db, core.DefaultBaseName, "one", "same")
	second := addDocument(t, db, "b", "two", "same")
	_, err := db.DeleteDocument(t.Context(), core.OwnerScope(), first.ID)
	must(t, err)
	_, err = db.ReadBlob(t.Context(), first.ContentHash)
	must(t, err)
	_, err = db.DeleteDocument(t.Context(), core.OwnerScope(), second.ID)
	must(t, err)
	_, err = db.ReadBlob(t.Context(), first.ContentHash)
	wantCode(t, err, core.CodeNotFound)
}

// What a killed process left is removed, and nothing else.
func TestSweepBlobs(t *testing.T) {
	db := open(t)
	kept := addDocument(t, db, core.DefaultBaseName, "one", "kept")
	orphan := stage(t, db, "orphan")
	must(t, db.keepBlob(orphan))
	stale, fresh := db.dir+"/blobs/incoming-1", db.dir+"/blobs/incoming-2"
	must(t, writeFile(stale, "half"))
	must(t, writeFile(fresh, "half"))
	must(t, os.Chtimes(stale, db.opened.Add(-time.Hour), db.opened.Add(-time.Hour)))
	must(t, os.Chtimes(fresh, db.opened.Add(time.Hour), db.opened.Add(time.Hour)))
	must(t, db.SweepBlobs(t.Context()))
	_, err := db.ReadBlob(t.Context(), kept.ContentHash)
	must(t, err)
	_, err = db.ReadBlob(t.Context(), orphan.Hash)
	wantCode(t, err, core.CodeNotFound)
	if _, err := os.Stat(stale); err == nil {
		t.Error("a half upload of an earlier process is left")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("an upload of this process is gone")
	}
}

// A59: of a document of many chunks nothing is left, in any version.
func TestDeleteManyChunks(t *testing.T) {
	db := open(t)
	d, chunks := publish(t, db, core.DefaultBaseName, "a", "a", 120)
	other, _ := publish(t, db, core.DefaultBaseName, "b", "b", 2)
	version, err := db.DeleteDocument(t.Context(), core.OwnerScope(), d.ID)
	must(t, err)
	if version != 3 {
		t.Errorf("the deletion made version %d, want 3", version)
	}
	gone := 0
	must(t, db.EachEntry(t.Context(), core.DefaultBaseName, 2, func(e StoredEntry) error {
		if e.DocumentID == other.ID || e.Terms != nil || e.Vector != nil {
			t.Errorf("entry is %+v", e)
		}
		for v := range int64(5) {
			if e.Lives[0].Holds(v) {
				t.Errorf("chunk %s still lives in version %d", e.ChunkID, v)
			}
		}
		gone++
		return nil
	}))
	if gone != 120 {
		t.Errorf("engines learn of %d chunks that are gone, want 120", gone)
	}
	_, err = db.Chunk(t.Context(), core.OwnerScope(), chunks[119].ID)
	wantCode(t, err, core.CodeNotFound)
	for _, table := range []string{"chunks", "chunk_terms", "chunk_vectors", "jobs"} {
		n, err := db.count(t.Context(), "SELECT COUNT(*) FROM "+table)
		must(t, err)
		if n > 3 { // the other document: a parent and two children
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	_, err = db.DeleteDocument(t.Context(), core.OwnerScope(), d.ID)
	wantCode(t, err, core.CodeNotFound)
}

func TestSameContentIsAddedOnce(t *testing.T) {
	db := open(t)
	first := addDocument(t, db, core.DefaultBaseName, "one", "same")
	again, added, err := db.AddDocument(t.Context(), core.Document{ID: core.NewID(), BaseID: core.DefaultBaseName, Name: "two"}, stage(t, db, "same"))
	must(t, err)
	if added || again.ID != first.ID || again.Name != "one" {
		t.Errorf("added %v: %+v", added, again)
	}
	_, _, err = db.AddDocument(t.Context(), core.Document{ID: core.NewID(), BaseID: "nowhere"}, stage(t, db, "same"))
	wantCode(t, err, core.CodeNotFound)
}

// Uploads of one name may finish in any order: the newest stays.
func TestNewestNamesakeWins(t *testing.T) {
	db := open(t)
	old := addDocument(t, db, core.DefaultBaseName, "a", "old")
	oldJob, _ := chunk(t, db, old, 1)
	young := addDocument(t, db, core.DefaultBaseName, "a", "young")
	youngJob, youngChunks := chunk(t, db, young, 1)
	for _, j := range []core.Job{youngJob, oldJob} {
		_, err := db.PublishJobs(t.Context(), core.DefaultBaseName, []core.Job{j})
		must(t, err)
	}
	set := members(t, db, core.DefaultBaseName, 2)
	if len(set) != 1 || !set[youngChunks[0].ID] {
		t.Errorf("version 2 holds %v", set)
	}
	// Both in one publish.
	db = open(t)
	old = addDocument(t, db, core.DefaultBaseName, "a", "old")
	oldJob, _ = chunk(t, db, old, 1)
	young = addDocument(t, db, core.DefaultBaseName, "a", "young")
	youngJob, youngChunks = chunk(t, db, young, 1)
	_, err := db.PublishJobs(t.Context(), core.DefaultBaseName, []core.Job{oldJob, youngJob})
	must(t, err)
	set = members(t, db, core.DefaultBaseName, 1)
	if len(set) != 1 || !set[youngChunks[0].ID] {
		t.Errorf("version 1 holds %v", set)
	}
	list, total, err := db.ListDocuments(t.Context(), core.OwnerScope(), core.DefaultBaseName, 0, 10)
	must(t, err)
	if total != 1 || list[0].ID != young.ID {
		t.Errorf("the list shows %+v", list)
	}
}

// A job that was published or failed does nothing a second time.
func TestJobsEndOnce(t *testing.T) {
	db := open(t)
	d := addDocument(t, db, core.DefaultBaseName, "a", "a")
	job, _ := chunk(t, db, d, 1)
	for want := int64(1); want >= 0; want-- {
		v, err := db.PublishJobs(t.Context(), core.DefaultBaseName, []core.Job{job})
		must(t, err)
		if v != want {
			t.Errorf("published version %d, want %d", v, want)
		}
	}
	must(t, db.FailJob(t.Context(), job, core.CodeInternal, "late"))
	got, err := db.Document(t.Context(), core.OwnerScope(), d.ID)
	must(t, err)
	if got.State != core.DocumentReady || got.Error != "" {
		t.Errorf("document is %+v", got)
	}
	wantCode(t, db.SaveChunks(t.Context(), job.ID, d, Part{First: true, Last: true}), core.CodeCanceled)
	wantCode(t, db.SaveIndexing(t.Context(), job.ID, "m", nil, true), core.CodeCanceled)
}

// Chunks are stored a batch at a time: a job that was stopped between two
// starts over, and a deletion between two leaves none.
func TestSaveChunksInBatches(t *testing.T) {
	db := open(t)
	d := addDocument(t, db, core.DefaultBaseName, "a", "a")
	job := claim(t, db, d.ID)
	many := make([]core.Chunk, chunkBatch*2+1)
	for i := range many {
		many[i] = core.Chunk{ID: fmt.Sprint(i), BaseID: d.BaseID, DocumentID: d.ID, Type: core.ChunkText, Index: i}
	}
	broken := slices.Clone(many)
	broken[chunkBatch].ID = broken[0].ID // the second batch fails
	if err := db.SaveChunks(t.Context(), job.ID, d, Part{Chunks: broken, First: true, Last: true}); err == nil {
		t.Fatal("two chunks share an id")
	}
	got, err := one(t.Context(), db, scanJob, "SELECT "+jobColumns+" FROM jobs WHERE id = ?", job.ID)
	must(t, err)
	if got.Step != core.StepChunk {
		t.Errorf("after half of the chunks the job is at %s", got.Step)
	}
	d.Chunks = len(many)
	must(t, db.SaveChunks(t.Context(), job.ID, d, Part{Chunks: many[:3], First: true}))
	must(t, db.SaveChunks(t.Context(), job.ID, d, Part{Chunks: many[3:], Last: true}))
	left, err := db.UnindexedChunks(t.Context(), d.ID, -1, len(many)+1)
	must(t, err)
	if len(left) != len(many) {
		t.Errorf("%d chunks, want %d", len(left), len(many))
	}
	some, err := db.UnindexedChunks(t.Context(), d.ID, 4, 2)
	must(t, err)
	if len(some) != 2 || some[0].Index != 5 || some[1].Index != 6 {
		t.Errorf("the two behind position 4 are %+v", some)
	}
	if d, err = db.Document(t.Context(), core.OwnerScope(), d.ID); err != nil || d.Chunks != len(many) {
		t.Errorf("document is %+v, %v", d, err)
	}
	if d, err := db.DeleteDocument(t.Context(), core.OwnerScope(), d.ID); err != nil || d != 0 {
		t.Errorf("the deletion made version %d, %v", d, err)
	}
	wantCode(t, db.SaveChunks(t.Context(), job.ID, d, Part{Chunks: many, First: true, Last: true}), core.CodeCanceled)
	n, err := db.count(t.Context(), "SELECT COUNT(*) FROM chunks")
	must(t, err)
	if n != 0 {
		t.Errorf("%d chunks are left", n)
	}
}

func TestChunksByIDKeepsTheOrder(t *testing.T) {
	db := open(t)
	_, chunks := publish(t, db, core.DefaultBaseName, "a", "a", 600)
	var ids, want []string
	for i := range chunks {
		c := chunks[(i*7)%600]
		ids, want = append(ids, c.ID, "missing"), append(want, c.ID)
	}
	got, err := db.ChunksByID(t.Context(), ids)
	must(t, err)
	var order []string
	for _, c := range got {
		order = append(order, c.ID)
	}
	if !slices.Equal(order, want) {
		t.Errorf("the order differs")
	}
	if c := got[0]; !slices.Equal(c.Headings, []string{"一", "二"}) || c.Content != "a passage 0" || c.End != 10 {
		t.Errorf("chunk is %+v", c)
	}
	if none, err := db.ChunksByID(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("no ids give %v, %v", none, err)
	}
}

func TestNeighbourChunks(t *testing.T) {
	db := open(t)
	d, _ := publish(t, db, core.DefaultBaseName, "a", "a", 10)
	got, err := db.NeighbourChunks(t.Context(), d.ID, core.ChunkText, 3, 5)
	must(t, err)
	if len(got) != 3 || got[0].Index != 3 || got[2].Index != 5 {
		t.Errorf("neighbours are %+v", got)
	}
}

// Nothing of a base shows outside of its scope.
func TestDocumentsOfOthersAreNotFound(t *testing.T) {
	db := open(t)
	must(t, db.CreateBase(t.Context(), core.KnowledgeBase{ID: "p", TenantID: core.DefaultTenantID, DatasetID: "d", Name: "p", Visibility: core.VisibilityPrivate}))
	d, chunks := publish(t, db, "p", "a", "a", 1)
	for name, scope := range map[string]core.Scope{
		"nobody":         {},
		"another tenant": {TenantID: "other", UserID: core.OwnerUserID, Visibility: core.OwnerScope().Visibility},
		"public only":    {TenantID: core.DefaultTenantID},
		"other dataset":  {TenantID: core.DefaultTenantID, Datasets: []string{"x"}, Visibility: core.OwnerScope().Visibility},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			_, err := db.Document(ctx, scope, d.ID)
			wantCode(t, err, core.CodeNotFound)
			_, err = db.Chunk(ctx, scope, chunks[0].ID)
			wantCode(t, err, core.CodeNotFound)
			_, err = db.DocumentChunks(ctx, scope, d.ID, 0, 10)
			wantCode(t, err, core.CodeNotFound)
			_, _, err = db.ListDocuments(ctx, scope, "p", 0, 10)
			wantCode(t, err, core.CodeNotFound)
			_, err = db.DeleteDocument(ctx, scope, d.ID)
			wantCode(t, err, core.CodeNotFound)
			_, err = db.Base(ctx, scope, "p")
			wantCode(t, err, core.CodeNotFound)
			wantCode(t, db.DeleteBase(ctx, scope, "p"), core.CodeNotFound)
			list, err := db.ListBases(ctx, scope)
			must(t, err)
			for _, b := range list {
				if b.ID == "p" {
					t.Error("the base is listed")
				}
			}
		})
	}
}

func TestEntriesCarryPlaces(t *testing.T) {
	db := open(t)
	f := core.Folder{ID: "f", BaseID: core.DefaultBaseName, Name: "制度"}
	must(t, db.CreateFolder(t.Context(), core.OwnerScope(), f))
	wantCode(t, db.CreateFolder(t.Context(), core.OwnerScope(), core.Folder{ID: "g", BaseID: f.BaseID, Name: f.Name}), core.CodeConflict)
	d, _, err := db.AddDocument(t.Context(), core.Document{ID: core.NewID(), BaseID: core.DefaultBaseName, FolderID: "f", Name: "a"}, stage(t, db, "a"))
	must(t, err)
	must(t, db.write(t.Context(), "tag", func(tx *tx) error {
		if err := tx.exec("INSERT INTO tags (id, base_id, name) VALUES ('t', 'default', '休假')"); err != nil {
			return err
		}
		return tx.exec("INSERT INTO document_tags (document_id, tag_id) VALUES (?, 't')", d.ID)
	}))
	job, _ := chunk(t, db, d, 2)
	_, err = db.PublishJobs(t.Context(), d.BaseID, []core.Job{job})
	must(t, err)
	n := 0
	must(t, db.EachEntry(t.Context(), d.BaseID, 0, func(e StoredEntry) error {
		n++
		if e.FolderID != "f" || !slices.Equal(e.TagIDs, []string{"t"}) || e.Type != core.ChunkText ||
			string(e.Terms) != "terms" || len(e.Vector) != 4 || e.Lives[0] != (core.Interval{Since: 1}) {
			t.Errorf("entry is %+v", e)
		}
		return nil
	}))
	if n != 2 {
		t.Errorf("%d entries, want 2 and no parent", n)
	}
}

func TestDeleteBase(t *testing.T) {
	db := open(t)
	ctx, owner := t.Context(), core.OwnerScope()
	wantCode(t, db.DeleteBase(ctx, owner, core.DefaultBaseName), core.CodeConflict)
	b := core.KnowledgeBase{ID: "b", TenantID: core.DefaultTenantID, DatasetID: "d", Name: "手册", Kind: core.BaseDocument, Visibility: core.VisibilityPublic}
	must(t, db.CreateBase(ctx, b))
	wantCode(t, db.CreateBase(ctx, core.KnowledgeBase{ID: "c", TenantID: b.TenantID, Name: b.Name}), core.CodeConflict)
	d, _ := publish(t, db, "b", "a", "a", 3)
	got, err := db.Base(ctx, owner, "手册")
	must(t, err)
	if got.ID != "b" || got.ActiveVersion != 1 || got.Documents != 1 {
		t.Errorf("base is %+v", got)
	}
	must(t, db.DeleteBase(ctx, owner, "b"))
	_, err = db.ReadBlob(ctx, d.ContentHash)
	wantCode(t, err, core.CodeNotFound)
	for _, table := range []string{"documents", "chunks", "chunk_terms", "chunk_vectors", "chunk_lives", "document_lives", "versions", "jobs"} {
		if n, err := db.count(ctx, "SELECT COUNT(*) FROM "+table); err != nil || n != 0 {
			t.Errorf("%d rows are left in %s, %v", n, table, err)
		}
	}
}

func TestListDocumentsPages(t *testing.T) {
	db := open(t)
	for i := range 5 {
		addDocument(t, db, core.DefaultBaseName, fmt.Sprint(i), fmt.Sprint(i))
	}
	list, total, err := db.ListDocuments(t.Context(), core.OwnerScope(), core.DefaultBaseName, 1, 2)
	must(t, err)
	if total != 5 || len(list) != 2 || list[0].Name != "3" || list[1].Name != "2" {
		t.Errorf("page of %d: %+v", total, list)
	}
	c, err := db.CountDocuments(t.Context(), core.DefaultBaseName)
	must(t, err)
	if c != (DocumentCounts{Queued: 5}) {
		t.Errorf("counts are %+v", c)
	}
}

func TestSearchDocuments(t *testing.T) {
	db := open(t)
	for i, name := range []string{"Leave 2024.md", "leave_2025.md", "差旅 leave.md", "100%.md"} {
		addDocument(t, db, core.DefaultBaseName, name, fmt.Sprint(i))
	}
	stranger := core.OwnerScope()
	stranger.TenantID = "another"
	for _, tc := range []struct {
		scope core.Scope
		query string
		limit int
		want  string
	}{
		{core.OwnerScope(), "", 2, "100%.md|差旅 leave.md"},
		{core.OwnerScope(), "LEAVE 202", 9, "leave_2025.md|Leave 2024.md"},
		{core.OwnerScope(), "差旅", 9, "差旅 leave.md"},
		{core.OwnerScope(), "0%", 9, "100%.md"},
		{core.OwnerScope(), "e_2", 9, "leave_2025.md"},
		{stranger, "leave", 9, ""},
	} {
		list, err := db.SearchDocuments(t.Context(), tc.scope, tc.query, tc.limit)
		must(t, err)
		var names []string
		for _, d := range list {
			names = append(names, d.Name)
		}
		if got := strings.Join(names, "|"); got != tc.want {
			t.Errorf("%q found %s, not %s", tc.query, got, tc.want)
		}
	}
}

// A deletion that a crash broke off is finished at the next start; until then
// nothing of the document is found or listed.
func TestBrokenDeletionIsFinished(t *testing.T) {
	db := open(t)
	d, _ := publish(t, db, core.DefaultBaseName, "a", "a", 30)
	must(t, db.write(t.Context(), "begin", func(tx *tx) error {
		if err := tx.exec("UPDATE documents SET state = 'deleted' WHERE id = ?", d.ID); err != nil {
			return err
		}
		return leaveVersions(tx, d)
	}))
	must(t, db.FinishDeletions(t.Context()))
	n, err := db.count(t.Context(), "SELECT COUNT(*) FROM chunks")
	must(t, err)
	lives, err := db.count(t.Context(), "SELECT COUNT(*) FROM chunk_lives WHERE until = 0 OR since < until")
	must(t, err)
	if n != 0 || lives != 0 {
		t.Errorf("%d chunks and %d lives are left", n, lives)
	}
}
