package corpustest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

const manifest = `file	origin	licence	kind	special	expect	snippets	verified	tier
a.txt	x	x	txt	plain	extract	退货 || 七天	yes	core
b.txt	x	x	txt	lacks a snippet	extract	运费	yes	core
c.txt	x	x	txt	empty	reject-clear-error		yes	core
d.txt	x	x	txt	read though it should not be	reject-clear-error		yes	core
e.txt	x	x	txt	refused though it should be read	extract	x	yes	core
f.png	x	x	png	not read yet	extract	x	yes	core
g.txt	x	x	txt	not there	extract	x	yes	core
`

// The check itself finds what is wrong and nothing else.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"manifest.tsv": manifest, "a.txt": "退货\n在七 天内", "b.txt": "退货", "c.txt": "", "d.txt": "退货",
		"e.txt": strings.Repeat("[", 500), "f.png": "\x89PNG\r\n\x1a\n\x00\x00",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := ReadManifest(dir)
	if err != nil || len(entries) != 7 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	want := []string{"", `lacks "运费"`, "", "should be refused", "was refused", "", "no such file"}
	p := parse.New(nil)
	var outcomes []Outcome
	for i, e := range entries {
		o := Check(t.Context(), p, dir, e)
		outcomes = append(outcomes, o)
		if (o.Problem == "") != (want[i] == "") || !strings.Contains(o.Problem, want[i]) {
			t.Errorf("%s: problem %q, want %q", e.File, o.Problem, want[i])
		}
	}
	outcomes[0].Entry.File = "txt/a.txt"
	var summary strings.Builder
	Summary(&summary, outcomes)
	if !strings.Contains(summary.String(), "| all | 7 | 3 | 2 | 0 |") || !strings.Contains(summary.String(), "| txt | 1 | 1 | 0 | 0 |") {
		t.Errorf("the summary says\n%s", summary.String())
	}
	differing := Outcome{Entry: Entry{File: "xlsx/easy__demo.xlsx"}, Problem: "lacks a date"}
	mended := Outcome{Entry: differing.Entry}
	if differing.settle(); differing.Problem != "" || differing.Differs == "" {
		t.Errorf("a difference on purpose is a problem: %+v", differing)
	}
	if mended.settle(); mended.Problem == "" {
		t.Error("an accepted difference that is gone is not noticed")
	}
	if !mayRefuse("ocr-needed", core.CodeNoTextLayer) || mayRefuse("ocr-needed", core.CodeCorrupt) || !mayRefuse("flag-garbled", core.CodeGarbled) {
		t.Error("the codes that answer an expectation are wrong")
	}
}
