package store

import (
	"slices"
	"testing"

	"kaoju/internal/core"
)

// TestRememberedPassagesAreNeverOutOfDate: what was edited or deleted must not
// be quoted from memory (A57).
func TestRememberedPassagesAreNeverOutOfDate(t *testing.T) {
	db := open(t)
	doc, chunks := publish(t, db, core.DefaultBaseName, "a.txt", "some words", 3)
	ids := []string{chunks[0].ID, chunks[1].ID}
	read := func() []core.Chunk {
		t.Helper()
		list, err := db.ChunksByID(t.Context(), ids)
		must(t, err)
		return list
	}
	first := read()
	if again := read(); len(again) != len(ids) || again[0].Content != first[0].Content {
		t.Fatalf("the second reading gives %v", again)
	}
	if _, ok := db.passages.chunks.Load().Get(ids[0]); !ok {
		t.Fatal("nothing was remembered, so this test says nothing")
	}

	must(t, db.write(t.Context(), "edit a chunk", func(tx *tx) error {
		return tx.exec("UPDATE chunks SET content = 'new words' WHERE id = ?", ids[0])
	}))
	edited := read()
	if edited[0].Content != "new words" || edited[1].Content != first[1].Content {
		t.Errorf("after an edit the text is %q, %q", edited[0].Content, edited[1].Content)
	}

	if list, err := db.DocumentsByID(t.Context(), []string{doc.ID}); err != nil || len(list) != 1 {
		t.Fatalf("documents: %v, %v", list, err)
	}
	_, err := db.DeleteDocument(t.Context(), core.OwnerScope(), doc.ID)
	must(t, err)
	if list := read(); len(list) != 0 {
		t.Errorf("deleted chunks are still there: %v", list)
	}
	if list, err := db.DocumentsByID(t.Context(), []string{doc.ID}); err != nil || len(list) != 0 {
		t.Errorf("the deleted document is still there: %v, %v", list, err)
	}
}

func TestRememberedRowsComeInTheOrderAsked(t *testing.T) {
	db := open(t)
	_, chunks := publish(t, db, core.DefaultBaseName, "a.txt", "some words", 3)
	a, b := chunks[0].ID, chunks[1].ID
	for _, ids := range [][]string{{b}, {a, "missing", b}, {b, a}, {a, b, a}} {
		list, err := db.ChunksByID(t.Context(), ids)
		must(t, err)
		var got, want []string
		for _, c := range list {
			got = append(got, c.ID)
		}
		for _, id := range ids {
			if id != "missing" {
				want = append(want, id)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("asked for %v, got %v", ids, got)
		}
	}
}

func TestStaleBy(t *testing.T) {
	both := staleChunks | staleDocuments
	for query, want := range map[string]stale{
		"INSERT INTO chunks (id) VALUES (?)":                             0,
		"INSERT INTO chunks (id) VALUES (?) ON CONFLICT (id) DO NOTHING": staleChunks,
		"INSERT OR REPLACE INTO chunks (id) VALUES (?)":                  both,
		"UPDATE chunks SET content = ? WHERE id = ?":                     staleChunks,
		"UPDATE OR IGNORE chunks SET content = ?":                        both,
		"DELETE FROM chunks WHERE document_id = ?":                       staleChunks,
		"UPDATE documents SET state = ?, chunks = 0":                     staleDocuments,
		"DELETE FROM documents WHERE id = ?":                             both,
		"DELETE FROM knowledge_bases WHERE id = ?":                       both,
		"UPDATE knowledge_bases SET active_version = ?":                  0,
		"UPDATE messages SET content = ?":                                0,
		"SELECT id FROM chunks":                                          0,
		"WITH x AS (SELECT 1) DELETE FROM chunks":                        both,
		"\n\tUPDATE\n\tchunks SET content = ?":                           staleChunks,
		"":                                                               both,
	} {
		if got := staleBy(query); got != want {
			t.Errorf("%q puts %b out of date, want %b", query, got, want)
		}
	}
}
