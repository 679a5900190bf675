package wiki

import (
	"context"
	"slices"
	"strings"

	"kaoju/internal/chunk"
	"kaoju/internal/core"
	"kaoju/internal/knowledge"
	"kaoju/internal/parse"
	"kaoju/internal/store"
	"kaoju/internal/text"
)

// revision is a page as its next revision has it; page.Revision is that which
// it follows.
type revision struct {
	page core.WikiPage
	note string
}

// save publishes revisions as one version of the base.
func (s *Service) save(ctx context.Context, b core.KnowledgeBase, note string, list ...revision) error {
	return s.saveUnlinked(ctx, b, store.WikiChange{Note: note}, list)
}

func (s *Service) saveUnlinked(ctx context.Context, b core.KnowledgeBase, c store.WikiChange, list []revision) error {
	c.BaseID, c.Model = b.ID, s.Indexer.Model()
	for _, r := range list {
		w, err := s.writeOf(ctx, b, r)
		if err != nil {
			return err
		}
		c.Put = append(c.Put, w)
	}
	if err := s.Store.ChangeWiki(ctx, c); err != nil {
		return err
	}
	_ = s.Index.Refresh(context.WithoutCancel(ctx), b.ID) // saves the next search the wait
	return nil
}

func (s *Service) writeOf(ctx context.Context, b core.KnowledgeBase, r revision) (store.WikiWrite, error) {
	p := r.page
	w := store.WikiWrite{Page: p, Note: text.Truncate(oneLine(r.note), maxNote), Links: LinksIn(p.Content)}
	for _, name := range append([]string{p.Title}, p.Aliases...) {
		if slug := Slug(name); slug != "" && !slices.Contains(w.Names, slug) {
			w.Names = append(w.Names, slug)
		}
	}
	w.Key = text.Key(strings.Join(append([]string{p.Slug, p.Title, p.Summary, Plain(p.Content)}, p.Aliases...), "\n"))
	if p.Status != core.WikiPublished {
		return w, nil
	}
	var err error
	if w.Chunks, err = s.cut(ctx, b, p); err != nil {
		return w, err
	}
	w.Index, err = s.Indexer.Entries(ctx, core.Document{BaseID: b.ID, Title: p.Title}, w.Chunks)
	return w, err
}

// passageFactor times the size of a document's children is that of a page's
// passages: they have no parents, and answers are written from them.
const passageFactor = 2

// cut gives the passages of a page. Its summary and aliases stand before its
// text, so that they find it.
func (s *Service) cut(ctx context.Context, b core.KnowledgeBase, p core.WikiPage) ([]core.Chunk, error) {
	doc, err := s.Reader.ReadAs(ctx, parse.FormatMarkdown, parse.Input{Name: "page.md", Data: []byte(Plain(p.Content))})
	if err != nil {
		return nil, core.Wrap(err, core.CodeOf(err), "the text of the page %q cannot be read: %s", p.Slug, core.PublicMessage(err))
	}
	doc.Format = parse.FormatMarkdown
	if head := strings.TrimSpace(p.Summary + "\n" + strings.Join(p.Aliases, " / ")); head != "" {
		doc.Blocks = append([]parse.Block{{Kind: parse.Paragraph, Text: head}}, doc.Blocks...)
	}
	if len(doc.Blocks) == 0 {
		doc.Blocks = []parse.Block{{Kind: parse.Paragraph, Text: p.Title}}
	}
	set := knowledge.ChunkSettings(s.Chunking, b.Chunking)
	if b.Chunking == nil || b.Chunking.Size == 0 {
		if set.Child <= 0 {
			set.Child = chunk.DefaultChild
		}
		set.Child *= passageFactor
	}
	var list []core.Chunk
	for i, piece := range chunk.Split(doc, set).Children {
		c := piece.Chunk
		c.ID, c.BaseID, c.DocumentID, c.Type, c.Index = core.NewID(), b.ID, p.ID, core.ChunkWikiPage, i
		list = append(list, c)
	}
	return list, nil
}

// renameTries is how often a rename begins anew because a page that links to
// it was changed meanwhile.
const renameTries = 3

// rename saves a page under its new slug, and all pages that link to the old
// one with their links changed.
func (s *Service) rename(ctx context.Context, b core.KnowledgeBase, p core.WikiPage, was, note string) (err error) {
	for range renameTries {
		if err = s.renameOnce(ctx, b, p, was, note); core.CodeOf(err) != core.CodeConflict {
			return err
		}
		now, readErr := s.Store.WikiPage(ctx, b.ID, p.ID)
		if readErr != nil || now.Revision != p.Revision {
			return err
		}
	}
	return err
}

func (s *Service) renameOnce(ctx context.Context, b core.KnowledgeBase, p core.WikiPage, was, note string) error {
	p.Content = Relink(p.Content, was, p.Slug)
	list := []revision{{p, note}}
	links, err := s.Store.WikiBacklinks(ctx, b.ID, p.ID)
	if err != nil {
		return err
	}
	for _, l := range links {
		other, err := s.Store.WikiPage(ctx, b.ID, l.PageID)
		if err != nil {
			return err
		}
		relinked := Relink(other.Content, was, p.Slug)
		if relinked == other.Content {
			continue // it links to a title or an alias, which stay
		}
		other.Content = relinked
		if other.Sources, err = s.Store.WikiSources(ctx, core.Scope{}, other.ID, other.Revision); err != nil {
			return err
		}
		list = append(list, revision{other, was + " → " + p.Slug})
	}
	return s.saveUnlinked(ctx, b, store.WikiChange{Note: "rename " + was, Unlinked: was}, list)
}
