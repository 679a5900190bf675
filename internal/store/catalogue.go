package store

import (
	"context"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// FindDocuments gives the first limit ready documents of the bases, by name,
// whose name or title holds every word, and how many there are. Case, width
// and traditional characters do not matter, which is why the names are
// compared here and not by the database. Authorise the bases before.
func (db *DB) FindDocuments(ctx context.Context, baseIDs, words []string, limit int) ([]core.Document, int, error) {
	var first []core.Document
	total := 0
	for _, base := range baseIDs {
		err := each(ctx, db, func(s scanner) error {
			d, err := scanDocument(s)
			if err != nil || !holdsAll(text.Normalize(d.Name+" "+d.Title), words) {
				return err
			}
			if total++; len(first) < limit {
				first = append(first, d)
			}
			return nil
		}, "SELECT "+documentColumns+" FROM documents d WHERE d.base_id = ? AND d.state = 'ready' AND"+current+" ORDER BY d.name, d.id", base)
		if err != nil {
			return nil, 0, err
		}
	}
	return first, total, nil
}

func holdsAll(name string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(name, w) {
			return false
		}
	}
	return true
}
