package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"kaoju/internal/client"
	"kaoju/internal/core"
)

func newWikiWrite() *cobra.Command {
	var of pagesOf
	cmd := &cobra.Command{
		Use:   "write --from BASE",
		Short: "Have the chat model write pages from the documents of a base",
		Long: `Has the configured chat model read the documents of a base and write pages:
one for each document, one for each topic that documents share, and an index.
Every statement names the passage that it rests on. Pages that people wrote
stay as they are; the model's text waits beside them ('kaoju wiki history').
What is written is kept when the command or the server ends; the job goes on at
the next start. Documents of which the model makes nothing are named, exit
code 3.`,
		Args: cobra.NoArgs,
		RunE: inWiki(func(ctx context.Context, cmd *cobra.Command, c *client.Client, base string, _ []string) error {
			return writeWiki(ctx, cmd, c, base, of)
		}),
	}
	cmd.Flags().StringVar(&of.base, "from", core.DefaultBaseName, "base of documents, by name or id")
	cmd.Flags().BoolVar(&of.share, "share", false, "write the pages also where people see the wiki who do not see the documents")
	return cmd
}

// pagesOf says of what pages are written.
type pagesOf struct {
	base  string // of documents
	share bool   // also where people see the wiki who do not see the base
}

func writeWiki(ctx context.Context, cmd *cobra.Command, c *client.Client, base string, of pagesOf) error {
	b, err := c.EnsureWikiBase(ctx, base)
	if err != nil {
		return err
	}
	job, err := c.WriteWiki(ctx, b.ID, of.base, of.share)
	if err != nil {
		return err
	}
	said := ""
	job, err = c.FollowWikiJob(ctx, b.ID, job.ID, func(j core.WikiJob) {
		if now := fmt.Sprintf("%s: %d of %d done", j.Step, j.Done, j.Total); now != said {
			fmt.Fprintln(cmd.ErrOrStderr(), now)
			said = now
		}
	})
	if err != nil {
		return err
	}
	for _, p := range job.Problems {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", p.Name, p.Error)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %d pages added, %d changed, %d proposed, %d failed\n", base, job.Added, job.Changed, job.Proposed, job.Failed)
	switch {
	case job.State == core.JobFailed:
		return &core.Error{Code: job.ErrorCode, Message: "the job ended early: " + job.Error}
	case job.Failed > 0:
		return fmt.Errorf("%w: %d documents or topics", errPartial, job.Failed)
	}
	return nil
}
