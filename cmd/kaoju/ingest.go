package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"kaoju/internal/client"
	"kaoju/internal/core"
)

func newIngest() *cobra.Command {
	var base string
	cmd := &cobra.Command{
		Use:   "ingest PATH|URL…",
		Short: "Add files, folders and web pages to a knowledge base",
		Long: `Adds files, folders (with all that lies in them, but for hidden files),
patterns such as 'reports/*.pdf', and addresses. What a file is, is told by its
content. What is there already is left alone, so that a second run adds nothing;
an address that is fetched again takes the place of what it was. The server
fetches addresses itself, from the hosts that its option fetch.hosts names. A
file that cannot be read is reported with the reason, and the others go on; the
exit code is then 3.

  kaoju ingest handbook/ 'reports/*.pdf'
  kaoju ingest --base rules https://intranet.example.org/rules.html`,
		Args: atLeast(1, "a file, a folder or an address"),
		RunE: func(cmd *cobra.Command, args []string) error { return ingest(cmd, base, args) },
	}
	reach(cmd)
	cmd.Flags().StringVar(&base, "base", core.DefaultBaseName, "knowledge base; made where it is missing")
	return cmd
}

func ingest(cmd *cobra.Command, base string, args []string) error {
	paths, err := findFiles(args)
	if err != nil {
		return err
	}
	return withClient(cmd, func(ctx context.Context, c *client.Client) error {
		b, err := c.EnsureBase(ctx, base)
		if err != nil {
			return err
		}
		run := ingestion{client: c, base: b, meter: newMeter(cmd.ErrOrStderr(), 2*len(paths)), total: len(paths)}
		err = run.all(ctx, paths)
		run.meter.close()
		if err != nil {
			return err
		}
		run.summary(cmd.OutOrStdout())
		if run.waits != "" {
			return fmt.Errorf("%w: %s", errPartial, run.waits)
		}
		if len(run.failed) > 0 {
			return fmt.Errorf("%w: %d files failed", errPartial, len(run.failed))
		}
		return nil
	})
}
