package stage_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
	"kaoju/internal/stage"
)

// Each step of a merge alone: what it makes of a list, and that the trace says
// so.
func TestMergeSteps(t *testing.T) {
	typed := func(f retrieve.Found, kind core.ChunkType, parent string, index int) retrieve.Found {
		f.Chunk.Type, f.Chunk.ParentID, f.Chunk.Index = kind, parent, index
		return f
	}
	chunk := func(f retrieve.Found) core.Chunk { return f.Chunk }
	body := typed(passage("p", "d", "the page around the picture", 0), core.ChunkParentText, "", 0)
	entry := typed(passage("entry", "faq", "How many days? Twelve.", 0), core.ChunkFAQ, "", 0)
	entry.Chunk.FAQ = &core.FAQEntry{Question: "How many days?", Answers: []string{"Twelve."}}
	one := typed(passage("one", "d", "first piece", .5), core.ChunkText, "", 1)
	two := typed(passage("two", "d", "second piece", .9), core.ChunkText, "", 2)
	three := typed(passage("three", "d", "third piece", 0), core.ChunkText, "", 3)
	long := strings.Repeat("the pump runs at fifteen hundred turns a minute under load. ", 8)
	tests := []struct {
		step  string
		list  []retrieve.Found
		store library
		want  string // ids
		text  string // of the first
	}{
		{"duplicates", []retrieve.Found{passage("a", "d", "Same text", .9), passage("b", "e", "same  text!", .8), passage("a", "d", "Same text", .7)}, nil, "a", "Same text"},
		{"lifted", []retrieve.Found{typed(passage("ocr", "d", "text in a picture", .6), core.ChunkImageOCR, "p", 0)}, library{"p": chunk(body)}, "p", "the page around the picture"},
		{"joined", []retrieve.Found{one, two}, nil, "two", "first piece\nsecond piece"},
		{"answers", []retrieve.Found{typed(passage("q", "faq", "How many days off?", .7), core.ChunkFAQQuestion, "entry", 0), typed(passage("q2", "faq", "gone?", .6), core.ChunkFAQQuestion, "gone", 1)}, library{"entry": chunk(entry)}, "entry", "How many days? Twelve."},
		{"widened", []retrieve.Found{two}, library{"three": chunk(three), "two": chunk(two)}, "two", "second piece\nthird piece"},
		{"contained", []retrieve.Found{passage("whole", "d", long+"And more.", .9), passage("part", "e", long, .8)}, nil, "whole", ""},
	}
	for _, tt := range tests {
		t.Run(tt.step, func(t *testing.T) {
			turn := mergeTurn(t, tt.list)
			cfg := config.Retrieve{}
			switch tt.step {
			case "joined":
				cfg.Join = retrieve.MaxJoined
			case "widened":
				cfg.Widen = retrieve.ShortText
			}
			out := merged(t, turn, tt.store, cfg)
			if got := ids(out); got != tt.want {
				t.Fatalf("merged %q, want %q", got, tt.want)
			}
			if tt.text != "" && out[0].Text != tt.text {
				t.Errorf("reads %q", out[0].Text)
			}
		})
	}
}

// Options of 0 leave neighbours apart and short passages short.
func TestMergeWithoutJoiningAndWidening(t *testing.T) {
	one, two := passage("one", "d", "first piece", .5), passage("two", "d", "second piece", .9)
	one.Chunk.Index, two.Chunk.Index = 1, 2
	out := merged(t, mergeTurn(t, []retrieve.Found{one, two}), library{}, config.Retrieve{})
	if ids(out) != "two one" || out[0].Text != "second piece" || out[0].Parts != nil {
		t.Errorf("merged to %+v", out)
	}
}

func mergeTurn(t *testing.T, list []retrieve.Found) *pipeline.Turn {
	t.Helper()
	turn := pipeline.NewTurn(pipeline.Request{Question: "q", RetrieveOnly: true}, (&recorder{}).publish, time.Now)
	if err := turn.Reranked.Set(list); err != nil {
		t.Fatal(err)
	}
	return turn
}

func merged(t *testing.T, turn *pipeline.Turn, store library, cfg config.Retrieve) []retrieve.Found {
	t.Helper()
	err := stage.Merge(&searcher{}, store, nil, cfg).Handle(t.Context(), pipeline.StageMerge, turn, func(context.Context) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(turn.Merged.Value())
}
