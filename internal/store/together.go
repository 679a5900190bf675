package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
)

// mostTogether is how many short writes share a commit.
const mostTogether = 64

// queue holds the short writes that wait. One of the callers leads: it runs
// all that wait in one transaction, and hands on to the first that came
// meanwhile. So the writes of many conversations at once cost few commits, and
// a single one waits for nobody.
type queue struct {
	mu   sync.Mutex
	led  bool // somebody leads, or was told to
	jobs []*job
}

// job is one write of a group.
type job struct {
	ctx   context.Context
	what  string
	fn    func(*tx) error
	done  chan error    // gets one result
	lead  chan struct{} // is closed when the caller is to lead
	chief bool          // lead was closed; guarded by queue.mu
	panic any           // what fn panicked with, for its own caller
}

// together is write for short transactions, which may share a commit with
// others: each is all or nothing by itself, and it returns when the commit was
// made. fn must not use its own context to run statements.
func (db *DB) together(ctx context.Context, what string, fn func(*tx) error) error {
	j := &job{ctx: ctx, what: what, fn: fn, done: make(chan error, 1), lead: make(chan struct{})}
	if !db.short.join(j) {
		select {
		case err := <-j.done:
			return j.result(err)
		case <-j.lead:
		case <-ctx.Done():
			if db.short.leave(j) {
				return failure(ctx, ctx.Err(), what)
			}
			select { // it is taken already, or is to lead
			case err := <-j.done:
				return j.result(err)
			case <-j.lead:
			}
		}
	}
	db.runTogether()
	db.short.handOn()
	return j.result(<-j.done)
}

func (j *job) result(err error) error {
	if j.panic != nil {
		panic(j.panic)
	}
	return err
}

// join adds a job and reports whether its caller leads.
func (q *queue) join(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
	lead := !q.led
	q.led = true
	return lead
}

// leave takes a job back that nobody has taken, unless its caller is to lead.
func (q *queue) leave(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.jobs, j)
	if i < 0 || j.chief {
		return false
	}
	q.jobs = slices.Delete(q.jobs, i, i+1)
	return true
}

// take gives the jobs that wait, the leader's own among them.
func (q *queue) take() []*job {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.jobs), mostTogether)
	batch := slices.Clone(q.jobs[:n])
	q.jobs = slices.Delete(q.jobs, 0, n)
	return batch
}

// handOn makes the first that waits the leader.
func (q *queue) handOn() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		q.led = false
		return
	}
	q.jobs[0].chief = true
	close(q.jobs[0].lead)
}

// runTogether runs the jobs that wait in one transaction and tells each its
// result. A job that fails is undone alone; where the database undid
// everything with it, as on a full disk, and where the commit fails, all fail.
func (db *DB) runTogether() {
	// The transaction belongs to all: the end of one caller must not end it.
	t, err := db.writer.BeginTx(context.Background(), nil)
	batch := db.short.take() // whoever came while the writer was busy too
	results := make([]error, len(batch))
	if err == nil {
		w := &tx{Tx: t, dialect: db.dialect, known: &db.written, embeds: db.embeds.Load()}
		for i, j := range batch {
			if results[i], err = w.runJob(j, len(batch) > 1); err != nil {
				break
			}
		}
		if err == nil {
			err = w.advance()
		}
		err = end(t, err, len(batch) == 1 && results[0] != nil)
		db.passages.forget(w.stale)
		db.tell(w.advances)
		db.learn(w.asked)
	}
	for i, j := range batch {
		if results[i] == nil && err != nil {
			results[i] = failure(context.WithoutCancel(j.ctx), err, j.what)
		}
		j.done <- results[i]
	}
}

// end commits a transaction, unless it is lost or its only job failed.
func end(t *sql.Tx, lost error, failed bool) error {
	if lost == nil && !failed {
		return t.Commit()
	}
	_ = t.Rollback()
	return lost
}

// runJob runs one job. The second error says that the transaction is lost.
func (t *tx) runJob(j *job, shared bool) (result, lost error) {
	if j.ctx.Err() != nil {
		return failure(j.ctx, j.ctx.Err(), j.what), nil
	}
	// A statement that is interrupted would undo the whole transaction.
	t.ctx = context.WithoutCancel(j.ctx)
	if shared {
		if err := t.exec("SAVEPOINT one"); err != nil {
			return nil, err
		}
	}
	err := j.run(t)
	if !shared {
		return failure(t.ctx, err, j.what), nil
	}
	if err != nil {
		if undo := t.exec("ROLLBACK TO one"); undo != nil {
			return failure(t.ctx, err, j.what), err
		}
	}
	return failure(t.ctx, err, j.what), t.exec("RELEASE one")
}

// run calls fn, and keeps its panic for the caller that it belongs to.
func (j *job) run(t *tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			j.panic, err = p, fmt.Errorf("panicked: %v", p)
		}
	}()
	return j.fn(t)
}
