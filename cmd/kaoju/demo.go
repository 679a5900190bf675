package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

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
	return withClient(cmd, func(ctx context.Context, c *client.Client) error {
		d, err := c.LoadDemo(ctx)
		if err != nil {
			return err
		}
		if err := awaitDemo(ctx, cmd.ErrOrStderr(), c, d); err != nil {
			return err
		}
		if run {
			return askDemo(cmd, c, d)
		}
		printDemo(cmd.OutOrStdout(), d)
		return nil
	})
}

// awaitDemo waits until the documents of the example are read.
func awaitDemo(ctx context.Context, out io.Writer, c *client.Client, d client.Demo) error {
	m := newMeter(out, len(d.BaseIDs))
	defer m.close()
	m.name = "reading"
	for i, base := range d.BaseIDs {
		failed := 0
		err := c.Follow(ctx, base, func(p client.Progress) { failed = p.Failed })
		if err != nil {
			return err
		}
		if failed > 0 {
			return fmt.Errorf("%w: %d files of the example failed", errPartial, failed)
		}
		m.show(i+1, len(d.BaseIDs))
	}
	return nil
}

func printDemo(out io.Writer, d client.Demo) {
	fmt.Fprintf(out, "The assistant %q is ready. Try:\n\n", d.AssistantID)
	for _, q := range d.Questions {
		if q.After != "" {
			continue // a single question has nothing before it
		}
		base := ""
		if q.Base != "" {
			base = " --base " + q.Base
		}
		fmt.Fprintf(out, "  kaoju ask --assistant %s%s %q\n      %s\n", d.AssistantID, base, q.Text, q.Shows)
	}
	fmt.Fprintf(out, "\nOr all of them, a follow-up too: kaoju demo --ask. On a page: kaoju serve, then choose the assistant there.\n")
}

// askDemo asks every question and prints how it was answered.
func askDemo(cmd *cobra.Command, c *client.Client, d client.Demo) error {
	out := cmd.OutOrStdout()
	sessions := map[string]string{} // by the question that opened it
	for _, q := range d.Questions {
		ask := client.Question{Text: q.Text, AssistantID: d.AssistantID, SessionID: sessions[q.After]}
		if q.Base != "" {
			ask.BaseIDs = []string{q.Base}
		}
		shows := q.Shows
		if q.After != "" {
			shows = "接在“" + q.After + "”之后；" + shows
		}
		fmt.Fprintf(out, "> %s    (%s)\n", q.Text, shows)
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
