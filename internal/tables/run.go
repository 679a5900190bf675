package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Limits of a statement.
const (
	MaxResult   = 50 // rows of a result
	maxSQL      = 4000
	runTime     = 500 * time.Millisecond
	loadTime    = 3 * time.Second
	longestText = 100_000 // bytes of any value
)

// Result is what a statement gave.
type Result struct {
	Columns []string
	Rows    [][]string
	More    bool // there were more than MaxResult
}

// Name is what the table is called in statements; its columns are c1, c2 …
const Name = "t"

// Run runs one SELECT over the table, called t with columns c1, c2 … in the
// order of Columns. The database is in memory, holds nothing else and cannot
// be written; no file can be attached, no other function than those for
// computing is taken, and a statement that takes too long is ended.
func (t Table) Run(ctx context.Context, query string, args ...any) (Result, error) {
	if err := Check(query); err != nil {
		return Result{}, err
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return Result{}, fmt.Errorf("open a database in memory: %w", err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("open a database in memory: %w", err)
	}
	defer conn.Close()
	loading, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	if err := t.load(loading, conn); err != nil {
		return Result{}, fmt.Errorf("load the table: %w", err)
	}
	if err := restrict(loading, conn); err != nil {
		return Result{}, fmt.Errorf("close the table to changes: %w", err)
	}
	running, stop := context.WithTimeout(ctx, runTime)
	defer stop()
	return read(running, conn, query, args)
}

// load copies the table. Numbers become numbers, so that they add up.
func (t Table) load(ctx context.Context, conn *sql.Conn) error {
	if len(t.Columns) == 0 {
		return errors.New("the table has no columns")
	}
	names, marks := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i], marks[i] = "c"+strconv.Itoa(i+1), "?"
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, "CREATE TABLE "+Name+" ("+strings.Join(names, ", ")+")"); err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO "+Name+" VALUES ("+strings.Join(marks, ", ")+")")
	if err != nil {
		return err
	}
	defer insert.Close()
	values := make([]any, len(t.Columns))
	for _, row := range t.Rows {
		for i, column := range t.Columns {
			values[i] = nil
			if v := cell(row, i); v != "" {
				values[i] = v
				if n, ok := Number(v); ok && column.Numbers {
					values[i] = n
				}
			}
		}
		if _, err := insert.ExecContext(ctx, values...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// restrict takes from the connection what a statement does not need.
func restrict(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, "PRAGMA query_only = ON"); err != nil {
		return err
	}
	for id, value := range map[int]int{
		sqlite3.SQLITE_LIMIT_ATTACHED: 0, sqlite3.SQLITE_LIMIT_LENGTH: longestText, sqlite3.SQLITE_LIMIT_SQL_LENGTH: maxSQL,
		sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 50, sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 5, sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 10,
	} {
		if _, err := sqlite.Limit(conn, id, value); err != nil {
			return err
		}
	}
	return nil
}

func read(ctx context.Context, conn *sql.Conn, query string, args []any) (Result, error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return Result{}, fmt.Errorf("compute over the table: %w", err)
	}
	defer rows.Close()
	var r Result
	if r.Columns, err = rows.Columns(); err != nil {
		return r, err
	}
	for rows.Next() {
		if len(r.Rows) == MaxResult {
			r.More = true
			break
		}
		values, into := make([]any, len(r.Columns)), make([]any, len(r.Columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return r, fmt.Errorf("compute over the table: %w", err)
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = said(v)
		}
		r.Rows = append(r.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return r, fmt.Errorf("compute over the table: %w", err)
	}
	return r, nil
}

// said writes a value as a reader would: at most six digits behind the point.
func said(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		s := strconv.FormatFloat(v, 'f', 6, 64)
		return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	case int64:
		return strconv.FormatInt(v, 10)
	case []byte:
		return string(v)
	}
	return fmt.Sprint(v)
}

// functions that a statement may call. What looks like a call beside them is a
// word of SQL.
var (
	functions = regexp.MustCompile(`^(?:sum|avg|count|min|max|total|round|abs|coalesce|ifnull|nullif|lower|upper|length|trim|cast|` +
		`in|and|or|not|as|over|values|exists|when|then|else|case|where|from|select|on|by|having|between|like|is|t)$`)
	calls     = regexp.MustCompile(`([\pL_][\pL\d_]*)\s*\(`)
	forbidden = regexp.MustCompile(`\b(?:recursive|attach|detach|pragma|insert|update|delete|replace|drop|alter|create|vacuum|reindex|analyze|load_extension|sqlite_\w*|pragma_\w*)\b`)
	// quotedCall is a call of a function whose name stands in quotes; what was in
	// them is gone.
	quotedCall = regexp.MustCompile(`''\s*\(`)
	literals   = regexp.MustCompile(`'(?:[^']|'')*'|"(?:[^"]|"")*"`)
)

// Check refuses what is not one SELECT, or asks for more than the table.
func Check(query string) error {
	bare := strings.ToLower(literals.ReplaceAllString(query, "''"))
	plain := strings.TrimSpace(strings.TrimSuffix(strings.Join(strings.Fields(bare), " "), ";"))
	switch {
	case len(query) > maxSQL:
		return errors.New("the statement is too long")
	case !strings.HasPrefix(plain, "select "):
		return errors.New("only a SELECT is run")
	case strings.ContainsAny(plain, ";`[]\x00") || strings.Contains(plain, "--") || strings.Contains(plain, "/*"):
		return errors.New("only one statement is run, without comments")
	}
	if word := forbidden.FindString(plain); word != "" {
		return fmt.Errorf("%s is not taken in a statement", word)
	}
	if quotedCall.MatchString(plain) {
		return errors.New("a function is named without quotes")
	}
	for _, m := range calls.FindAllStringSubmatch(plain, -1) {
		if !functions.MatchString(m[1]) {
			return fmt.Errorf("the function %s is not taken in a statement", m[1])
		}
	}
	return nil
}
