package store

import (
	"context"
	"database/sql"
	"errors"

	"kaoju/internal/core"
)

// WikiItem is a part of a job's work that is not done twice.
type WikiItem struct {
	Step     core.WikiStep
	Position int
	Ref      string // id of a document, or slug of a topic
	Name     string
	State    core.JobState
	Did      string // what became of the page: added, changed, unchanged, proposed; "" where there is none
	Result   string // JSON of the step's own
	Error    string // why it failed
}

const wikiJobColumns = `j.id, j.base_id, j.source_id, j.tenant_id, j.user_id, j.state, j.step, j.error_code, j.error, j.created_at, j.updated_at,
	(SELECT COUNT(*) FROM wiki_job_items i WHERE i.job_id = j.id AND i.state <> 'queued'),
	(SELECT COUNT(*) FROM wiki_job_items i WHERE i.job_id = j.id),
	(SELECT COUNT(*) FROM wiki_job_items i WHERE i.job_id = j.id AND i.state = 'failed'),
	(SELECT COUNT(*) FROM wiki_job_items i WHERE i.job_id = j.id AND i.did = 'added'),
	(SELECT COUNT(*) FROM wiki_job_items i WHERE i.job_id = j.id AND i.did = 'changed'),
	(SELECT COUNT(*) FROM wiki_job_items i WHERE i.job_id = j.id AND i.did = 'proposed')`

func scanWikiJob(s scanner) (core.WikiJob, error) {
	j := core.WikiJob{Problems: []core.WikiProblem{}}
	var created, updated int64
	err := s.Scan(&j.ID, &j.BaseID, &j.SourceID, &j.TenantID, &j.UserID, &j.State, &j.Step, &j.ErrorCode, &j.Error, &created, &updated,
		&j.Done, &j.Total, &j.Failed, &j.Added, &j.Changed, &j.Proposed)
	j.CreatedAt, j.UpdatedAt = moment(created), moment(updated)
	return j, err
}

// AddWikiJob queues a job with its first items. While the wiki has one that is
// queued or running, it is a core.CodeConflict.
func (db *DB) AddWikiJob(ctx context.Context, j core.WikiJob, items []WikiItem) error {
	return db.write(ctx, "queue the job", func(tx *tx) error {
		if err := lockBase(tx, j.BaseID); err != nil {
			return err
		}
		now := millis(clock())
		n, err := tx.change(`INSERT INTO wiki_jobs (id, base_id, source_id, tenant_id, user_id, state, step, error_code, error, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, '', '', ?, ?) ON CONFLICT DO NOTHING`,
			j.ID, j.BaseID, j.SourceID, j.TenantID, j.UserID, core.JobQueued, core.WikiStepRead, now, now)
		if err == nil && n == 0 {
			err = core.Errorf(core.CodeConflict, "pages are being written for this wiki already; wait for that job, or stop it")
		}
		if err != nil {
			return err
		}
		return insertWikiItems(tx, j.ID, items)
	})
}

func insertWikiItems(tx *tx, job string, items []WikiItem) error {
	return tx.repeat(`INSERT INTO wiki_job_items (job_id, step, position, ref, name, state, did, result, error)
		VALUES (?, ?, ?, ?, ?, ?, '', ?, '')`, len(items), func(n int) []any {
		i := items[n]
		return []any{job, i.Step, i.Position, i.Ref, i.Name, core.JobQueued, i.Result}
	})
}

