package retrieve

import (
	"cmp"
	"slices"

	"kaoju/internal/core"
)

// Step is one step of a score: "keyword", "vector", "fused", "title" …
type Step struct {
	Name  string
	Value float64
}

// Found is a passage that was found. Chunk is what is cited; Text is what a
// prompt shows, and may be wider (neighbours, parent) than the chunk.
type Found struct {
	Chunk    core.Chunk
	Document core.Document
	Text     string
	Score    float64  // in [0,1]
	Steps    []Step   // how the score came about, first step first
	Asked    []string // questions that models say its chunks answer; rerankers read them
	Joined   []string // ids of the other chunks whose text is in Text
	// Parts says where Text comes from, where it is not the content of Chunk
	// alone; nil where it is.
	Parts []Part
}

// with gives f with another score, and the step that led to it.
func (f Found) with(step string, score float64) Found {
	f.Score = unit(score)
	f.Steps = append(f.Steps[:len(f.Steps):len(f.Steps)], Step{step, f.Score})
	return f
}

// unit cuts a score to [0,1]; what is not a number becomes 0.
func unit(score float64) float64 {
	if !(score > 0) {
		return 0
	}
	return min(score, 1)
}

// SortTop gives the k best, best first; ties go by document, type, index and
// id, so that the order repeats. k of 0 or less means all.
func SortTop(items []Found, k int) []Found {
	if k <= 0 || k > len(items) {
		k = len(items)
	}
	order := make([]int, len(items)) // a passage is large: it is moved once
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareFound(&items[a], &items[b]) })
	sorted := make([]Found, k)
	for i := range sorted {
		sorted[i] = items[order[i]]
	}
	return sorted
}

// compareFound looks at what breaks a tie only where there is one.
func compareFound(a, b *Found) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(a.Chunk.DocumentID, b.Chunk.DocumentID),
		cmp.Compare(a.Chunk.Type, b.Chunk.Type),
		cmp.Compare(a.Chunk.Index, b.Chunk.Index),
		cmp.Compare(a.Chunk.ID, b.Chunk.ID),
	)
}

// AtLeast gives the items whose score reaches the threshold, in order. What
// is shown is what is compared: an item is kept exactly if its Score is not
// below the threshold.
func AtLeast(items []Found, threshold float64) []Found {
	n := 0
	for i := range items {
		if items[i].Score >= threshold {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	kept := make([]Found, 0, n)
	for i := range items {
		if items[i].Score >= threshold {
			kept = append(kept, items[i])
		}
	}
	return kept
}
