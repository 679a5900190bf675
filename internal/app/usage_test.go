package app

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
	"kaoju/internal/llm"
)

// costly is an embedder that costs one token a text.
type costly struct{}

func (costly) Dim() int      { return 1 }
func (costly) Model() string { return "costly" }
func (costly) Embed(ctx context.Context, _ llm.Purpose, texts []string) ([][]float32, error) {
	llm.Spend(ctx, llm.Usage{Kind: llm.KindEmbed, Model: "costly", Input: len(texts)})
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = []float32{1}
	}
	return vectors, nil
}

// What passages cost is booked on the tenant of their base.
func TestPassagesAreBookedOnTheirTenant(t *testing.T) {
	d := newDesk(t, nil)
	ours, err := d.db.Base(t.Context(), core.OwnerScope(), core.DefaultBaseName)
	if err != nil {
		t.Fatal(err)
	}
	theirs := core.KnowledgeBase{ID: core.NewID(), TenantID: "other", DatasetID: core.DefaultDatasetID, Name: "theirs", Visibility: core.VisibilityPublic}
	addTenant(t, filepath.Join(d.cfg.Data, "kaoju.db"), theirs.TenantID)
	if err := d.db.CreateBase(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	x := knowledge.Indexer{Embedder: bookedEmbedder{costly{}, ledger{d.db}}}
	for _, base := range []string{ours.ID, theirs.ID, theirs.ID} {
		chunks := []core.Chunk{{ID: core.NewID(), BaseID: base, Type: core.ChunkText, Content: "text"}}
		if _, err := x.Entries(t.Context(), core.Document{BaseID: base}, chunks); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Vectors(t.Context(), []string{""}, chunks); err != nil {
			t.Fatal(err)
		}
	}
	for tenant, want := range map[string]int64{core.DefaultTenantID: 2, "other": 4} {
		days, err := d.db.Usage(t.Context(), core.Scope{TenantID: tenant}, 1)
		if err != nil || len(days) != 1 || days[0].Input != want {
			t.Errorf("%s: %+v, %v; want %d tokens", tenant, days, err, want)
		}
	}
}

// addTenant adds a tenant behind the store's back: there is no route for it.
func addTenant(t *testing.T, path, id string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "INSERT INTO tenants (id, name, created_at) VALUES (?, ?, 0)", id, id); err != nil {
		t.Fatal(err)
	}
}
