package answer

import (
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
)

var styles = []core.CitationStyle{core.CiteNumbers, core.CiteTags, core.CiteNothing}

// marksOf finds the marks of a finished answer in numbers.
func marksOf(text string, s *Sources) []Mark {
	x := NewExpander(s, core.CiteNumbers)
	if x.Write(text)+x.Flush() != text {
		return nil
	}
	return x.Marks()
}

// mixedSources registers a file whose name is hostile, a standard question and
// a page of the web.
func mixedSources() *Sources {
	s := NewSources()
	s.Add(core.Reference{ChunkID: "k-1", BaseID: "b-1", Document: "a \"<b>\" & [2]\n`c`.md", Type: core.ChunkText}, "one")
	s.Add(core.Reference{ChunkID: "k-2", BaseID: "b-1", Document: "faq.csv", Title: "年假几天", Type: core.ChunkFAQ}, "two")
	s.Add(core.Reference{ChunkID: "k-3", URL: `https://example.com/?a=1&b="2"`, Title: "A page", Type: core.ChunkWebSearch}, "three")
	return s
}

func expandIn(s *Sources, style core.CitationStyle, pieces ...string) (string, *Expander) {
	x := NewExpander(s, style)
	var out strings.Builder
	for _, p := range pieces {
		out.WriteString(x.Write(p))
	}
	out.WriteString(x.Flush())
	return out.String(), x
}

// A15, A16, A19, A20: one text of a model in each style. What no source has is
// gone in all of them, and code is left alone.
func TestStyles(t *testing.T) {
	const said = "A <ref id=\"c1\"/>, b [2]; c [w3]. D [9] `x[1]`.\n```\n[1]\n```\ne<kb doc=\"made up\" chunk_id=\"k-1\" kb_id=\"b-1\" />f [7]"
	for style, want := range map[core.CitationStyle]string{
		core.CiteNumbers: "A [1], b [2]; c [3]. D `x[1]`.\n```\n[1]\n```\nef",
		core.CiteTags: "A <kb doc=\"a &quot;&lt;b&gt;&quot; &amp; [2] &#96;c&#96;.md\" chunk_id=\"k-1\" kb_id=\"b-1\" />, " +
			"b <kb doc=\"年假几天\" chunk_id=\"k-2\" kb_id=\"b-1\" />; " +
			"c <web url=\"https://example.com/?a=1&amp;b=&quot;2&quot;\" title=\"A page\" />. D `x[1]`.\n```\n[1]\n```\nef",
		core.CiteNothing: "A, b; c. D `x[1]`.\n```\n[1]\n```\nef",
	} {
		got, x := expandIn(mixedSources(), style, said)
		if got != want {
			t.Errorf("%s:\n%q\nwant\n%q", style, got, want)
		}
		cited := []int{1, 2, 3}
		if style == core.CiteNothing {
			cited = nil
		}
		if !slices.Equal(x.Cited(), cited) || x.Invalid() != 2 || len(x.Marks()) != 3 {
			t.Errorf("%s: cited %v, marks %v, %d invalid", style, x.Cited(), x.Marks(), x.Invalid())
		}
	}
}

