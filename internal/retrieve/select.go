package retrieve

import "strings"

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
// passages' words and pairs of characters. It remembers those of each
// passage, and is not safe for concurrent use.
func TermSimilarity() Similarity {
	known := sketches{}
	return func(a, b Found) float64 { return known.of(a).jaccard(known.of(b)) }
}

// Dedup keeps of all items with the same id, or the same text but for case,
// width, spaces and signs, the best one, and returns them best first.
func Dedup(items []Found) []Found {
	ids, texts := map[string]bool{}, map[uint64]bool{}
	var kept []Found
	for _, f := range SortTop(items, 0) {
		k := sketchOf(f.Text)
		if ids[f.Chunk.ID] || k.count > 0 && texts[k.signature] {
			continue
		}
		ids[f.Chunk.ID], texts[k.signature] = true, true
		kept = append(kept, f)
	}
	return kept
}

// DropContained leaves out items whose text stands in a better one, or shares
// .85 of its words with it, and returns the others best first. A passage that
// is more than twice as long as the better one says more, and stays.
func DropContained(items []Found) []Found {
	known := sketches{}
	var kept []Found
	for _, f := range SortTop(items, 0) {
		if !contained(f, kept, known) {
			kept = append(kept, f)
		}
	}
	return kept
}

// fewFeatures is the number below which a share says little, and texts are
// compared word for word.
const fewFeatures = 16

func contained(f Found, better []Found, known sketches) bool {
	own := known.of(f)
	body := strings.TrimSpace(f.Text)
	for _, b := range better {
		other := known.of(b)
		if own.long || other.long || own.count < fewFeatures {
			if strings.Contains(b.Text, body) {
				return true
			}
			continue
		}
		smaller := min(own.count, other.count)
		if 2*smaller >= own.count && float64(own.common(other)) >= containedFrom*float64(smaller) {
			return true
		}
	}
	return false
}
