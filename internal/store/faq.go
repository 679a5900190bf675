package store

import (
	"context"
	"slices"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// SourceFAQ is the source of the documents that are FAQ entries.
const SourceFAQ = "faq"

// FAQWrite is an entry to store: what editors gave, and the chunks made of it.
// The first chunk is the entry's (core.ChunkFAQ, position 0), the rest are its
// questions.
type FAQWrite struct {
	FAQ    core.FAQ
	New    bool
	Chunks []core.Chunk
	Index  []Indexing
}

// FAQChange is a change of an FAQ base, published as one version.
type FAQChange struct {
	Put     []FAQWrite
	Replace bool // every entry that is not in Put or Keep leaves; older versions keep it
	Keep    []string
	Model   string // of the vectors
	Note    string
}

// ChangeFAQ stores entries and publishes them, each in the place of what it
// said before. Chunks of a large change are stored in steps, of which nobody
// sees anything before the publish. It gives the new version.
func (db *DB) ChangeFAQ(ctx context.Context, baseID string, c FAQChange) (version int64, err error) {
	for rest := c.Put; len(rest) > 0; {
		n := faqBatch(rest)
		err := db.write(ctx, "store the entries", func(tx *tx) error {
			for _, w := range rest[:n] {
				if err := insertFAQ(tx, w, c.Model); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		rest = rest[n:]
	}
	err = db.write(ctx, "publish the entries", func(tx *tx) error {
		if err := lockBase(tx, baseID); err != nil {
			return err
		}
		p, err := beginVersion(tx, baseID, c.Note)
		if err != nil {
			return err
		}
		version = p.number
		if err := p.enterFAQ(c); err != nil {
			return err
		}
		return p.finish()
	})
	return version, err
}

// faqBatch is how many entries one transaction stores.
func faqBatch(list []FAQWrite) int {
	chunks := 0
	for i, w := range list {
		if chunks += len(w.Chunks); chunks >= chunkBatch {
			return i + 1
		}
	}
	return len(list)
}

// insertFAQ stores an entry's chunks, and its document where it is new. The
// document counts as ready, but is in no version yet, like one that was
// replaced.
func insertFAQ(tx *tx, w FAQWrite, model string) error {
	if w.New {
		now := millis(clock())
		err := tx.exec(`INSERT INTO documents (id, base_id, folder_id, name, title, source, format, size, content_hash,
			state, error_code, error, warnings, chunks, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, 0, '', ?, '', '', '', ?, ?, ?)`,
			w.FAQ.ID, w.FAQ.BaseID, w.FAQ.FolderID, faqTitle(w.FAQ), faqTitle(w.FAQ), SourceFAQ, SourceFAQ,
			core.DocumentReady, len(w.Chunks), now, now)
		if err != nil {
			return err
		}
	}
	if err := insertChunks(tx, w.Chunks); err != nil {
		return err
	}
	if err := insertIndexing(tx, model, w.Index); err != nil {
		return err
	}
	entry := w.Chunks[0]
	texts := faqTexts(w.FAQ.FAQEntry)
	return tx.repeat("INSERT INTO faq_texts (chunk_id, base_id, kind, text_key, enabled) VALUES (?, ?, ?, ?, ?)",
		len(texts), func(i int) []any {
			return []any{entry.ID, entry.BaseID, texts[i].kind, texts[i].key, flag(!w.FAQ.Disabled)}
		})
}

// maxFAQTitle is how much of a question names its document, in characters.
const maxFAQTitle = 255

func faqTitle(f core.FAQ) string { return text.Truncate(f.Question, maxFAQTitle) }

type faqText struct{ kind, key string }

func faqTexts(e core.FAQEntry) []faqText {
	texts := []faqText{{"standard", text.Key(e.Question)}}
	add := func(kind string, list []string) {
		for _, s := range list {
			texts = append(texts, faqText{kind, text.Key(s)})
		}
	}
	add("similar", e.Similar)
	add("negative", e.Negative)
	add("answer", e.Answers)
	return slices.DeleteFunc(texts, func(t faqText) bool { return t.key == "" })
}

func (p publication) enterFAQ(c FAQChange) error {
	keep := make(map[string]bool, len(c.Put)+len(c.Keep))
	for _, id := range c.Keep {
		keep[id] = true
	}
	for _, w := range c.Put {
		keep[w.FAQ.ID] = true
		if err := p.putFAQ(w); err != nil {
			return err
		}
	}
	if !c.Replace {
		return nil
	}
	open, err := p.tx.texts("SELECT document_id FROM document_lives WHERE base_id = ? AND until = 0", p.baseID)
	if err != nil {
		return err
	}
	for _, id := range open {
		if !keep[id] {
			if err := p.close(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// putFAQ lets the chunks of an entry take the place of its older ones.
func (p publication) putFAQ(w FAQWrite) error {
	if !w.New {
		if err := p.renewFAQ(w); err != nil {
			return err
		}
	}
	if err := setTags(p.tx, p.baseID, w.FAQ.ID, w.FAQ.Tags); err != nil {
		return err
	}
	err := p.tx.repeat("INSERT INTO chunk_lives (chunk_id, base_id, document_id, since, until) VALUES (?, ?, ?, ?, 0)",
		len(w.Chunks), func(i int) []any { return []any{w.Chunks[i].ID, p.baseID, w.FAQ.ID, p.number} })
	if err != nil {
		return err
	}
	return p.openDocument(w.FAQ.ID)
}

func (p publication) renewFAQ(w FAQWrite) error {
	n, err := p.tx.change(`UPDATE documents SET name = ?, title = ?, folder_id = ?, chunks = ?, updated_at = ?
		WHERE id = ? AND state <> 'deleted'`,
		faqTitle(w.FAQ), faqTitle(w.FAQ), w.FAQ.FolderID, len(w.Chunks), millis(clock()), w.FAQ.ID)
	if err != nil {
		return err
	}
	if n == 0 {
		return noEntry(w.FAQ.ID)
	}
	return p.closeChunks(w.FAQ.ID)
}

// closeChunks ends the membership of a document's chunks; the document stays.
func (p publication) closeChunks(documentID string) error {
	err := p.tx.exec("DELETE FROM chunk_lives WHERE base_id = ? AND document_id = ? AND +since = ?", p.baseID, documentID, p.number)
	if err != nil {
		return err
	}
	return p.tx.exec("UPDATE chunk_lives SET until = ? WHERE base_id = ? AND document_id = ? AND until = 0",
		p.number, p.baseID, documentID)
}

// openDocument begins the membership of a document, unless it has begun.
func (p publication) openDocument(id string) error {
	return p.tx.exec(`INSERT INTO document_lives (document_id, base_id, since, until)
		SELECT d.id, d.base_id, CAST(? AS BIGINT), 0 FROM documents d WHERE d.id = ? AND NOT EXISTS (
			SELECT 1 FROM document_lives o WHERE o.document_id = d.id AND o.until = 0)`, p.number, id)
}

// setTags gives a document these tags and no others; tags that are new to the
// base are made.
func setTags(tx *tx, baseID, documentID string, names []string) error {
	if err := tx.exec("DELETE FROM document_tags WHERE document_id = ?", documentID); err != nil {
		return err
	}
	for _, name := range names {
		err := tx.exec("INSERT INTO tags (id, base_id, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", core.NewID(), baseID, name)
		if err != nil {
			return err
		}
		err = tx.exec(`INSERT INTO document_tags (document_id, tag_id)
			SELECT CAST(? AS TEXT), id FROM tags WHERE base_id = ? AND name = ? ON CONFLICT DO NOTHING`, documentID, baseID, name)
		if err != nil {
			return err
		}
	}
	return nil
}

func noEntry(id string) error {
	return core.Errorf(core.CodeNotFound, "the knowledge base has no FAQ entry %q", id)
}

// FAQFilter narrows a list of entries; zero fields do not.
type FAQFilter struct {
	Words    []string // each must occur in a question or answer, in any case, width and script
	Tag      string   // name
	FolderID string
	Enabled  *bool
}

const faqColumns = `c.id, d.id, d.base_id, d.folder_id, c.faq, d.created_at, d.updated_at`

// liveFAQs are the entries of the active version.
const liveFAQs = ` FROM knowledge_bases b
	JOIN document_lives dl ON dl.base_id = b.id AND dl.since <= b.active_version
		AND (dl.until = 0 OR dl.until > b.active_version)
	JOIN documents d ON d.id = dl.document_id AND d.state <> 'deleted'
	JOIN chunks c ON c.document_id = d.id AND c.position = 0 AND c.type = 'faq'
	JOIN chunk_lives cl ON cl.base_id = b.id AND cl.chunk_id = c.id AND cl.since <= b.active_version
		AND (cl.until = 0 OR cl.until > b.active_version)
	WHERE b.id = ?`

func scanFAQ(s scanner) (core.FAQ, error) {
	f := core.FAQ{Tags: []string{}}
	var chunk, entry string
	var created, updated int64
	if err := s.Scan(&chunk, &f.ID, &f.BaseID, &f.FolderID, &entry, &created, &updated); err != nil {
		return f, err
	}
	f.CreatedAt, f.UpdatedAt = moment(created), moment(updated)
	return f, decode(entry, &f.FAQEntry)
}

func (f FAQFilter) where() (string, []any) {
	var where strings.Builder
	var args []any
	and := func(condition string, value any) {
		where.WriteString(" AND " + condition)
		args = append(args, value)
	}
	for _, w := range f.Words {
		if key := text.Key(w); key != "" {
			and(`EXISTS (SELECT 1 FROM faq_texts t WHERE t.chunk_id = c.id AND t.text_key LIKE ? ESCAPE '\')`,
				"%"+likeEscaper.Replace(key)+"%")
		}
	}
	if f.Tag != "" {
		and("EXISTS (SELECT 1 FROM document_tags x JOIN tags t ON t.id = x.tag_id WHERE x.document_id = d.id AND t.name = ?)", f.Tag)
	}
	if f.FolderID != "" {
		and("d.folder_id = ?", f.FolderID)
	}
	if f.Enabled != nil {
		and("EXISTS (SELECT 1 FROM faq_texts t WHERE t.chunk_id = c.id AND t.enabled = ?)", flag(*f.Enabled))
	}
	return where.String(), args
}

// FAQs gives a page of the entries of an FAQ base that fit, the newest first,
// and how many fit. limit 0 means all of them: authorise the base before.
func (db *DB) FAQs(ctx context.Context, baseID string, f FAQFilter, offset, limit int) ([]core.FAQ, int, error) {
	where, args := f.where()
	args = append([]any{baseID}, args...)
	total, err := db.count(ctx, "SELECT COUNT(*)"+liveFAQs+where, args...)
	if err != nil {
		return nil, 0, err
	}
	query := "SELECT " + faqColumns + liveFAQs + where + " ORDER BY d.id DESC"
	if limit > 0 {
		query += " LIMIT ? OFFSET ?"
		args = append(args, limit, max(offset, 0))
	}
	list, err := all(ctx, db, scanFAQ, query, args...)
	if err != nil {
		return nil, 0, err
	}
	return list, total, db.addTags(ctx, baseID, list)
}

// FAQ gives one entry of a base, as its active version has it.
func (db *DB) FAQ(ctx context.Context, baseID, id string) (core.FAQ, error) {
	f, err := one(ctx, db, scanFAQ, "SELECT "+faqColumns+liveFAQs+" AND d.id = ?", baseID, id)
	if err != nil {
		return core.FAQ{}, found(err, noEntry(id))
	}
	list := []core.FAQ{f}
	err = db.addTags(ctx, baseID, list)
	return list[0], err
}

// addTags fills in the names of the tags.
func (db *DB) addTags(ctx context.Context, baseID string, list []core.FAQ) error {
	at := make(map[string]int, len(list))
	for i, f := range list {
		at[f.ID] = i
	}
	keep := func(s scanner) error {
		var id, name string
		err := s.Scan(&id, &name)
		if i, ok := at[id]; ok && err == nil {
			list[i].Tags = append(list[i].Tags, name)
		}
		return err
	}
	const query = `SELECT x.document_id, t.name FROM tags t JOIN document_tags x ON x.tag_id = t.id WHERE t.base_id = ?`
	if len(list) == 1 {
		return each(ctx, db, keep, query+" AND x.document_id = ? ORDER BY t.name", baseID, list[0].ID)
	}
	return each(ctx, db, keep, query+" ORDER BY t.name", baseID)
}

// FAQsByKey gives the chunks of the enabled entries of a base at a version
// that have a question, standard or similar, with this text.Key, by id.
// Authorise the base before.
func (db *DB) FAQsByKey(ctx context.Context, baseID string, version int64, key string) ([]core.Chunk, error) {
	return all(ctx, db, scanChunk, "SELECT DISTINCT "+chunkColumns+` FROM faq_texts t JOIN chunks c ON c.id = t.chunk_id
		JOIN chunk_lives l ON l.base_id = t.base_id AND l.chunk_id = c.id AND l.since <= ? AND (l.until = 0 OR l.until > ?)
		WHERE t.base_id = ? AND t.text_key = ? AND t.kind <> 'answer' AND t.kind <> 'negative' AND t.enabled = 1
		ORDER BY c.id`, version, version, baseID, key)
}

// FAQWithQuestion gives the entry of the base's active version, other than
// one, that has a question, standard or similar, with this text.Key, enabled or
// not. Without one, it is zero.
func (db *DB) FAQWithQuestion(ctx context.Context, baseID, key, except string) (core.FAQ, error) {
	f, err := one(ctx, db, scanFAQ, "SELECT "+faqColumns+liveFAQs+` AND d.id <> ? AND c.id IN (
		SELECT t.chunk_id FROM faq_texts t WHERE t.base_id = b.id AND t.text_key = ? AND t.kind <> 'answer' AND t.kind <> 'negative')
		ORDER BY d.id LIMIT 1`, baseID, except, key)
	return f, found(err, nil)
}
