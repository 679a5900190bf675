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
	// lowSteps is how many steps of a passage's low plane make one of its high.
	lowSteps = 254
)

// vectorQuery is a question's vector in two planes, as passages have them:
// value i is scale × (steps[i] + rest[i]/restSteps). The first plane is what
// the coarse scan multiplies with; both leave a cosine exact to about 1e-6.
type vectorQuery struct {
	steps []int16
	rest  []int16
	scale float32
	// restSteps is the resolution of the second plane. What the first leaves
	// over is at most half a step, so that its products fit as well.
	restSteps float64
}

func newVectorQuery(v []float32) vectorQuery {
	n := padded(len(v))
	q := vectorQuery{steps: make([]int16, n), rest: make([]int16, n)}
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	if largest == 0 || math.IsInf(largest, 0) || math.IsNaN(largest) {
		return q
	}
	resolution := min(fineSteps, (math.MaxInt32/127)/n)
	q.scale, q.restSteps = float32(largest/float64(resolution)), float64(2*resolution)
	for i, x := range v {
		exact := float64(x) / float64(q.scale)
		whole := math.Round(exact)
		q.steps[i] = int16(whole)
		q.rest[i] = int16(math.Round((exact - whole) * q.restSteps))
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
	return q.rank(e.dot, join(k+spare, tops), k), nil
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
	doc := w.from
	if !w.scan.narrow {
		var products [4]int32
		for ; doc+4 <= w.to; doc += 4 {
			e.dot4(q.steps, w.scan.rows(doc, 4), &products)
			for i, product := range products {
				q.offer(w.scan, doc+uint32(i), product, top)
			}
		}
	}
	for ; doc < w.to; doc++ {
		if !w.scan.narrow || w.scan.accepts(doc) {
			q.offer(w.scan, doc, e.dot(q.steps, w.scan.row(doc)), top)
		}
	}
}

// offer gives a passage to the list, if the list may want it and the filters
// let it through.
func (q *vectorQuery) offer(s *scan, doc uint32, product int32, top *best) {
	score := float32(product) * s.scales[doc] * q.scale
	if score >= top.floor() && (s.narrow || s.accepts(doc)) {
		top.offer(found{score: score, doc: doc, scan: s})
	}
}

// rank scores candidates exactly and keeps the k best.
func (q *vectorQuery) rank(dot dotter, candidates []found, k int) []found {
	kept := candidates[:0]
	for _, f := range candidates {
		f.score = q.cosine(dot, f.scan.row(f.doc), f.scan.lowRow(f.doc), f.scan.scales[f.doc])
		if f.score >= smallest {
			kept = append(kept, f)
		}
	}
	sortFound(kept)
	return kept[:min(k, len(kept))]
}

// cosine multiplies both planes with both.
func (q *vectorQuery) cosine(dot dotter, high, low []int8, scale float32) float32 {
	whole := float64(dot(q.steps, high)) + float64(dot(q.steps, low))/lowSteps
	part := float64(dot(q.rest, high)) + float64(dot(q.rest, low))/lowSteps
	return float32(min(float64(scale)*float64(q.scale)*(whole+part/q.restSteps), 1))
}
