package store

import (
	"context"
	"database/sql"
	"errors"

	"kaoju/internal/core"
)

const jobColumns = "id, document_id, base_id, state, step, attempts, error_code, error, created_at, updated_at"

func scanJob(s scanner) (core.Job, error) {
	var j core.Job
	var created, updated int64
	err := s.Scan(&j.ID, &j.DocumentID, &j.BaseID, &j.State, &j.Step, &j.Attempts, &j.ErrorCode, &j.Error,
		&created, &updated)
	j.CreatedAt, j.UpdatedAt = moment(created), moment(updated)
	return j, err
}

func insertJob(tx *tx, d core.Document) error {
	now := millis(clock())
	return tx.exec("INSERT INTO jobs ("+jobColumns+", priority) VALUES (?, ?, ?, ?, ?, 0, '', '', ?, ?, ?)",
		core.NewID(), d.ID, d.BaseID, core.JobQueued, core.StepParse, now, now, flag(d.Bulk))
}

// RecoverJobs puts the jobs that a process that died was working on back in
// the queue, at the step they were in. Only the owner of the data folder may
// call it, before it claims its first job.
func (db *DB) RecoverJobs(ctx context.Context) error {
	return db.write(ctx, "recover the jobs", func(tx *tx) error {
		return tx.exec("UPDATE jobs SET state = ?, updated_at = ? WHERE state = ?",
			core.JobQueued, millis(clock()), core.JobRunning)
	})
}

const (
	nextJob   = "SELECT id FROM jobs WHERE state = 'queued' ORDER BY priority, id LIMIT 1"
	oldestJob = "SELECT id FROM jobs WHERE state = 'queued' ORDER BY id LIMIT 1"
)

// ClaimJob begins the job that waits and comes next, of all tenants: those of
// a bulk after the others, else the oldest first; or the oldest of all. It
// counts the attempt, and gives the job with its document. ok is false where
// none waits.
func (db *DB) ClaimJob(ctx context.Context, oldest bool) (job core.Job, doc core.Document, ok bool, err error) {
	next := nextJob
	if oldest {
		next = oldestJob
	}
	err = db.write(ctx, "begin a job", func(tx *tx) error {
		now := millis(clock())
		job, err = scanJob(tx.row(`UPDATE jobs SET state = ?, attempts = attempts + 1, updated_at = ?
			WHERE id = (`+next+`) RETURNING `+jobColumns,
			core.JobRunning, now))
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		doc, err = scanDocument(tx.row("SELECT "+documentColumns+" FROM documents d WHERE d.id = ?", job.DocumentID))
		if err != nil {
			return err
		}
		ok, doc.State = true, core.DocumentProcessing
		return tx.exec("UPDATE documents SET state = ?, updated_at = ? WHERE id = ?", doc.State, now, doc.ID)
	})
	return job, doc, ok && err == nil, err
}

// advance moves a running job to its next step. It fails once the job is over
// or gone, which is how a deletion stops the work on a document.
func advance(tx *tx, jobID string, step core.Step) error {
	n, err := tx.change("UPDATE jobs SET step = ?, updated_at = ? WHERE id = ? AND state = ?",
		step, millis(clock()), jobID, core.JobRunning)
	if err == nil && n == 0 {
		return core.Errorf(core.CodeCanceled, "the work on the document was stopped")
	}
	return err
}

// chunkBatch is how many chunks one transaction inserts: some ten
// milliseconds, for which a question may have to wait.
const chunkBatch = 512

// Part is what parsing and chunking made of a part of a document.
type Part struct {
	Chunks []core.Chunk
	First  bool // takes the place of what an earlier attempt left
	Last   bool // the job goes on to embedding
}

// SaveChunks stores the chunks of a part, unpublished, and with the last part
// the document's title, format, warnings and number of indexed chunks. A job
// that was cancelled meanwhile is a core.CodeCanceled.
func (db *DB) SaveChunks(ctx context.Context, jobID string, d core.Document, part Part) error {
	first := part.First
	for chunks := part.Chunks; ; chunks = chunks[chunkBatch:] {
		some := chunks[:min(chunkBatch, len(chunks))]
		end := len(some) == len(chunks)
		err := db.write(ctx, "store the chunks", func(tx *tx) error {
			return saveChunks(tx, jobID, d, Part{Chunks: some, First: first, Last: part.Last && end})
		})
		if err != nil || end {
			return err
		}
		first = false
	}
}

func saveChunks(tx *tx, jobID string, d core.Document, part Part) error {
	step := core.StepChunk
	if part.Last {
		step = core.StepEmbed
	}
	if err := advance(tx, jobID, step); err != nil {
		return err
	}
	if part.First {
		if err := tx.exec("DELETE FROM chunks WHERE document_id = ?", d.ID); err != nil {
			return err
		}
	}
	if part.Last {
		if err := describe(tx, d); err != nil {
			return err
		}
	}
	return insertChunks(tx, part.Chunks)
}

