package store

import (
	"context"
	"strings"

	"kaoju/internal/core"
)

const wikiColumns = `p.document_id, p.base_id, r.slug, r.title, r.type, r.status, r.summary, r.aliases, r.number, r.author, r.user_id,
	(SELECT COUNT(*) FROM wiki_revisions x WHERE x.document_id = p.document_id AND x.proposed = 1),
	d.created_at, r.created_at`

const wikiPages = ` FROM wiki_pages p JOIN wiki_revisions r ON r.document_id = p.document_id AND r.number = p.revision
	JOIN documents d ON d.id = p.document_id WHERE p.base_id = ?`

// scanPage reads a page, and what else the query gives.
func scanPage(s scanner, more ...*string) (core.WikiPage, error) {
	p := core.WikiPage{Aliases: []string{}}
	var aliases string
	var created, updated int64
	to := []any{&p.ID, &p.BaseID, &p.Slug, &p.Title, &p.Type, &p.Status, &p.Summary, &aliases, &p.Revision, &p.Author, &p.UserID,
		&p.Proposals, &created, &updated}
	for _, m := range more {
		to = append(to, m)
	}
	if err := s.Scan(to...); err != nil {
		return p, err
	}
	p.CreatedAt, p.UpdatedAt = moment(created), moment(updated)
	return p, decode(aliases, &p.Aliases)
}

// WikiFilter narrows a list of pages; zero fields do not.
type WikiFilter struct {
	Keys   []string // each must occur in title, alias, summary or text, as text.Key writes it
	Type   core.WikiType
	Status core.WikiStatus
	Prefix string // of the slug
}

func (f WikiFilter) where() (string, []any) {
	var where strings.Builder
	var args []any
	and := func(condition string, value any) {
		where.WriteString(" AND " + condition)
		args = append(args, value)
	}
	for _, k := range f.Keys {
		and(`p.text_key LIKE ? ESCAPE '\'`, "%"+likeEscaper.Replace(k)+"%")
	}
	if f.Type != "" {
		and("r.type = ?", string(f.Type))
	}
	if f.Status != "" {
		and("r.status = ?", string(f.Status))
	}
	if f.Prefix != "" {
		and(`p.slug LIKE ? ESCAPE '\'`, likeEscaper.Replace(f.Prefix)+"%")
	}
	return where.String(), args
}

// WikiPages gives a page of the list of a wiki's pages that fit, by slug,
// without their text, and how many fit. Authorise the base before.
func (db *DB) WikiPages(ctx context.Context, baseID string, f WikiFilter, offset, limit int) ([]core.WikiPage, int, error) {
	where, args := f.where()
	args = append([]any{baseID}, args...)
	total, err := db.count(ctx, "SELECT COUNT(*)"+wikiPages+where, args...)
	if err != nil {
		return nil, 0, err
	}
	list, err := all(ctx, db, func(s scanner) (core.WikiPage, error) { return scanPage(s) },
		"SELECT "+wikiColumns+wikiPages+where+" ORDER BY p.slug LIMIT ? OFFSET ?", append(args, limit, max(offset, 0))...)
	return list, total, err
}

// WikiPage gives a page by its id or its slug, whole but for its sources.
func (db *DB) WikiPage(ctx context.Context, baseID, idOrSlug string) (core.WikiPage, error) {
	p, err := one(ctx, db, func(s scanner) (core.WikiPage, error) {
		content := ""
		p, err := scanPage(s, &content)
		p.Content = content
		return p, err
	}, "SELECT "+wikiColumns+", r.content"+wikiPages+" AND (p.document_id = ? OR p.slug = ?) ORDER BY p.document_id <> ? LIMIT 1",
		baseID, idOrSlug, idOrSlug, idOrSlug)
	return p, found(err, noPage(idOrSlug))
}

// NamedWikiPages gives the pages that have a title or alias, as a link may
// write it, the oldest first.
func (db *DB) NamedWikiPages(ctx context.Context, baseID, name string) ([]core.WikiPage, error) {
	return all(ctx, db, func(s scanner) (core.WikiPage, error) { return scanPage(s) }, "SELECT "+wikiColumns+wikiPages+
		" AND EXISTS (SELECT 1 FROM wiki_names n WHERE n.document_id = p.document_id AND n.base_id = p.base_id AND n.name = ?) ORDER BY p.document_id", baseID, name)
}

// target is the page that a link l leads to: that with its slug, else the
// oldest with its title or alias.
const target = `COALESCE(
	(SELECT x.document_id FROM wiki_pages x WHERE x.base_id = l.base_id AND x.slug = l.target),
	(SELECT MIN(n.document_id) FROM wiki_names n WHERE n.base_id = l.base_id AND n.name = l.target))`

// WikiLinks gives the links of a page, in order; broken ones have no page.
func (db *DB) WikiLinks(ctx context.Context, id string) ([]core.WikiLink, error) {
	return all(ctx, db, scanLink, `SELECT COALESCE(p.slug, l.target), l.label, COALESCE(p.document_id, ''), COALESCE(d.title, '')
		FROM wiki_links l LEFT JOIN wiki_pages p ON p.document_id = `+target+` LEFT JOIN documents d ON d.id = p.document_id
		WHERE l.document_id = ? ORDER BY l.position`, id)
}

