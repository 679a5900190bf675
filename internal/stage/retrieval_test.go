package stage_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
	"kaoju/internal/stage"
)

// searcher finds what it holds and remembers what it was asked.
type searcher struct {
	found   []retrieve.Found
	explain retrieve.Explain
	asked   retrieve.Request
}

func (s *searcher) Search(_ context.Context, req retrieve.Request) ([]retrieve.Found, retrieve.Explain, error) {
	s.asked = req
	return s.found, s.explain, nil
}

// library holds chunks by id.
type library map[string]core.Chunk

func (l library) ChunksByID(_ context.Context, ids []string) ([]core.Chunk, error) {
	var out []core.Chunk
	for _, id := range ids {
		if c, ok := l[id]; ok {
			out = append(out, c)
		}
	}
	return out, nil
}

func (l library) NeighbourChunks(_ context.Context, documentID string, kind core.ChunkType, from, to int) ([]core.Chunk, error) {
	var out []core.Chunk
	for _, id := range slices.Sorted(maps.Keys(l)) {
		if c := l[id]; c.DocumentID == documentID && c.Type == kind && from <= c.Index && c.Index <= to {
			out = append(out, c)
		}
	}
	return out, nil
}

// reranker scores passages by their text; err, if set, is what it answers.
type reranker struct {
	scores map[string]float64
	err    error
	read   []llm.Passage
}

func (r *reranker) Model() string { return "table" }

func (r *reranker) Rerank(_ context.Context, _ string, passages []llm.Passage) ([]float64, error) {
	r.read = passages
	var out []float64
	for _, p := range passages {
		out = append(out, r.scores[p.Text])
	}
	return out, r.err
}

// retrieveTurn takes a request through plan, search, rerank, merge and top-k.
func retrieveTurn(t *testing.T, req pipeline.Request, s *searcher, l library, r *reranker) (pipeline.Outcome, *pipeline.Turn) {
	t.Helper()
	cfg := config.Default()
	cfg.Retrieve.RerankThreshold, cfg.Retrieve.RerankRescue = .3, .15
	req.RetrieveOnly = true
	turn := pipeline.NewTurn(req, (&recorder{}).publish, time.Now)
	if err := turn.Bases.Set([]core.KnowledgeBase{{ID: "b", ActiveVersion: 7}, {ID: "unpublished"}}); err != nil {
		t.Fatal(err)
	}
	runner := pipeline.Runner{Registry: pipeline.NewRegistry(
		planner(cfg), stage.Search(s, l, cfg.Retrieve),
		stage.Rerank(r, cfg.Retrieve), stage.Merge(s, l, nil, cfg.Retrieve), stage.TopK(1, nil))}
	out, err := runner.Run(t.Context(), []pipeline.Step{
		{Stage: pipeline.StagePlan}, {Stage: pipeline.StageSearch}, {Stage: pipeline.StageRerank, Optional: true},
		{Stage: pipeline.StageMerge}, {Stage: pipeline.StageTopK},
	}, turn)
	if err != nil {
		t.Fatal(err)
	}
	return out, turn
}

func ids(found []retrieve.Found) string {
	var out []string
	for _, f := range found {
		out = append(out, f.Chunk.ID)
	}
	return strings.Join(out, " ")
}

func TestSearchAsksThePublishedVersions(t *testing.T) {
	s := &searcher{found: []retrieve.Found{passage("x", "d", "text", .5)}}
	retrieveTurn(t, pipeline.Request{Question: "q", DocumentIDs: []string{"d"}}, s, nil, &reranker{})
	if len(s.asked.Targets) != 1 || s.asked.Targets[0].BaseID != "b" || s.asked.Targets[0].Version != 7 {
		t.Errorf("targets %+v", s.asked.Targets)
	}
	if got := s.asked.Targets[0].DocumentIDs; len(got) != 1 || got[0] != "d" {
		t.Errorf("documents %v", got)
	}
}

// A document and a folder that were chosen are looked into side by side: a
// passage need not stand in both.
func TestSearchLooksIntoFoldersBesideDocuments(t *testing.T) {
	s := &searcher{found: []retrieve.Found{passage("x", "d", "text", .5)}}
	retrieveTurn(t, pipeline.Request{Question: "q", DocumentIDs: []string{"d"}, FolderIDs: []string{"f"}}, s, nil, &reranker{})
	if got := fmt.Sprint(s.asked.Targets[0].DocumentIDs, s.asked.Targets[0].FolderIDs, s.asked.Targets[1].DocumentIDs, s.asked.Targets[1].FolderIDs); got != "[d] [] [] [f]" {
		t.Errorf("targets %s", got)
	}
}

