package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"kaoju/internal/client"
)

func newUsage() *cobra.Command {
	var days int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show what the calls of models cost, in tokens",
		Long: `Prints the tokens that configured models read and wrote, by day (UTC) and
model. The built-in models cost nothing and are not listed.

  kaoju usage
  kaoju usage --days 7 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return usage(cmd, days, asJSON) },
	}
	reach(cmd)
	cmd.Flags().IntVar(&days, "days", 30, "days to look back, today among them (1 to 400)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func usage(cmd *cobra.Command, days int, asJSON bool) error {
	return withClient(cmd, func(ctx context.Context, c *client.Client) error {
		list, err := c.Usage(ctx, days)
		if err != nil {
			return err
		}
		out := cmd.OutOrStdout()
		if asJSON {
			return json.NewEncoder(out).Encode(list)
		}
		if len(list) == 0 {
			_, err := fmt.Fprintln(out, "no configured model was called; the built-in ones cost nothing")
			return err
		}
		t := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "day\tkind\tmodel\tcalls\tread\tcached\twritten\treasoning\testimated calls")
		for _, u := range list {
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n", u.Day, u.Kind, u.Model, u.Calls, u.Input, u.Cached, u.Output, u.Reasoning, u.Estimated)
		}
		return t.Flush()
	})
}
