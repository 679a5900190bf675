package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The template is imported, found, and exported as it was; a row that is wrong
// is named, and a dry run changes nothing (A39–A41 through the product).
func TestFAQCommand(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "faq.xlsx")
	run := func(args ...string) (string, error) {
		t.Helper()
		var out, errs strings.Builder
		cmd := newRoot()
		cmd.SetArgs(append(args, "--data", data))
		cmd.SetOut(&out)
		cmd.SetErr(&errs)
		err := cmd.ExecuteContext(t.Context())
		return out.String() + errs.String(), err
	}
	if out, err := run("faq", "template", file); err != nil {
		t.Fatalf("%q, %v", out, err)
	}
	if out, err := run("faq", "import", "--base", "客服", "--dry-run", file); err != nil || !strings.Contains(out, "nothing is changed; 1 rows: 1 added") {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := run("faq", "import", "--base", "客服", file); err != nil || !strings.Contains(out, "1 added") {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := run("faq", "export", "--base", "客服"); err != nil || !strings.Contains(out, "怎么开发票？") {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := run("ask", "怎么开发票"); err != nil || !strings.Contains(out, "财务中心") {
		t.Errorf("%q, %v", out, err)
	}
	if err := os.WriteFile(file, []byte("question,answer\nq,a\nr,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run("faq", "import", "--base", "客服", file); !errors.Is(err, errPartial) || !strings.Contains(out, "row 3, r: an FAQ entry needs an answer") {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := run("faq", "export", "--base", "none"); err == nil {
		t.Error("a base that is not there is exported")
	}
}
