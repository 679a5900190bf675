package pdf

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// drawn makes the glyphs of a text on one line, 10 points high.
func drawn(text string, x, y float64) []glyph {
	var out []glyph
	space := true
	for _, r := range text {
		width := 5.0
		if isWide(r) {
			width = 10
		}
		if r == ' ' {
			space = true
		} else {
			out = append(out, glyph{char: r, box: box{x, y, x + width, y + 12}, space: space, em: 10})
			space = false
		}
		x += width
	}
	return out
}

func regionText(regions []region) string {
	var lines []string
	for _, r := range regions {
		for _, l := range r {
			lines = append(lines, l.text())
		}
	}
	return strings.Join(lines, "\n")
}

func TestLayout(t *testing.T) {
	join := func(parts ...[]glyph) []glyph {
		var out []glyph
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	var vertical []glyph
	for i, column := range []string{"春眠不覺曉", "處處聞啼鳥"} {
		for j, r := range []rune(column) {
			x, y := 300-20*float64(i), 700-10*float64(j)
			vertical = append(vertical, glyph{char: r, box: box{x, y, x + 10, y + 10}, em: 10})
		}
	}
	for _, c := range []struct {
		name   string
		glyphs []glyph
		want   string
	}{
		{"lines drawn from below", join(drawn("second", 0, 80), drawn("first", 0, 100)), "first\nsecond"},
		{"cells of a row", join(drawn("b", 200, 100), drawn("a", 0, 100), drawn("c", 0, 80), drawn("d", 200, 80)), "a | b\nc | d"},
		{"a lone gap is a justified line", join(drawn("word", 0, 120), drawn("a", 0, 100), drawn("b", 27, 100), drawn("end", 0, 80)), "word\na b\nend"},
		{"spaces in spaced-out Chinese", []glyph{
			{char: '全', box: box{0, 0, 12, 14}, em: 12}, {char: '世', box: box{16, 0, 28, 14}, em: 12, space: true}, {char: 'A', box: box{28, 0, 34, 14}, em: 12, space: true},
		}, "全世 A"},
		{"columns of Chinese from right to left", vertical, "春眠不覺曉\n處處聞啼鳥"},
		{"nothing", nil, ""},
	} {
		if got := regionText(layout(c.glyphs)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestJoinLines(t *testing.T) {
	for _, c := range [][3]string{
		{"divi-", "ded", "divided"}, {"Lucene-", "BM25", "Lucene-BM25"}, {"see https://a.b/c-", "d", "see https://a.b/c-d"},
		{"中文", "继续", "中文继续"}, {"word", "next", "word next"}, {"中文", "word", "中文 word"}, {"3 -", "x", "3 - x"},
	} {
		if got := (vocabulary{}).joinLines(c[0], c[1]); got != c[2] {
			t.Errorf("%q + %q = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// A hyphen at the end of a line stays where it belongs to the word.
func TestHyphens(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"elsewhere with it":     {[]string{"the dual-encoder is fast", "and a dual-", "encoder is small"}, "dual-encoder is small"},
		"two words":             {[]string{"an encoder with dual use, so a dual-", "encoder is small"}, "so a dual-encoder is small"},
		"elsewhere without":     {[]string{"of information with a stand in for the formation", "and in-", "formation is here"}, "and information is here"},
		"a piece is no word":    {[]string{"for the part of it, the part-", "icular case"}, "the particular case"},
		"several hyphens":       {[]string{"the art of a state, with state-of-the-", "art results, and state of the", "thing"}, "with state-of-the-art results"},
		"the end is no witness": {[]string{"well-", "known and un-", "known things"}, "wellknown and unknown things"},
		"capitals":              {[]string{"Cross-Lingual work is cross-", "lingual work"}, "work is cross-lingual work"},
	} {
		words := wordsOf(pageOf(c.lines...))
		text := c.lines[0]
		for _, l := range c.lines[1:] {
			text = words.joinLines(text, l)
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: got %q", name, text)
		}
	}
}

func TestStartsItem(t *testing.T) {
	for text, want := range map[string]bool{
		"● x": true, "- x": true, "-x": false, "1. x": true, "1.2 Background": true, "1) x": true, "2019) is": false, "3.5% of": false,
		"1、点击": true, "(1) x": true, "（十二）x": true, "(MIPS) x": false, "(a, b)": false, "第三条 x": true, "第一个": false, "①x": true, "word": false, "": false, "2023 was": false,
	} {
		if got := startsItem(text); got != want {
			t.Errorf("startsItem(%q) = %v", text, got)
		}
	}
}

func pageOf(texts ...string) []page {
	var r region
	for _, s := range texts {
		r = append(r, line{cells: []segment{{text: s}}})
	}
	return []page{{number: 1, regions: []region{r}}}
}

func TestMojibakeIsDecodedOrFlagged(t *testing.T) {
	raw, err := simplifiedchinese.GBK.NewEncoder().Bytes([]byte("全世界无产者，联合起来"))
	if err != nil {
		t.Fatal(err)
	}
	var latin strings.Builder
	for _, b := range raw {
		latin.WriteRune(rune(b))
	}
	pages := pageOf(latin.String())
	decodeMojibake(pages)
	if got := pages[0].regions[0][0].text(); got != "全世界无产者，联合起来" || garbled(pages) {
		t.Errorf("got %q", got)
	}
	for text, want := range map[string]bool{
		"3HQČåQtSURVWĜHGN\\QD~þWHFK": true, "\ufffd\ufffd\ufffd\ufffd ab": true, "᧒ᥱᦎᦫ": true, "\ue001\ue002\ue003": true,
		"Ein schöner Tag für Größe und Übermut": false, "中文 mixed with English iPhone15Pro": false, "Привет мир": false,
		"getElementById parseInt XMLHttpRequest is used in the page": false, "الحكومة المصرية": false, "déjà vu à l'été": false,
	} {
		pages := pageOf(text)
		decodeMojibake(pages)
		if got := garbled(pages); got != want {
			t.Errorf("garbled(%q) = %v", text, got)
		}
	}
}

func FuzzLayout(f *testing.F) {
	f.Add("two words 中文", 3.0, 4.0, byte(0))
	f.Add("-\u0590x", -1e6, 1e6, byte(3))
	f.Fuzz(func(t *testing.T, text string, x, y float64, turn byte) {
		if x != x || y != y || x > 1e6 || x < -1e6 || y > 1e6 || y < -1e6 || !utf8.ValidString(text) || len(text) > 500 {
			return
		}
		var glyphs []glyph
		for i := range 12 {
			line := drawn(text, x+float64(i%3)*300, y-float64(i/3)*12)
			for j := range line {
				line[j].turn = int(turn) & 3
			}
			glyphs = append(glyphs, line...)
		}
		pages := []page{{number: 1, regions: layout(glyphs)}}
		decodeMojibake(pages)
		garbled(pages)
		for _, b := range blocksOf(pages) {
			if b.Text == "" || b.Page != 1 {
				t.Errorf("bad block %+v", b)
			}
		}
	})
}
