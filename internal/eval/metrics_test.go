package eval_test

import (
	"math"
	"testing"

	"kaoju/internal/eval"
)

func TestRankingMetrics(t *testing.T) {
	log3 := 1 / math.Log2(3)
	tests := []struct {
		name             string
		ranked, relevant []string
		k                int
		recall, rr, ndcg float64
	}{
		{"first", []string{"a", "b"}, []string{"a"}, 10, 1, 1, 1},
		{"second", []string{"b", "a"}, []string{"a"}, 10, 1, .5, log3},
		{"beyond k", []string{"b", "a"}, []string{"a"}, 1, 0, 0, 0},
		{"half of two", []string{"a", "x"}, []string{"a", "b"}, 10, .5, 1, 1 / (1 + log3)},
		{"two in order", []string{"b", "a"}, []string{"a", "b"}, 10, 1, 1, 1},
		{"more relevant than k", []string{"a", "b"}, []string{"a", "b", "c"}, 2, 2. / 3, 1, 1},
		{"nothing found", nil, []string{"a"}, 10, 0, 0, 0},
		{"nothing relevant", []string{"a"}, nil, 10, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			near(t, "recall", eval.Recall(tt.ranked, tt.relevant, tt.k), tt.recall)
			near(t, "reciprocal rank", eval.ReciprocalRank(tt.ranked, tt.relevant, tt.k), tt.rr)
			near(t, "ndcg", eval.NDCG(tt.ranked, tt.relevant, tt.k), tt.ndcg)
		})
	}
}

func TestPercentile(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	tests := []struct{ p, want float64 }{{0, 1}, {100, 4}, {50, 2.5}, {95, 3.85}, {-5, 1}, {200, 4}}
	for _, tt := range tests {
		near(t, "percentile", eval.Percentile(values, tt.p), tt.want)
	}
	near(t, "of nothing", eval.Percentile(nil, 50), 0)
	near(t, "median", eval.Median([]float64{9, 1, 2}), 2)
	near(t, "mean", eval.Mean(values), 2.5)
	near(t, "mean of nothing", eval.Mean(nil), 0)
	if values[0] != 4 {
		t.Errorf("Percentile changed its input: %v", values)
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}
