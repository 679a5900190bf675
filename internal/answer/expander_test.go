package answer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
)

// threeSources registers c1, c2 and c3.
func threeSources() *Sources {
	s := NewSources()
	for i := 1; i <= 3; i++ {
		s.Add(core.Reference{ChunkID: fmt.Sprintf("chunk-%d", i)}, fmt.Sprintf("content %d", i))
	}
	return s
}

// expand feeds text in pieces of size bytes and gives the sum of the output.
func expand(text string, size int) (string, *Expander) {
	x := NewExpander(threeSources(), core.CiteNumbers)
	var out strings.Builder
	for piece := range slices.Chunk([]byte(text), size) {
		out.WriteString(x.Write(string(piece)))
	}
	out.WriteString(x.Flush())
	return out.String(), x
}

func TestExpanderMarks(t *testing.T) {
	tests := []struct {
		name, in, want string
		cited          []int
		invalid        int
	}{
		{"tag", `年假五天。<ref id="c1"/>`, "年假五天。[1]", []int{1}, 0},
		{"tag styles", `a<ref id='c2' />b<REF id=c3>c<ref id="c1"></ref>`, "a[2]b[3]c[1]", []int{1, 2, 3}, 0},
		{"number", "fact[2].", "fact[2].", []int{2}, 0},
		{"handle in brackets, padded", "fact [c003].", "fact [3].", []int{3}, 0},
		{"lists", "fact[1, 2][c1、c3]", "fact[1][2][1][3]", []int{1, 2, 3}, 0},
		{"repeated at once", `x<ref id="c1"/><ref id="c1"/>[1] y`, "x[1] y", []int{1}, 0},
		{"unknown handle", `x<ref id="c9"/>y`, "xy", nil, 1},
		{"unknown numbers", "x[4]y[c004]z[99]", "xyz", nil, 3},
		{"numbers start at 1", "x[0]", "x", nil, 1},
		{"one of two unknown", "x[1,9]", "x[1]", []int{1}, 1},
		{"no handle at all", `x<ref/>y<ref id="550e8400-e29b-41d4-a716-446655440000"/>`, "xy", nil, 2},
		{"made-up tags", `x<kb doc="a" chunk_id="7"/>y<web url="http://a/b">z</web>`, "xyz", nil, 0},
		{"tags that only begin alike", "<kbd>K</kbd> <web-app> <reference> <refx/>", "<kbd>K</kbd> <web-app> <reference> <refx/>", nil, 0},
		{"document number", "国发[2024]12号", "国发[2024]12号", nil, 0},
		{"interval", "p in [0, 1] and [0,1]", "p in [0, 1] and [0,1]", nil, 0},
		{"other brackets", "[x] [] [ ] [注1] [-1] [1a]", "[x] [] [ ] [注1] [-1] [1a]", nil, 0},
		{"left open", "办理[1", "办理[1", nil, 0},
		{"tag left open", `办理<ref id="c1"/`, `办理<ref id="c1"/`, nil, 0},
		{"tag that never ends", "a<ref id=\"c1\"\nb>", "a<ref id=\"c1\"\nb>", nil, 0},
		{"less-than signs", "a<b<ref id=\"c1\"/><<", "a<b[1]<<", []int{1}, 0},
		{"not UTF-8", "a\xffb\xe5[1]", "a\uFFFDb\uFFFD[1]", []int{1}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, x := expand(tt.in, len(tt.in))
			if got != tt.want || !slices.Equal(x.Cited(), tt.cited) || x.Invalid() != tt.invalid {
				t.Errorf("got %q cited %v invalid %d, want %q %v %d",
					got, x.Cited(), x.Invalid(), tt.want, tt.cited, tt.invalid)
			}
		})
	}
}