// ClaimWikiJob begins the oldest job that waits. ok is false where none does.
func (db *DB) ClaimWikiJob(ctx context.Context) (j core.WikiJob, ok bool, err error) {
	var id string
	err = db.write(ctx, "begin a job", func(tx *tx) error {
		err := tx.row(`UPDATE wiki_jobs SET state = ?, updated_at = ? WHERE id = (
			SELECT id FROM wiki_jobs WHERE state = 'queued' ORDER BY id LIMIT 1) RETURNING id`, core.JobRunning, millis(clock())).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil || id == "" {
		return j, false, err
	}
	j, err = db.WikiJob(ctx, id)
	return j, err == nil, err
}

// RecoverWikiJobs puts the jobs that a process that died was working on back in
// the queue. Only the owner of the data folder may call it, at its start.
func (db *DB) RecoverWikiJobs(ctx context.Context) error {
	return db.write(ctx, "recover the jobs", func(tx *tx) error {
		return tx.exec("UPDATE wiki_jobs SET state = ?, updated_at = ? WHERE state = ?", core.JobQueued, millis(clock()), core.JobRunning)
	})
}

// WikiJob gives a job with what failed of it. Authorise its base before.
func (db *DB) WikiJob(ctx context.Context, id string) (core.WikiJob, error) {
	j, err := one(ctx, db, scanWikiJob, "SELECT "+wikiJobColumns+" FROM wiki_jobs j WHERE j.id = ?", id)
	if err != nil {
		return j, found(err, core.Errorf(core.CodeNotFound, "there is no job %q", id))
	}
	j.Problems, err = all(ctx, db, func(s scanner) (p core.WikiProblem, err error) { return p, s.Scan(&p.Step, &p.Name, &p.Error) },
		"SELECT step, name, error FROM wiki_job_items WHERE job_id = ? AND state = 'failed' ORDER BY step, position LIMIT 20", id)
	return j, err
}

// WikiJobs gives the last jobs of a wiki, the newest first. Authorise it before.
func (db *DB) WikiJobs(ctx context.Context, baseID string) ([]core.WikiJob, error) {
	return all(ctx, db, scanWikiJob, "SELECT "+wikiJobColumns+" FROM wiki_jobs j WHERE j.base_id = ? ORDER BY j.id DESC LIMIT 50", baseID)
}

// WikiItems gives the items of a step of a job, in order.
func (db *DB) WikiItems(ctx context.Context, job string, step core.WikiStep) ([]WikiItem, error) {
	return all(ctx, db, func(s scanner) (i WikiItem, err error) {
		return i, s.Scan(&i.Step, &i.Position, &i.Ref, &i.Name, &i.State, &i.Did, &i.Result, &i.Error)
	}, `SELECT step, position, ref, name, state, did, result, error FROM wiki_job_items
		WHERE job_id = ? AND step = ? ORDER BY position`, job, step)
}

// SaveWikiItem stores what became of an item. A job that does not run any more
// is a core.CodeCanceled.
func (db *DB) SaveWikiItem(ctx context.Context, job string, i WikiItem) error {
	return db.write(ctx, "store the item", func(tx *tx) error {
		if err := advanceWiki(tx, job, i.Step); err != nil {
			return err
		}
		return tx.exec("UPDATE wiki_job_items SET state = ?, did = ?, result = ?, error = ? WHERE job_id = ? AND step = ? AND position = ?",
			i.State, i.Did, i.Result, i.Error, job, i.Step, i.Position)
	})
}

// EnterWikiStep moves a running job to a step, with those of its items that it
// has not got yet; they go behind the others.
func (db *DB) EnterWikiStep(ctx context.Context, job string, step core.WikiStep, items []WikiItem) error {
	return db.write(ctx, "begin the step", func(tx *tx) error {
		if err := advanceWiki(tx, job, step); err != nil {
			return err
		}
		there, err := tx.texts("SELECT ref FROM wiki_job_items WHERE job_id = ? AND step = ?", job, step)
		if err != nil {
			return err
		}
		known := make(map[string]bool, len(there))
		for _, ref := range there {
			known[ref] = true
		}
		var missing []WikiItem
		for _, i := range items {
			if !known[i.Ref] {
				i.Position = len(there) + len(missing)
				missing = append(missing, i)
			}
		}
		return insertWikiItems(tx, job, missing)
	})
}

func advanceWiki(tx *tx, job string, step core.WikiStep) error {
	n, err := tx.change("UPDATE wiki_jobs SET step = ?, updated_at = ? WHERE id = ? AND state = ?", step, millis(clock()), job, core.JobRunning)
	if err == nil && n == 0 {
		err = core.Errorf(core.CodeCanceled, "the job was stopped")
	}
	return err
}

// EndWikiJob moves a job from one of some states to another, with the reason of
// a failure, and reports whether it was in one of them.
func (db *DB) EndWikiJob(ctx context.Context, job string, from []core.JobState, to core.JobState, why *core.Error) (bool, error) {
	if why == nil {
		why = &core.Error{}
	}
	moved := false
	err := db.write(ctx, "store the state of the job", func(tx *tx) error {
		for _, f := range from {
			n, err := tx.change(`UPDATE wiki_jobs SET state = ?, error_code = ?, error = ?, updated_at = ? WHERE id = ? AND state = ?
				AND (? <> 'queued' OR NOT EXISTS (SELECT 1 FROM wiki_jobs o WHERE o.base_id = wiki_jobs.base_id AND o.id <> wiki_jobs.id AND o.state IN ('queued', 'running')))`,
				to, why.Code, why.Message, millis(clock()), job, f, to)
			if err != nil {
				return err
			}
			moved = moved || n > 0
		}
		if moved && to == core.JobQueued { // what failed is tried again, and then listed
			return tx.exec("UPDATE wiki_job_items SET state = 'queued', error = '' WHERE job_id = ? AND (state = 'failed' OR step = ?)", job, core.WikiStepIndex)
		}
		return nil
	})
	return moved, err
}

// WikiJobBase gives the wiki that a job writes, whatever scopes see: it was
// authorised when the job was begun.
func (db *DB) WikiJobBase(ctx context.Context, id string) (core.KnowledgeBase, error) {
	b, err := one(ctx, db, scanBase, "SELECT "+baseColumns+" FROM knowledge_bases b WHERE b.id = ?", id)
	return b, found(err, core.Errorf(core.CodeCanceled, "the wiki was deleted"))
}
