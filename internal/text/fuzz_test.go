package text

import "testing"

func FuzzTokenize(f *testing.F) {
	for _, s := range []string{"", "a", "é́ｶﾞ㎡", "\xff\xfe珠海", "e\u200b\u0301", "İ", "Ａ－１２３"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { Tokenize(s) })
}
