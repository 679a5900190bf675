package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"kaoju/internal/core"
)

// dialect is which database the statements go to.
type dialect int

const (
	sqliteDialect dialect = iota
	postgresDialect
)

// rebind turns `?` placeholders into the dialect's own. No statement of ours
// holds a question mark in a literal.
func (d dialect) rebind(query string) string {
	if d == sqliteDialect {
		return query
	}
	var b strings.Builder
	n := 0
	for _, r := range query {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		fmt.Fprintf(&b, "$%d", n)
	}
	return b.String()
}

// stmt gives the reader's prepared form of a query. The texts are constants
// (and IN lists of a few sizes), so that the set stays small.
func (db *DB) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := db.stmts.Load(query); ok {
		return s.(*sql.Stmt), nil
	}
	s, err := db.reader.PrepareContext(ctx, db.dialect.rebind(query))
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	if old, loaded := db.stmts.LoadOrStore(query, s); loaded {
		_ = s.Close()
		return old.(*sql.Stmt), nil
	}
	return s, nil
}

func (db *DB) queryRow(ctx context.Context, query string, args ...any) (*sql.Row, error) {
	s, err := db.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryRowContext(ctx, args...), nil
}

// scanner is a row that can be read: *sql.Row or *sql.Rows.
type scanner interface{ Scan(dest ...any) error }

// one reads a single row. Where there is none, it gives sql.ErrNoRows, for
// found.
func one[T any](ctx context.Context, db *DB, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	var zero T
	row, err := db.queryRow(ctx, query, args...)
	if err != nil {
		return zero, failure(ctx, err, "read the database")
	}
	v, err := scan(row)
	if errors.Is(err, sql.ErrNoRows) {
		return zero, sql.ErrNoRows
	}
	if err != nil {
		return zero, failure(ctx, err, "read the database")
	}
	return v, nil
}

// found turns "no rows" into missing.
func found(err, missing error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return missing
	}
	return err
}

// each hands every row of a query to yield.
func each(ctx context.Context, db *DB, yield func(scanner) error, query string, args ...any) error {
	s, err := db.stmt(ctx, query)
	if err != nil {
		return failure(ctx, err, "read the database")
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return failure(ctx, err, "read the database")
	}
	if err := drain(rows, yield); err != nil {
		return failure(ctx, err, "read the database")
	}
	return nil
}

