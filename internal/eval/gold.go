package eval

import (
	"strings"
	"unicode"

	"kaoju/internal/text"
)

// ContainsGold reports whether answer holds one of the gold answers, letter
// for letter after normalisation, without regard to spaces, punctuation and
// case.
func ContainsGold(answer string, golds []string) bool {
	return holdsAny(bare(answer), golds)
}

func holdsAny(bareText string, golds []string) bool {
	for _, g := range golds {
		if b := bare(g); b != "" && strings.Contains(bareText, b) {
			return true
		}
	}
	return false
}

// bare keeps only what carries a string's content: its normalised letters,
// digits and symbols such as the degree sign or a currency.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, text.Normalize(s))
}

// goldShare is the least share of extractive questions from which a set's
// answers are taken to be words of its passages.
const goldShare = .5

// extractive gives, for each query, whether a gold answer of it stands in one
// of its passages. It is nil for a set whose answers are something else
// (labels, figures computed from a table, replies in other words), which no
// quoted answer can hold.
func extractive(set Set) []bool {
	at := docIndex(set.Docs)
	out := make([]bool, len(set.Queries))
	n := 0
	for i, q := range set.Queries {
		for _, id := range q.Relevant {
			if holdsAny(bare(set.Docs[at[id]].Text), q.Answers) {
				out[i] = true
				n++
				break
			}
		}
	}
	if n == 0 || float64(n) < goldShare*float64(len(out)) {
		return nil
	}
	return out
}
