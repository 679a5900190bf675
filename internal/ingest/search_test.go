package ingest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/index/embedded"
	"kaoju/internal/knowledge"
)

// searchRig is a rig with the real engine.
type searchRig struct {
	*rig
	search *embedded.Engine
}

func newSearchRig(t *testing.T) *searchRig {
	r := newRig(t, t.TempDir())
	e := embedded.New(r.db)
	r.deps.Index = e
	r.k = knowledge.New(knowledge.Options{Store: r.db, Work: r.Worker, Index: e, Limit: 1 << 20})
	r.start()
	return &searchRig{rig: r, search: e}
}

// found gives how many passages answer the words in the active version, by
// keyword and by vector.
func (r *searchRig) found(words string) (keyword, vector int) {
	r.t.Helper()
	b, err := r.db.Base(r.t.Context(), core.OwnerScope(), core.DefaultBaseName)
	must(r.t, err)
	result, err := r.search.Search(r.t.Context(), index.Query{
		Targets: []index.Target{{BaseID: b.ID, Version: b.ActiveVersion}},
		Terms:   index.QueryTerms(words), Vector: []float32{1, 0, 0, 0}, Limit: 500,
	})
	must(r.t, err)
	return len(result.Keyword), len(result.Vector)
}

func (r *searchRig) wantFound(words string, keyword, vector int) {
	r.t.Helper()
	if k, v := r.found(words); k != keyword || v != vector {
		r.t.Errorf("%q finds %d passages by keyword and %d by vector, want %d and %d", words, k, v, keyword, vector)
	}
}

// A57 and A59: what is deleted is not found, down to the last of its chunks,
// and does not come back with an older version.
func TestDeletedIsNotFound(t *testing.T) {
	r := newSearchRig(t)
	r.add("stays.md", "蓝鲸住在海里。")
	r.settled()
	d := r.add("goes.md", long(120)+"末尾提到穿山甲。")
	r.settled()
	keyword, vector := r.found("穿山甲")
	if keyword != 1 || vector < 120 {
		t.Fatalf("before the deletion: %d and %d", keyword, vector)
	}
	must(t, r.k.Delete(t.Context(), core.OwnerScope(), d.ID))
	r.wantFound("穿山甲", 0, 1)
	r.wantFound("蓝鲸", 1, 1)
	must(t, r.db.Activate(t.Context(), core.OwnerScope(), core.DefaultBaseName, 2))
	r.wantFound("穿山甲", 0, 1)
}

// A61 with a rollback: the old file is found in the old version only.
func TestRollback(t *testing.T) {
	r := newSearchRig(t)
	r.add("a.md", "年假三天。")
	r.settled()
	r.add("a.md", "年假五天，另有调休。")
	r.settled()
	r.wantFound("调休", 1, 1)
	must(t, r.db.Activate(t.Context(), core.OwnerScope(), core.DefaultBaseName, 1))
	r.wantFound("调休", 0, 1)
	r.wantFound("年假", 1, 1)
	r.add("b.md", "病假十天。")
	r.settled()
	r.wantFound("调休", 0, 2)
	r.wantFound("年假", 1, 2)
	r.wantFound("病假", 1, 2)
}

// A08, as far as it is ours: an index built a document at a time finds what
// one built at once finds.
func TestReloadedIndexFindsTheSame(t *testing.T) {
	r := newSearchRig(t)
	for i := range 30 {
		r.add(fmt.Sprint(i, ".md"), fmt.Sprintf("第%d号设备的型号是 XK-%04d-B。", i, i))
		if i%7 == 0 {
			r.settled()
		}
	}
	r.settled()
	fresh := &searchRig{rig: r.rig, search: embedded.New(r.db)}
	for _, words := range []string{"XK-0007-B", "设备", strings.Repeat("型号 ", 3)} {
		keyword, vector := r.found(words)
		fresh.wantFound(words, keyword, vector)
		if keyword == 0 || vector != 30 {
			t.Errorf("%q finds %d and %d", words, keyword, vector)
		}
	}
	must(t, fresh.search.Refresh(context.Background(), core.DefaultBaseName))
}
