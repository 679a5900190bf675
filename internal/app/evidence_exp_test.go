//go:build exp

package app

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kaoju/internal/config"
	"kaoju/internal/eval"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
)

// dumped is a question with the evidence that the product chose for it.
type dumped struct {
	ID, Question string
	Answers      []string `json:",omitempty"`
	Answerable   bool
	Whole        bool // asked over the whole set, else over the contexts that the set names
	Evidence     []llm.Evidence
	// Ranked are all passages that were ranked, of which Evidence is a part.
	Ranked []llm.Evidence
}

// TestExpDumpEvidence writes what the answerer gets to read: for every
// question of the sets that DUMP names, the evidence as the stages before the
// answer make it. The fits of internal/llm/builtin read the files.
//
//	KAOJU_EVAL=/path/to/eval DUMP=xquad_zh,xquad_en DUMP_DIR=/tmp/evidence \
//	  go test -tags exp -run TestExpDumpEvidence ./internal/app
func TestExpDumpEvidence(t *testing.T) {
	if os.Getenv("DUMP") == "" {
		t.Skip("DUMP names no sets")
	}
	for _, name := range strings.Split(os.Getenv("DUMP"), ",") {
		set := loadToDump(t, name)
		began := time.Now()
		dumpSet(t, set)
		t.Logf("%s: %d queries, %d probes in %s", name, len(set.Queries), len(set.Probes), time.Since(began))
	}
}

// loadToDump loads a set; zh2en and en2zh are the questions of xquad in one
// language over the passages in the other, with the answers in that language.
func loadToDump(t *testing.T, name string) eval.Set {
	root := os.Getenv("KAOJU_EVAL")
	asks, says, across := strings.Cut(name, "2")
	if !across || len(asks) != 2 || len(says) != 2 {
		set, err := eval.Load(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	set, err := eval.LoadNamed(filepath.Join(root, "xquad_xling"), eval.Names{
		Corpus: "../xquad_" + says + "/corpus.jsonl", Queries: "../xquad_" + asks + "/queries.jsonl", Qrels: "qrels_" + name + ".tsv"})
	if err != nil {
		t.Fatal(err)
	}
	own, err := eval.Load(filepath.Join(root, "xquad_"+says))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string][]string{}
	for _, q := range own.Queries {
		answers[q.ID[2:]] = q.Answers
	}
	for i, q := range set.Queries {
		set.Queries[i].Answers = answers[q.ID[2:]]
	}
	set.Name = name
	return set
}

func dumpSet(t *testing.T, set eval.Set) {
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
	list := make([]dumped, 0, len(set.Queries)+len(set.Probes))
	asked := make([]eval.Question, 0, cap(list))
	for _, q := range set.Queries {
		list = append(list, dumped{ID: q.ID, Question: q.Text, Answers: q.Answers, Answerable: true, Whole: true})
		asked = append(asked, eval.Question{Text: q.Text})
	}
	for _, p := range set.Probes {
		list = append(list, dumped{ID: p.ID, Question: p.Text, Answerable: p.Answerable})
		asked = append(asked, eval.Question{Text: p.Text, OnlyDocs: p.Contexts})
		if !p.Answerable && len(set.Queries) > 0 {
			list = append(list, dumped{ID: p.ID, Question: p.Text, Whole: true})
			asked = append(asked, eval.Question{Text: p.Text})
		}
	}
	var group sync.WaitGroup
	for part := range 2 {
		group.Go(func() {
			for i := part; i < len(list); i += 2 {
				e.dump(t.Context(), asked[i], &list[i])
			}
		})
	}
	group.Wait()
	writeDump(t, filepath.Join(os.Getenv("DUMP_DIR"), set.Name+".jsonl"), list)
}

// dump takes a question through the pipeline and keeps what was read.
func (e *Evaluation) dump(ctx context.Context, q eval.Question, d *dumped) {
	req := e.request(q)
	turn := pipeline.NewTurn(req, discard, time.Now)
	if _, err := e.app.answerer.runner.Run(ctx, pipeline.RAG(req), turn); err != nil {
		return
	}
	d.Question = turn.Question()
	d.Evidence = turn.Evidence.Value()
	for _, f := range turn.Ranked.Value() {
		d.Ranked = append(d.Ranked, rankedEvidence(f))
	}
}

func rankedEvidence(f retrieve.Found) llm.Evidence {
	title := f.Document.Title
	if title == "" {
		title = f.Document.Name
	}
	return llm.Evidence{Type: string(f.Chunk.Type), Title: title, Headings: f.Chunk.Headings, Text: f.Text, Score: f.Score}
}

func writeDump(t *testing.T, path string, list []dumped) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, d := range list {
		if err := enc.Encode(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
