package embedded

import (
	"bytes"
	"cmp"
	"slices"
)

// found is a passage on its way to the result.
type found struct {
	score float32
	doc   uint32
	scan  *scan
}

func (f *found) id() []byte { return f.scan.ids.at(f.doc) }

// compare orders the better passage first: by score, then by chunk id and
// base, so that results repeat.
func (f *found) compare(g *found) int {
	if f.score != g.score { // no score is NaN
		if f.score > g.score {
			return -1
		}
		return 1
	}
	if c := bytes.Compare(f.id(), g.id()); c != 0 {
		return c
	}
	return cmp.Compare(f.scan.baseID, g.scan.baseID)
}

// best keeps the k best passages of a stream, in a heap whose first is the
// worst of them.
type best struct {
	k    int
	heap []found
}

// floor is the score that a passage must reach to be looked at. It is above
// 0: a passage without any score is no hit.
func (b *best) floor() float32 {
	if len(b.heap) < b.k {
		return smallest
	}
	return b.heap[0].score
}

// smallest is the least score that counts; rounding leaves less.
const smallest = 1e-9

// offer takes an accepted passage whose score reaches the floor.
func (b *best) offer(f found) {
	switch {
	case len(b.heap) < b.k:
		b.heap = append(b.heap, f)
		b.up(len(b.heap) - 1)
	case f.compare(&b.heap[0]) < 0:
		b.heap[0] = f
		b.down(0)
	}
}

func (b *best) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if b.heap[i].compare(&b.heap[parent]) <= 0 {
			return
		}
		b.heap[i], b.heap[parent] = b.heap[parent], b.heap[i]
		i = parent
	}
}

func (b *best) down(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(b.heap); child++ {
			if b.heap[child].compare(&b.heap[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		b.heap[i], b.heap[worst] = b.heap[worst], b.heap[i]
		i = worst
	}
}

// join gives the k best of several, best first.
func join(k int, all []*best) []found {
	var out []found
	for _, b := range all {
		out = append(out, b.heap...)
	}
	sortFound(out)
	return out[:min(k, len(out))]
}

func sortFound(list []found) {
	slices.SortFunc(list, func(a, b found) int { return a.compare(&b) })
}
