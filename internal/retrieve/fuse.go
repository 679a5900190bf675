package retrieve

import (
	"cmp"
	"slices"
)

// Method is a way to make one list of several.
type Method string

// Methods of fusion.
const (
	// WeightedSum adds the scores, each times its list's share of the
	// weights. It keeps the absolute scale: a passage that all lists find
	// poor stays poor.
	WeightedSum Method = "weighted_sum"
	// MinMax stretches each list to [0,1] before it adds, then scales the
	// result by what the lists' best scores are worth, so that the order is
	// that of the stretched scores and the scale stays absolute.
	MinMax Method = "min_max"
	// RRF adds 1/(60+rank) times the weight, divided by the largest sum that
	// a passage could reach. It looks at ranks only: the best passage of any
	// question scores high.
	RRF Method = "rrf"
)

// rankBias is the k of reciprocal rank fusion, from Cormack, Clarke and
// Büttcher (2009).
const rankBias = 60

// Scored is an id with a score in [0,1] and the steps that led to it.
type Scored struct {
	ID    string
	Score float64
	Steps []Step
}

// List is the result of one retriever. Its order does not matter.
type List struct {
	Name   string // the step's name in the explanation
	Weight float64
	Items  []Scored
}

// Fuse makes one list of several, best first, ties by id; each id comes once.
// Empty lists and lists without weight do not count; one list alone keeps its
// scores. An unknown method is WeightedSum.
func Fuse(method Method, lists []List) []Scored {
	lists = usable(lists)
	switch len(lists) {
	case 0:
		return nil
	case 1:
		return stepped(lists[0])
	}
	switch method {
	case RRF:
		return rrf(lists)
	case MinMax:
		return minMax(lists)
	default:
		return weightedSum(lists)
	}
}

// usable gives the lists that count: sorted, each id once by its best score.
func usable(lists []List) []List {
	var out []List
	for _, l := range lists {
		if l.Weight > 0 && len(l.Items) > 0 {
			out = append(out, List{l.Name, l.Weight, bestOfEach(l.Items)})
		}
	}
	return out
}

func bestOfEach(items []Scored) []Scored {
	sorted := slices.Clone(items)
	for i := range sorted {
		sorted[i].Score = unit(sorted[i].Score)
	}
	if !slices.IsSortedFunc(sorted, compareScored) { // what an engine gives is
		slices.SortStableFunc(sorted, compareScored)
	}
	seen := make(map[string]bool, len(sorted))
	return slices.DeleteFunc(sorted, func(s Scored) bool {
		again := seen[s.ID]
		seen[s.ID] = true
		return again
	})
}

func compareScored(a, b Scored) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

func stepped(l List) []Scored {
	for i, s := range l.Items {
		l.Items[i].Steps = append(s.Steps[:len(s.Steps):len(s.Steps)], Step{l.Name, s.Score})
	}
	return l.Items
}

// sums adds up contributions by id and keeps the steps.
type sums struct {
	at    map[string]int
	items []Scored
	steps []Step // room for those of the items to come
}

// usualSteps is how many steps a fused item has: two lists and their sum.
const usualSteps = 3

func newSums(lists []List) sums {
	n := 0
	for _, l := range lists {
		n += len(l.Items)
	}
	return sums{at: make(map[string]int, n), items: make([]Scored, 0, n), steps: make([]Step, n*usualSteps)}
}

func (s *sums) add(list string, item Scored, share float64) {
	i, ok := s.at[item.ID]
	if !ok {
		i = len(s.items)
		s.at[item.ID] = i
		s.items = append(s.items, Scored{ID: item.ID, Steps: s.steps[:0:usualSteps]})
		s.steps = s.steps[usualSteps:]
	}
	to := &s.items[i]
	to.Score += share
	to.Steps = append(append(to.Steps, item.Steps...), Step{list, item.Score})
}

// done scales the sums and sorts.
func (s *sums) done(scale float64) []Scored {
	for i := range s.items {
		item := &s.items[i]
		item.Score = unit(item.Score * scale)
		item.Steps = append(item.Steps, Step{"fused", item.Score})
	}
	slices.SortStableFunc(s.items, compareScored)
	return s.items
}

func weightOf(lists []List) float64 {
	sum := 0.0
	for _, l := range lists {
		sum += l.Weight
	}
	return sum
}

func weightedSum(lists []List) []Scored {
	out := newSums(lists)
	for _, l := range lists {
		for _, item := range l.Items {
			out.add(l.Name, item, l.Weight*item.Score)
		}
	}
	return out.done(1 / weightOf(lists))
}

func minMax(lists []List) []Scored {
	out := newSums(lists)
	worth := 0.0
	for _, l := range lists {
		top, bottom := l.Items[0].Score, l.Items[len(l.Items)-1].Score
		worth += l.Weight * top
		for _, item := range l.Items {
			stretched := 1.0
			if top > bottom {
				stretched = (item.Score - bottom) / (top - bottom)
			}
			out.add(l.Name, item, l.Weight*stretched)
		}
	}
	weight := weightOf(lists)
	return out.done(worth / weight / weight)
}

func rrf(lists []List) []Scored {
	out := newSums(lists)
	for _, l := range lists {
		for rank, item := range l.Items {
			out.add(l.Name, item, l.Weight/float64(rankBias+rank+1))
		}
	}
	return out.done((rankBias + 1) / weightOf(lists))
}
