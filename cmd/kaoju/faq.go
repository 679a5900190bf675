package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kaoju/internal/client"
	"kaoju/internal/core"
)

func newFAQ() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "faq",
		Short: "Take questions with standard answers in and out as files",
		Long: `An FAQ base holds questions with standard answers. Files are CSV in any
encoding, XLSX or JSON; 'kaoju faq template' writes one to fill in.

  kaoju faq template faq.xlsx
  kaoju faq import --base support --dry-run faq.xlsx
  kaoju faq import --base support faq.xlsx
  kaoju faq export --base support faq.csv`,
	}
	cmd.AddCommand(newFAQImport(), newFAQExport(), newFAQTemplate())
	return cmd
}

type faqFlags struct {
	base, mode string
	dryRun     bool
	json       bool
}

func newFAQImport() *cobra.Command {
	var f faqFlags
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Add the entries of a file to an FAQ base, or replace what it holds",
		Long: `Adds the entries of a file ("-" for standard input) to an FAQ base, which is
made where it is missing. Rows that are wrong and questions that are there
already are named by their row and left out; the exit code is then 3. With
--mode replace the base holds afterwards what the file holds; a wrong row then
stops the import.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return faqImport(cmd, f, args[0]) },
	}
	reach(cmd)
	cmd.Flags().StringVar(&f.base, "base", "faq", "FAQ base; made where it is missing")
	cmd.Flags().StringVar(&f.mode, "mode", "append", "append or replace")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would happen, and do nothing")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the report as JSON")
	return cmd
}

func faqImport(cmd *cobra.Command, f faqFlags, path string) error {
	file, err := openTable(cmd, path)
	if err != nil {
		return err
	}
	defer file.Close()
	var report client.FAQReport
	err = withClient(cmd, func(ctx context.Context, c *client.Client) (err error) {
		b, err := c.EnsureFAQBase(ctx, f.base)
		if err != nil {
			return err
		}
		report, err = c.ImportFAQ(ctx, b.ID, f.mode, f.dryRun, file)
		return err
	})
	if err != nil {
		return err
	}
	if f.json {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(report)
	} else {
		printFAQReport(cmd, f.base, report)
	}
	if err == nil && report.Failed+report.Skipped > 0 {
		err = fmt.Errorf("%w: %d rows", errPartial, report.Failed+report.Skipped)
	}
	return err
}

func printFAQReport(cmd *cobra.Command, base string, r client.FAQReport) {
	for _, p := range r.Problems {
		question := p.Question
		if question == "" {
			question = "(no question)"
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "row %d, %s: %s\n", p.Row, question, p.Message)
	}
	if r.Truncated {
		fmt.Fprintln(cmd.ErrOrStderr(), "… and more")
	}
	would := ""
	if r.DryRun {
		would = "dry run, nothing is changed; "
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s%d rows: %d added, %d changed, %d unchanged, %d removed, %d left out as duplicates, %d wrong\n",
		base, would, r.Rows, r.Added, r.Changed, r.Unchanged, r.Removed, r.Skipped, r.Failed)
}

func newFAQExport() *cobra.Command {
	var base, format string
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write all entries of an FAQ base to a file that import takes",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return faqWrite(cmd, format, args, func(ctx context.Context, c *client.Client, format string, w io.Writer) error {
				return c.ExportFAQ(ctx, base, format, w)
			})
		},
	}
	reach(cmd)
	cmd.Flags().StringVar(&base, "base", "faq", "FAQ base")
	cmd.Flags().StringVar(&format, "format", "", "csv, xlsx or json; else the ending of FILE says it, else csv")
	return cmd
}

func newFAQTemplate() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "template [FILE]",
		Short: "Write a file of entries to fill in",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return faqWrite(cmd, format, args, func(ctx context.Context, c *client.Client, format string, w io.Writer) error {
				return c.FAQTemplate(ctx, format, w)
			})
		},
	}
	reach(cmd)
	cmd.Flags().StringVar(&format, "format", "", "csv, xlsx or json; else the ending of FILE says it, else csv")
	return cmd
}

// faqWrite writes to the file that args name, whole or not at all, or to
// standard output.
func faqWrite(cmd *cobra.Command, format string, args []string, write func(context.Context, *client.Client, string, io.Writer) error) error {
	if format == "" && len(args) > 0 {
		format = strings.TrimPrefix(filepath.Ext(args[0]), ".")
	}
	if format == "" {
		format = "csv"
	}
	return withClient(cmd, func(ctx context.Context, c *client.Client) error {
		if len(args) == 0 {
			return write(ctx, c, format, cmd.OutOrStdout())
		}
		return replaceFile(args[0], func(w io.Writer) error { return write(ctx, c, format, w) })
	})
}

// replaceFile puts a file in place once it was written to the end.
func replaceFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".kaoju-*")
	if err != nil {
		return core.Wrap(err, core.CodeInvalid, "%s cannot be written", path)
	}
	defer os.Remove(f.Name())
	err = write(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}
