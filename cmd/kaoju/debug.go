package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"kaoju/internal/client"
)

// debug shows how the passages for a question are found.
func debug(ctx context.Context, c *client.Client, q client.Question, out io.Writer, asJSON bool) error {
	r, err := c.Debug(ctx, q)
	if err != nil {
		return err
	}
	if asJSON {
		var b bytes.Buffer
		if err := json.Indent(&b, r.Raw, "", "  "); err != nil {
			return fmt.Errorf("indent the answer: %w", err)
		}
		_, err = fmt.Fprintln(out, b.String())
		return err
	}
	printQuestion(out, r)
	if err := printPassages(out, r); err != nil {
		return err
	}
	var times []string
	for _, t := range r.Timings {
		times = append(times, fmt.Sprintf("%s %.1f", t.Stage, t.ElapsedMS))
	}
	_, err = fmt.Fprintf(out, "\nstages, ms: %s\n", strings.Join(times, " · "))
	return err
}

// printQuestion tells what was searched for, and where.
func printQuestion(out io.Writer, r client.Retrieval) {
	var bases, variants []string
	for _, b := range r.Bases {
		bases = append(bases, fmt.Sprintf("%s (version %d)", b.Name, b.Version))
	}
	for _, v := range r.Variants {
		variants = append(variants, fmt.Sprintf("%q (%s)", v.Text, v.Reason))
	}
	lines := [][2]string{
		{"question", r.Query},
		{"searched for", r.Question},
		{"understood as", strings.Join(present(r.Understanding.Intent, r.Understanding.Reason), ": ")},
		{"plan", fmt.Sprintf("find %d, keep %d, at most %d in the prompt%s", r.Plan.TopK, r.Plan.Keep, r.Plan.Evidence, after(": ", r.Plan.Reason))},
		{"bases", cmp.Or(strings.Join(bases, ", "), "none")},
		{"words", words(r.Terms)},
		{"other wordings", strings.Join(variants, ", ")},
		{"names documents", strings.Join(r.Named, ", ")},
		{"found", fmt.Sprintf("%d by keywords, %d by meaning%s", len(r.Keyword), len(r.Vector), after(", joined by ", r.Method))},
		{"left out", r.Degraded},
	}
	for _, l := range lines {
		if l[1] != "" {
			fmt.Fprintf(out, "%-16s %s\n", l[0], l[1])
		}
	}
}

// shownWords is how many of the words that were looked for are shown; with
// their translations there are many.
const shownWords = 24

// words gives the words once each, the first ones.
func words(terms []string) string {
	var out []string
	for _, w := range terms {
		if slices.Contains(out, w) {
			continue
		}
		if len(out) == shownWords {
			return strings.Join(out, " ") + " …"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func after(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + text
}

func present(parts ...string) []string {
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

// printPassages writes a line for every candidate: the chosen ones first, then
// those that a step left out, with the step.
func printPassages(out io.Writer, r client.Retrieval) error {
	if len(r.Candidates) == 0 {
		_, err := fmt.Fprintln(out, "\nnothing was found")
		return err
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "\tscore\tkeyword\tmeaning\tjoined\trerank\tpassage")
	chosen := ids(r.Results)
	for i, p := range r.Results {
		printPassage(t, fmt.Sprint(i+1), p, "")
	}
	for _, p := range fates(r) {
		if !chosen[p.ChunkID] {
			printPassage(t, "–", p.Passage, p.why)
		}
	}
	return t.Flush()
}

// fate is a passage that was not chosen, and why.
type fate struct {
	client.Passage
	why string
}

// fates gives every candidate as it was when it was last seen.
func fates(r client.Retrieval) []fate {
	reranked, merged := ids(r.Reranked), ids(r.Merged)
	var out []fate
	for _, p := range r.Merged {
		out = append(out, fate{p, "others are better or more different"})
	}
	for _, p := range r.Reranked {
		if !merged[p.ChunkID] {
			out = append(out, fate{p, "stands in another passage"})
		}
	}
	for _, p := range r.Candidates {
		if !reranked[p.ChunkID] && !merged[p.ChunkID] {
			out = append(out, fate{p, "below the threshold"})
		}
	}
	return out
}

func ids(list []client.Passage) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, p := range list {
		out[p.ChunkID] = true
	}
	return out
}

// shownText is how many characters of a passage are shown.
const shownText = 60

func printPassage(out io.Writer, number string, p client.Passage, why string) {
	step := func(name string) string {
		if v, ok := p.Step(name); ok {
			return fmt.Sprintf("%.2f", v)
		}
		return "·"
	}
	where := append([]string{p.Document}, p.Headings...)
	where = append(where, spot(p.Page, p.Sheet, p.Row)...)
	text := []rune(strings.Join(strings.Fields(p.Content), " "))
	if len(text) > shownText {
		text = append(text[:shownText], '…')
	}
	fmt.Fprintf(out, "%s\t%.2f\t%s\t%s\t%s\t%s\t%s\n", number, p.Score,
		step("keyword"), step("vector"), step("fused"), step("rerank"), strings.Join(where, " › ")+after(" — left out: ", why))
	fmt.Fprintf(out, "\t\t\t\t\t\t  %s\n", string(text))
}
