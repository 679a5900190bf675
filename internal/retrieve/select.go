package retrieve

import (
	"slices"
	"strings"
)

// DefaultLambda is the share of relevance against novelty in MMR.
const DefaultLambda = .7

// containedFrom is the overlap from which on a passage says nothing that a
// better one does not say.
const containedFrom = .85

// MMR chooses k items that are relevant and differ from each other, after
// Carbonell and Goldstein (1998): each next one has the largest
// lambda·score − (1−lambda)·similarity to the most similar one chosen, where
// passages are similar by the Jaccard coefficient of their words and pairs of
// characters. Scores stay as they are. k of 0 or less, or past the number of
// items, orders all.
func (s *Sketches) MMR(items []Found, k int, lambda float64) []Found {
	rest := SortTop(items, 0)
	if k <= 0 || k > len(rest) {
		k = len(rest)
	}
	known := s.ofAll(rest)
	nearest := make([]float64, len(rest)) // similarity to the most similar chosen one …
	seen := make([]int, len(rest))        // … of the first so many
	taken := make([]bool, len(rest))
	order := make([]int, 0, k)
	for len(order) < k {
		next := -1
		value := 0.0
		for i := range rest {
			v := lambda*rest[i].Score - (1-lambda)*nearest[i]
			if !taken[i] && (next < 0 || v > value) {
				next, value = i, v
			}
		}
		if seen[next] == len(order) {
			taken[next] = true
			order = append(order, next)
			continue
		}
		// What an item is worth only sinks: it is compared with those chosen
		// when it would be the next, and most never are.
		for ; seen[next] < len(order); seen[next]++ {
			nearest[next] = max(nearest[next], known[order[seen[next]]].jaccard(known[next]))
		}
	}
	chosen := make([]Found, k)
	for i, at := range order {
		chosen[i] = rest[at]
	}
	return chosen
}

// Dedup keeps of all items with the same id, or the same text but for case,
// width, spaces and signs, the best one, and returns them best first.
func (s *Sketches) Dedup(items []Found) []Found {
	ids, texts := map[string]bool{}, map[uint64]bool{}
	kept := SortTop(items, 0)
	return slices.DeleteFunc(kept, func(f Found) bool {
		k := s.of(f.Text)
		if ids[f.Chunk.ID] || k.count > 0 && texts[k.signature] {
			return true
		}
		ids[f.Chunk.ID], texts[k.signature] = true, true
		return false
	})
}

// DropContained leaves out items whose text stands in a better one, or shares
// .85 of its words with it, and returns the others best first. A passage that
// is more than twice as long as the better one says more, and stays.
func (s *Sketches) DropContained(items []Found) []Found {
	sorted := SortTop(items, 0)
	kept := sorted[:0]
	better := make([]*sketch, 0, len(sorted)) // of kept
	for i := range sorted {
		f := &sorted[i]
		own := s.of(f.Text)
		if !contained(f, own, kept, better) {
			kept, better = append(kept, *f), append(better, own)
		}
	}
	return kept
}

// fewFeatures is the number below which a share says little, and texts are
// compared word for word.
const fewFeatures = 16

func contained(f *Found, own *sketch, kept []Found, better []*sketch) bool {
	body := strings.TrimSpace(f.Text)
	for i, other := range better {
		if own.long || other.long || own.count < fewFeatures {
			if strings.Contains(kept[i].Text, body) {
				return true
			}
			continue
		}
		smaller := min(own.count, other.count)
		if 2*smaller >= own.count && own.shares(other, containedFrom*float64(smaller)) {
			return true
		}
	}
	return false
}
