package app

import (
	"context"

	"kaoju/internal/api/native"
	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/retrieve"
)

// faqSearcher finds FAQ entries by their questions.
func (a *App) faqSearcher() retrieve.FAQSearcher {
	searcher := &retrieve.Searcher{Engine: a.caches.faqs, Embedder: a.embed.question, Chunks: a.db}
	return retrieve.FAQSearcher{Searcher: searcher, Entries: a.db, Words: a.glossaries}
}

// faqFinder tells the native API which entries a question leads to.
type faqFinder struct{ searcher retrieve.FAQSearcher }

// FindFAQs searches the active version of one base.
func (f faqFinder) FindFAQs(ctx context.Context, b core.KnowledgeBase, question string, limit int) ([]native.FAQCandidate, error) {
	if b.ActiveVersion == 0 {
		return nil, nil
	}
	found, err := f.searcher.Search(ctx, retrieve.FAQRequest{
		Targets:  []index.Target{{BaseID: b.ID, Version: b.ActiveVersion}},
		Spaces:   map[string]string{b.ID: b.EmbeddingModel},
		Question: question, Limit: limit,
	})
	if err != nil {
		return nil, err
	}
	list := make([]native.FAQCandidate, 0, len(found))
	for _, c := range found {
		entry := core.FAQ{ID: c.Document.ID, BaseID: b.ID, FolderID: c.Document.FolderID, FAQEntry: *c.Chunk.FAQ, CreatedAt: c.Document.CreatedAt, UpdatedAt: c.Document.UpdatedAt}
		list = append(list, native.FAQCandidate{Entry: native.ViewFAQ(entry), Score: c.Score, Matched: c.Matched, Exact: c.Exact, Standard: c.Standard})
	}
	return list, nil
}
