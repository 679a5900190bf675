package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/text"
)

// FAQReader looks questions up by what they say. Package store implements it.
type FAQReader interface {
	// FAQsByKey gives the entries' chunks of a base at a version that have a
	// question with this text.Key, without those that are disabled.
	FAQsByKey(ctx context.Context, baseID string, version int64, key string) ([]core.Chunk, error)
}

// FAQRequest asks for entries of FAQ bases. The caller has authorised the
// targets; targets of other kinds of base are allowed and find nothing.
type FAQRequest struct {
	Targets  []index.Target
	Spaces   map[string]string // as in Request
	Question string            // as the user wrote it, or rewritten
	Variants []string          // other wordings; an entry keeps its best score over all
	Limit    int               // entries wanted; 0 or less means 5, at most 100
	Fusion   Fusion            // zero means DefaultFusion
}

// FAQCandidate is an entry that may answer the question.
//
// Found.Chunk is the entry's chunk: its FAQ is never nil and holds all
// questions and answers of the version that was searched; Found.Document is the
// entry as a document, whose id is the entry's id. Found.Score is the
// likeness of the question and Matched, in [0,1]: 1 where they are equal, and
// below .98 where they are not, so that thresholds for answers without a model
// can be compared with it. It says nothing about the answer.
type FAQCandidate struct {
	Found
	Matched  string // the question of the entry that came closest
	Standard bool   // Matched is the entry's standard question
	// Exact says that Matched and the question (or a variant) are equal but for
	// case, width, punctuation, spaces and traditional characters.
	Exact bool
}

// FAQSearcher finds entries of FAQ bases by their questions. Their answers
// are found by Searcher, like any passage.
//
//	s := retrieve.FAQSearcher{Searcher: searcher, Entries: db}
//	exact, err := s.Exact(ctx, targets, question)  // one look-up, no model
//	list, err := s.Search(ctx, retrieve.FAQRequest{Targets: targets, Question: question})
//
// Each entry comes once, however many of its questions fit. An entry that has
// a negative question equal to the question asked does not come at all, nor
// does one that is disabled. It is safe for concurrent use.
type FAQSearcher struct {
	Searcher *Searcher
	Entries  FAQReader
	Words    Words // nil: no base has words of its own
}

// Words knows how bases cut questions into terms: their glossaries.
type Words interface {
	Terms(ctx context.Context, baseIDs []string, question string) ([]index.QueryTerm, error)
}

const (
	defaultEntries = 5
	maxEntries     = 100
	// maxRounds is how often a search asks for more when many questions of
	// few entries fill its list.
	maxRounds = 5
	// maxInexact is the best score of a question that is not equal.
	maxInexact = .98
)

// Exact gives the entries that have a question equal to the one asked, by the
// rules of FAQCandidate.Exact, standard questions first. It reads the store
// only: no engine, no model. Targets narrowed by folders or tags are looked up
// by the engine in Search instead, and give nothing here.
func (s FAQSearcher) Exact(ctx context.Context, targets []index.Target, question string) ([]FAQCandidate, error) {
	key := text.Key(question)
	if key == "" {
		return nil, nil
	}
	var list []FAQCandidate
	for _, t := range targets {
		if len(t.FolderIDs) > 0 || len(t.TagIDs) > 0 || len(t.Types) > 0 && !slices.Contains(t.Types, core.ChunkFAQ) {
			continue
		}
		chunks, err := s.Entries.FAQsByKey(ctx, t.BaseID, t.Version, key)
		if err != nil {
			return nil, core.Wrap(err, core.CodeOf(err), "the FAQ entries could not be looked up")
		}
		for _, c := range chunks {
			if len(t.DocumentIDs) == 0 || slices.Contains(t.DocumentIDs, c.DocumentID) {
				list = append(list, exactly(c, key))
			}
		}
	}
	return s.named(ctx, dropNegative(list, []string{key}))
}

// exactly makes a candidate of an entry that is known to have the question.
func exactly(c core.Chunk, key string) FAQCandidate {
	f := FAQCandidate{Found: Found{Chunk: c, Text: c.Content}.with("exact", 1), Exact: true}
	for i, q := range c.FAQ.Questions() {
		if text.Key(q) == key {
			f.Matched, f.Standard = q, i == 0
			break
		}
	}
	return f
}

