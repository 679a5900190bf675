package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kaoju/internal/client"
	"kaoju/internal/core"
)

func newWiki() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wiki",
		Short: "Write, read and take back the pages of a wiki",
		Long: `A wiki base holds Markdown pages that link to each other. A page is searched
and cited as soon as it is saved, and every revision of it is kept.

  kaoju wiki put --base handbook docs/        a folder of Markdown files
  kaoju wiki put --base handbook --name hr/leave.md < leave.md
  kaoju wiki list --base handbook leave
  kaoju wiki show --base handbook hr/leave
  kaoju wiki history --base handbook hr/leave
  kaoju wiki revert --base handbook hr/leave 3
  kaoju wiki export --base handbook handbook.zip
  kaoju wiki write --base handbook --from files    a model writes the pages

The name of a file is the slug of its page (hr/leave.md is hr/leave); a head
between lines of three dashes may hold title, type, status, summary, aliases.
In the text, [[hr/leave]] and [[hr/leave|text]] are links; links between files
become links between pages.`,
	}
	cmd.AddCommand(newWikiPut(), newWikiList(), newWikiShow(), newWikiHistory(), newWikiRevert(), newWikiExport(), newWikiWrite())
	for _, c := range cmd.Commands() {
		reach(c)
		c.Flags().String("base", "wiki", "wiki base, by name or id")
	}
	return cmd
}

// inWiki runs a command that works on a wiki base.
func inWiki(do func(ctx context.Context, cmd *cobra.Command, c *client.Client, base string, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		base, err := cmd.Flags().GetString("base")
		if err != nil {
			return fmt.Errorf("read --base: %w", err)
		}
		return withClient(cmd, func(ctx context.Context, c *client.Client) error { return do(ctx, cmd, c, base, args) })
	}
}

func newWikiList() *cobra.Command {
	return &cobra.Command{
		Use:   "list [WORD...]",
		Short: "List the pages, or those in which all the words occur",
		RunE: inWiki(func(ctx context.Context, cmd *cobra.Command, c *client.Client, base string, args []string) error {
			for offset := 0; ; {
				list, err := c.WikiPages(ctx, base, strings.Join(args, " "), offset)
				if err != nil {
					return err
				}
				for _, p := range list.Items {
					fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s%s\n", p.Slug, p.Title, wikiState(p))
				}
				if offset += len(list.Items); offset >= list.Total || len(list.Items) == 0 {
					return nil
				}
			}
		}),
	}
}

func wikiState(p core.WikiPage) string {
	state := ""
	if p.Status != core.WikiPublished {
		state += "\t" + string(p.Status)
	}
	if p.Proposals > 0 {
		state += "\ta proposal waits"
	}
	return state
}

func newWikiShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show PAGE",
		Short: "Print a page, by slug, title or id",
		Args:  cobra.ExactArgs(1),
		RunE: inWiki(func(ctx context.Context, cmd *cobra.Command, c *client.Client, base string, args []string) error {
			p, err := c.WikiPage(ctx, base, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(p)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s (%s, revision %d)\n\n%s\n", p.Title, p.Slug, p.Revision, p.Content)
			for _, s := range p.Sources {
				fmt.Fprintf(cmd.OutOrStdout(), "\n[^%d] %s: %s\n", s.Number, s.Title, strings.Join(strings.Fields(s.Text), " "))
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the page as JSON")
	return cmd
}

func newWikiHistory() *cobra.Command {
	return &cobra.Command{
		Use:   "history PAGE",
		Short: "List the revisions of a page, the newest first",
		Args:  cobra.ExactArgs(1),
		RunE: inWiki(func(ctx context.Context, cmd *cobra.Command, c *client.Client, base string, args []string) error {
			list, err := c.WikiRevisions(ctx, base, args[0])
			if err != nil {
				return err
			}
			for _, r := range list.Items {
				mark := ""
				switch {
				case r.Current:
					mark = "\tcurrent"
				case r.Proposed:
					mark = "\tproposed; take it with: kaoju wiki revert"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%d\t%s\t%s %s\t%s%s\n", r.Number, r.CreatedAt.Local().Format("2006-01-02 15:04"), r.Author, r.UserID, r.Note, mark)
			}
			return nil
		}),
	}
}

func newWikiRevert() *cobra.Command {
	return &cobra.Command{
		Use:   "revert PAGE REVISION",
		Short: "Let a page say again what it said in a revision, or take a proposal",
		Args:  cobra.ExactArgs(2),
		RunE: inWiki(func(ctx context.Context, cmd *cobra.Command, c *client.Client, base string, args []string) error {
			number, err := strconv.Atoi(args[1])
			if err != nil || number < 1 {
				return usageError{fmt.Errorf("%q is no revision; 'kaoju wiki history' lists them", args[1])}
			}
			p, err := c.WikiPage(ctx, base, args[0])
			if err != nil {
				return err
			}
			p, err = c.RevertWiki(ctx, client.WikiRevision{Base: base, Page: p.ID, Number: number, Current: p.Revision})
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s says again what it said in revision %d; that is revision %d now\n", p.Slug, number, p.Revision)
			}
			return err
		}),
	}
}

func newWikiExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write all pages as Markdown files in a ZIP",
		Args:  cobra.MaximumNArgs(1),
		RunE: inWiki(func(ctx context.Context, cmd *cobra.Command, c *client.Client, base string, args []string) error {
			if len(args) == 0 {
				return c.ExportWiki(ctx, base, cmd.OutOrStdout())
			}
			return replaceFile(args[0], func(w io.Writer) error { return c.ExportWiki(ctx, base, w) })
		}),
	}
}

func newWikiPut() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "put [FILE|FOLDER...]",
		Short: "Make pages of Markdown files, or change the pages that they are",
		Long: `Makes a page of each Markdown file, or gives the page with its slug the file's
text as a new revision. Of a folder all .md and .markdown files are taken, and
their paths in it are the slugs; of a file that is named, its name alone.
Without arguments, standard input is the page that --name names. The base is
made where it is missing. Files that fail are named, and the exit code is 3.`,
		RunE: inWiki(func(ctx context.Context, cmd *cobra.Command, c *client.Client, base string, args []string) error {
			files, err := wikiFiles(cmd, name, args)
			if err != nil {
				return err
			}
			if _, err := c.EnsureWikiBase(ctx, base); err != nil {
				return err
			}
			return putWiki(ctx, cmd, c, base, files)
		}),
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the one file, where it is not its own: hr/leave.md")
	return cmd
}

