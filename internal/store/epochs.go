package store

import (
	"context"
	"slices"
	"strings"
)

// searched are the tables of what a search may find, and of how it is asked.
// Publishing, activating and rolling back, edits, deletions, switching on and
// off, settings, glossaries, other vectors and assistants all write to one.
var searched = []string{
	"knowledge_bases", "chunk_lives", "document_lives", "chunk_terms", "chunk_vectors", "chunk_vectors_by_model", "faq_texts",
	"folders", "document_tags", "tags", "glossaries", "assistants", "assistants_by_tenant",
}

// advancesBy tells whether a statement changes what searches find. Terms and
// vectors of new passages do not: those are found once they are published.
func advancesBy(query string) bool {
	words := strings.Fields(query[:min(len(query), 80)])
	switch {
	case len(words) < 3 || words[0] == "SELECT":
		return false
	case words[0] == "INSERT", words[0] == "DELETE":
		added := words[0] == "INSERT" && strings.HasPrefix(words[2], "chunk_") && words[2] != "chunk_lives"
		return !added && slices.Contains(searched, strings.TrimSuffix(words[2], "("))
	case words[0] == "UPDATE":
		return slices.Contains(searched, words[1])
	}
	return false
}

// advance moves the epoch on within the transaction whose statements changed
// what searches find, so that both are seen together.
func (t *tx) advance() error {
	if !t.advances {
		return nil
	}
	return t.exec("UPDATE cache_epochs SET epoch = epoch + 1 WHERE name = 'all'")
}

// Epoch is the generation of what searches may find; every change moves it on.
func (db *DB) Epoch(ctx context.Context) (int64, error) {
	return one(ctx, db, func(s scanner) (n int64, err error) { return n, s.Scan(&n) }, "SELECT epoch FROM cache_epochs WHERE name = 'all'")
}

// AdvanceEpoch moves the epoch on by hand: nothing that was kept of searches is
// used again.
func (db *DB) AdvanceEpoch(ctx context.Context) error {
	return db.write(ctx, "advance the epoch", func(tx *tx) error {
		tx.advances = true
		return nil
	})
}

// OnAdvance has f called after each commit that moved the epoch on, before its
// writer is told. Set it before the first write.
func (db *DB) OnAdvance(f func()) { db.advanced = f }

// tell calls what waits for the epoch. A commit that failed may still have
// happened.
func (db *DB) tell(advanced bool) {
	if advanced && db.advanced != nil {
		db.advanced()
	}
}
