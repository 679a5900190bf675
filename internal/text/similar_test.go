package text

import (
	"math"
	"strings"
	"testing"
)

func TestJaccard(t *testing.T) {
	for _, tt := range []struct {
		a, b    string
		jaccard float64
	}{
		{"", "", 0},
		{"x", "", 0},
		{"x y", "y x", 1},
		{"x x y", "x y y", 1},
		{"a b c d", "c d", .5},
		{"a b c", "c d e", .2},
	} {
		a, b := strings.Fields(tt.a), strings.Fields(tt.b)
		if got := Jaccard(a, b); math.Abs(got-tt.jaccard) > 1e-9 {
			t.Errorf("Jaccard(%q, %q) = %v, want %v", a, b, got, tt.jaccard)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		in    string
		runes int
		want  string
	}{
		{"珠海洋桐", 4, "珠海洋桐"},
		{"珠海洋桐", 3, "珠海…"},
		{"hello world", 7, "hello…"},
		{"hello", 1, "…"},
		{"hello", 0, ""},
		{"hello", -1, ""},
		{"", 3, ""},
	} {
		if got := Truncate(tt.in, tt.runes); got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.runes, got, tt.want)
		}
	}
}
