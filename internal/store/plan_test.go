package store

import (
	"fmt"
	"strings"
	"testing"
)

// TestPlans shows that what every question and every publish runs finds its
// rows through an index, by the columns that matter.
func TestPlans(t *testing.T) {
	db := open(t)
	p := publication{}
	for _, c := range []struct {
		name, query string
		args        int
		want        []string
	}{
		{"chunks by id", "SELECT " + chunkColumns + " FROM chunks c WHERE c.id IN (?, ?)", 2, []string{"SEARCH c USING INDEX sqlite_autoindex_chunks_1 (id=?)"}},
		{"entries of a base", entryColumns + "WHERE l.base_id = ? ORDER BY l.chunk_id, l.since", 1,
			[]string{"SEARCH l USING INDEX sqlite_autoindex_chunk_lives_1 (base_id=?)", "SEARCH t USING INDEX sqlite_autoindex_chunk_terms_1 (chunk_id=?)"}},
		{"changed entries", changedEntries, 5, []string{"SEARCH l USING INDEX sqlite_autoindex_chunk_lives_1 (base_id=? AND chunk_id=?)",
			"chunk_lives_since (base_id=? AND since>?)", "chunk_lives_until (base_id=? AND until>?)"}},
		{"reopen", p.reopen("chunk_lives") + " AND h.since <= ? AND h.until > 0 AND h.until > ?", 4, []string{"SEARCH h USING INDEX chunk_lives_until (base_id=? AND until>?)", "chunk_lives_open (chunk_id=?)"}},
		{"open", openChunkLives("c.document_id = ?"), 3, []string{"SEARCH c USING INDEX chunks_by_document (document_id=?)", "chunk_lives_open (chunk_id=?)"}},
		{"open documents", openDocumentLives("c.document_id = ?"), 3, []string{"SEARCH c USING INDEX chunks_by_document (document_id=?)", "document_lives_open (document_id=?)"}},
		{"close", "UPDATE chunk_lives SET until = ? WHERE base_id = ? AND document_id = ? AND until = 0", 3, []string{"chunk_lives_by_document (document_id=?)"}},
		{"documents of a version", "SELECT COUNT(*) FROM document_lives l WHERE l.base_id = ? AND l.until = 0", 1, []string{"document_lives_open_by_base (base_id=?)"}},
		{"unready documents", unreadyDocuments, 1, []string{"SEARCH documents USING COVERING INDEX documents_by_state (base_id=? AND state=?)"}},
		{"ready documents", readyDocuments, 1, []string{"SEARCH b USING INDEX", "sqlite_autoindex_versions_1 (base_id=? AND number=?)"}},
		{"base", "SELECT " + baseColumns + " FROM knowledge_bases b WHERE b.id = ?", 1, []string{"sqlite_autoindex_versions_1 (base_id=? AND number=?)"}},
		{"namesakes", namesakes, 5, []string{"SEARCH o USING INDEX documents_by_name (base_id=? AND folder_id=? AND name=?)", "document_lives_open (document_id=?)"}},
		{"same content", "SELECT " + documentColumns + " FROM documents d WHERE d.base_id = ? AND d.content_hash = ? AND" + current, 2,
			[]string{"SEARCH d USING INDEX documents_by_hash (base_id=? AND content_hash=?)", "SEARCH l USING INDEX sqlite_autoindex_document_lives_1 (base_id=? AND document_id=?"}},
		{"next job", "SELECT id FROM jobs WHERE state = 'queued' ORDER BY id LIMIT 1", 0, []string{"jobs_by_state (state=?)"}},
		{"messages", "SELECT " + messageColumns + " FROM messages m WHERE m.session_id = ? AND m.message_order < ? ORDER BY m.message_order DESC LIMIT ?", 3,
			[]string{"sqlite_autoindex_messages_2 (session_id=? AND message_order<?)"}},
		{"sessions", "SELECT id FROM sessions WHERE tenant_id = ? AND user_id = ? AND hidden = 0 ORDER BY pinned DESC, updated_at DESC, id DESC", 2,
			[]string{"sessions_by_user (tenant_id=? AND user_id=? AND hidden=?)"}},
		{"pending", "SELECT id FROM messages m WHERE m.state = 'pending' ORDER BY m.created_at, m.id", 0, []string{"messages_pending"}},
	} {
		plan := explain(t, db, c.query, c.args)
		for _, want := range c.want {
			ok := false
			for alternative := range strings.SplitSeq(want, "|") {
				ok = ok || strings.Contains(plan, alternative)
			}
			if !ok {
				t.Errorf("%s: the plan lacks %q:\n%s", c.name, want, plan)
			}
		}
	}
}

func explain(t *testing.T, db *DB, query string, args int) string {
	t.Helper()
	rows, err := db.writer.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, make([]any, args)...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var b strings.Builder
	must(t, drain(rows, func(s scanner) error {
		var id, parent, unused int
		var detail string
		err := s.Scan(&id, &parent, &unused, &detail)
		fmt.Fprintln(&b, detail)
		return err
	}))
	return b.String()
}
