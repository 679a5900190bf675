package retrieve

import (
	"context"
	"fmt"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/llm"
)

// Limits of a search.
const (
	DefaultMatches = 50
	MaxMatches     = 500
	maxQuestion    = 4000 // bytes of a question that are read; the rest says nothing new
)

// ChunkReader reads what was found. Ids that are not known, or no longer, are
// left out; the order is free.
type ChunkReader interface {
	ChunksByID(ctx context.Context, ids []string) ([]core.Chunk, error)
	DocumentsByID(ctx context.Context, ids []string) ([]core.Document, error)
}

// Fusion says how the keyword and the vector list become one.
type Fusion struct {
	Method  Method
	Keyword float64 // weight of the keyword list
	Vector  float64 // weight of the vector list
}

// DefaultFusion is what suits the built-in embedder over the evaluation sets:
// mean MRR@10 .857 at .1 for the vector, .850 at .3; min-max .858 and .852,
// RRF .848 and .831. A trained embedder deserves more than .1.
func DefaultFusion() Fusion { return Fusion{Method: WeightedSum, Keyword: .9, Vector: .1} }

// Request is one search. The caller has authorised the targets.
type Request struct {
	Targets  []index.Target
	Spaces   map[string]string // by base: the model of its vectors; a base that is not there has the searcher's
	Question string
	Terms    []index.QueryTerm // what to look for; nil means those of the question
	Variants []Variant         // other wordings, by keywords only
	Limit    int               // passages wanted; 0 or less means 50, at most 500
	Fusion   Fusion            // zero means DefaultFusion
	Least    Least             // thresholds on what the engine finds; zero lets all pass
}

// Explain says how a search came to its list.
type Explain struct {
	Terms    []string // what was looked for
	Keyword  int      // passages that the keyword part found
	Vector   int      // passages that the vector part found
	Variants int      // other wordings that were tried
	Method   Method
	Degraded string   // why a part was left out; empty when none was
	Named    []string // documents that the question names, which were preferred
}

// Searcher is the hybrid search behind chat, tools, the search API and
// debugging. Its fields are set once; it is then safe for concurrent use.
type Searcher struct {
	Engine   index.Engine
	Embedder llm.Embedder // nil means keywords only
	Chunks   ChunkReader
	// Weigh gives the weights of the two parts by the model of the vectors; nil
	// leaves them as they are asked for.
	Weigh func(model string, asked Fusion) Fusion
}

// Search finds the passages of the targets that fit the question, best
// first, with their text and documents. A question without words finds
// nothing. An embedder that fails, or does not fit a base, leaves the keyword
// part, and Explain says why; cancellation is an error.
func (s *Searcher) Search(ctx context.Context, req Request) ([]Found, Explain, error) {
	req = req.normalised()
	explain := Explain{Method: req.Fusion.Method, Variants: len(req.Variants)}
	for _, t := range req.Terms {
		explain.Terms = append(explain.Terms, t.Text)
	}
	fused, err := s.ranked(ctx, req, &explain)
	if err != nil {
		return nil, explain, err
	}
	found, err := s.read(ctx, req, fused)
	if err != nil {
		return nil, explain, err
	}
	found, explain.Named = PreferNamed(req.Question, found)
	return SortTop(found, req.Limit), explain, nil
}

// ranked asks the engine and makes one list of what it found.
func (s *Searcher) ranked(ctx context.Context, req Request, explain *Explain) ([]Scored, error) {
	s = s.now()
	if s.Weigh != nil && s.Embedder != nil {
		req.Fusion = s.Weigh(s.Embedder.Model(), req.Fusion)
	}
	result, err := s.find(ctx, req, explain)
	if err != nil {
		return nil, err
	}
	keyword, err := s.withVariants(ctx, req, result.Keyword)
	if err != nil {
		return nil, err
	}
	explain.Keyword, explain.Vector = len(keyword), len(result.Vector)
	return Fuse(req.Fusion.Method, []List{
		{Name: "keyword", Weight: req.Fusion.Keyword, Items: keyword},
		{Name: "vector", Weight: req.Fusion.Vector, Items: scoredHits(result.Vector, 1)},
	}), nil
}

func (r Request) normalised() Request {
	if r.Limit <= 0 {
		r.Limit = DefaultMatches
	}
	r.Limit = min(r.Limit, MaxMatches)
	if len(r.Question) > maxQuestion {
		r.Question = strings.ToValidUTF8(r.Question[:maxQuestion], "")
	}
	if r.Terms == nil {
		r.Terms = index.QueryTerms(r.Question)
	}
	if r.Fusion == (Fusion{}) {
		r.Fusion = DefaultFusion()
	}
	return r
}

// fetch is how many passages to ask an engine for, so that enough are left
// after fusion and merging.
func (r Request) fetch() int { return min(max(5*r.Limit, DefaultMatches), MaxMatches) }

