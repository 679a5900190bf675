package eval

import (
	"math"
	"slices"
)

// Recall is the share of the relevant passages among the first k of ranked.
func Recall(ranked, relevant []string, k int) float64 {
	if len(relevant) == 0 {
		return 0
	}
	found := 0
	for _, id := range ranked[:min(k, len(ranked))] {
		if slices.Contains(relevant, id) {
			found++
		}
	}
	return float64(found) / float64(len(relevant))
}

// ReciprocalRank is 1/rank of the first relevant passage among the first k of
// ranked, 0 where there is none. Its mean over queries is the MRR.
func ReciprocalRank(ranked, relevant []string, k int) float64 {
	for i, id := range ranked[:min(k, len(ranked))] {
		if slices.Contains(relevant, id) {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// NDCG is the discounted gain of the first k of ranked over that of a perfect
// ranking, every relevant passage having gain 1 (Järvelin and Kekäläinen
// 2002).
func NDCG(ranked, relevant []string, k int) float64 {
	gain, ideal := 0.0, 0.0
	for i, id := range ranked[:min(k, len(ranked))] {
		if slices.Contains(relevant, id) {
			gain += discount(i)
		}
	}
	for i := range min(k, len(relevant)) {
		ideal += discount(i)
	}
	if ideal == 0 {
		return 0
	}
	return gain / ideal
}

func discount(i int) float64 { return 1 / math.Log2(float64(i)+2) }

// Percentile gives the p-th percentile (0 to 100) of values by linear
// interpolation between neighbours, 0 for no values. The values are not
// changed.
func Percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	at := min(max(p, 0), 100) / 100 * float64(len(s)-1)
	low := int(at)
	high := min(low+1, len(s)-1)
	return s[low] + (at-float64(low))*(s[high]-s[low])
}

// Median is the 50th percentile.
func Median(values []float64) float64 { return Percentile(values, 50) }

// Mean is the arithmetic mean, 0 for no values.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