// Spaces before a mark that disappears go with it only where no word follows.
func TestRemovedMarksLeaveNoGap(t *testing.T) {
	for in, want := range map[string]string{
		"five days [9].": "five days.", "five [9] days": "five days", "five [9]days": "five days", "five  [9]\nx": "five\nx",
		"end [9]": "end", "a [9] [8] b": "a b", "a [9], b [1]": "a, b [1]", "a  b": "a  b", "  [9]x": "  x", "a ": "a ", "a [9] ": "a ",
	} {
		if got, _ := expandIn(threeSources(), core.CiteNumbers, in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

// A19: what is left when a mark disappears never makes another one.
func TestRemovedMarksJoinNothing(t *testing.T) {
	for in, want := range map[string]string{
		"[[9]1]": "[…1]", "[ [9] 1]": "[ … 1]", "<<kb/>ref id=c1>": "<…ref id=c1>", "`[9]``x[1]``": "`…``x[1]``", "[x[9]1]": "[x1]",
	} {
		got, x := expandIn(threeSources(), core.CiteNumbers, in)
		if got != want || len(x.Cited()) != 0 {
			t.Errorf("%q gives %q, cites %v; want %q", in, got, x.Cited(), want)
		}
	}
}

// The support check finds the same claims and sources whatever the style.
func TestStylesAreJudgedAlike(t *testing.T) {
	const said = "The pump is rated for 7 bar <ref id=\"c1\"/>. It weighs 20 kg <ref id=\"c2\"/>."
	sources := NewSources()
	sources.Add(core.Reference{ChunkID: "a", Document: "pump 99.md"}, "The pump is rated for 7 bar.")
	sources.Add(core.Reference{ChunkID: "b", Document: "b"}, "It weighs 25 kg.")
	for _, style := range styles {
		text, x := expandIn(sources, style, said)
		r := Support(text, x.Marks(), sources)
		if len(r.Claims) != 2 || !r.Claims[0].Supported || len(r.Claims[1].Missing) != 1 || r.Coverage != 1 {
			t.Errorf("%s: %q, %+v", style, text, r)
		}
		for i, c := range r.Claims {
			if !slices.Equal(c.Cited, []int{i + 1}) {
				t.Errorf("%s: claim %d cites %v", style, i, c.Cited)
			}
		}
	}
}

// An earlier answer goes to a model without tags: no id, no mark of another
// turn's source.
func TestWithoutTags(t *testing.T) {
	text, _ := expandIn(mixedSources(), core.CiteTags, "A <ref id=\"c1\"/>, c [w3]. <kbd>K</kbd> a<b [2]")
	if got := WithoutTags(text); got != "A, c. <kbd>K</kbd> a<b" {
		t.Errorf("%q", got)
	}
}

// Whatever a model writes, split anywhere, in every style: the same text; marks
// are where they are said to be; no tag but ours is outside of code.
func FuzzStyles(f *testing.F) {
	for _, seed := range []string{
		`a<ref id="c1"/>[1] [c9] [1, 2]`, "```\n[1]\n```\n`x[2]`", "a [9] [1]. b", "[[9]1]", "<<kb/>kb doc=\"\">", "x <kb doc=\"a\" /> y[w3] ",
		"` [9]``", "a  [7]\n  [1]", "<web url='>'>[3]", "[1", "<re<ref id=c1>f id=c2>",
	} {
		f.Add(seed, uint8(1))
	}
	f.Fuzz(func(t *testing.T, said string, size uint8) {
		if len(said) > 2000 {
			t.Skip("long inputs only slow the search down")
		}
		for _, style := range styles {
			s := mixedSources()
			want, whole := expandIn(s, style, said)
			var pieces []string
			for p := range slices.Chunk([]byte(said), max(1, int(size))) {
				pieces = append(pieces, string(p))
			}
			got, x := expandIn(s, style, pieces...)
			if got != want || !slices.Equal(x.Marks(), whole.Marks()) || x.Invalid() != whole.Invalid() {
				t.Fatalf("%s, pieces of %d: %q, whole %q", style, size, got, want)
			}
			for _, m := range x.Marks() {
				ref, _ := s.ByNumber(m.Number)
				if got[m.Start:m.End] != render(ref, style) {
					t.Fatalf("%s: mark %+v is %q in %q", style, m, got[m.Start:m.End], got)
				}
			}
			if style == core.CiteNumbers && len(said) < maxSpan {
				if again, y := expandIn(s, style, got); again != got || !slices.Equal(y.Marks(), x.Marks()) {
					t.Fatalf("%q reads as %q, marks %v and %v", got, again, x.Marks(), y.Marks())
				}
			}
		}
	})
}
