package bilingual

import (
	"slices"
	"strings"
	"testing"

	"kaoju/internal/text"
)

func has(options []Option, words string) bool {
	return slices.ContainsFunc(options, func(o Option) bool { return strings.Join(o.Terms, " ") == words })
}

func TestWordsBothWays(t *testing.T) {
	for _, c := range []struct{ chinese, english string }{
		{"大学", "universiti"}, {"图书馆", "librari"}, {"合同", "contract"}, {"发票", "invoic"},
		{"密码", "password"}, {"经济", "economi"}, {"内燃机", "internal combustion engin"}, {"联合国", "unit nation"},
	} {
		if got := English(c.chinese); !has(got, c.english) {
			t.Errorf("%s gives %v, not %s", c.chinese, got, c.english)
		}
		if got := Chinese(c.english); !has(got, c.chinese) {
			t.Errorf("%s gives %v, not %s", c.english, got, c.chinese)
		}
	}
	for _, word := range []string{"", "qtr7310", "xyzzyplugh", "\xff"} {
		if got := append(English(word), Chinese(word)...); len(got) > 0 {
			t.Errorf("%q gives %v", word, got)
		}
	}
}

// TestOptionsAreUsable: weights in (0,1], falling, terms as the index has
// them.
func TestOptionsAreUsable(t *testing.T) {
	for _, options := range [][]Option{English("打"), English("建立"), Chinese("run"), Chinese("public"), Chinese("hous")} {
		if len(options) == 0 {
			t.Error("no translations")
		}
		for i, o := range options {
			if len(o.Terms) == 0 || slices.Contains(o.Terms, "") || !(o.Weight > 0 && o.Weight <= 1) {
				t.Errorf("option %+v", o)
			}
			if i > 0 && o.Weight > options[i-1].Weight {
				t.Errorf("%v comes after %v", o, options[i-1])
			}
		}
	}
}

func TestRender(t *testing.T) {
	type wanted struct {
		stretch, words string
		inner          bool
	}
	for _, c := range []struct {
		question string
		want     []wanted
	}{
		{"大学的图书馆", []wanted{{"大学", "universiti", false}, {"图书馆", "librari", false}}},
		// Longer than the segmenter's words; its parts count less.
		{"超级碗", []wanted{{"超级碗", "super bowl", false}, {"碗", "bowl", true}}},
		// Traditional characters meet the simplified dictionary.
		{"經濟", []wanted{{"經濟", "economi", false}}},
		{"the internal combustion engine", []wanted{{"internal combustion engine", "内燃机", false}, {"engine", "引擎", false}}},
		// A function word inside a phrase does not break it.
		{"bank of china", []wanted{{"bank of china", "中国银行", false}}},
	} {
		terms := text.Terms(c.question)
		renderings := Render(terms)
		for _, w := range c.want {
			if !slices.ContainsFunc(renderings, func(r Rendering) bool {
				return stretch(c.question, terms, r) == w.stretch && r.Inner == w.inner && hasWords(r.Options, w.words)
			}) {
				t.Errorf("%q: %q is not %q in %v", c.question, w.stretch, w.words, renderings)
			}
		}
	}
}

func hasWords(options []Option, words string) bool {
	return slices.ContainsFunc(options, func(o Option) bool { return strings.Join(o.Terms, "") == strings.ReplaceAll(words, " ", "") })
}

func stretch(s string, terms []text.Term, r Rendering) string {
	from, to := -1, 0
	for _, t := range terms {
		if t.Pos >= r.From && t.Pos < r.To && !t.Part {
			if from < 0 {
				from = t.Start
			}
			to = t.End
		}
	}
	return s[from:to]
}

func FuzzRender(f *testing.F) {
	for _, s := range []string{"", "大学的图书馆几点关门?", "the internal combustion engine of the", "QTR-7310 的 T恤", "\xff\x00大"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		terms := text.Terms(s)
		tokens := 0
		for _, term := range terms {
			tokens = max(tokens, term.Pos+1)
		}
		for _, r := range Render(terms) {
			if r.From < 0 || r.From >= r.To || r.To > tokens || len(r.Options) == 0 {
				t.Errorf("%q: %+v of %d tokens", s, r, tokens)
			}
		}
	})
}
