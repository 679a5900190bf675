package text

import (
	"strings"
	"unicode"
)

// Jaccard is the share of common elements among all of a and b, taken as sets:
// 0 to 1; two empty sets give 0.
func Jaccard(a, b []string) float64 {
	common, na, nb := overlap(a, b)
	if na+nb == 0 {
		return 0
	}
	return float64(common) / float64(na+nb-common)
}

func overlap(a, b []string) (common, na, nb int) {
	sa, sb := setOf(a), setOf(b)
	for w := range sa {
		if sb[w] {
			common++
		}
	}
	return common, len(sa), len(sb)
}

// Truncate cuts s to at most the given number of runes; a text that was cut
// ends in "…", which counts as one of them.
func Truncate(s string, runes int) string {
	if runes <= 0 {
		return ""
	}
	if len(s) <= runes {
		return s
	}
	n, cut := 0, 0
	for i := range s {
		if n == runes-1 {
			cut = i
		}
		if n == runes {
			return strings.TrimRightFunc(s[:cut], unicode.IsSpace) + "…"
		}
		n++
	}
	return s
}

// Key is the form in which two questions are equal: case, width, punctuation,
// spaces and traditional characters do not matter.
func Key(s string) string {
	bare := strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) && r != '#' || unicode.IsSpace(r) || unicode.IsSymbol(r) && r != '+' {
			return -1
		}
		return r
	}, Normalize(s))
	return Normalize(bare) // what stood apart may now compose
}