// describe stores what reading a document told about it.
func describe(tx *tx, d core.Document) error {
	return tx.exec("UPDATE documents SET title = ?, format = ?, warnings = ?, chunks = ?, updated_at = ? WHERE id = ?",
		d.Title, d.Format, encode(d.Warnings), d.Chunks, millis(clock()), d.ID)
}

// Indexing is what a search engine will keep of a chunk. Vector is nil in a
// keyword-only base.
type Indexing struct {
	ChunkID string
	Terms   []byte
	Vector  []byte
	// Segmentation is that of the base's glossary which the terms were made
	// with; 0 without one.
	Segmentation int64
}

// UnindexedChunks gives the children of a document that SaveIndexing has not
// stored yet, in order: at most limit, of those after a position (-1 for all).
func (db *DB) UnindexedChunks(ctx context.Context, documentID string, after, limit int) ([]core.Chunk, error) {
	return all(ctx, db, scanChunk, "SELECT "+chunkColumns+` FROM chunks c WHERE c.document_id = ? AND c.position > ?
		AND c.type <> 'parent_text' AND NOT EXISTS (SELECT 1 FROM chunk_terms t WHERE t.chunk_id = c.id)
		ORDER BY c.position, c.id LIMIT ?`, documentID, after, limit)
}

// SaveIndexing stores terms and vectors of some chunks, whose vectors are of
// the given model; last says that the job now waits for its publish. A job
// that was cancelled meanwhile is a core.CodeCanceled.
func (db *DB) SaveIndexing(ctx context.Context, jobID, model string, list []Indexing, last bool) error {
	step := core.StepEmbed
	if last {
		step = core.StepPublish
	}
	return db.write(ctx, "store the index entries", func(tx *tx) error {
		if err := advance(tx, jobID, step); err != nil {
			return err
		}
		return insertIndexing(tx, model, list)
	})
}

func insertIndexing(tx *tx, model string, list []Indexing) error {
	err := tx.repeat("INSERT INTO chunk_terms (chunk_id, terms, segmentation) VALUES (?, ?, ?)", len(list),
		func(i int) []any { return []any{list[i].ChunkID, list[i].Terms, list[i].Segmentation} })
	if err != nil {
		return err
	}
	if err := outdate(tx, list); err != nil {
		return err
	}
	var vectors []Indexing
	for _, e := range list {
		if e.Vector != nil {
			vectors = append(vectors, e)
		}
	}
	if err := embedsNow(tx, model, vectors); err != nil {
		return err
	}
	if err := adopt(tx, model, vectors); err != nil {
		return err
	}
	return tx.repeat("INSERT INTO chunk_vectors (chunk_id, model, vector) VALUES (?, ?, ?)", len(vectors),
		func(i int) []any { return []any{vectors[i].ChunkID, model, vectors[i].Vector} })
}

// FailJob ends a job and its document with a reason for the person who added
// it, and removes what was stored of its chunks. It does nothing to a job that
// is over or gone.
func (db *DB) FailJob(ctx context.Context, job core.Job, code core.Code, message string) error {
	return db.write(ctx, "record the failure", func(tx *tx) error {
		now := millis(clock())
		n, err := tx.change("UPDATE jobs SET state = ?, error_code = ?, error = ?, updated_at = ? WHERE id = ? AND state = ?",
			core.JobFailed, code, message, now, job.ID, core.JobRunning)
		if err != nil || n == 0 {
			return err
		}
		if err := tx.exec("DELETE FROM chunks WHERE document_id = ?", job.DocumentID); err != nil {
			return err
		}
		return tx.exec(`UPDATE documents SET state = ?, error_code = ?, error = ?, chunks = 0, updated_at = ?
			WHERE id = ?`, core.DocumentFailed, code, message, now, job.DocumentID)
	})
}

// RequeueJob puts a running job back in the queue, at the step it is in. With
// forgive, the attempt does not count: it was not the job's fault.
func (db *DB) RequeueJob(ctx context.Context, jobID string, forgive bool) error {
	return db.write(ctx, "queue the job again", func(tx *tx) error {
		return tx.exec("UPDATE jobs SET state = ?, attempts = attempts - ?, updated_at = ? WHERE id = ? AND state = ?",
			core.JobQueued, flag(forgive), millis(clock()), jobID, core.JobRunning)
	})
}