func scanLink(s scanner) (l core.WikiLink, err error) {
	return l, s.Scan(&l.Slug, &l.Text, &l.PageID, &l.Title)
}

// WikiBacklinks gives the links of other pages that lead to a page, by the
// slugs of those, which are what they name.
func (db *DB) WikiBacklinks(ctx context.Context, baseID, id string) ([]core.WikiLink, error) {
	return all(ctx, db, scanLink, `SELECT q.slug, MIN(l.label), q.document_id, d.title
		FROM wiki_links l JOIN wiki_pages q ON q.document_id = l.document_id JOIN documents d ON d.id = q.document_id
		WHERE l.base_id = ? AND q.document_id <> ? AND (l.target = (SELECT y.slug FROM wiki_pages y WHERE y.document_id = ?)
			OR l.target IN (SELECT m.name FROM wiki_names m WHERE m.document_id = ?)) AND `+target+` = ?
		GROUP BY q.slug, q.document_id, d.title ORDER BY q.slug`, baseID, id, id, id, id)
}

// BrokenWikiLinks gives the links of a wiki that lead nowhere, and from which
// pages: Slug and Text are the link's, PageID and Title those of the page that
// has it. At most limit.
func (db *DB) BrokenWikiLinks(ctx context.Context, baseID string, limit int) ([]core.WikiLink, error) {
	return all(ctx, db, scanLink, `SELECT l.target, l.label, l.document_id, d.title FROM wiki_links l JOIN documents d ON d.id = l.document_id
		WHERE l.base_id = ? AND `+target+` IS NULL ORDER BY l.target, l.document_id, l.position LIMIT ?`, baseID, limit)
}

const revisionOfPage = `SELECT r.number, r.slug, r.title, r.type, r.status, r.summary, r.aliases, r.author, r.user_id, r.note,
	r.proposed, r.number = p.revision, r.created_at, `

func scanWikiRevision(s scanner) (core.WikiRevision, error) {
	r := core.WikiRevision{Aliases: []string{}}
	var aliases string
	var created int64
	err := s.Scan(&r.Number, &r.Slug, &r.Title, &r.Type, &r.Status, &r.Summary, &aliases, &r.Author, &r.UserID, &r.Note,
		&r.Proposed, &r.Current, &created, &r.Content)
	if err != nil {
		return r, err
	}
	r.CreatedAt = moment(created)
	return r, decode(aliases, &r.Aliases)
}

// WikiRevisions gives a page of what a page has said, the newest first, without
// the texts, and how many revisions there are.
func (db *DB) WikiRevisions(ctx context.Context, id string, offset, limit int) ([]core.WikiRevision, int, error) {
	total, err := db.count(ctx, "SELECT COUNT(*) FROM wiki_revisions WHERE document_id = ?", id)
	if err != nil {
		return nil, 0, err
	}
	list, err := all(ctx, db, scanWikiRevision, revisionOfPage+`'' FROM wiki_revisions r JOIN wiki_pages p ON p.document_id = r.document_id
		WHERE r.document_id = ? ORDER BY r.number DESC LIMIT ? OFFSET ?`, id, limit, max(offset, 0))
	return list, total, err
}

// WikiRevision gives one revision, whole but for its sources.
func (db *DB) WikiRevision(ctx context.Context, id string, number int) (core.WikiRevision, error) {
	r, err := one(ctx, db, scanWikiRevision, revisionOfPage+`r.content FROM wiki_revisions r JOIN wiki_pages p ON p.document_id = r.document_id
		WHERE r.document_id = ? AND r.number = ?`, id, number)
	return r, found(err, core.Errorf(core.CodeNotFound, "the page has no revision %d", number))
}

// WikiSources gives the passages that a revision rests on, with their text as
// far as the scope sees it and it is still there.
func (db *DB) WikiSources(ctx context.Context, scope core.Scope, id string, revision int) ([]core.WikiSource, error) {
	var bases []string
	list, err := all(ctx, db, func(s scanner) (w core.WikiSource, err error) {
		var base string
		err = s.Scan(&w.Number, &w.DocumentID, &w.ChunkID, &w.Title, &w.Text, &base)
		bases = append(bases, base)
		return w, err
	}, `SELECT s.number, s.source_document_id, s.source_chunk_id, COALESCE(d.title, ''), COALESCE(c.content, ''), COALESCE(d.base_id, '')
		FROM wiki_sources s LEFT JOIN documents d ON d.id = s.source_document_id AND d.state <> 'deleted'
		LEFT JOIN chunks c ON c.id = s.source_chunk_id AND c.document_id = d.id
		WHERE s.document_id = ? AND s.revision = ? ORDER BY s.number`, id, revision)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{"": true}
	for i, base := range bases {
		visible, known := seen[base]
		if !known {
			hidden := core.Errorf(core.CodeNotFound, "hidden")
			err := db.visible(ctx, scope, base, hidden)
			if err != nil && core.CodeOf(err) != core.CodeNotFound {
				return nil, err
			}
			visible = err == nil
			seen[base] = visible
		}
		if !visible {
			list[i].Title, list[i].Text = "", ""
		}
	}
	return list, nil
}
