package stage_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
	"kaoju/internal/stage"
)

// cites is a round whose answer cited chunks of document d in base b.
func cites(ids ...string) pipeline.Round {
	r := pipeline.Round{Question: "年假几天", Answer: "5 天。"}
	for i, id := range ids {
		r.Cited = append(r.Cited, core.Reference{ChunkID: id, DocumentID: "d", BaseID: "b", Score: .8, Number: i + 1})
	}
	return r
}

func TestWhatWasCitedStandsForAFollowUpAgain(t *testing.T) {
	ranked := []retrieve.Found{passage("new", "e", "病假须附医院证明，由部门负责人批准。", .7)}
	inBase := []retrieve.Found{
		passage("leave", "d", "第三章 休假。\n病假每年 12 天。\n年假每年 5 天。\n其他假期另行规定，以人事处通知为准。", .9),
		passage("travel", "d", "出差须提前两周预订机票。", .8),
		passage("other", "d", "病假每年 12 天，未被引用。", .8),
		passage("new", "e", "病假须附医院证明，由部门负责人批准。", .5),
	}
	tests := []struct {
		name      string
		said      []pipeline.Round
		rewritten bool
		documents []string
		bases     []core.KnowledgeBase
		want      string
	}{
		{"a follow-up", []pipeline.Round{cites("leave", "travel", "gone")}, true, nil, nil, "new leave"},
		{"of the last round that cited", []pipeline.Round{cites("leave"), {Question: "q", Answer: "a"}}, true, nil, nil, "new leave"},
		{"another topic (A37)", []pipeline.Round{cites("leave")}, false, nil, nil, "new"},
		{"nothing was cited", []pipeline.Round{cites()}, true, nil, nil, "new"},
		{"other documents were chosen", []pipeline.Round{cites("leave")}, true, []string{"e"}, nil, "new"},
		{"a base that may not be asked", []pipeline.Round{cites("leave")}, true, nil, []core.KnowledgeBase{{ID: "c", ActiveVersion: 1}}, "new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			turn := pipeline.NewTurn(pipeline.Request{Question: "q", DocumentIDs: tt.documents}, (&recorder{}).publish, time.Now)
			if tt.bases == nil {
				tt.bases = []core.KnowledgeBase{{ID: "b", ActiveVersion: 3}}
			}
			for _, err := range []error{
				turn.Bases.Set(tt.bases), turn.History.Set(tt.said), turn.Reranked.Set(ranked),
				turn.Understanding.Set(pipeline.Understanding{Question: "病假每年几天", Rewritten: tt.rewritten}),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			s := &searcher{found: inBase}
			err := stage.Merge(s, library{}, nil, config.Retrieve{}).Handle(t.Context(), pipeline.StageMerge, turn, func(context.Context) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			merged := turn.Merged.Value()
			if got := ids(merged); got != tt.want {
				t.Fatalf("merged %q, want %q", got, tt.want)
			}
			if strings.Contains(tt.want, "leave") {
				if math.Abs(merged[1].Score-.48) > 1e-9 || merged[1].Steps[0].Name != "cited before" {
					t.Errorf("score %v by %+v", merged[1].Score, merged[1].Steps)
				}
				if target := s.asked.Targets[0]; len(s.asked.Targets) != 1 || target.Version != 3 || strings.Join(target.DocumentIDs, " ") != "d" {
					t.Errorf("searched in %+v", s.asked.Targets)
				}
			}
		})
	}
}

// shy is a stage.Searcher that finds more for other wordings.
type shy struct{ first, others []retrieve.Found }

func (s shy) Search(_ context.Context, req retrieve.Request) ([]retrieve.Found, retrieve.Explain, error) {
	if len(req.Variants) > 0 {
		return s.others, retrieve.Explain{}, nil
	}
	return s.first, retrieve.Explain{}, nil
}

func TestOtherWordingsAreTriedWhereLittleIsFound(t *testing.T) {
	first := []retrieve.Found{passage("a", "d", "one", .9), passage("b", "e", "two", .2)}
	others := []retrieve.Found{passage("c", "f", "three", .8), passage("a", "d", "one", .1)}
	for _, tt := range []struct {
		question string
		topK     int
		want     string
	}{
		{"How do I replace the toner of the printer?", 50, "a c b"},
		{"How do I replace the toner of the printer?", 3, "a c b"},
		{"How do I replace the toner of the printer?", 2, "a b"},
		{"toner", 50, "a b"}, // there is no other wording
	} {
		turn := pipeline.NewTurn(pipeline.Request{Question: tt.question}, (&recorder{}).publish, time.Now)
		if err := turn.Plan.Set(pipeline.Plan{TopK: tt.topK}); err != nil {
			t.Fatal(err)
		}
		err := stage.Search(shy{first, others}, library{}, config.Default().Retrieve).
			Handle(t.Context(), pipeline.StageSearch, turn, func(context.Context) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(turn.Candidates.Value()); got != tt.want {
			t.Errorf("%q with %d: %q, want %q", tt.question, tt.topK, got, tt.want)
		}
	}
}