// wikiFile is a file to put: its name in the wiki and how it is read.
type wikiFile struct {
	name string
	read func() ([]byte, error)
}

// maxWikiFile is the largest file that is read, in bytes.
const maxWikiFile = 4 << 20

func wikiFiles(cmd *cobra.Command, name string, args []string) ([]wikiFile, error) {
	if len(args) == 0 {
		if name == "" {
			return nil, usageError{fmt.Errorf("name a file or a folder, or the page on standard input with --name; see '%s --help'", cmd.CommandPath())}
		}
		return []wikiFile{{name, func() ([]byte, error) { return io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxWikiFile)) }}}, nil
	}
	var files []wikiFile
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, core.Wrap(err, core.CodeInvalid, "%s cannot be read", arg)
		}
		if !info.IsDir() {
			files = append(files, wikiFile{filepath.Base(arg), func() ([]byte, error) { return os.ReadFile(arg) }})
			continue
		}
		if files, err = wikiFolder(files, arg); err != nil {
			return nil, err
		}
	}
	if name != "" {
		if len(files) != 1 {
			return nil, usageError{fmt.Errorf("--name names one page, and there are %d files", len(files))}
		}
		files[0].name = name
	}
	return files, nil
}

func wikiFolder(files []wikiFile, folder string) ([]wikiFile, error) {
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") && path != folder {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !slices.Contains([]string{".md", ".markdown"}, strings.ToLower(filepath.Ext(path))) {
			return nil
		}
		name, err := filepath.Rel(folder, path)
		files = append(files, wikiFile{filepath.ToSlash(name), func() ([]byte, error) { return os.ReadFile(path) }})
		return err
	})
	if err != nil {
		return nil, core.Wrap(err, core.CodeInvalid, "the folder %s cannot be read", folder)
	}
	return files, nil
}

func putWiki(ctx context.Context, cmd *cobra.Command, c *client.Client, base string, files []wikiFile) error {
	count, failed := map[string]int{}, 0
	for _, f := range files {
		content, err := f.read()
		var done client.WikiFile
		if err == nil && len(content) > maxWikiFile {
			err = core.Errorf(core.CodeTooLarge, "the file is larger than %d MiB", maxWikiFile>>20)
		}
		if err == nil {
			done, err = c.PutWikiFile(ctx, base, f.name, string(content))
		}
		if ctx.Err() != nil || core.CodeOf(err) == core.CodeUnavailable {
			return err
		}
		if err != nil {
			failed++
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", f.name, core.PublicMessage(err))
			continue
		}
		count[done.Did]++
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", done.Page.Slug, done.Did)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %d files: %d added, %d changed, %d unchanged, %d failed\n",
		base, len(files), count["added"], count["changed"], count["unchanged"], failed)
	if failed > 0 {
		return fmt.Errorf("%w: %d files", errPartial, failed)
	}
	return nil
}
