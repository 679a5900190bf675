package web_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/store"
)

// serveWith starts the product over a folder that fill has written to.
func serveWith(t testing.TB, change func(*config.Config), fill func(*store.DB)) *world {
	t.Helper()
	dir := t.TempDir()
	db, err := store.Open(t.Context(), dir)
	must(t, err)
	fill(db)
	must(t, db.Close())
	return serve(t, func(cfg *config.Config) {
		cfg.Data = dir
		if change != nil {
			change(cfg)
		}
	})
}

// manyMessages stores a conversation and gives its id.
func manyMessages(t testing.TB, db *store.DB, rounds int) string {
	t.Helper()
	s := core.Session{ID: core.NewID(), TenantID: core.DefaultTenantID, UserID: core.OwnerUserID, AssistantID: core.DefaultAssistantID, Title: "long"}
	var said []core.Message
	for i := range rounds {
		request := core.NewID()
		said = append(said,
			core.Message{ID: core.NewID(), RequestID: request, Role: core.RoleUser, Content: fmt.Sprintf("question %d", i)},
			core.Message{ID: core.NewID(), RequestID: request, Role: core.RoleAssistant, Content: fmt.Sprintf("answer %d with **some** words\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | %d |", i, i)})
	}
	must(t, db.OpenHidden(t.Context(), s, said))
	return s.ID
}

// manyDocuments stores documents without originals and passages.
func manyDocuments(t testing.TB, db *store.DB, n int) {
	t.Helper()
	base, err := db.Base(t.Context(), core.OwnerScope(), core.DefaultBaseName)
	must(t, err)
	file, err := sql.Open("sqlite", filepath.Join(db.Dir(), "kaoju.db"))
	must(t, err)
	defer file.Close()
	tx, err := file.BeginTx(t.Context(), nil)
	must(t, err)
	now := time.Now().UnixMilli()
	for i := range n {
		_, err := tx.ExecContext(t.Context(), `INSERT INTO documents (id, base_id, folder_id, name, title, source, format, size, content_hash,
			state, error_code, error, warnings, chunks, created_at, updated_at) VALUES (?, ?, '', ?, ?, 'upload', 'markdown', ?, ?, 'failed', 'empty', 'no text', '', 0, ?, ?)`,
			core.NewID(), base.ID, fmt.Sprintf("document %05d.md", i), fmt.Sprintf("document %05d", i), 1000+i, fmt.Sprintf("hash-%d", i), now, now)
		must(t, err)
	}
	must(t, tx.Commit())
}

// TestLongConversation scrolls to the start of a conversation and back to its
// end: every message is met once, in order, and few are in the document.
func TestLongConversation(t *testing.T) {
	var session string
	w := serveWith(t, nil, func(db *store.DB) { session = manyMessages(t, db, 300) })
	tb := openTab(t, w.url, look{})
	tb.open("/chat/" + session)
	tb.see(".answer", "answer 299")
	met := eval[[]int](tb, `(async () => {
	const scroll = document.querySelector('.thread-scroll'), met = new Set();
	let most = 0;
	const note = () => { const all = [...document.querySelectorAll('.question-text')].map((e) => Number(e.textContent.split(' ')[1])); most = Math.max(most, document.querySelectorAll('.round').length); for (let i = 1; i < all.length; i++) if (all[i] !== all[i - 1] + 1) throw new Error('out of order: ' + all); all.forEach((n) => met.add(n)); };
	const changed = () => new Promise((ok) => { const o = new MutationObserver(() => { o.disconnect(); ok(); }); o.observe(document.querySelector('.thread'), { childList: true }); });
	while (!met.has(0)) { note(); if (met.has(0)) break; const c = changed(); scroll.scrollTop = 0; await c; }
	const up = met.size; met.clear();
	while (!met.has(299)) { note(); if (met.has(299)) break; const c = changed(); scroll.scrollTop = scroll.scrollHeight; await c; }
	return [up, met.size, most];
})()`)
	if met[0] != 300 || met[1] < 300 || met[2] > 300 {
		t.Errorf("met %d going up and %d going down, with %d in the document", met[0], met[1], met[2])
	}
}

// TestManyDocuments shows a base of which few rows exist at once, by any place
// of its scroll bar.
func TestManyDocuments(t *testing.T) {
	w := serveWith(t, nil, func(db *store.DB) { manyDocuments(t, db, 3000) })
	for _, l := range []look{{}, {width: 320, height: 640}} {
		tb := openTab(t, w.url, l)
		tb.open("/knowledge/default")
		tb.see(".virtual-row", "document 0")
		eval[bool](tb, "(document.querySelector('.virtual').scrollTop = 1e9, true)")
		tb.wait("document.querySelector('.virtual-body [aria-rowindex=\"3001\"] .document-name')")
		if n := eval[int](tb, "document.querySelectorAll('.virtual-body .virtual-row').length"); n > 60 {
			t.Errorf("%d rows exist", n)
		}
		tb.shot("documents-many")
		tb.axe(t)
	}
}
