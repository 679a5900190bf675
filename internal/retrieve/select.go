package retrieve

import (
	"strings"

	"kaoju/internal/text"
)

// DefaultLambda is the share of relevance against novelty in MMR.
const DefaultLambda = .7

// containedFrom is the overlap from which on a passage says nothing that a
// better one does not say.
const containedFrom = .85

// Similarity says how much two passages say the same, 0 to 1.
type Similarity func(a, b Found) float64

// MMR chooses k items that are relevant and differ from each other, after
// Carbonell and Goldstein (1998): each next one has the largest
// lambda·score − (1−lambda)·similarity to the most similar one chosen. Scores
// stay as they are. k of 0 or less, or past the number of items, orders all.
func MMR(items []Found, k int, lambda float64, similarity Similarity) []Found {
	rest := SortTop(items, 0)
	if k <= 0 || k > len(rest) {
		k = len(rest)
	}
	nearest := make([]float64, len(rest)) // similarity to the most similar chosen one
	taken := make([]bool, len(rest))
	chosen := make([]Found, 0, k)
	for len(chosen) < k {
		next := -1
		value := 0.0
		for i := range rest {
			v := lambda*rest[i].Score - (1-lambda)*nearest[i]
			if !taken[i] && (next < 0 || v > value) {
				next, value = i, v
			}
		}
		taken[next] = true
		chosen = append(chosen, rest[next])
		for i := range rest {
			if !taken[i] {
				nearest[i] = max(nearest[i], similarity(rest[next], rest[i]))
			}
		}
	}
	return chosen
}

// TermSimilarity gives a Similarity by the Jaccard coefficient of the
// passages' words. It remembers the words of each passage, and is not safe
// for concurrent use.
func TermSimilarity() Similarity {
	words := wordCache{}
	return func(a, b Found) float64 { return text.Jaccard(words.of(a), words.of(b)) }
}

type wordCache map[string][]string

func (c wordCache) of(f Found) []string {
	key := f.Chunk.ID + "\x00" + f.Text
	words, ok := c[key]
	if !ok {
		for _, t := range text.Tokenize(f.Text) {
			words = append(words, t.Text)
		}
		c[key] = words
	}
	return words
}

// Dedup keeps of all items with the same id, or the same text, the best one,
// and returns them best first.
func Dedup(items []Found) []Found {
	ids, texts := map[string]bool{}, map[string]bool{}
	var kept []Found
	for _, f := range SortTop(items, 0) {
		signature := text.Key(f.Text)
		if ids[f.Chunk.ID] || signature != "" && texts[signature] {
			continue
		}
		ids[f.Chunk.ID], texts[signature] = true, true
		kept = append(kept, f)
	}
	return kept
}

// DropContained leaves out items whose text stands in a better one, or shares
// .85 of its words with it, and returns the others best first.
func DropContained(items []Found) []Found {
	words := wordCache{}
	var kept []Found
	for _, f := range SortTop(items, 0) {
		if !contained(f, kept, words) {
			kept = append(kept, f)
		}
	}
	return kept
}

func contained(f Found, better []Found, words wordCache) bool {
	body := strings.TrimSpace(f.Text)
	for _, b := range better {
		if strings.Contains(b.Text, body) || text.Containment(words.of(f), words.of(b)) >= containedFrom {
			return true
		}
	}
	return false
}
