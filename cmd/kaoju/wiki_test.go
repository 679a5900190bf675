package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder becomes a wiki, is listed, read, asked, changed, taken back and
// exported; a file that cannot be a page is named and the others go on.
func TestWikiCommand(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	run := func(in string, args ...string) (string, error) {
		t.Helper()
		var out, errs strings.Builder
		cmd := newRoot()
		cmd.SetArgs(append(args, "--data", data))
		cmd.SetIn(strings.NewReader(in))
		cmd.SetOut(&out)
		cmd.SetErr(&errs)
		err := cmd.ExecuteContext(t.Context())
		return out.String() + errs.String(), err
	}
	want := func(out string, err error, words ...string) {
		t.Helper()
		for _, w := range words {
			if err != nil || !strings.Contains(out, w) {
				t.Errorf("without %q: %q, %v", w, out, err)
			}
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "hr"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"hr/leave.md": "# 年假\n\n年假为 5 天，见[病假](sick.md)。", "hr/sick.md": "# 病假\n\n病假为 12 天。", ".hidden.md": "x", "notes.txt": "x",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := run("", "wiki", "put", dir)
	want(out, err, "hr/leave: added", "2 added, 0 changed, 0 unchanged, 0 failed")
	out, err = run("", "wiki", "put", dir)
	want(out, err, "0 added, 0 changed, 2 unchanged")
	out, err = run("# 年假\n\n年假为 7 天。", "wiki", "put", "--name", "hr/leave.md")
	want(out, err, "hr/leave: changed")
	out, err = run("", "wiki", "list", "7 天")
	want(out, err, "hr/leave\t年假")
	out, err = run("", "wiki", "show", "年假")
	want(out, err, "revision 2", "年假为 7 天")
	out, err = run("", "ask", "年假有几天？")
	want(out, err, "7 天")
	out, err = run("", "wiki", "history", "hr/leave")
	want(out, err, "2\t", "current", "import")
	out, err = run("", "wiki", "revert", "hr/leave", "1")
	want(out, err, "revision 3 now")
	out, err = run("", "wiki", "show", "hr/leave")
	want(out, err, "[[hr/sick|病假]]")
	archive := filepath.Join(dir, "wiki.zip")
	if out, err = run("", "wiki", "export", archive); err != nil {
		t.Errorf("%q, %v", out, err)
	}
	if zipped, err := os.ReadFile(archive); err != nil || !strings.HasPrefix(string(zipped), "PK") {
		t.Errorf("the export: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "---.md"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err = run("", "wiki", "put", dir); !errors.Is(err, errPartial) || !strings.Contains(out, "---.md: ") || !strings.Contains(out, "1 failed") {
		t.Errorf("%q, %v", out, err)
	}
	if out, err = run("", "wiki", "show", "nowhere"); err == nil || !strings.Contains(err.Error(), "no page") {
		t.Errorf("%q, %v", out, err)
	}
	if out, err = run("", "wiki", "list", "--base", "default"); err == nil || !strings.Contains(err.Error(), "kind wiki") {
		t.Errorf("%q, %v", out, err)
	}
}
