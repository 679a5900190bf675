package chat

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzSplitRune cuts a text at any byte: what comes out is valid text, and a
// text that was valid loses and gains nothing.
func FuzzSplitRune(f *testing.F) {
	f.Add("年假为 5 天😀", uint8(1))
	f.Add("a\xff\xe5\xb9", uint8(2))
	f.Add("\xf0\x9f\x98", uint8(1))
	f.Fuzz(func(t *testing.T, s string, step uint8) {
		size, held, out := int(step%7)+1, "", ""
		for at := 0; at < len(s); at += size {
			var whole string
			whole, held = splitRune(held + s[at:min(at+size, len(s))])
			if !utf8.ValidString(whole) || len(held) >= utf8.UTFMax {
				t.Fatalf("cut %q, held %q", whole, held)
			}
			out += whole
		}
		if utf8.ValidString(s) && (out != s || held != "") {
			t.Fatalf("%q became %q, held %q", s, out, held)
		}
	})
}

func FuzzShorten(f *testing.F) {
	f.Add("How many days?")
	f.Add(strings.Repeat("长", 100) + "\x00\n")
	f.Fuzz(func(t *testing.T, s string) {
		title := Shorten(s)
		if utf8.RuneCountInString(title) > shortTitle || strings.ContainsAny(title, "\n\x00") {
			t.Fatalf("%q became %q", s, title)
		}
	})
}