func TestExpanderLeavesCodeAlone(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"inline", "use `a[1]` [1]", "use `a[1]` [1]"},
		{"inline, unknown", "use `a[9]`[9]", "use `a[9]`"},
		{"double backticks", "``a`[9]`` [9]x", "``a`[9]`` x"},
		{"lone backtick", "it`s [9]x\n[9]y", "it`s x\ny"},
		{"fence", "```go\na[9]\n```\nb[9]c", "```go\na[9]\n```\nbc"},
		{"fence in a list", "1. x\n   ```\n   a[9]\n   ```\n[9]y", "1. x\n   ```\n   a[9]\n   ```\ny"},
		{"tilde fence", "~~~\n<ref id=\"c9\"/>\n~~~\n<ref id=\"c9\"/>x", "~~~\n<ref id=\"c9\"/>\n~~~\nx"},
		{"shorter fence inside", "````\n```\n[9]\n````\n[9]x", "````\n```\n[9]\n````\nx"},
		{"fence text after marks", "```\n``` [9]\n```\n[9]x", "```\n``` [9]\n```\nx"},
		{"span at line start", "```a[9]``` [9]x", "```a[9]``` x"},
		{"fence left open", "```\n[9]", "```\n[9]"},
		{"literal think tag", "```xml\n</think>\n```\nand `</think>`.[1]", "```xml\n</think>\n```\nand `</think>`.[1]"},
		{"strike-through", "~~old~~ [9]new", "~~old~~ new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := expand(tt.in, len(tt.in)); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// What cannot become a mark any more leaves at once.
func TestExpanderHoldsBackNoMoreThanNeeded(t *testing.T) {
	x := NewExpander(threeSources(), core.CiteNumbers)
	steps := []struct{ in, want string }{
		{"年假", "年假"},
		{"五天\xe3\x80", "五天"},
		{"\x82[", "。"},
		{"1", ""},
		{"]好", "[1]好"},
		{"[x", "[x"},
		{"a <", "a"},
		{"b", " <b"},
		{" <re", ""},
		{"d>", " <red>"},
		{"`", ""},
		{"x`", ""},
		{" ", "`x`"},
		{"y", " y"},
	}
	for _, s := range steps {
		if got := x.Write(s.in); got != s.want {
			t.Errorf("Write(%q) = %q, want %q", s.in, got, s.want)
		}
	}
}

// The whole text in one delta is the reference for every way to split it.
func checkSplits(t *testing.T, text string) {
	t.Helper()
	want, whole := expand(text, max(1, len(text)))
	for _, size := range []int{1, 2, 3, 7} {
		got, x := expand(text, size)
		if got != want || !slices.Equal(x.Cited(), whole.Cited()) || x.Invalid() != whole.Invalid() {
			t.Fatalf("pieces of %d: got %q, whole %q", size, got, want)
		}
	}
	for at := range len(text) {
		x := NewExpander(threeSources(), core.CiteNumbers)
		if got := x.Write(text[:at]) + x.Write(text[at:]) + x.Flush(); got != want {
			t.Fatalf("split at %d: got %q, whole %q", at, got, want)
		}
	}
}

func TestExpanderLongSpans(t *testing.T) {
	for _, n := range []int{maxSpan - 1, maxSpan, maxSpan + 1} {
		for _, unit := range []string{"`", "~", "x", " "} {
			run := strings.Repeat(unit, n)
			checkSplits(t, run+"[1]\n"+run)
			checkSplits(t, "`"+run+"`[9]")
			checkSplits(t, "<ref id="+run+">")
			checkSplits(t, "```"+run+"`\n[9]")
			checkSplits(t, "```\n```"+run+"\n[9]")
		}
	}
}

func FuzzExpander(f *testing.F) {
	for _, seed := range []string{
		`a<ref id="c1"/>[1][c9] [1, 2]`, "```\n[1]\n```\n`x[2]`", "``` `\n[9]", "<kb/><web a='>'>",
		"[1", "<ref id=", "`", "~~~\n~~~~", "办理。[1]\xe5\x8a", "<re<ref id=c1>", "[1，2]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			t.Skip("long inputs only slow the search down")
		}
		checkSplits(t, text)
	})
}
