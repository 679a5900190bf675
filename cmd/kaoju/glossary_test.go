package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is printed is what is taken; what is wrong is named by its line.
func TestGlossaryCommand(t *testing.T) {
	data := t.TempDir()
	file := filepath.Join(t.TempDir(), "words.csv")
	const table = "term,synonyms,translations,split\n地平线平台,HZN,Horizon suite,\n"
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		t.Helper()
		var out strings.Builder
		cmd := newRoot()
		cmd.SetArgs(append([]string{"glossary", "--data", data}, args...))
		cmd.SetOut(&out)
		err := cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	if out, err := run(file); err != nil || out != "default: 1 entries\n" {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := run(); err != nil || out != table {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := run("--json"); err != nil || !strings.Contains(out, `"revision":1`) {
		t.Errorf("%q, %v", out, err)
	}
	if err := os.WriteFile(file, []byte("term\n\n,\nx\nx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run(file); err == nil || !strings.Contains(err.Error(), "line 5") {
		t.Errorf("%v", err)
	}
	if _, err := run(file + ".none"); err == nil {
		t.Error("a file that is not there is taken")
	}
}
