package store

import (
	"context"
	"strings"
	"sync/atomic"

	"kaoju/internal/core"
	"kaoju/internal/memo"
)

// passages keeps chunks and documents that searches asked for in memory. What
// is there is never out of date: any statement that changes or removes rows of
// their tables empties it, before the one who wrote is told. Chunks are hardly
// ever changed once they are stored; documents are while they are worked on.
// It relies on the folder having one server (Lock).
type passages struct {
	chunks    atomic.Pointer[memo.Memo[string, core.Chunk]]
	documents atomic.Pointer[memo.Memo[string, core.Document]]
}

// documentShare is the part of the room that documents get: one has no text.
const documentShare = 8

// Remember keeps passages and their documents in memory, up to so many bytes;
// 0 keeps none. Call it before the first search.
func (db *DB) Remember(bytes int64) {
	db.passages.chunks.Store(memo.New[string, core.Chunk](bytes - bytes/documentShare))
	db.passages.documents.Store(memo.New[string, core.Document](bytes / documentShare))
}

// rowBytes is what a row costs in memory beside its long texts.
const rowBytes = 400

func chunkBytes(c core.Chunk) int64 {
	n := rowBytes + len(c.Content)
	for _, h := range c.Headings {
		n += 16 + len(h)
	}
	for _, q := range c.Questions {
		n += 16 + len(q)
	}
	if c.FAQ != nil {
		n += rowBytes
		for _, list := range [][]string{c.FAQ.Questions(), c.FAQ.Negative, c.FAQ.Answers} {
			for _, s := range list {
				n += 16 + len(s)
			}
		}
	}
	return int64(n)
}

func documentBytes(d core.Document) int64 {
	return int64(rowBytes + len(d.Name) + len(d.Title) + len(d.Source))
}

// remembered gives rows from memory, and reads those that are not there.
func remembered[T any](ctx context.Context, db *DB, ids []string, n named[T], m *memo.Memo[string, T]) ([]T, error) {
	list := make([]T, 0, len(ids))
	var missing []string
	age := m.Age()
	for _, id := range ids {
		if v, ok := m.Get(id); ok {
			list = append(list, v)
		} else {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return list, nil
	}
	read, err := byID(ctx, db, missing, n)
	if err != nil {
		return nil, err
	}
	for _, v := range read {
		m.Put(age, n.id(v), v, n.bytes(v))
	}
	if len(list) == 0 {
		return read, nil
	}
	return inOrder(ids, append(list, read...), n.id), nil
}

// inOrder puts rows in the order of ids.
func inOrder[T any](ids []string, rows []T, id func(T) string) []T {
	at := make(map[string]int, len(rows))
	for i, v := range rows {
		at[id(v)] = i
	}
	list := make([]T, 0, len(rows))
	for _, want := range ids {
		if i, ok := at[want]; ok {
			list = append(list, rows[i])
		}
	}
	return list
}

// stale is what a statement puts out of date.
type stale uint8

const (
	staleChunks stale = 1 << iota
	staleDocuments
)

// staleBy tells what rows a statement may change or remove. New rows have new
// ids: an INSERT counts only where it may change what is there.
func staleBy(query string) stale {
	words := strings.Fields(query[:min(len(query), 80)])
	for len(words) < 3 {
		words = append(words, "")
	}
	table := ""
	switch {
	case words[0] == "SAVEPOINT", words[0] == "RELEASE", words[0] == "ROLLBACK": // of writes that share a commit
		return 0
	case words[0] == "SELECT", words[0] == "INSERT" && words[1] == "INTO" && !strings.Contains(query, "CONFLICT"):
		return 0
	case words[0] == "DELETE", words[0] == "INSERT" && words[1] == "INTO":
		table = words[2]
	case words[0] == "UPDATE" && words[1] != "OR":
		table = words[1]
	default:
		return staleChunks | staleDocuments
	}
	switch table {
	case "chunks":
		return staleChunks
	case "documents":
		if words[0] == "DELETE" {
			return staleChunks | staleDocuments
		}
		return staleDocuments
	case "knowledge_bases", "tenants":
		if words[0] == "DELETE" {
			return staleChunks | staleDocuments
		}
	}
	return 0
}

// forget drops what may be out of date.
func (p *passages) forget(s stale) {
	if s&staleChunks != 0 {
		p.chunks.Load().Forget()
	}
	if s&staleDocuments != 0 {
		p.documents.Load().Forget()
	}
}
