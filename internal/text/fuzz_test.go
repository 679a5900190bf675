package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var seeds = []string{
	"", "a", "é́ｶﾞ㎡", "\xff\xfe珠海", "e\u200b\u0301", "İ", "Ａ－１２３", "GB/T 28181-2016, QTR-7310.",
	"1,234,567 a.b@c.de http://x.y/z?w 5000元 3 天", "他说：“好！”然后走了。OK? Yes; e.g. Mr. X. 3.5\r\n1. a",
	"北京工业大学\u0000位於", "가나다라 ひらがなカタカナ ㈱ ½", ".NET C++ C# a' 's -- __ ::", "\u0301\u3099が゙",
}

func FuzzNormalize(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := Normalize(s)
		if again := Normalize(n); again != n {
			t.Errorf("Normalize(%q) = %q, again %q", s, n, again)
		}
		if !utf8.ValidString(n) || strings.Contains(n, "  ") || strings.ContainsFunc(n, unicode.IsControl) {
			t.Errorf("Normalize(%q) = %q is not clean", s, n)
		}
		if k := Key(s); Key(k) != k {
			t.Errorf("Key(%q) = %q, again %q", s, k, Key(k))
		}
		if z := Simplify(s); Simplify(z) != z {
			t.Errorf("Simplify(%q) is not stable", s)
		}
		DetectLanguage(s)
	})
}

func FuzzTerms(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		tokens := Tokenize(s)
		for _, token := range tokens {
			if token.Start < end || token.Text == "" {
				t.Fatalf("token %+v of %q begins before %d or is empty", token, s, end)
			}
			checkRange(t, s, token.Start, token.End)
			end = token.Start // one rune may give several tokens (㎡)
		}
		pos := 0
		for _, term := range Terms(s) {
			if term.Pos < pos || term.Pos >= len(tokens) || term.Text == "" || strings.Contains(term.Text, " ") {
				t.Fatalf("term %+v of %q after position %d", term, s, pos)
			}
			checkRange(t, s, term.Start, term.End)
			pos = term.Pos
		}
	})
}

// checkRange fails unless start:end is a non-empty range on rune borders.
func checkRange(t *testing.T, s string, start, end int) {
	t.Helper()
	onBorder := func(i int) bool { return i == len(s) || utf8.RuneStart(s[i]) || !utf8.ValidString(s) }
	if start < 0 || start >= end || end > len(s) || !onBorder(start) || !onBorder(end) {
		t.Fatalf("range %d:%d of %q", start, end, s)
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		for _, span := range Sentences(s) {
			if span.Start < end || span.Start >= span.End || span.End > len(s) {
				t.Fatalf("span %v of %q after %d", span, s, end)
			}
			if lost := s[end:span.Start]; strings.TrimSpace(lost) != "" {
				t.Fatalf("%q lost %q", s, lost)
			}
			if part := s[span.Start:span.End]; strings.TrimSpace(part) != part {
				t.Fatalf("%q is not trimmed", part)
			}
			end = span.End
		}
		if lost := s[end:]; strings.TrimSpace(lost) != "" {
			t.Fatalf("%q lost %q at its end", s, lost)
		}
	})
}

func FuzzTruncate(f *testing.F) {
	f.Add("珠海洋桐", 3)
	f.Add("a\xffb", 0)
	f.Fuzz(func(t *testing.T, s string, runes int) {
		runes = max(-1, min(runes, 1000))
		got := Truncate(s, runes)
		if n := utf8.RuneCountInString(got); n > max(runes, 0) {
			t.Errorf("Truncate(%q, %d) = %q has %d runes", s, runes, got, n)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("Truncate(%q, %d) = %q cuts a rune", s, runes, got)
		}
	})
}
