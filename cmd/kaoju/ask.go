package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kaoju/internal/client"
	"kaoju/internal/core"
)

type askFlags struct {
	base    string
	who     string
	tags    []string
	topK    int
	asJSON  bool
	require bool
	debug   bool
}

func newAsk() *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Ask a question and print the answer with its evidence",
		Long: `Asks one question. The answer is printed as it is written, then the passages
that it cites and how sure it is.

  kaoju ask "年假有几天？"
  kaoju ask --base handbook --json "Who approves travel?" | jq .citations
  kaoju ask --debug "年假有几天？"     # how the passages are found; no answer

The exit code is 0 for an answer, also for "the documents do not say"; 3 for
the latter with --require-answer; 1 for an error; 2 for a wrong command line.`,
		Args: atLeast(1, "the question"),
		RunE: func(cmd *cobra.Command, args []string) error { return ask(cmd, strings.Join(args, " "), f) },
	}
	reach(cmd)
	cmd.Flags().StringVar(&f.base, "base", "", "knowledge base to ask (default: all)")
	cmd.Flags().StringArrayVar(&f.tags, "tag", nil, "stay within documents and standard questions with this tag; may be repeated, any of them counts")
	cmd.Flags().StringVar(&f.who, "assistant", "", "assistant that answers, by its id (default: the default one)")
	cmd.Flags().IntVar(&f.topK, "top-k", 0, "passages to find (default: the server's)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object instead of text")
	cmd.Flags().BoolVar(&f.debug, "debug", false, "show how the passages are found, step by step, instead of answering")
	cmd.Flags().BoolVar(&f.require, "require-answer", false, "exit with 3 where the documents hold no answer")
	return cmd
}

func ask(cmd *cobra.Command, question string, f askFlags) error {
	return withClient(cmd, func(ctx context.Context, c *client.Client) error {
		q := client.Question{Text: question, TopK: f.topK, AssistantID: f.who, Tags: f.tags}
		if f.base != "" {
			b, err := c.Base(ctx, f.base)
			if err != nil {
				return err
			}
			q.BaseIDs = []string{b.ID}
		}
		out := cmd.OutOrStdout()
		if f.debug {
			return debug(ctx, c, q, out, f.asJSON)
		}
		onText := func(s string) { fmt.Fprint(out, s) }
		if f.asJSON {
			onText = nil
		}
		answer, err := c.Ask(ctx, q, onText)
		if err != nil {
			return err
		}
		if err := printAnswer(out, answer, f.asJSON); err != nil {
			return err
		}
		if f.require && answer.HitType == core.HitInsufficient {
			return errPartial
		}
		return nil
	})
}

func printAnswer(out io.Writer, a client.Answer, asJSON bool) error {
	if asJSON {
		if a.Citations == nil {
			a.Citations = []core.Citation{}
		}
		if a.References == nil {
			a.References = []core.Reference{}
		}
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(a)
	}
	fmt.Fprintf(out, "\n\n")
	for _, r := range a.References {
		if r.Number > 0 {
			fmt.Fprintf(out, "[%d] %s\n", r.Number, place(r))
			fmt.Fprintf(out, "    %s\n", strings.Join(strings.Fields(quoteOf(a, r)), " "))
		}
	}
	for _, u := range a.Unsupported {
		fmt.Fprintf(out, "not supported by the sources: %s\n", strings.Join(strings.Fields(u.Text), " "))
	}
	if slices.Contains(a.Confidence.Reasons, "chat_model_unavailable") {
		fmt.Fprintln(out, "note: the chat model could not be reached; this answer is quoted from the passages")
	}
	if slices.Contains(a.Confidence.Reasons, "keyword_search_only") {
		fmt.Fprintln(out, "note: the embedding model could not be used; only keywords were searched")
	}
	if a.HitType == core.HitDirect {
		_, err := fmt.Fprintf(out, "confidence: %s (%.2f)\n", a.Confidence.Level, a.Confidence.Score)
		return err
	}
	_, err := fmt.Fprintf(out, "confidence: %s (%.2f; the passages answer the question with a probability of %.0f %%)\n",
		a.Confidence.Level, a.Confidence.Score, 100*a.Confidence.Probability)
	return err
}

// place names where a reference stands: document, headings, page or row.
func place(r core.Reference) string {
	parts := append([]string{r.Document}, r.Headings...)
	return strings.Join(append(parts, spot(r.Page, r.Sheet, r.Row)...), " › ")
}

// spot names a page, or a row of a sheet.
func spot(page int, sheet string, row int) (parts []string) {
	if page > 0 {
		parts = append(parts, fmt.Sprintf("page %d", page))
	}
	if sheet != "" {
		parts = append(parts, sheet)
	}
	if row > 0 {
		parts = append(parts, fmt.Sprintf("row %d", row))
	}
	return parts
}

// quoteOf gives the words that support the answer's first use of a reference.
func quoteOf(a client.Answer, r core.Reference) string {
	for _, c := range a.Citations {
		if c.Number == r.Number && c.Quote != "" {
			return c.Quote
		}
	}
	return r.Quote
}
