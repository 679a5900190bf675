package office

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// fakeTool writes a program that answers in the place of antiword.
func fakeTool(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "antiword")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return path
}

func TestOldWord(t *testing.T) {
	tool := fakeTool(t, `[ "$*" = "-x db -" ] || exit 2
[ "$(cat)" = "the file" ] || exit 3
cat <<'EOF'
<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.1.2//EN" "file:///etc/passwd">
<book><title>å?ƒè€ƒ</title><bookinfo><title>no</title><author>no</author></bookinfo>
<chapter><title/><para>前言 [pic]</para></chapter>
<chapter><title><emphasis>第一章</emphasis></title><sect1><title>一节</title>
<para>甲 <emphasis>乙</emphasis><itemizedlist><listitem><para>x</para><orderedlist><listitem><para>y</para></listitem></orderedlist></listitem></itemizedlist>丙</para>
<para><informaltable><tgroup><tbody><row><entry>品名</entry><entry>价</entry></row><row><entry>苹果</entry><entry>5<para>元</para></entry></row></tbody></tgroup></informaltable></para>
</sect1></chapter></book>
EOF
`)
	p := parse.New(map[string]parse.Reader{parse.FormatDOC: DOC{Tool: tool}})
	doc, err := p.ReadAs(t.Context(), parse.FormatDOC, parse.Input{Data: []byte("the file")})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"paragraph: 前言", "heading#: 第一章", "heading##: 一节", "paragraph: 甲 乙", "list: - x\n  1. y", "paragraph: 丙",
		"table: | 品名 | 价 |\n| --- | --- |\n| 苹果 | 5 元 |",
	}
	if got := outline(doc.Blocks); !reflect.DeepEqual(got, want) || doc.Title != "第一章" {
		t.Errorf("title %q, got %q", doc.Title, got)
	}
}

func TestOldWordThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		code   core.Code
	}{
		"damaged":   {"echo 'not a Word Document' >&2; exit 1", core.CodeCorrupt},
		"encrypted": {"echo 'Encrypted documents are not supported' >&2; exit 1", core.CodeEncrypted},
		"crash":     {"kill -9 $$", core.CodeCorrupt},
		"nothing":   {"echo '<book></book>'", core.CodeEmpty},
		"endless":   {"while :; do echo '<para>wordswordswordswordswordswords</para>'; done", core.CodeTooLarge},
		"deep":      {"for i in 1 2 3 4 5 6 7 8 9; do echo '<informaltable><row><entry>'; done; echo x", core.CodeCorrupt},
	} {
		_, err := DOC{Tool: fakeTool(t, c.script)}.Read(t.Context(), parse.Input{Data: []byte("x")}, parse.Limits{MaxText: 1000, MaxDepth: 5})
		if core.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	_, err := DOC{}.Read(t.Context(), parse.Input{Data: []byte("x")}, parse.Limits{})
	if core.CodeOf(err) != core.CodeUnsupportedFormat || !strings.Contains(core.PublicMessage(err), ".docx") || OldWordTool() != "" {
		t.Errorf("without the program: %v", err)
	}
}