// Two children of one parent are one passage: it is ranked, read and cited.
func TestChildrenAreLiftedToTheirParent(t *testing.T) {
	child := func(id string, score float64) retrieve.Found {
		f := passage(id, "d", "part "+id, score)
		f.Chunk.ParentID = "p"
		return f
	}
	row := passage("row", "d", "型号: QTR-7310", .4)
	row.Chunk.Type, row.Chunk.ParentID = core.ChunkTableRow, "p"
	s := &searcher{found: []retrieve.Found{child("a", .6), child("b", .5), row}}
	r := &reranker{scores: map[string]float64{"the whole passage": .9, "型号: QTR-7310": .8}}
	out, turn := retrieveTurn(t, pipeline.Request{Question: "q"}, s,
		library{"p": {ID: "p", DocumentID: "d", Type: core.ChunkParentText, Content: "the whole passage"}}, r)
	if got := ids(out.Ranked); got != "p row" {
		t.Errorf("ranked %q", got)
	}
	if got := strings.Join(turn.Candidates.Value()[0].Joined, " "); got != "a b" {
		t.Errorf("the parent stands for %q", got)
	}
}

func TestScoresAreCompositeAndExplained(t *testing.T) {
	s := &searcher{found: []retrieve.Found{passage("x", "d", "one", .5)}}
	out, _ := retrieveTurn(t, pipeline.Request{Question: "q"}, s, nil, &reranker{scores: map[string]float64{"one": .8}})
	f := out.Ranked[0]
	if math.Abs(f.Score-(.6*.8+.3*.5+.1)) > 1e-9 {
		t.Errorf("score %v", f.Score)
	}
	last := f.Steps[len(f.Steps)-2:]
	if last[0].Name != "rerank" || last[0].Value != .8 || last[1].Name != "composite" || last[1].Value != f.Score {
		t.Errorf("steps %+v", f.Steps)
	}
}

// A passage is kept exactly if the score that is shown reaches the threshold
// (A12); the best one is rescued (A05); a scope that the user chose has no
// threshold.
func TestThreshold(t *testing.T) {
	// With scores of 0 from the search, a reranker's s becomes .6s+.1.
	tests := []struct {
		name   string
		scores map[string]float64
		req    pipeline.Request
		want   string
	}{
		{"kept from the threshold on", map[string]float64{"a": .8, "b": .34, "c": .33}, pipeline.Request{}, "a b"},
		{"the best one is rescued", map[string]float64{"a": .1, "b": .2, "c": .05}, pipeline.Request{}, "b"},
		{"nothing worth a rescue", map[string]float64{"a": .05, "b": .02}, pipeline.Request{}, ""},
		{"the user's own choice", map[string]float64{"a": .05, "b": .02}, pipeline.Request{DocumentIDs: []string{"d"}}, "a b c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &searcher{found: []retrieve.Found{passage("a", "d1", "a", 0), passage("b", "d2", "b", 0), passage("c", "d3", "c", 0)}}
			tt.req.Question = "q"
			out, _ := retrieveTurn(t, tt.req, s, nil, &reranker{scores: tt.scores})
			if got := ids(out.Ranked); got != tt.want {
				t.Errorf("kept %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRerankDegradesToTheOrderOfTheSearch(t *testing.T) {
	s := &searcher{found: []retrieve.Found{passage("a", "d", "one text", .5), passage("b", "e", "another thing", .4)}}
	r := &reranker{err: core.Errorf(core.CodeUnavailable, "no answer")}
	out, _ := retrieveTurn(t, pipeline.Request{Question: "q"}, s, nil, r)
	if got := ids(out.Ranked); got != "a b" {
		t.Errorf("ranked %q", got)
	}
	if note := out.Timings[2].Note; !strings.HasPrefix(note, "degraded: ") {
		t.Errorf("note %q", note)
	}
}

// The number of passages that is asked for is never exceeded (A13), over all
// documents together (A09).
func TestTopKHolds(t *testing.T) {
	var found []retrieve.Found
	scores := map[string]float64{}
	for i, text := range []string{"apples ripen", "bears sleep", "cats purr", "dogs bark", "eels swim"} {
		found = append(found, passage(text, "d"+string(rune('0'+i)), text, .5))
		scores[text] = .9 - float64(i)/10
	}
	for k := 1; k <= 5; k++ {
		out, _ := retrieveTurn(t, pipeline.Request{Question: "q", TopK: k}, &searcher{found: found}, nil, &reranker{scores: scores})
		if len(out.Ranked) != k || out.Ranked[0].Chunk.ID != "apples ripen" {
			t.Errorf("k=%d: %q", k, ids(out.Ranked))
		}
	}
}

func TestRepeatedTextStandsOnce(t *testing.T) {
	s := &searcher{found: []retrieve.Found{
		passage("a", "d", "Leave is granted by the head of department.", .6),
		passage("b", "e", "Leave is granted by the head of department.", .5),
		passage("c", "f", "Travel is booked by the office.", .4),
	}}
	out, _ := retrieveTurn(t, pipeline.Request{Question: "q"}, s, nil, &reranker{scores: map[string]float64{
		"Leave is granted by the head of department.": .9, "Travel is booked by the office.": .8}})
	if got := ids(out.Ranked); got != "a c" {
		t.Errorf("ranked %q", got)
	}
}

func TestNothingFoundEndsTheSearch(t *testing.T) {
	out, turn := retrieveTurn(t, pipeline.Request{Question: "q"}, &searcher{}, nil, &reranker{})
	if len(out.Ranked) != 0 {
		t.Errorf("ranked %q", ids(out.Ranked))
	}
	if _, set := turn.Candidates.Get(); set {
		t.Error("an empty search has candidates")
	}
}
