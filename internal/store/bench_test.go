package store

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"kaoju/internal/core"
)

// filled gives a store with documents of 20 chunks each, with terms and
// vectors of the usual sizes.
func filled(b *testing.B, dir string, documents int) (*DB, []string) {
	b.Helper()
	db, err := Open(b.Context(), dir)
	must(b, err)
	terms, vector := make([]byte, 1200), make([]byte, 773)
	var ids []string
	for i := range documents {
		d := addDocument(b, db, core.DefaultBaseName, fmt.Sprint(i), fmt.Sprint(i))
		job := claim(b, db, d.ID)
		var chunks []core.Chunk
		var entries []Indexing
		for j := range 20 {
			c := core.Chunk{ID: core.NewID(), BaseID: d.BaseID, DocumentID: d.ID, Type: core.ChunkText, Index: j,
				Content: fmt.Sprintf("%01140d", j), Headings: []string{"heading"}}
			chunks = append(chunks, c)
			entries = append(entries, Indexing{ChunkID: c.ID, Terms: terms, Vector: vector})
			ids = append(ids, c.ID)
		}
		must(b, db.SaveChunks(b.Context(), job.ID, d, Part{Chunks: chunks, First: true, Last: true}))
		must(b, db.SaveIndexing(b.Context(), job.ID, "m", entries, true))
		_, err := db.PublishJobs(b.Context(), d.BaseID, []core.Job{job})
		must(b, err)
	}
	return db, ids
}

func BenchmarkEachEntry(b *testing.B) {
	const documents = 650
	db, _ := filled(b, b.TempDir(), documents)
	defer db.Close()
	for b.Loop() {
		n := 0
		must(b, db.EachEntry(b.Context(), core.DefaultBaseName, 0, func(StoredEntry) error { n++; return nil }))
		if n != documents*20 {
			b.Fatalf("%d entries", n)
		}
	}
}

func BenchmarkChunksByID(b *testing.B) {
	db, ids := filled(b, b.TempDir(), 100)
	defer db.Close()
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{10, 50, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				pick := make([]string, n)
				for i := range pick {
					pick[i] = ids[r.IntN(len(ids))]
				}
				_, err := db.ChunksByID(b.Context(), pick)
				must(b, err)
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	db, _ := filled(b, dir, 50)
	must(b, db.Close())
	for b.Loop() {
		db, err := Open(b.Context(), dir)
		must(b, err)
		must(b, db.Close())
	}
}

func BenchmarkRound(b *testing.B) {
	db := open(b)
	newSession(b, db, "s")
	for b.Loop() {
		_, a := begin(b, db, "s")
		a.State = core.MessageComplete
		must(b, db.FinishMessage(b.Context(), a, core.Trace{}))
	}
}
