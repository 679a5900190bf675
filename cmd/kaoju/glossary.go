package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"kaoju/internal/client"
	"kaoju/internal/core"
)

func newGlossary() *cobra.Command {
	var base string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "glossary [FILE.csv]",
		Short: "Print a knowledge base's own words, or replace them by a table",
		Long: `Without a file, prints the glossary of a knowledge base as CSV, which is what
it takes. With one ("-" for standard input), replaces it. The first row names the columns:

  term,synonyms,translations,split
  地平线平台,HZN;地平线,Horizon suite,

Synonyms and translations may be several, with semicolons between. A question
with one form finds passages with any other, and a term is never cut into its
words unless split is "yes". What is wrong is named by its line, and nothing
is changed then.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return glossary(cmd, base, asJSON, args) },
	}
	reach(cmd)
	cmd.Flags().StringVar(&base, "base", core.DefaultBaseName, "knowledge base")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func glossary(cmd *cobra.Command, base string, asJSON bool, args []string) error {
	var table io.Reader
	if len(args) > 0 {
		file, err := openTable(cmd, args[0])
		if err != nil {
			return err
		}
		defer file.Close()
		table = file
	}
	return withClient(cmd, func(ctx context.Context, c *client.Client) error {
		if table == nil && !asJSON {
			return c.GlossaryTable(ctx, base, cmd.OutOrStdout())
		}
		var g core.Glossary
		var err error
		if table == nil {
			g, err = c.Glossary(ctx, base)
		} else {
			g, err = c.SetGlossary(ctx, base, table)
		}
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(g)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d entries\n", base, len(g.Entries))
		return err
	})
}

func openTable(cmd *cobra.Command, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	file, err := os.Open(name)
	return file, core.Wrap(err, core.CodeInvalid, "%s cannot be read", name)
}