// Search gives the entries whose questions are most like the one asked, best
// first, ties by document. Where the questions of few entries fill the list,
// it looks further, up to five times.
func (s FAQSearcher) Search(ctx context.Context, req FAQRequest) ([]FAQCandidate, error) {
	req.Limit = min(cmp.Or(max(req.Limit, 0), defaultEntries), maxEntries)
	best := map[string]FAQCandidate{}
	exact, err := s.Exact(ctx, req.Targets, req.Question)
	if err != nil {
		return nil, err
	}
	for _, c := range exact {
		best[c.Chunk.ID] = c
	}
	wordings := append([]string{req.Question}, req.Variants[:min(len(req.Variants), MaxVariants)]...)
	for _, w := range wordings {
		list, err := s.one(ctx, req, w)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if old, ok := best[c.Chunk.ID]; !ok || c.Score > old.Score {
				best[c.Chunk.ID] = c
			}
		}
	}
	var all []FAQCandidate
	for _, c := range best {
		all = append(all, c)
	}
	keys := make([]string, len(wordings))
	for i, w := range wordings {
		keys[i] = text.Key(w)
	}
	slices.SortFunc(all, func(a, b FAQCandidate) int {
		return cmp.Or(compareBool(b.Exact, a.Exact), compareBool(b.Exact && b.Standard, a.Exact && a.Standard), compareFound(&a.Found, &b.Found))
	})
	all = dropNegative(all, keys)
	return s.named(ctx, all[:min(len(all), req.Limit)])
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// one searches for one wording, further and further until there are enough
// entries or no more questions.
func (s FAQSearcher) one(ctx context.Context, req FAQRequest, wording string) ([]FAQCandidate, error) {
	search := Request{Question: wording, Spaces: req.Spaces, Fusion: req.Fusion, Limit: 4 * req.Limit}
	for _, t := range req.Targets {
		t.Types = []core.ChunkType{core.ChunkFAQQuestion}
		search.Targets = append(search.Targets, t)
	}
	search.Terms = s.terms(ctx, req.Targets, wording)
	for round := 1; ; round++ {
		found, err := s.Searcher.questions(ctx, search)
		if err != nil {
			return nil, err
		}
		list, err := s.entries(ctx, wording, found)
		if err != nil {
			return nil, err
		}
		if len(list) >= req.Limit || len(found) < search.Limit || round == maxRounds || search.Limit >= MaxMatches {
			return list, nil
		}
		search.Limit = min(3*search.Limit, MaxMatches)
	}
}

// terms are what to look for; nil, which is the words as they stand, where
// there are no glossaries or they cannot be read.
func (s FAQSearcher) terms(ctx context.Context, targets []index.Target, wording string) []index.QueryTerm {
	if s.Words == nil {
		return nil
	}
	ids := make([]string, len(targets))
	for i, t := range targets {
		ids[i] = t.BaseID
	}
	terms, err := s.Words.Terms(ctx, ids, wording)
	if err != nil {
		return nil
	}
	return terms
}

// entries gives the entries of the questions found, each once, by its best
// question.
func (s FAQSearcher) entries(ctx context.Context, wording string, questions []Found) ([]FAQCandidate, error) {
	var ids []string
	for _, q := range questions {
		if !slices.Contains(ids, q.Chunk.ParentID) {
			ids = append(ids, q.Chunk.ParentID)
		}
	}
	chunks, err := s.Searcher.Chunks.ChunksByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the FAQ entries found: %w", err)
	}
	parents := make(map[string]core.Chunk, len(chunks))
	for _, c := range chunks {
		parents[c.ID] = c
	}
	at := map[string]int{}
	var list []FAQCandidate
	compare := newLikeness(wording)
	for _, q := range questions {
		parent, ok := parents[q.Chunk.ParentID]
		if !ok || parent.FAQ == nil || parent.FAQ.Disabled {
			continue
		}
		c := compare.candidate(q, parent)
		i, seen := at[parent.ID]
		switch {
		case !seen:
			at[parent.ID] = len(list)
			list = append(list, c)
		case c.Score > list[i].Score:
			list[i] = c
		}
	}
	return list, nil
}

// dropNegative leaves out the entries that say that they do not answer one of
// these questions.
func dropNegative(list []FAQCandidate, keys []string) []FAQCandidate {
	return slices.DeleteFunc(list, func(c FAQCandidate) bool { return refuses(c.Chunk.FAQ, keys...) })
}

// refuses reports whether one of the keys is that of a negative question.
func refuses(e *core.FAQEntry, keys ...string) bool {
	return e != nil && slices.ContainsFunc(e.Negative, func(n string) bool {
		key := text.Key(n)
		return key != "" && slices.Contains(keys, key)
	})
}

// named fills in the documents; entries that were deleted meanwhile are left
// out.
func (s FAQSearcher) named(ctx context.Context, list []FAQCandidate) ([]FAQCandidate, error) {
	ids := make([]string, len(list))
	for i, c := range list {
		ids[i] = c.Chunk.DocumentID
	}
	documents, err := s.Searcher.Chunks.DocumentsByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the FAQ entries found: %w", err)
	}
	byID := make(map[string]core.Document, len(documents))
	for _, d := range documents {
		byID[d.ID] = d
	}
	kept := list[:0]
	for _, c := range list {
		if d, ok := byID[c.Chunk.DocumentID]; ok {
			c.Document = d
			kept = append(kept, c)
		}
	}
	return kept, nil
}