func drain(rows *sql.Rows, yield func(scanner) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := yield(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// all collects the rows of a query. It is never nil, so that it encodes as [].
func all[T any](ctx context.Context, db *DB, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	list := []T{}
	err := each(ctx, db, func(s scanner) error {
		v, err := scan(s)
		if err == nil {
			list = append(list, v)
		}
		return err
	}, query, args...)
	return list, err
}

// tx is a write transaction.
type tx struct {
	ctx context.Context
	*sql.Tx
	dialect  dialect
	advances bool      // the statements so far change what searches find
	stale    stale     // what the statements so far put out of date
	embeds   *string   // the model whose vectors are taken; nil: any
	known    *sync.Map // prepared statements of the writer, by their text: *sql.Stmt
	asked    []string  // texts that were not among them
}

// write runs fn in one transaction on the writer's connection. Any error
// rolls all of it back; a *core.Error passes as it is.
func (db *DB) write(ctx context.Context, what string, fn func(*tx) error) error {
	t, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return failure(ctx, err, what)
	}
	w := &tx{ctx: ctx, Tx: t, dialect: db.dialect, known: &db.written, embeds: db.embeds.Load()}
	if err := fn(w); err != nil {
		_ = t.Rollback()
		return failure(ctx, err, what)
	}
	if err := w.advance(); err != nil {
		_ = t.Rollback()
		return failure(ctx, err, what)
	}
	err = t.Commit()
	db.passages.forget(w.stale) // a commit that failed may still have happened
	db.tell(w.advances)
	db.learn(w.asked)
	return failure(ctx, err, what)
}

// sql gives a statement in the database's own form, and notes what it changes.
func (t *tx) sql(query string) string {
	t.stale |= staleBy(query)
	t.advances = t.advances || advancesBy(query)
	return t.dialect.rebind(query)
}

// mostWritten bounds the statements that the writer keeps prepared.
const mostWritten = 256

// learn prepares statements for the transactions to come: reading a statement
// takes as long as running it. It does so after the transaction, which had
// the only connection.
func (db *DB) learn(queries []string) {
	for _, query := range queries {
		if _, ok := db.written.Load(query); ok || db.writtenCount.Load() >= mostWritten {
			continue
		}
		// What cannot be prepared now is run as it is.
		s, err := db.writer.PrepareContext(context.Background(), db.dialect.rebind(query))
		if err != nil {
			return
		}
		if _, loaded := db.written.LoadOrStore(query, s); loaded {
			_ = s.Close()
			continue
		}
		db.writtenCount.Add(1)
	}
}

// prepared gives the statement of a query in this transaction; nil where it is
// not prepared yet.
func (t *tx) prepared(query string) *sql.Stmt {
	s, ok := t.known.Load(query)
	if !ok {
		t.asked = append(t.asked, query)
		return nil
	}
	t.stale |= staleBy(query)
	t.advances = t.advances || advancesBy(query)
	return t.StmtContext(t.ctx, s.(*sql.Stmt))
}

func (t *tx) run(query string, args []any) (sql.Result, error) {
	if s := t.prepared(query); s != nil {
		return s.ExecContext(t.ctx, args...)
	}
	return t.ExecContext(t.ctx, t.sql(query), args...)
}

func (t *tx) exec(query string, args ...any) error {
	_, err := t.run(query, args)
	return err
}

// change runs a statement and gives the number of rows that it changed.
func (t *tx) change(query string, args ...any) (int64, error) {
	r, err := t.run(query, args)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (t *tx) row(query string, args ...any) *sql.Row {
	if s := t.prepared(query); s != nil {
		return s.QueryRowContext(t.ctx, args...)
	}
	return t.QueryRowContext(t.ctx, t.sql(query), args...)
}

// texts reads a column of text.
func (t *tx) texts(query string, args ...any) ([]string, error) {
	rows, err := t.QueryContext(t.ctx, t.sql(query), args...)
	if err != nil {
		return nil, err
	}
	var list []string
	err = drain(rows, func(s scanner) error {
		var v string
		err := s.Scan(&v)
		list = append(list, v)
		return err
	})
	return list, err
}

// repeat runs one statement once for each of n argument lists.
func (t *tx) repeat(query string, n int, args func(i int) []any) error {
	if n == 0 {
		return nil
	}
	s, err := t.PrepareContext(t.ctx, t.sql(query))
	if err != nil {
		return err
	}
	defer s.Close()
	for i := range n {
		if _, err := s.ExecContext(t.ctx, args(i)...); err != nil {
			return err
		}
	}
	return nil
}

// failure turns what a database or file system said into the error that a
// caller sees. A *core.Error in the chain passes unchanged.
func failure(ctx context.Context, err error, what string) error {
	var known *core.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return core.Wrap(err, core.CodeTimeout, "there was not enough time to %s", what)
	}
	if ctx.Err() != nil {
		return core.Wrap(err, core.CodeCanceled, "stopped before it could %s", what)
	}
	var db *sqlite.Error
	if errors.As(err, &db) {
		switch db.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			return core.Wrap(err, core.CodeDiskFull, "could not %s: the disk is full", what)
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return core.Wrap(err, core.CodeCorrupt, "could not %s: the database is damaged", what)
		case sqlite3.SQLITE_BUSY:
			return core.Wrap(err, core.CodeBusy, "could not %s: another program holds the database", what)
		}
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return core.Wrap(err, core.CodeDiskFull, "could not %s: the disk is full", what)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// clock is the time of every row. Rows are ordered by ids and numbers, never
// by it.
func clock() time.Time { return time.Now() }

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// encode gives v as JSON text, and "" for a nil slice, map or pointer. Types
// that come here are ours and always encode.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("a stored value does not encode: " + err.Error())
	}
	if string(b) == "null" {
		return ""
	}
	return string(b)
}

// decode reads what encode wrote; "" leaves v alone.
func decode(text string, v any) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return fmt.Errorf("read a stored value: %w", err)
	}
	return nil
}

// placeholders gives "?, ?, …" for n values.
func placeholders(n int) string {
	return strings.TrimSuffix(strings.Repeat("?, ", n), ", ")
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
