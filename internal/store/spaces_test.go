package store

import (
	"testing"

	"kaoju/internal/core"
)

// Once another model embeds, vectors of the one before are refused as work to
// do again, and a base switches to no model that does not embed.
func TestVectorsOfTheModelBefore(t *testing.T) {
	db := open(t)
	_, chunks := publish(t, db, core.DefaultBaseName, "a.md", "a", 2) // by the model "test"
	db.Embeds("new")
	list := []Indexing{{ChunkID: chunks[0].ID, Vector: []byte{4, 3, 2, 1}}, {ChunkID: chunks[1].ID, Vector: []byte{4, 3, 2, 1}}}
	wantCode(t, db.SaveVectors(t.Context(), "test", list), core.CodeUnavailable)
	late := addDocument(t, db, core.DefaultBaseName, "b.md", "b")
	lateJob := claim(t, db, late.ID)
	c := core.Chunk{ID: core.NewID(), BaseID: late.BaseID, DocumentID: late.ID, Type: core.ChunkText, Content: "late"}
	must(t, db.SaveChunks(t.Context(), lateJob.ID, late, Part{Chunks: []core.Chunk{c}, First: true, Last: true}))
	entry := []Indexing{{ChunkID: c.ID, Terms: []byte("terms"), Vector: []byte{1, 2, 3, 4}}}
	wantCode(t, db.SaveIndexing(t.Context(), lateJob.ID, "test", entry, true), core.CodeUnavailable)
	must(t, db.SaveIndexing(t.Context(), lateJob.ID, "new", entry, true))
	_, err := db.SwitchSpace(t.Context(), core.DefaultBaseName, "test")
	wantCode(t, err, core.CodeUnavailable)
	must(t, db.SaveVectors(t.Context(), "new", list))
	if done, err := db.SwitchSpace(t.Context(), core.DefaultBaseName, "new"); !done || err != nil {
		t.Errorf("%t, %v", done, err)
	}
}
