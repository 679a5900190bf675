package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"kaoju/internal/client"
	"kaoju/internal/core"
)

// uploads is how many files are sent at once.
const uploads = 4

// isAddress tells an address from a file.
func isAddress(arg string) bool {
	return strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://")
}

// findFiles gives the files and addresses that the arguments name, each once,
// in order. Folders are walked; hidden files and folders in them are left out.
func findFiles(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		if isAddress(arg) {
			files = append(files, arg)
			continue
		}
		matches := []string{arg}
		if _, err := os.Stat(arg); err != nil {
			if matches, err = filepath.Glob(arg); err != nil || len(matches) == 0 {
				return nil, core.Errorf(core.CodeNotFound, "there is no file, folder or match for %s", arg)
			}
		}
		for _, m := range matches {
			found, err := walk(m)
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
	}
	seen := map[string]bool{}
	files = slices.DeleteFunc(files, func(f string) bool {
		old := seen[f]
		seen[f] = true
		return old
	})
	if len(files) == 0 {
		return nil, core.Errorf(core.CodeEmpty, "there are no files in %s", strings.Join(args, " "))
	}
	return files, nil
}

func walk(root string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("look into %s: %w", path, err)
		case path != root && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case !d.IsDir() && isFile(path, d):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// isFile reports whether path is a regular file or a link to one.
func isFile(path string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// failure is a file that did not come in.
type failure struct {
	path string
	code core.Code
	text string
}

// ingestion uploads files and waits until the server has worked on them.
type ingestion struct {
	client *client.Client
	base   core.KnowledgeBase
	meter  *meter // counts a file twice: once sent, once worked on
	total  int

	mu        sync.Mutex
	added     map[string]string // document id to path
	up        int               // files that the server has
	unchanged int
	ready     int
	chunks    int
	failed    []failure
	warnings  []failure
	waits     string // why documents cannot be worked on yet
}

func (in *ingestion) all(ctx context.Context, paths []string) error {
	in.added = map[string]string{}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(uploads)
	for _, path := range paths {
		group.Go(func() error {
			r, err := in.send(groupCtx, path)
			if err != nil {
				return err
			}
			in.sent(path, r)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	err := in.client.Follow(ctx, in.base.ID, func(p client.Progress) {
		in.progress("reading", in.total+in.total-min(p.Running(), len(in.added)))
	})
	if why := core.CodeOf(err); err != nil && (why == core.CodeUnavailable || why == core.CodeDiskFull) && len(in.added) > 0 {
		in.waits = core.PublicMessage(err)
		return nil
	}
	if err != nil {
		return err
	}
	return in.collect(ctx)
}

// send hands a file to the server, or an address to fetch.
func (in *ingestion) send(ctx context.Context, path string) (client.Result, error) {
	if isAddress(path) {
		return in.client.Fetch(ctx, in.base.ID, path)
	}
	return in.client.Upload(ctx, in.base.ID, path, in.total > uploads)
}

// sent takes what became of an upload.
func (in *ingestion) sent(path string, r client.Result) {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case r.Code != "":
		in.failed = append(in.failed, failure{path, r.Code, r.Error})
		in.meter.line("failed: %s: %s", path, r.Error)
	case !r.Added:
		in.unchanged++
	default:
		in.added[r.Document.ID] = path
	}
	in.up++
	in.progress("sending", in.up)
}

func (in *ingestion) progress(what string, done int) {
	in.meter.name = what
	in.meter.show(done, 2*in.total)
}

// collect asks for the end state of each added document.
func (in *ingestion) collect(ctx context.Context) error {
	for id, path := range in.added {
		d, err := in.client.Document(ctx, id)
		if err != nil {
			return err
		}
		if d.State == core.DocumentFailed {
			in.failed = append(in.failed, failure{path, d.ErrorCode, d.Error})
			continue
		}
		in.ready++
		in.chunks += d.Chunks
		for _, w := range d.Warnings {
			in.warnings = append(in.warnings, failure{path: path, text: w})
		}
	}
	byPath := func(a, b failure) int { return cmp.Compare(a.path, b.path) }
	slices.SortStableFunc(in.failed, byPath)
	slices.SortStableFunc(in.warnings, byPath)
	return nil
}

// summary prints what came in, what was left alone, and what failed and why.
func (in *ingestion) summary(out io.Writer) {
	if in.waits != "" {
		fmt.Fprintf(out, "%s: %d stored, to be read by themselves once that can be done, %d already there, %d failed\n  waits   %s\n",
			in.base.Name, len(in.added), in.unchanged, len(in.failed), in.waits)
		return
	}
	fmt.Fprintf(out, "%s: %d added (%d passages), %d already there, %d failed\n",
		in.base.Name, in.ready, in.chunks, in.unchanged, len(in.failed))
	for _, w := range in.warnings {
		fmt.Fprintf(out, "  note    %s: %s\n", w.path, w.text)
	}
	for _, f := range in.failed {
		fmt.Fprintf(out, "  failed  %s: %s (%s)\n", f.path, f.text, f.code)
	}
}
