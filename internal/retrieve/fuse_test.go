package retrieve

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

func list(name string, weight float64, items ...Scored) List {
	return List{Name: name, Weight: weight, Items: items}
}

func item(id string, score float64) Scored { return Scored{ID: id, Score: score} }

func scoresOf(items []Scored) map[string]float64 {
	out := map[string]float64{}
	for _, s := range items {
		out[s.ID] = math.Round(s.Score*1e4) / 1e4
	}
	return out
}

func TestFuse(t *testing.T) {
	words := list("keyword", .7, item("a", .8), item("b", .4), item("c", .2))
	near := list("vector", .3, item("b", .9), item("d", .5))
	for _, c := range []struct {
		name   string
		method Method
		lists  []List
		want   map[string]float64
	}{
		{"nothing", WeightedSum, nil, map[string]float64{}},
		{"sum", WeightedSum, []List{words, near}, map[string]float64{"a": .56, "b": .55, "c": .14, "d": .15}},
		{"sum with other total of weights", WeightedSum,
			[]List{list("keyword", 7, words.Items...), list("vector", 3, near.Items...)},
			map[string]float64{"a": .56, "b": .55, "c": .14, "d": .15}},
		// Stretched: a 1, b 1/3, c 0; b 1, d 0. The lists are worth .7·.8+.3·.9 = .83.
		{"min max", MinMax, []List{words, near}, map[string]float64{"a": .581, "b": .4427, "c": 0, "d": 0}},
		{"min max of equal scores", MinMax, []List{list("x", 1, item("a", .5), item("b", .5)), list("y", 1, item("a", .5))},
			map[string]float64{"a": .5, "b": .25}},
		{"rrf", RRF, []List{words, near}, map[string]float64{
			"a": .7, "b": round4(61 * (.7/62 + .3/61)), "c": round4(61 * .7 / 63), "d": round4(61 * .3 / 62)}},
		{"unknown method", "?", []List{words, near}, map[string]float64{"a": .56, "b": .55, "c": .14, "d": .15}},
		{"one list passes through", RRF, []List{words, list("vector", .3)}, map[string]float64{"a": .8, "b": .4, "c": .2}},
		{"no weight does not count", MinMax, []List{words, list("vector", 0, item("z", 1))}, map[string]float64{"a": .8, "b": .4, "c": .2}},
		{"best of doubles", WeightedSum, []List{list("keyword", 1, item("a", .2), item("a", .6), item("b", 2), item("c", math.NaN()))},
			map[string]float64{"a": .6, "b": 1, "c": 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := scoresOf(Fuse(c.method, c.lists)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func TestFuseExplains(t *testing.T) {
	got := Fuse(WeightedSum, []List{list("keyword", .5, item("a", .8)), list("vector", .5, item("a", .4))})
	want := []Step{{"keyword", .8}, {"vector", .4}, {"fused", got[0].Score}}
	if !reflect.DeepEqual(got[0].Steps, want) {
		t.Errorf("steps %v, want %v", got[0].Steps, want)
	}
	alone := Fuse(RRF, []List{list("keyword", .5, item("a", .8))})
	if !reflect.DeepEqual(alone[0].Steps, []Step{{"keyword", .8}}) {
		t.Errorf("steps of one list: %v", alone[0].Steps)
	}
}

// TestFuseProperties: over random lists every method gives each id once, best
// first, within [0,1], whatever the order of the input, and leaves it alone.
func TestFuseProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 200 {
		lists := []List{list("a", r.Float64(), randomItems(r)...), list("b", r.Float64(), randomItems(r)...)}
		before := clone(lists)
		for _, m := range []Method{WeightedSum, MinMax, RRF} {
			got := Fuse(m, lists)
			seen := map[string]bool{}
			for i, s := range got {
				if s.Score < 0 || s.Score > 1 || seen[s.ID] || i > 0 && compareScored(got[i-1], s) > 0 {
					t.Fatalf("%s: %v at %d of %v", m, s, i, got)
				}
				seen[s.ID] = true
			}
			for _, l := range lists {
				r.Shuffle(len(l.Items), func(i, j int) { l.Items[i], l.Items[j] = l.Items[j], l.Items[i] })
			}
			if again := Fuse(m, lists); !reflect.DeepEqual(scoresOf(got), scoresOf(again)) {
				t.Fatalf("%s depends on the order of its input", m)
			}
			lists = clone(before)
		}
	}
}

func randomItems(r *rand.Rand) []Scored {
	var items []Scored
	for range r.IntN(8) {
		items = append(items, item(string(rune('a'+r.IntN(10))), math.Round(10*r.Float64())/10))
	}
	return items
}

func clone(lists []List) []List {
	var out []List
	for _, l := range lists {
		l.Items = append([]Scored(nil), l.Items...)
		out = append(out, l)
	}
	return out
}
