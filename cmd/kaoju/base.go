package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kaoju/internal/client"
	"kaoju/internal/core"
)

func newBase() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "base",
		Short: "Take whole knowledge bases in and out as files, or cut them anew",
		Long: `One file holds a base with its settings, folders, tags, words, documents and
their originals, passages with edits by hand, FAQ entries and vectors.

  kaoju base export handbook handbook.kaoju.tar.gz
  kaoju base import --dry-run handbook.kaoju.tar.gz
  kaoju base import --name "handbook, copy" handbook.kaoju.tar.gz
  kaoju base rechunk handbook`,
	}
	cmd.AddCommand(newBaseExport(), newBaseImport(), newBaseRechunk())
	return cmd
}

func newBaseRechunk() *cobra.Command {
	var discard bool
	cmd := &cobra.Command{
		Use:   "rechunk BASE",
		Short: "Cut all documents of a base anew by its present settings",
		Long: `Cuts all documents of a base anew by the settings that it has now (in the web
interface: a document, "How it is cut"). PDF and Office files are not read again.
Until a document is ready, it is found as it was. Documents with passages that
were changed by hand stay as they are, unless --discard-edits is given.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withClient(cmd, func(ctx context.Context, c *client.Client) error {
				b, err := c.Base(ctx, args[0])
				if err != nil {
					return err
				}
				r, err := c.RechunkBase(ctx, b.ID, discard)
				if err != nil {
					return err
				}
				bar := newMeter(cmd.ErrOrStderr(), r.Documents)
				bar.name = "cutting"
				err = c.Follow(ctx, b.ID, func(p client.Progress) { bar.show(max(r.Documents-p.Running(), 0), r.Documents) })
				bar.close()
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %d documents were cut anew, %d with changes by hand stayed as they are\n", b.Name, r.Documents, r.Kept)
				return nil
			})
		},
	}
	reach(cmd)
	cmd.Flags().BoolVar(&discard, "discard-edits", false, "also documents with changes by hand, which are lost")
	return cmd
}

func newBaseExport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export BASE [FILE]",
		Short: "Write a knowledge base to one file, or to standard output",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withClient(cmd, func(ctx context.Context, c *client.Client) error {
				b, err := c.Base(ctx, args[0])
				if err != nil {
					return err
				}
				write := func(w io.Writer) error { return c.ExportBase(ctx, b.ID, w) }
				if len(args) == 1 {
					return write(cmd.OutOrStdout())
				}
				return replaceFile(args[1], write)
			})
		},
	}
	reach(cmd)
	return cmd
}

func newBaseImport() *cobra.Command {
	var name string
	var dryRun, asJSON bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a new knowledge base of a file that export wrote",
		Long: `Makes a new knowledge base of a file that export wrote ("-" for standard
input). The file is checked to its end before anybody sees anything of it; where
something is wrong, nothing stays. Vectors of another embedding model than the
server's are made anew in the background.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := openTable(cmd, args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			var r client.BaseReport
			err = withClient(cmd, func(ctx context.Context, c *client.Client) (err error) {
				r, err = c.ImportBase(ctx, name, dryRun, file)
				return err
			})
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(r)
			}
			printBaseReport(cmd.OutOrStdout(), r)
			return nil
		},
	}
	reach(cmd)
	cmd.Flags().StringVar(&name, "name", "", "name of the new base; else that of the file, with a number where it is taken")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check the whole file, and store nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

func printBaseReport(out io.Writer, r client.BaseReport) {
	would := ""
	if r.DryRun {
		would = "dry run, the file is whole and nothing is stored; "
	}
	what := "documents"
	if r.Base.Kind == core.BaseFAQ {
		what = "FAQ entries"
	}
	fmt.Fprintf(out, "%s: %s%d %s (%d originals, %d passages, %d vectors), %d folders, %d glossary entries\n",
		r.Base.Name, would, r.Documents, what, r.Originals, r.Passages, r.Vectors, r.Folders, r.Glossary)
	for _, n := range r.Notes {
		fmt.Fprintf(out, "  note    %s\n", n)
	}
}
