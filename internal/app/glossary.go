package app

import (
	"context"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/knowledge"
	"kaoju/internal/retrieve"
)

// searcher is the hybrid search with the bases' own words.
type searcher struct {
	*retrieve.Searcher
	glossaries *knowledge.Glossaries
}

// Search looks for a question as the glossaries of the asked bases have its
// words. Where these cannot be read it looks for the question as it stands.
func (s searcher) Search(ctx context.Context, req retrieve.Request) ([]retrieve.Found, retrieve.Explain, error) {
	degraded := ""
	if req.Terms == nil {
		terms, err := s.glossaries.Terms(ctx, basesOf(req.Targets), req.Question)
		if err != nil {
			degraded = "without the glossary: " + core.PublicMessage(err)
		}
		req.Terms = terms
	}
	found, explain, err := s.Searcher.Search(ctx, req)
	if explain.Degraded == "" {
		explain.Degraded = degraded
	}
	return found, explain, err
}

// basesOf names the bases of targets, each once.
func basesOf(targets []index.Target) []string {
	var ids []string
	seen := map[string]bool{}
	for _, t := range targets {
		if !seen[t.BaseID] {
			seen[t.BaseID] = true
			ids = append(ids, t.BaseID)
		}
	}
	return ids
}
