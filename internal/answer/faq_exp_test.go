//go:build exp

package answer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/format"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// expFAQ is a question with the entries that the product found: app's
// TestExpDumpFAQ writes them to the folder KAOJU_FAQ.
type expFAQ struct {
	ID, Question string
	Entries      []struct {
		Entry
		Right, Exact bool
	}

	fits   [][fitCount]float64
	right  []bool
	half   int
	weight float64
	rater  *rater
}

var expFAQSets = []string{"cspider_faq_zh", "cspider_faq_en", "banking77_faq", "covid_faq"}

func expFAQs(t *testing.T, name string) []expFAQ {
	f, err := os.Open(filepath.Join(os.Getenv("KAOJU_FAQ"), name+".jsonl"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	var list []expFAQ
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var q expFAQ
		if err := json.Unmarshal(sc.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		h := fnv.New32a()
		h.Write([]byte(strings.NewReplacer("-zh", "", "-en", "").Replace(q.ID))) // the same question in two languages is in one half
		q.half = int(h.Sum32()>>7) & 1
		if len(q.Entries) > 0 && q.Entries[0].Exact {
			continue
		}
		entries := make([]Entry, len(q.Entries))
		for i, e := range q.Entries {
			entries[i] = e.Entry
			q.right = append(q.right, e.Right)
		}
		q.rater = newRater(q.Question, entries)
		for i := range entries {
			q.fits = append(q.fits, q.rater.fit(i))
		}
		list = append(list, q)
	}
	return list
}

func (q *expFAQ) top(w []float64) int {
	best, at := math.Inf(-1), -1
	for i := range q.fits {
		if o := dot(w, q.fits[i][:]); o > best {
			best, at = o, i
		}
	}
	return at
}

func expTop1(list []expFAQ, half int, w []float64) float64 {
	n, hit := 0.0, 0.0
	for i := range list {
		if half >= 0 && list[i].half != half {
			continue
		}
		n++
		if at := list[i].top(w); at >= 0 && list[i].right[at] {
			hit++
		}
	}
	return hit / n
}

// expOrder fits by the likelihood of the right entries under a softmax.
func expOrder(list []expFAQ, drop map[int]bool, l2 float64) [fitCount]float64 {
	var w, m, v [fitCount]float64
	w[fitScore] = 8
	rng := rand.New(rand.NewPCG(1, 2))
	step := 0.0
	for epoch := range 40 {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		rate := .1 * math.Pow(.02, float64(epoch)/40)
		for from := 0; from < len(list); from += 32 {
			part := list[from:min(from+32, len(list))]
			var g [fitCount]float64
			all := 0.0
			for i := range part {
				part[i].gradient(&w, &g)
				all += part[i].weight
			}
			step++
			for k := range w {
				if drop[k] {
					w[k] = 0
					continue
				}
				d := g[k]/all - l2*w[k]
				m[k] = .9*m[k] + .1*d
				v[k] = .999*v[k] + .001*d*d
				w[k] += rate * (m[k] / (1 - math.Pow(.9, step))) / (math.Sqrt(v[k]/(1-math.Pow(.999, step))) + 1e-8)
			}
		}
	}
	return w
}

func (q *expFAQ) gradient(w, g *[fitCount]float64) {
	var p []float64
	most := math.Inf(-1)
	for i := range q.fits {
		p = append(p, dot(w[:], q.fits[i][:]))
		most = max(most, p[i])
	}
	all, gold := 0.0, 0.0
	for i := range p {
		p[i] = math.Exp(p[i] - most)
		all += p[i]
		if q.right[i] {
			gold += p[i]
		}
	}
	if gold == 0 {
		return
	}
	for i := range p {
		d := -p[i] / all
		if q.right[i] {
			d += p[i] / gold
		}
		for k := range g {
			g[k] += q.weight * d * q.fits[i][k]
		}
	}
}

func expWeigh(sets map[string][]expFAQ, names []string, half int) []expFAQ {
	var list []expFAQ
	for _, name := range names {
		n := 0.0
		for _, q := range sets[name] {
			if q.half == half {
				n++
			}
		}
		for _, q := range sets[name] {
			if q.half == half && len(q.fits) > 0 {
				q.weight = 300 / n
				list = append(list, q)
			}
		}
	}
	return list
}

// expSure is the first entry of a question, and whether it is right.
type expSure struct {
	set    string
	half   int
	gone   bool // the right entry was taken away
	f      [sureCount]float64
	right  bool
	weight float64
}

// expSures gives the first entries by an order, each question once with its
// entry and once with that taken away.
func expSures(sets map[string][]expFAQ, w *[fitCount]float64) []expSure {
	var out []expSure
	for _, name := range expFAQSets {
		for _, q := range sets[name] {
			for _, gone := range []bool{false, true} {
				var entries []Entry
				var right []bool
				for _, e := range q.Entries {
					if !gone || !e.Right {
						entries, right = append(entries, e.Entry), append(right, e.Right)
					}
				}
				if len(entries) == 0 {
					continue
				}
				r := newRater(q.Question, entries)
				best, at := math.Inf(-1), 0
				for i := range entries {
					f := r.fit(i)
					r.fits = append(r.fits, f)
					r.orders = append(r.orders, dot(w[:], f[:]))
					if r.orders[i] > best {
						best, at = r.orders[i], i
					}
				}
				out = append(out, expSure{name, q.half, gone, r.certainty(at), right[at], 300 / float64(len(sets[name]))})
			}
		}
	}
	return out
}

func expChance(list []expSure, drop map[int]bool, l2 float64) [sureCount]float64 {
	var w, m, v [sureCount]float64
	all := 0.0
	for _, x := range list {
		all += x.weight
	}
	for step := 1.0; step <= 2500; step++ {
		var g [sureCount]float64
		for i := range list {
			d := list[i].weight * (flag(list[i].right) - 1/(1+math.Exp(-dot(w[:], list[i].f[:]))))
			for k := range g {
				g[k] += d * list[i].f[k]
			}
		}
		rate := .1
		if step > 1700 {
			rate = .01
		}
		for k := range w {
			if drop[k] {
				continue
			}
			d := g[k]/all - l2*w[k]
			m[k] = .9*m[k] + .1*d
			v[k] = .999*v[k] + .001*d*d
			w[k] += rate * (m[k] / (1 - math.Pow(.9, step))) / (math.Sqrt(v[k]/(1-math.Pow(.999, step))) + 1e-8)
		}
	}
	return w
}

// expDirect reports how many questions get an answer, and how many a wrong
// one, where a chance of p is needed.
func expDirect(list []expSure, set string, half int, gone bool, w *[sureCount]float64, p float64) (given, wrong float64) {
	n := 0.0
	for i := range list {
		x := &list[i]
		if x.half != half || x.gone != gone || set != "" && x.set != set {
			continue
		}
		n++
		if 1/(1+math.Exp(-dot(w[:], x.f[:]))) >= p {
			given++
			wrong += flag(!x.right)
		}
	}
	return given / n, wrong / n
}

func expFAQLoad(t *testing.T) map[string][]expFAQ {
	sets := map[string][]expFAQ{}
	for _, name := range expFAQSets {
		sets[name] = expFAQs(t, name)
	}
	return sets
}

// TestExpFitFAQ fits order and chance on half 0, writes them down and reports
// both halves.
func TestExpFitFAQ(t *testing.T) {
	sets := expFAQLoad(t)
	order := expOrder(expWeigh(sets, expFAQSets, 0), nil, 1e-4)
	for i := range order {
		order[i] = math.Round(order[i]*100) / 100
	}
	expReportOrder(t, sets, "fitted", order)
	sures := expSures(sets, &order)
	var fit []expSure
	for _, x := range sures {
		if x.half == 0 {
			fit = append(fit, x)
		}
	}
	chance := expChance(fit, nil, 1e-3)
	for k := range sureCount {
		t.Logf("chance %d %.2f", k, chance[k])
	}
	for _, p := range []float64{.72, .8, .82, .84, .86} {
		line := fmt.Sprintf("%.2f", p)
		for _, name := range append(expFAQSets, "") {
			for half := range 2 {
				g, w := expDirect(sures, name, half, false, &chance, p)
				_, away := expDirect(sures, name, half, true, &chance, p)
				line += fmt.Sprintf(" | %.3f %.3f %.3f", g, w, away)
			}
		}
		t.Log(line)
	}
	expWriteFAQ(t, order, chance)
}

func expWriteFAQ(t *testing.T, order [fitCount]float64, chance [sureCount]float64) {
	var b strings.Builder
	b.WriteString("package answer\n\n" + expFAQHead)
	for _, v := range []struct {
		name, size string
		list       []float64
	}{{"orderWeights", "fitCount", order[:]}, {"chanceWeights", "sureCount", chance[:]}} {
		fmt.Fprintf(&b, "\nvar %s = [%s]float64{", v.name, v.size)
		for _, x := range v.list {
			fmt.Fprintf(&b, "%.2f, ", x)
		}
		b.WriteString("}\n")
	}
	source, err := format.Source([]byte(strings.ReplaceAll(b.String(), ", }", "}")))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("faq_weights.go", source, 0o644); err != nil {
		t.Fatal(err)
	}
}

const expFAQHead = `// The weights of a rating, written by TestExpFitFAQ (faq_exp_test.go) from one
// half of the questions of the four FAQ sets of evaluation, each set counting the
// same: orderWeights by the likelihood of the right entry among those found
// (softmax), chanceWeights by logistic regression on the first entry, each question
// once as it is and once with its entry taken away. What they reach on the other
// half is in docs/benchmarks.md.
`

func expReportOrder(t *testing.T, sets map[string][]expFAQ, label string, w [fitCount]float64) {
	line := label
	for _, name := range expFAQSets {
		line += fmt.Sprintf(" | %.3f / %.3f", expTop1(sets[name], 0, w[:]), expTop1(sets[name], 1, w[:]))
	}
	t.Log(line)
}

// TestExpAblateFAQ reports the order of single facts, without each, and fitted
// on the other sets.
func TestExpAblateFAQ(t *testing.T) {
	sets := expFAQLoad(t)
	expReportOrder(t, sets, "score", [fitCount]float64{fitScore: 1})
	expReportOrder(t, sets, "score + .1 union", [fitCount]float64{fitScore: 1, fitUnion: .1})
	list := expWeigh(sets, expFAQSets, 0)
	for k := range fitCount {
		var one [fitCount]float64
		one[k] = 1
		expReportOrder(t, sets, fmt.Sprintf("only %d", k), one)
		expReportOrder(t, sets, fmt.Sprintf("without %d", k), expOrder(list, map[int]bool{k: true}, 1e-4))
	}
	for _, name := range expFAQSets {
		var rest []string
		for _, o := range expFAQSets {
			if o[:4] != name[:4] {
				rest = append(rest, o)
			}
		}
		expReportOrder(t, sets, "fitted without "+name, expOrder(expWeigh(sets, rest, 0), nil, 1e-4))
	}
}
