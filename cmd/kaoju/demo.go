package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"kaoju/internal/app"
	"kaoju/internal/client"
	"kaoju/internal/core"
)

func newDemo() *cobra.Command {
	var run bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Load an example: an HR, finance and IT help desk in Chinese",
		Long: `Loads an assistant (hr-it) with documents, a table and standard questions that
are part of this program, and prints what to try: a question for every way to
an answer. A second run changes nothing.

  kaoju demo
  kaoju demo --ask`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return demo(cmd, run) },
	}
	reach(cmd)
	cmd.Flags().BoolVar(&run, "ask", false, "ask the questions, too")
	return cmd
}

func demo(cmd *cobra.Command, run bool) error {
	d, err := app.HRDemo()
	if err != nil {
		return err
	}
	return withClient(cmd, func(_ context.Context, c *client.Client) error {
		if err := loadDemo(cmd, c, d); err != nil {
			return err
		}
		if run {
			return askDemo(cmd, c, d)
		}
		printDemo(cmd.OutOrStdout(), d)
		return nil
	})
}

// loadDemo puts the example's knowledge into bases of its own, then its
// assistant over them.
func loadDemo(cmd *cobra.Command, c *client.Client, d app.Demo) error {
	ctx := cmd.Context()
	faq, err := c.EnsureFAQBase(ctx, d.FAQBase)
	if err != nil {
		return err
	}
	if _, err := c.ImportFAQ(ctx, faq.ID, "replace", false, bytes.NewReader(d.FAQ)); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "kaoju-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the example's files: %w", err)
	}
	defer os.RemoveAll(dir)
	for _, base := range d.Bases {
		b, err := c.EnsureBase(ctx, base.Name)
		if err != nil {
			return err
		}
		paths, err := writeFiles(dir, base.Files)
		if err != nil {
			return err
		}
		in := ingestion{client: c, base: b, meter: newMeter(cmd.ErrOrStderr(), 2*len(paths)), total: len(paths)}
		err = in.all(ctx, paths)
		in.meter.close()
		if err != nil {
			return err
		}
		if len(in.failed) > 0 {
			return fmt.Errorf("%w: %d files of the example failed", errPartial, len(in.failed))
		}
	}
	a := d.Assistant
	_, err = c.PutAssistant(ctx, a)
	return err
}

func writeFiles(dir string, files []app.DemoFile) ([]string, error) {
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.WriteFile(path, f.Content, 0o600); err != nil {
			return nil, fmt.Errorf("write the example's files: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func printDemo(out io.Writer, d app.Demo) {
	fmt.Fprintf(out, "The assistant %q is ready. Try:\n\n", d.Assistant.ID)
	for _, q := range d.Questions {
		if q.After != "" {
			continue // a single question has nothing before it
		}
		base := ""
		if q.Base != "" {
			base = " --base " + q.Base
		}
		fmt.Fprintf(out, "  kaoju ask --assistant %s%s %q\n      %s\n", d.Assistant.ID, base, q.Text, q.Shows)
	}
	fmt.Fprintf(out, "\nOr all of them, a follow-up too: kaoju demo --ask. On a page: kaoju serve, then choose the assistant there.\n")
}

// askDemo asks every question and prints how it was answered.
func askDemo(cmd *cobra.Command, c *client.Client, d app.Demo) error {
	out := cmd.OutOrStdout()
	sessions := map[string]string{} // by the question that opened it
	for _, q := range d.Questions {
		ask := client.Question{Text: q.Text, AssistantID: d.Assistant.ID, SessionID: sessions[q.After]}
		if q.Base != "" {
			ask.BaseIDs = []string{q.Base}
		}
		fmt.Fprintf(out, "> %s    (%s)\n", q.Text, q.Shows)
		a, err := c.Ask(cmd.Context(), ask, func(s string) { fmt.Fprint(out, s) })
		if err != nil {
			return err
		}
		sessions[q.Text] = a.SessionID
		if err := printAnswer(out, a, false); err != nil {
			return err
		}
		fmt.Fprintf(out, "answered by: %s, %.1f ms\n\n", a.HitType, total(a.Timings))
	}
	return nil
}

func total(timings []core.Timing) (ms float64) {
	for _, t := range timings {
		ms += t.ElapsedMS
	}
	return ms
}
