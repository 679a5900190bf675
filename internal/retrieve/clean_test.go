package retrieve_test

import (
	"testing"
	"unicode/utf8"

	"kaoju/internal/retrieve"
)

func TestCleanPassage(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "年假 5 天。\n病假 12 天。", "年假 5 天。\n病假 12 天。"},
		{"code keeps its content", "```go\nx := a[1] | b\n```\nend", "x := a[1] | b\nend"},
		{"a fence alone keeps what follows", "~~~\nonly code", "only code"},
		{"formulas keep their content", "$$\nE = mc^2\n$$", "E = mc^2"},
		{"a formula in a line", "so $$a+b$$ holds", "so a+b holds"},
		{"links and pictures become their text", "see [the guide](https://a.example/x) ![流程图](res/1.png)", "see the guide 流程图"},
		{"rows become lists", "| 型号 | 电压 |\n|---|:--:|\n| A | 220V |", "型号, 电压\nA, 220V"},
		{"signs at the start of lines", "## Title\n> quoted\n- item\n* **bold** word", "Title\nquoted\nitem\nbold word"},
		{"tags go", "a<br/>b <b class=\"x\">c</b>", "a b  c"},
		{"no tags: comparisons", "if 3 < 5 and 7 > 2", "if 3 < 5 and 7 > 2"},
		{"a dash in a text is no list", "2020-2021 - a year", "2020-2021 - a year"},
		{"empty", "", ""},
	} {
		if got := retrieve.CleanPassage(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What is cleaned stays whole characters, and of a bounded length (a cell's
// sign becomes a comma and a space).
func FuzzCleanPassage(f *testing.F) {
	f.Add("| a | b |\n|---|---|")
	f.Add("```\n[x](y)\n")
	f.Fuzz(func(t *testing.T, s string) {
		got := retrieve.CleanPassage(s)
		if len(got) > 2*len(s) {
			t.Errorf("%q became %q", s, got)
		}
		if !utf8.ValidString(got) && utf8.ValidString(s) {
			t.Errorf("%q was cut inside a character: %q", s, got)
		}
	})
}
