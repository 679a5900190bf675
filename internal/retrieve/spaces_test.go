package retrieve

import (
	"context"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/llm"
)

// noting is an engine that remembers what it was asked.
type noting struct {
	index.Engine
	asked []index.Query
}

func (n *noting) Search(_ context.Context, q index.Query) (index.Result, error) {
	n.asked = append(n.asked, q)
	var r index.Result
	for _, t := range q.Targets {
		if len(q.Terms) > 0 {
			r.Keyword = append(r.Keyword, index.Hit{BaseID: t.BaseID, ChunkID: "k-" + t.BaseID, Score: .5})
		}
		if q.Vector != nil {
			r.Vector = append(r.Vector, index.Hit{BaseID: t.BaseID, ChunkID: "v-" + t.BaseID, Score: .5})
		}
	}
	return r, nil
}

type named string

func (n named) Model() string { return string(n) }
func (named) Dim() int        { return 2 }
func (named) Embed(context.Context, llm.Purpose, []string) ([][]float32, error) {
	return [][]float32{{1, 0}}, nil
}

// Vectors of two models are never compared: a base that has those of another
// is searched by keywords, and the search says so. (A62)
func TestBasesOfAnotherModelAreSearchedByKeywords(t *testing.T) {
	for _, c := range []struct {
		name   string
		spaces map[string]string
		words  []string // ids of bases
		near   []string
		note   string
	}{
		{"one model", map[string]string{"a": "ours", "b": "ours"}, []string{"a", "b"}, []string{"a", "b"}, ""},
		{"unknown is ours", nil, []string{"a", "b"}, []string{"a", "b"}, ""},
		{"one of another", map[string]string{"a": "ours", "b": "theirs"}, []string{"a", "b"}, []string{"a"}, "1 of the knowledge bases"},
		{"all of another", map[string]string{"a": "x", "b": "theirs"}, []string{"a", "b"}, nil, "2 of the knowledge bases"},
	} {
		t.Run(c.name, func(t *testing.T) {
			engine := &noting{}
			s := &Searcher{Engine: engine, Embedder: named("ours"), Chunks: nowhere{}}
			_, explain, err := s.Search(t.Context(), Request{
				Targets: []index.Target{{BaseID: "a", Version: 1}, {BaseID: "b", Version: 1}}, Spaces: c.spaces, Question: "年假几天",
			})
			if err != nil {
				t.Fatal(err)
			}
			var words, near []string
			for _, q := range engine.asked {
				for _, target := range q.Targets {
					if len(q.Terms) > 0 {
						words = append(words, target.BaseID)
					}
					if q.Vector != nil {
						near = append(near, target.BaseID)
					}
				}
			}
			if !slices.Equal(words, c.words) || !slices.Equal(near, c.near) {
				t.Errorf("words were looked for in %v, vectors in %v", words, near)
			}
			if explain.Keyword != len(c.words) || explain.Vector != len(c.near) || !strings.Contains(explain.Degraded, c.note) || (c.note == "") != (explain.Degraded == "") {
				t.Errorf("explained as %+v", explain)
			}
		})
	}
}

// nowhere has no chunks.
type nowhere struct{}

func (nowhere) ChunksByID(context.Context, []string) ([]core.Chunk, error)       { return nil, nil }
func (nowhere) DocumentsByID(context.Context, []string) ([]core.Document, error) { return nil, nil }
