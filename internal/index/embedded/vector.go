package embedded

import (
	"context"
	"math"

	"kaoju/internal/core"
)

const (
	// spare is how many more passages than asked for the coarse scan keeps
	// for the exact ranking.
	spare = 40
	// stripe is the number of vectors that one worker scans at a stretch.
	stripe = 8192
	// fineSteps is the resolution of a quantised query. Products with int8
	// rows of up to 4,096 values then fit into 32 bits.
	fineSteps = 4095
)

// vectorQuery is a question's vector, exact and quantised.
type vectorQuery struct {
	exact []float32
	steps []int16
	scale float32
}

func newVectorQuery(v []float32) vectorQuery {
	q := vectorQuery{exact: v, steps: make([]int16, padded(len(v)))}
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	if largest == 0 || math.IsInf(largest, 0) || math.IsNaN(largest) {
		return q
	}
	resolution := min(fineSteps, (math.MaxInt32/127)/len(q.steps))
	q.scale = float32(largest / float64(resolution))
	for i, x := range v {
		q.steps[i] = int16(math.Round(float64(x) / float64(q.scale)))
	}
	return q
}

// stretch is a range of passages of one part.
type stretch struct {
	scan     *scan
	from, to uint32
}

func stretches(scans []*scan, dim int) []stretch {
	var out []stretch
	for _, s := range scans {
		if s.dim != dim {
			continue
		}
		for from := 0; from < s.len(); from += stripe {
			out = append(out, stretch{s, uint32(from), uint32(min(from+stripe, s.len()))})
		}
	}
	return out
}

// vectors gives the k nearest passages: the best by the high planes, ranked
// again by both.
func (e *Engine) vectors(ctx context.Context, vector []float32, scans []*scan, k int) ([]found, error) {
	q := newVectorQuery(vector)
	if q.scale == 0 {
		return nil, nil
	}
	if err := sameSpace(scans, len(vector)); err != nil {
		return nil, err
	}
	work := stretches(scans, len(vector))
	size := 0
	for _, w := range work {
		size += int(w.to - w.from)
	}
	tops, err := inParallel(ctx, len(work), size, func(top *best, i int) {
		e.scanStretch(&q, work[i], top)
	}, k+spare)
	if err != nil {
		return nil, err
	}
	return q.rank(join(k+spare, tops), k), nil
}

// sameSpace refuses a question whose vector cannot be compared with those of
// a base that has vectors.
func sameSpace(scans []*scan, dim int) error {
	other := map[string]int{}
	fits := map[string]bool{}
	for _, s := range scans {
		if s.dim == dim {
			fits[s.baseID] = true
		} else if s.dim != 0 {
			other[s.baseID] = s.dim
		}
	}
	for _, s := range scans {
		if held := other[s.baseID]; held != 0 && !fits[s.baseID] {
			return core.Errorf(core.CodeConflict,
				"knowledge base %s was embedded with %d values a passage, the question with %d: embed the base again with the current model",
				s.baseID, held, dim)
		}
	}
	return nil
}

func (e *Engine) scanStretch(q *vectorQuery, w stretch, top *best) {
	s := w.scan
	floor := top.floor()
	for doc := w.from; doc < w.to; doc++ {
		if s.narrow && !s.accepts(doc) {
			continue
		}
		score := float32(e.dot(q.steps, s.row(doc))) * s.scales[doc] * q.scale
		if score >= floor && (s.narrow || s.accepts(doc)) {
			top.offer(found{score: score, doc: doc, scan: s})
			floor = top.floor()
		}
	}
}

// rank scores candidates exactly and keeps the k best.
func (q *vectorQuery) rank(candidates []found, k int) []found {
	kept := candidates[:0]
	for _, f := range candidates {
		f.score = q.cosine(f.scan.row(f.doc), f.scan.lowRow(f.doc), f.scan.scales[f.doc])
		if f.score >= smallest {
			kept = append(kept, f)
		}
	}
	sortFound(kept)
	return kept[:min(k, len(kept))]
}

func (q *vectorQuery) cosine(high, low []int8, scale float32) float32 {
	var whole, part float32
	for i, x := range q.exact {
		whole += x * float32(high[i])
		part += x * float32(low[i])
	}
	return min(scale*(whole+part/254), 1)
}