// DeferJob puts a running job back in the queue without counting the attempt,
// and behind those that waited beside it: what stops one need not stop them.
func (db *DB) DeferJob(ctx context.Context, jobID string) error {
	return db.write(ctx, "queue the job again", func(tx *tx) error {
		return tx.exec("UPDATE jobs SET state = ?, attempts = attempts - 1, priority = priority + 1, updated_at = ? WHERE id = ? AND state = ?",
			core.JobQueued, millis(clock()), jobID, core.JobRunning)
	})
}

// PublishJobs ends the jobs of one base that have done all but the last step:
// in one transaction their documents enter a new version, each in the place
// of an older one with the same folder, name and source, and are ready. Jobs
// that were cancelled meanwhile are left out; where none is left, no version
// is made and the number is 0.
func (db *DB) PublishJobs(ctx context.Context, baseID string, jobs []core.Job) (int64, error) {
	var number int64
	err := db.write(ctx, "publish", func(tx *tx) error {
		if err := lockBase(tx, baseID); err != nil {
			return err
		}
		docs, err := finishJobs(tx, jobs)
		if err != nil || len(docs) == 0 {
			return err
		}
		p, err := beginVersion(tx, baseID, noteOf(docs))
		if err != nil {
			return err
		}
		number = p.number
		for _, d := range docs {
			if err := p.enter(d); err != nil {
				return err
			}
		}
		return p.finish()
	})
	return number, err
}

// finishJobs marks jobs as done and gives the documents of those that were
// still running.
func finishJobs(tx *tx, jobs []core.Job) ([]core.Document, error) {
	var docs []core.Document
	now := millis(clock())
	for _, j := range jobs {
		n, err := tx.change("UPDATE jobs SET state = ?, step = ?, updated_at = ? WHERE id = ? AND state = ?",
			core.JobDone, core.StepPublish, now, j.ID, core.JobRunning)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			continue
		}
		d, err := scanDocument(tx.row("SELECT "+documentColumns+" FROM documents d WHERE d.id = ?", j.DocumentID))
		if err != nil {
			return nil, err
		}
		if err := tx.exec("UPDATE documents SET state = ?, updated_at = ? WHERE id = ?",
			core.DocumentReady, now, d.ID); err != nil {
			return nil, err
		}
		if err := queueEnrichment(tx, d); err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

func noteOf(docs []core.Document) string {
	if len(docs) == 1 {
		return "add " + docs[0].Name
	}
	return "add " + docs[0].Name + " and others"
}

const namesakes = `SELECT o.id FROM documents o
	WHERE o.base_id = ? AND o.folder_id = ? AND o.name = ? AND o.source = ? AND o.id <> ? AND EXISTS (
		SELECT 1 FROM document_lives l WHERE l.document_id = o.id AND l.until = 0)
	ORDER BY o.id`

// enter puts a document into the version in the place of its older namesakes.
// Where a newer namesake is there already (uploads may finish out of order),
// the document was replaced before it came and stays out. Ids sort by time.
func (p publication) enter(d core.Document) error {
	ids, err := p.tx.texts(namesakes, d.BaseID, d.FolderID, d.Name, d.Source, d.ID)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if id > d.ID {
			return nil
		}
		if err := p.close(id); err != nil {
			return err
		}
	}
	return p.openChunks("c.document_id = ?", d.ID)
}

// DocumentCounts is how many documents of a base stand where.
type DocumentCounts struct {
	Queued     int `json:"queued"`
	Processing int `json:"processing"`
	Ready      int `json:"ready"`
	Failed     int `json:"failed"`
	Disabled   int `json:"disabled"`
}

// Total is how many documents that makes.
func (c DocumentCounts) Total() int { return c.Queued + c.Processing + c.Ready + c.Failed + c.Disabled }

const (
	unreadyDocuments = `SELECT state, COUNT(*) FROM documents
		WHERE base_id = ? AND state IN ('queued', 'processing', 'failed', 'disabled') GROUP BY state`
	readyDocuments = `SELECT v.documents FROM versions v JOIN knowledge_bases b
		ON b.id = v.base_id AND b.active_version = v.number WHERE b.id = ?`
)

// CountDocuments counts the current documents of a base by their state. It is
// cheap, however many are ready.
func (db *DB) CountDocuments(ctx context.Context, baseID string) (DocumentCounts, error) {
	var c DocumentCounts
	at := map[core.DocumentState]*int{
		core.DocumentQueued: &c.Queued, core.DocumentProcessing: &c.Processing, core.DocumentFailed: &c.Failed,
		core.DocumentDisabled: &c.Disabled,
	}
	err := each(ctx, db, func(s scanner) error {
		var state core.DocumentState
		var n int
		err := s.Scan(&state, &n)
		if at[state] != nil {
			*at[state] = n
		}
		return err
	}, unreadyDocuments, baseID)
	if err != nil {
		return c, err
	}
	c.Ready, err = db.count(ctx, readyDocuments, baseID)
	return c, found(err, nil) // no version yet
}
