//go:build corpus

package corpustest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"kaoju/internal/parse"
	"kaoju/internal/parse/formats"
)

// outcomeFile is the descriptor on which a child process gives its outcome.
const outcomeFile = 3

// TestCorpus checks all readers over the corpus that KAOJU_CORPUS names, each
// file in a process of its own, whose peak memory is noted.
// KAOJU_CORPUS_KINDS limits it to some folders ("txt md html").
func TestCorpus(t *testing.T) {
	dir := os.Getenv("KAOJU_CORPUS")
	if dir == "" {
		t.Fatal("KAOJU_CORPUS must name the folder of the corpus")
	}
	entries, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	kinds := strings.Fields(os.Getenv("KAOJU_CORPUS_KINDS"))
	cache := t.TempDir()
	// What pdfium costs once a server is not the first file's.
	if o := inChild(t, dir, cache, Entry{File: "../nothing.pdf"}); o.Problem == "" {
		t.Error("a file that is not there has no problem")
	}
	var outcomes []Outcome
	for _, e := range entries {
		if !wanted(e.File, kinds) {
			continue
		}
		o := inChild(t, dir, cache, e)
		o.settle()
		if o.Problem != "" {
			t.Errorf("%s: %s (%s)", e.File, o.Problem, o.Message)
		}
		outcomes = append(outcomes, o)
	}
	Print(os.Stdout, outcomes)
	Summary(os.Stdout, outcomes)
}

// inChild checks one file in a process of its own.
func inChild(t *testing.T, dir, cache string, e Entry) Outcome {
	t.Helper()
	in, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCorpusFile$")
	cmd.Env = append(os.Environ(), "KAOJU_CORPUS_FILE="+string(in), "KAOJU_CORPUS_CACHE="+cache)
	cmd.ExtraFiles = []*os.File{w}
	err = cmd.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	o := Outcome{Entry: e}
	if err := json.NewDecoder(r).Decode(&o); err != nil {
		o.Problem = fmt.Sprintf("the process that read it ended: %v", err)
	}
	_ = cmd.Wait()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		o.Peak = usage.Maxrss << 10
	}
	return o
}

// TestCorpusFile is the child process.
func TestCorpusFile(t *testing.T) {
	given := os.Getenv("KAOJU_CORPUS_FILE")
	if given == "" {
		return // not a child
	}
	var e Entry
	if err := json.Unmarshal([]byte(given), &e); err != nil {
		t.Fatal(err)
	}
	readers, closeReaders := formats.Open(os.Getenv("KAOJU_CORPUS_CACHE"))
	defer closeReaders() //nolint:errcheck // the process ends
	p := parse.New(readers)
	if strings.HasSuffix(e.File, ".pdf") {
		_, _ = p.Parse(t.Context(), parse.Input{Data: []byte("%PDF-1.4")})
	}
	out := os.NewFile(outcomeFile, "outcome")
	if err := json.NewEncoder(out).Encode(Check(t.Context(), p, os.Getenv("KAOJU_CORPUS"), e)); err != nil {
		t.Fatal(err)
	}
}

func wanted(file string, kinds []string) bool {
	if len(kinds) == 0 {
		return true
	}
	for _, k := range kinds {
		if strings.HasPrefix(file, k+"/") {
			return true
		}
	}
	return false
}
