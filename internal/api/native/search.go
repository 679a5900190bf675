package native

import (
	"context"

	"kaoju/internal/core"
	"kaoju/internal/retrieve"
)

// SearchInput searches without answering.
type SearchInput struct{ Body Question }

// Found is a passage that a search found.
type Found struct {
	ChunkID    string         `json:"chunk_id"`
	DocumentID string         `json:"document_id"`
	BaseID     string         `json:"knowledge_base_id"`
	Document   string         `json:"document"`
	Title      string         `json:"title"`
	Headings   []string       `json:"headings,omitempty"`
	Page       int            `json:"page,omitempty"`
	Sheet      string         `json:"sheet,omitempty"`
	Row        int            `json:"row,omitempty"`
	Type       core.ChunkType `json:"type"`
	Content    string         `json:"content"`
	Score      float64        `json:"score" doc:"0..1, the number that thresholds compare"`
	Explain    []ScoreStep    `json:"explain" doc:"how the score came about, first step first"`
}

// ScoreStep is one step of a score.
type ScoreStep struct {
	Step  string  `json:"step"`
	Value float64 `json:"value"`
}

// SearchResult is what a search found, best first.
type SearchResult struct {
	Results []Found       `json:"results"`
	Timings []core.Timing `json:"timings"`
}

// Search finds the passages that an answer would be written from.
func (h *Handlers) Search(ctx context.Context, in *SearchInput) (*Reply[SearchResult], error) {
	req, err := h.request(ctx, in.Body, "")
	if err != nil {
		return nil, err
	}
	out, err := h.Chat.Search(ctx, scopeOf(ctx), req)
	if err != nil {
		return nil, err
	}
	ranked := out.Ranked
	if k := in.Body.TopK; k > 0 && len(ranked) > k {
		ranked = ranked[:k]
	}
	return reply(SearchResult{Results: foundAll(ranked), Timings: orEmpty(out.Timings)}, nil)
}

func found(p retrieve.Found) Found {
	explain := make([]ScoreStep, len(p.Steps))
	for i, s := range p.Steps {
		explain[i] = ScoreStep{Step: s.Name, Value: s.Value}
	}
	return Found{
		ChunkID: p.Chunk.ID, DocumentID: p.Chunk.DocumentID, BaseID: p.Chunk.BaseID,
		Document: p.Document.Name, Title: p.Document.Title, Headings: p.Chunk.Headings,
		Page: p.Chunk.Page, Sheet: p.Chunk.Sheet, Row: p.Chunk.Row, Type: p.Chunk.Type,
		Content: p.Chunk.Content, Score: p.Score, Explain: explain,
	}
}