// now is the searcher with the embedder of this moment.
func (s *Searcher) now() *Searcher {
	pinned := *s
	pinned.Embedder = llm.Now(s.Embedder)
	return &pinned
}

// find asks the engine, without the vector where that cannot be had.
func (s *Searcher) find(ctx context.Context, req Request, explain *Explain) (index.Result, error) {
	near, other := inSpace(s.Embedder, req)
	query := index.Query{Targets: req.Targets, Terms: req.Terms, Limit: req.fetch()}
	if len(near) > 0 {
		query.Vector, explain.Degraded = s.embed(ctx, req)
	}
	if other != "" && explain.Degraded == "" {
		explain.Degraded = other
	}
	if err := ctx.Err(); err != nil {
		return index.Result{}, err
	}
	if query.Vector != nil && len(near) < len(req.Targets) {
		return s.findApart(ctx, query, near, req.Least)
	}
	result, err := s.ask(ctx, query, req.Least)
	if core.CodeOf(err) == core.CodeConflict && query.Vector != nil {
		explain.Degraded = core.PublicMessage(err)
		query.Vector = nil
		result, err = s.ask(ctx, query, req.Least)
	}
	return result, err
}

// embed gives the question's vector, or why there is none.
func (s *Searcher) embed(ctx context.Context, req Request) (vector []float32, degraded string) {
	if s.Embedder == nil || req.Fusion.Vector <= 0 || len(req.Terms) == 0 {
		return nil, ""
	}
	vectors, err := s.Embedder.Embed(ctx, llm.ForQuery, []string{req.Question})
	if err != nil {
		return nil, "keywords only: the question could not be embedded: " + core.PublicMessage(err)
	}
	if len(vectors) != 1 {
		return nil, fmt.Sprintf("keywords only: the embedder gave %d vectors for one question", len(vectors))
	}
	return vectors[0], ""
}

// withVariants looks for other wordings too; a passage keeps its best score.
func (s *Searcher) withVariants(ctx context.Context, req Request, hits []index.Hit) ([]Scored, error) {
	all := scoredHits(hits, 1)
	results, err := s.askVariants(ctx, req)
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		all = append(all, scoredHits(r.Keyword, req.Variants[i].Weight)...)
	}
	return bestOfEach(all), nil
}

func scoredHits(hits []index.Hit, weight float64) []Scored {
	out := make([]Scored, len(hits))
	for i, h := range hits {
		out[i] = Scored{ID: h.ChunkID, Score: unit(h.Score * weight)}
	}
	return out
}

// read gives the text of the best passages that are still there, as many as
// are wanted. Only as many are read as are kept.
func (s *Searcher) read(ctx context.Context, req Request, scored []Scored) ([]Found, error) {
	m := newMerger(req.Question)
	for len(m.found) < req.Limit && len(scored) > 0 {
		batch := scored[:min(req.Limit-len(m.found), len(scored))]
		scored = scored[len(batch):]
		some, err := s.readBatch(ctx, batch)
		if err != nil {
			return nil, err
		}
		entries, err := s.entriesOf(ctx, some)
		if err != nil {
			return nil, err
		}
		m.add(some, entries)
	}
	return m.done(), nil
}

func (s *Searcher) readBatch(ctx context.Context, scored []Scored) ([]Found, error) {
	ids := make([]string, len(scored))
	for i, item := range scored {
		ids[i] = item.ID
	}
	chunks, err := s.Chunks.ChunksByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the passages found: %w", err)
	}
	documents, err := s.Chunks.DocumentsByID(ctx, documentIDs(chunks))
	if err != nil {
		return nil, fmt.Errorf("read the documents found: %w", err)
	}
	return assemble(scored, chunks, documents), nil
}

func documentIDs(chunks []core.Chunk) []string {
	var ids []string
	seen := map[string]bool{}
	for _, c := range chunks {
		if !seen[c.DocumentID] {
			seen[c.DocumentID] = true
			ids = append(ids, c.DocumentID)
		}
	}
	return ids
}

func assemble(scored []Scored, chunks []core.Chunk, documents []core.Document) []Found {
	chunkOf := make(map[string]core.Chunk, len(chunks))
	for _, c := range chunks {
		chunkOf[c.ID] = c
	}
	documentOf := make(map[string]core.Document, len(documents))
	for _, d := range documents {
		documentOf[d.ID] = d
	}
	found := make([]Found, 0, len(scored))
	for _, item := range scored {
		c, ok := chunkOf[item.ID]
		d, known := documentOf[c.DocumentID]
		if !ok || !known || d.State == core.DocumentDeleted || d.State == core.DocumentDisabled {
			continue
		}
		found = append(found, Found{Chunk: c, Document: d, Text: c.Content, Score: item.Score, Steps: item.Steps})
	}
	return found
}
