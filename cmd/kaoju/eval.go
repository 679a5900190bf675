package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaoju/internal/app"
	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/eval"
)

type evalFlags struct {
	json, html, baseline string
	queries, qrels       string
	corpus               string
	limit, half          int
	retrieval, articles  bool
	stages               bool
}

func newEval() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval SET_DIR…",
		Short: "Measure retrieval, answers and refusal over question sets",
		Long: `Takes each set through the real store, ingestion and pipeline, in a data folder
of its own that is removed afterwards, and prints a table. A set is a folder
with corpus.jsonl, queries.jsonl and qrels.tsv, and may hold faq.jsonl,
unanswerable.jsonl and items.jsonl.

  kaoju eval --json result.json --html report.html ../shared/eval/xquad_zh
  kaoju eval --baseline result.json ../shared/eval/xquad_zh`,
		Args: atLeast(1, "the folder of a set"),
		RunE: func(cmd *cobra.Command, args []string) error { return runEval(cmd, args, f) },
	}
	options(cmd)
	cmd.Flags().StringVar(&f.json, "json", "", "write the results to this file")
	cmd.Flags().StringVar(&f.html, "html", "", "write a report with charts to this file")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "results of an earlier run to compare with")
	cmd.Flags().StringVar(&f.corpus, "corpus", "", "name of the passages' file (corpus.jsonl)")
	cmd.Flags().StringVar(&f.queries, "queries", "", "name of the questions' file (queries.jsonl)")
	cmd.Flags().StringVar(&f.qrels, "qrels", "", "name of the judgements' file (qrels.tsv)")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "questions a set; 0 means all")
	cmd.Flags().IntVar(&f.half, "half", 0, "only the first or the second half of the questions (1 or 2): choose settings on one, report the other")
	cmd.Flags().BoolVar(&f.retrieval, "retrieval-only", false, "do not ask for answers")
	cmd.Flags().BoolVar(&f.articles, "articles", false, "store the passages of one title as one document; documents are ranked then")
	cmd.Flags().BoolVar(&f.stages, "stages", false, "print how good the ranking is after fusion, rerank and merge, too")
	return cmd
}

func runEval(cmd *cobra.Command, dirs []string, f evalFlags) error {
	cfg, err := load(cmd)
	if err != nil {
		return err
	}
	cfg.Log.Level = "warn"
	slog.SetDefault(app.NewLogger(cfg.Log, os.Stderr))
	baseline, err := readBaseline(f.baseline)
	if err != nil {
		return err
	}
	var results eval.Results
	for _, dir := range dirs {
		r, err := evalSet(cmd.Context(), cfg, dir, f)
		if err != nil {
			return err
		}
		results.Sets = append(results.Sets, r)
	}
	if err := eval.WriteTable(cmd.OutOrStdout(), results, baseline); err != nil {
		return err
	}
	if f.stages {
		if err := eval.WriteStages(cmd.OutOrStdout(), results); err != nil {
			return err
		}
	}
	page := eval.Page{Title: "Kaoju", Command: strings.Join(os.Args, " "), Baseline: baseline, Made: time.Now()}
	return writeResults(results, page, f)
}

func evalSet(ctx context.Context, cfg *config.Config, dir string, f evalFlags) (eval.SetResult, error) {
	set, err := eval.LoadNamed(dir, eval.Names{Corpus: f.corpus, Queries: f.queries, Qrels: f.qrels})
	if err != nil {
		return eval.SetResult{}, err
	}
	switch f.half {
	case 0:
	case 1, 2:
		set = set.Half(f.half)
	default:
		return eval.SetResult{}, core.Errorf(core.CodeInvalid, "--half is 1 or 2, not %d", f.half)
	}
	if f.articles {
		set = eval.Articles(set)
	}
	data, err := os.MkdirTemp("", "kaoju-eval-")
	if err != nil {
		return eval.SetResult{}, fmt.Errorf("make a data folder: %w", err)
	}
	defer os.RemoveAll(data)
	own := *cfg
	own.Data = data
	system, err := app.OpenEvaluation(ctx, &own)
	if err != nil {
		return eval.SetResult{}, err
	}
	m := newMeter(os.Stderr, len(set.Queries)+len(set.Probes))
	m.name = set.Name
	r, err := eval.Run(ctx, set, system, eval.Options{Answers: !f.retrieval, Limit: f.limit, Parallel: 2, Progress: m.show})
	m.close()
	if closeErr := system.Close(); err == nil {
		err = closeErr
	}
	return r, err
}

func readBaseline(path string) (*eval.Results, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the baseline: %w", err)
	}
	defer f.Close()
	r, err := eval.ReadResults(f)
	return &r, err
}

func writeResults(results eval.Results, page eval.Page, f evalFlags) error {
	if err := writeFile(f.json, results.Write); err != nil {
		return err
	}
	return writeFile(f.html, func(w io.Writer) error { return eval.WriteHTML(w, results, page) })
}

// writeFile writes a file, if there is a path.
func writeFile(path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
