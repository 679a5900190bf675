//go:build exp

package app

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kaoju/internal/config"
	"kaoju/internal/eval"
	"kaoju/internal/pipeline"
)

// askedFAQ is a question with the entries that the product found for it.
type askedFAQ struct {
	ID, Question string
	Entries      []foundEntry
}

type foundEntry struct {
	Score     float64 // of the search
	Right     bool
	Exact     bool
	Matched   string
	Questions []string
	Answers   []string
}

// TestExpDumpFAQ writes what the FAQ stage gets to choose from: for every
// question of the sets that DUMP names, its candidates. The fit of
// internal/answer reads the files.
//
//	KAOJU_EVAL=/path/to/eval DUMP=covid_faq DUMP_DIR=/tmp/faq go test -tags exp -run TestExpDumpFAQ ./internal/app
func TestExpDumpFAQ(t *testing.T) {
	if os.Getenv("DUMP") == "" {
		t.Skip("DUMP names no sets")
	}
	for _, name := range strings.Split(os.Getenv("DUMP"), ",") {
		set, err := eval.Load(filepath.Join(os.Getenv("KAOJU_EVAL"), name))
		if err != nil {
			t.Fatal(err)
		}
		dumpFAQ(t, set)
	}
}

func dumpFAQ(t *testing.T, set eval.Set) {
	cfg := config.Default()
	cfg.Data = t.TempDir()
	e, err := OpenEvaluation(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Ingest(t.Context(), set.Docs); err != nil {
		t.Fatal(err)
	}
	list := make([]askedFAQ, len(set.Queries))
	var group sync.WaitGroup
	for part := range 2 {
		group.Go(func() {
			for i := part; i < len(list); i += 2 {
				list[i] = e.dumpEntries(t, set.Queries[i])
			}
		})
	}
	group.Wait()
	f, err := os.Create(filepath.Join(os.Getenv("DUMP_DIR"), set.Name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for _, d := range list {
		if err := enc.Encode(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

func (e *Evaluation) dumpEntries(t *testing.T, q eval.Query) askedFAQ {
	d := askedFAQ{ID: q.ID, Question: q.Text}
	req := e.request(eval.Question{Text: q.Text})
	turn := pipeline.NewTurn(req, discard, time.Now)
	if _, err := e.app.answerer.runner.Run(t.Context(), pipeline.RAG(req), turn); err != nil {
		t.Log(err)
	}
	kept, _ := turn.FAQ.Get()
	for _, c := range kept.Candidates {
		x := foundEntry{Score: c.Score, Exact: c.Exact, Matched: c.Matched, Questions: c.Chunk.FAQ.Questions(), Answers: c.Chunk.FAQ.Answers}
		for i, s := range c.Steps {
			if s.Name == "likely" && i > 0 {
				x.Score = c.Steps[i-1].Value
			}
		}
		x.Right = slices.ContainsFunc(q.Relevant, func(id string) bool { return slices.Contains(e.passages[c.Document.ID], id) })
		d.Entries = append(d.Entries, x)
	}
	return d
}
