package builtin

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/llm"
)

func vectors(t *testing.T, texts ...string) [][]float32 {
	t.Helper()
	vs, err := Embedder{}.Embed(t.Context(), llm.ForPassage, texts)
	if err != nil {
		t.Fatal(err)
	}
	return vs
}

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestEmbedNearAndFar(t *testing.T) {
	tests := []struct{ name, question, near, far string }{
		{"shared words", "domestic flight booking", "Book a domestic flight early.", "The pump needs oil."},
		{"inflection", "activating accounts", "account activation", "annual holidays"},
		{"a slip of the pen", "reimbursment", "reimbursement", "appointment"},
		{"Chinese words", "差旅报销", "差旅费须在三十天内报销", "水泵每月加油一次"},
		{"traditional", "访客密码", "訪客密碼", "会议纪要"},
		{"a part of a word", "北京大学", "北京", "上海"},
		{"width and case", "ＷｉＦｉ", "wifi", "lan"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			vs := vectors(t, tt.question, tt.near, tt.far)
			near, far := cosine(vs[0], vs[1]), cosine(vs[0], vs[2])
			if near < far+.15 {
				t.Errorf("near %.3f, far %.3f", near, far)
			}
		})
	}
}

func TestEmbedUnitLength(t *testing.T) {
	long := strings.Repeat("水泵 pump 4711 ", 3000)
	for _, s := range []string{"a", "水", "hello world", long, "\xff水"} {
		v := vectors(t, s)[0]
		if len(v) != (Embedder{}).Dim() {
			t.Fatalf("length %d", len(v))
		}
		if n := math.Sqrt(cosine(v, v)); math.Abs(n-1) > 1e-5 {
			t.Errorf("norm of %.20q is %v", s, n)
		}
	}
	for _, s := range []string{"", " ", "？！", "\xff"} {
		if v := vectors(t, s)[0]; cosine(v, v) != 0 {
			t.Errorf("%q has no words, but a vector", s)
		}
	}
}

// Vectors are stored: a change of the space needs a new EmbedModel.
func TestEmbedSpaceIsFixed(t *testing.T) {
	vs := vectors(t, "Kaoju 考据", "Kaoju 考据")
	if !slices.Equal(vs[0], vs[1]) {
		t.Fatal("the same text has two vectors")
	}
	var print uint32
	for i, x := range vs[0] {
		if x > .08 {
			print = print*31 + uint32(i)
		}
	}
	const want = 738386271
	if print != want {
		t.Errorf("fingerprint %d, want %d: if the space was meant to change, rename EmbedModel", print, want)
	}
}

func TestEmbedStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Embedder{}).Embed(ctx, llm.ForQuery, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func FuzzEmbed(f *testing.F) {
	f.Add("Kaoju 考据 4711")
	f.Add("\xff\x00")
	f.Fuzz(func(t *testing.T, s string) {
		v := vectors(t, s)[0]
		if n := cosine(v, v); n != 0 && math.Abs(n-1) > 1e-4 {
			t.Errorf("square of the norm %v", n)
		}
	})
}
