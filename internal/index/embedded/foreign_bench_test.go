package embedded

import (
	"fmt"
	"testing"
	"time"

	"kaoju/internal/index"
)

// BenchmarkKeywordTranslated measures what translations cost: none, ten a word
// that no passage says (a question in the language of the passages), and ten a
// word of which passages say all, while they do not say the words themselves.
func BenchmarkKeywordTranslated(b *testing.B) {
	s := newSynthetic()
	e := New(s.shelf(benchSize()))
	mustRefresh(b, e, "b")
	target := []index.Target{{BaseID: "b", Version: 1}}
	const each = 10
	for _, c := range []struct {
		name      string
		translate func(t index.QueryTerm) []index.QueryTerm
	}{
		{"none", func(t index.QueryTerm) []index.QueryTerm { return []index.QueryTerm{t} }},
		{"unsaid", func(t index.QueryTerm) []index.QueryTerm {
			out := []index.QueryTerm{t}
			for i := range each {
				out = append(out, index.QueryTerm{Text: fmt.Sprint(t.Text, "x", i), Weight: .8, Group: t.Group, Foreign: true})
			}
			return out
		}},
		{"across", func(t index.QueryTerm) []index.QueryTerm {
			out := []index.QueryTerm{{Text: t.Text + "x", Weight: 1, Group: t.Group}}
			for len(out) <= each {
				for _, other := range s.question() {
					other.Weight, other.Group, other.Foreign = .8, t.Group, true
					out = append(out, other)
				}
			}
			return out[:1+each]
		}},
	} {
		queries := make([]index.Query, 200)
		for i := range queries {
			queries[i].Targets = target
			for _, t := range s.question() {
				queries[i].Terms = append(queries[i].Terms, c.translate(t)...)
			}
		}
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				if _, err := e.Search(b.Context(), queries[i%len(queries)]); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			percentiles(b, took)
		})
	}
}
