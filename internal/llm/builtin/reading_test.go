package builtin

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"kaoju/internal/llm"
)

// TestReadingsChangeNothing: what was read before must not matter, whoever
// else reads at the same time, and however little room there is.
func TestReadingsChangeNothing(t *testing.T) {
	var passages []llm.Passage
	var evidence []llm.Evidence
	for _, s := range append(slices.Clone(inChinese), inEnglish...) {
		passages = append(passages, llm.Passage{Title: "Library 图书馆 T-100", Headings: []string{"Hours", ""}, Text: s + "\n" + s})
		evidence = append(evidence, llm.Evidence{Handle: "c1", Type: "text", Title: "Library", Text: s, Score: .5})
	}
	questions := []string{"大学的图书馆什么时候关门？", "When does the library close?", "图书馆 opening hours T-100", ""}
	said := func(a *Answerer, question string) string {
		var b strings.Builder
		err := a.Stream(context.Background(), llm.ChatRequest{Question: question, Evidence: evidence}, func(d llm.Delta) error {
			b.WriteString(d.Text)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return b.String()
	}
	for _, room := range []int64{0, 2000, 1 << 20} {
		readings := NewReadings(room)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for _, q := range questions {
					want, _ := NewReranker().Rerank(context.Background(), q, passages)
					got, err := NewReranker().With(readings).Rerank(context.Background(), q, passages)
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("room %d, %q: %v, %v, want %v", room, q, got, err, want)
					}
					if got, want := said(NewAnswerer().With(readings), q), said(NewAnswerer(), q); got != want {
						t.Errorf("room %d, %q: %q, want %q", room, q, got, want)
					}
					if got, want := readings.Assess(q, evidence), Assess(q, evidence); got != want {
						t.Errorf("room %d, %q: %v, want %v", room, q, got, want)
					}
				}
			})
		}
		group.Wait()
	}
}

// TestAssessedComesWithTheAnswer: the check takes the writer's own judgement.
func TestAssessedComesWithTheAnswer(t *testing.T) {
	evidence := []llm.Evidence{{Handle: "c1", Type: "text", Title: "Leave", Text: "Staff have fifteen days of annual leave a year.", Score: .8}}
	for _, question := range []string{"How many days of annual leave do staff have?", "Who painted the ceiling of the Sistine Chapel?"} {
		var last llm.Delta
		err := NewAnswerer().Stream(t.Context(), llm.ChatRequest{Question: question, Evidence: evidence}, func(d llm.Delta) error {
			last = d
			return nil
		})
		if err != nil || last.Finish == "" || last.Assessed == nil {
			t.Fatalf("%q ends with %+v, %v", question, last, err)
		}
		if want := Assess(question, evidence).Probability; *last.Assessed != want {
			t.Errorf("%q: %v, want %v", question, *last.Assessed, want)
		}
	}
}
