// Package corpustest checks readers against a corpus of real files: a folder
// with a manifest.tsv that says of each file what text must come out of it, or
// that it must be refused.
//
// It is run by hand (make corpus); no test depends on a corpus being there.
package corpustest

import (
	"bufio"
	"cmp"
	"context"
	_ "embed" // accepted.tsv
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// Entry is one line of a manifest.
type Entry struct {
	File     string // path below the corpus folder
	Special  string // what is special about it
	Expect   string // extract, bounded, reject-clear-error and the like, in words
	Snippets []string
}

// Outcome is what became of one file.
type Outcome struct {
	Entry   Entry
	Format  string
	Blocks  int
	Size    int
	Code    core.Code
	Message string
	Elapsed time.Duration
	Peak    int64  // bytes of memory that the process which read it took at most; 0 where it was not measured
	Problem string // "" where all is as expected
	Differs string // why it is not as the manifest says, where that is on purpose
}

// accepted lists the files that differ from the manifest on purpose, each with
// the reason.
//
//go:embed accepted.tsv
var accepted string

// settle turns a difference that is on purpose from a problem into a remark. A
// file that no longer differs has to leave the list.
func (o *Outcome) settle() {
	for line := range strings.Lines(accepted) {
		file, why, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if file != o.Entry.File {
			continue
		}
		if o.Problem == "" {
			o.Problem = "is as the manifest says; take it from accepted.tsv"
			return
		}
		o.Problem, o.Differs = "", why
	}
}

// ReadManifest reads dir/manifest.tsv.
func ReadManifest(dir string) ([]Entry, error) {
	f, err := os.Open(filepath.Join(dir, "manifest.tsv"))
	if err != nil {
		return nil, fmt.Errorf("open the manifest: %w", err)
	}
	defer f.Close()
	var entries []Entry
	for s := bufio.NewScanner(f); s.Scan(); {
		cols := strings.Split(s.Text(), "\t")
		if len(cols) < 7 || cols[0] == "file" {
			continue
		}
		e := Entry{File: cols[0], Special: cols[4], Expect: cols[5]}
		for part := range strings.SplitSeq(cols[6], "||") {
			if part = strings.TrimSpace(part); part != "" {
				e.Snippets = append(e.Snippets, part)
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Check parses one file of the corpus.
func Check(ctx context.Context, p *parse.Parser, dir string, e Entry) Outcome {
	o := Outcome{Entry: e}
	data, err := os.ReadFile(filepath.Join(dir, e.File))
	if err != nil {
		o.Problem = err.Error()
		return o
	}
	start := time.Now()
	doc, err := p.Parse(ctx, parse.Input{Name: filepath.Base(e.File), Data: data})
	o.Elapsed = time.Since(start)
	o.Format, o.Blocks, o.Size = doc.Format, len(doc.Blocks), len(doc.Text())
	o.Code, o.Message = core.CodeOf(err), core.PublicMessage(err)
	if err == nil {
		o.Message = strings.Join(doc.Warnings, "; ")
	}
	o.Problem = judge(e, doc, err, o.Elapsed)
	return o
}

// slowest is what no file may take.
const slowest = 30 * time.Second

// judge compares with what the manifest expects. An unsupported format is
// no problem where the file is of a format that is not read yet.
func judge(e Entry, doc parse.Document, err error, elapsed time.Duration) string {
	code := core.CodeOf(err)
	switch {
	case elapsed > slowest:
		return "took too long"
	case code == core.CodeInternal:
		return "an error without a code"
	case err == nil && strings.HasPrefix(e.Expect, "reject"):
		return "was read, should be refused"
	case err == nil && strings.HasPrefix(e.Expect, "ocr-needed"):
		return "was read, should need recognition"
	case err == nil:
		return lacks(e, doc)
	case strings.HasPrefix(e.Expect, "names decoded") && lacks(e, parse.Document{Title: core.PublicMessage(err)}) == "":
		return ""
	case mayRefuse(e.Expect, code), code == core.CodeEmpty && len(e.Snippets) == 0:
		return ""
	}
	return "was refused"
}

// mayRefuse reports whether an error is an answer to what is expected.
func mayRefuse(expect string, code core.Code) bool {
	switch {
	case code == core.CodeUnsupportedFormat:
		return true
	case strings.HasPrefix(expect, "ocr-needed"):
		return code == core.CodeNoTextLayer
	case strings.Contains(expect, "flag-garbled"):
		return code == core.CodeGarbled
	}
	for _, word := range []string{"reject", "bounded", "no ", "extract-or-clear-error"} {
		if strings.HasPrefix(expect, word) {
			return true
		}
	}
	return false
}

// lacks names the first snippet that is not in the text. Where something is
// hidden by policy, one of the snippets is enough.
func lacks(e Entry, doc parse.Document) string {
	text := squeeze(fullText(doc))
	problem, found := "", 0
	for _, s := range e.Snippets {
		if strings.Contains(text, squeeze(s)) {
			found++
		} else if problem == "" {
			problem = fmt.Sprintf("lacks %q", s)
		}
	}
	if found > 0 && strings.Contains(e.Expect, "hidden by policy") {
		return ""
	}
	return problem
}

// fullText is the text and, for what Markdown escapes, the cells as they are.
func fullText(doc parse.Document) string {
	var b strings.Builder
	b.WriteString(doc.Title + "\n" + doc.Text())
	for _, block := range doc.Blocks {
		for _, row := range block.Rows {
			b.WriteString("\n" + strings.Join(row, " "))
		}
	}
	return b.String()
}

// squeeze keeps letters, digits and symbols: snippets are compared without
// white space and the separators of tables.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune(`,|"`, r) {
			return -1
		}
		return r
	}, s)
}

// Summary writes a Markdown table with a line a kind, which is the folder that
// a file lies in: how many files there are, how many came out as expected, how
// many of those were refused for a reason, and the time that they took.
func Summary(w io.Writer, outcomes []Outcome) {
	type sum struct {
		files, good, refused, differ int
		all, slowest                 time.Duration
		peak                         int64
	}
	sums := map[string]sum{}
	for _, o := range outcomes {
		kind, _, _ := strings.Cut(o.Entry.File, "/")
		for _, k := range []string{kind, "all"} {
			s := sums[k]
			s.files++
			switch {
			case o.Differs != "":
				s.differ++
			case o.Problem == "":
				s.good++
			}
			if o.Problem == "" && o.Code != "" {
				s.refused++
			}
			s.all, s.slowest, s.peak = s.all+o.Elapsed, max(s.slowest, o.Elapsed), max(s.peak, o.Peak)
			sums[k] = s
		}
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	fmt.Fprintln(w, "| kind | files | as expected | of these refused | differ on purpose | ms, all | ms, slowest | MiB, largest |\n|---|---|---|---|---|---|---|---|")
	for _, k := range slices.Sorted(maps.Keys(sums)) {
		s := sums[k]
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %.0f | %.0f | %d |\n", k, s.files, s.good, s.refused, s.differ, ms(s.all), ms(s.slowest), s.peak>>20)
	}
}

// Print writes a table of outcomes, problems first in sight at the right.
func Print(w io.Writer, outcomes []Outcome) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "file\tformat\tblocks\tbytes\tms\tMiB\tcode\tproblem\tmessage")
	for _, o := range outcomes {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.1f\t%d\t%s\t%s\t%s\n", o.Entry.File, o.Format, o.Blocks, o.Size,
			float64(o.Elapsed.Microseconds())/1000, o.Peak>>20, o.Code, cmp.Or(o.Problem, o.Differs), o.Message)
	}
	_ = t.Flush()
}
