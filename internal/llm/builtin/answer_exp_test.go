//go:build exp

// The measurements and fits behind the constants of this package. Run with
//
//	KAOJU_EVAL=/path/to/eval go test -tags exp -run TestExpAnswers -v ./internal/llm/builtin
//
// The sets are not part of the repository.
package builtin

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/llm"
	"kaoju/internal/text"
)

type expPassage struct{ ID, Title, Text, Lang string }

type expQuery struct {
	ID, Text, Lang string
	Answers        []string
}

type expSet struct {
	name     string
	passages []expPassage
	byID     map[string]int
	queries  []expQuery
	index    *expIndex
}

func expLines[T any](t testing.TB, path string) []T {
	f, err := os.Open(path)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	var list []T
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

func expDir() string { return os.Getenv("KAOJU_EVAL") }

func expLoad(t testing.TB, name string) *expSet {
	s := &expSet{name: name, byID: map[string]int{}}
	s.passages = expLines[expPassage](t, filepath.Join(expDir(), name, "corpus.jsonl"))
	s.queries = expLines[expQuery](t, filepath.Join(expDir(), name, "queries.jsonl"))
	for i, p := range s.passages {
		s.byID[p.ID] = i
	}
	s.index = expIndexOf(s.passages)
	return s
}

// expHalf splits by question: half 0 fits, half 1 reports.
func expHalf(id string) int {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32()>>7) & 1
}

// expIndex is plain BM25 over whole passages: Chinese characters and pairs,
// English words; k1 1.2, b .75.
type expIndex struct {
	postings map[uint64][]expPosting
	length   []float64
	mean     float64
}

type expPosting struct {
	doc int
	tf  float64
}

func expTerms(s string) []uint64 {
	s = simplified(s)
	g := readGlyphs(nil, s)
	var list []uint64
	for i, x := range g {
		list = append(list, x.key)
		if i+1 < len(g) && x.class == glyphHan && g[i+1].class == glyphHan && x.end == g[i+1].start {
			list = append(list, pairKey(x.key, g[i+1].key))
		}
	}
	return list
}

func expIndexOf(passages []expPassage) *expIndex {
	x := &expIndex{postings: map[uint64][]expPosting{}}
	for d, p := range passages {
		tf := map[uint64]float64{}
		terms := expTerms(p.Title + "\n" + p.Text)
		for _, t := range terms {
			tf[t]++
		}
		for t, n := range tf {
			x.postings[t] = append(x.postings[t], expPosting{d, n})
		}
		x.length = append(x.length, float64(len(terms)))
		x.mean += float64(len(terms))
	}
	x.mean /= float64(len(passages))
	return x
}

type expHit struct {
	doc   int
	score float64
}

func (x *expIndex) search(q string, k int) []expHit {
	scores := map[int]float64{}
	n := float64(len(x.length))
	seen := map[uint64]bool{}
	possible := 0.0
	for _, t := range expTerms(q) {
		if seen[t] {
			continue
		}
		seen[t] = true
		list := x.postings[t]
		idf := math.Log(1 + (n-float64(len(list))+.5)/(float64(len(list))+.5))
		possible += idf * 2.2
		for _, p := range list {
			scores[p.doc] += idf * p.tf * 2.2 / (p.tf + 1.2*(.25+.75*x.length[p.doc]/x.mean))
		}
	}
	var hits []expHit
	for d, s := range scores {
		hits = append(hits, expHit{d, s / possible})
	}
	slices.SortFunc(hits, func(a, b expHit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc)) })
	return hits[:min(k, len(hits))]
}

func (s *expSet) evidence(hits []expHit) []llm.Evidence {
	var list []llm.Evidence
	for i, h := range hits {
		p := s.passages[h.doc]
		list = append(list, llm.Evidence{Handle: fmt.Sprintf("c%d", i+1), Type: "text", Title: p.Title, Text: p.Text, Score: h.score})
	}
	return list
}

func expNorm(s string) string { return strings.ReplaceAll(text.Normalize(s), " ", "") }

func expHolds(answer string, golds []string) bool {
	answer = expNorm(answer)
	for _, g := range golds {
		if n := expNorm(g); n != "" && strings.Contains(answer, n) {
			return true
		}
	}
	return false
}

// expAnswer is the text of the first k candidates, as the answer joins them.
func expAnswer(v *evidenceView, ev []llm.Evidence, order []int, k int) string {
	order = slices.Clone(order[:min(k, len(order))])
	slices.Sort(order)
	var b strings.Builder
	for i, at := range order {
		c := v.candidates[at]
		if i > 0 && order[i-1] != at-1 {
			b.WriteString("\x00")
		}
		b.WriteString(ev[c.passage].Text[c.span.Start:c.span.End])
	}
	return b.String()
}

var expSets = []string{"xquad_zh", "xquad_en", "cmrc2018_dev", "drcd_dev"}

const expPassages = 5

// TestExpAnswers reports how often the first 1, 2, 3 sentences hold the gold.
func TestExpAnswers(t *testing.T) {
	for _, name := range expSets {
		s := expLoad(t, name)
		var hit [4]float64
		oracle, n := 0.0, 0.0
		miss := 0
		for _, q := range s.queries {
			if expHalf(q.ID) == 0 {
				continue
			}
			n++
			ev := s.evidence(s.index.search(q.Text, expPassages))
			v := read(q.Text, ev)
			order := v.byChance()
			for k := 1; k <= 3; k++ {
				if expHolds(expAnswer(v, ev, order, k), q.Answers) {
					hit[k]++
				} else if k == 3 && miss < 12 && os.Getenv("MISS") == name {
					miss++
					fmt.Printf("MISS %s | %v | want %d\n", q.Text, q.Answers, v.q.want)
					for i, at := range order[:min(5, len(order))] {
						fmt.Printf("   %d (%d.%d %.2f) %s\n", i, v.candidates[at].passage, v.candidates[at].order, v.candidates[at].chance, v.candidates[at].text)
					}
					for i, at := range order {
						if i >= 3 && expHolds(v.candidates[at].text, q.Answers) {
							fmt.Printf("   GOLD %d (%d.%d %.2f) %s\n", i, v.candidates[at].passage, v.candidates[at].order, v.candidates[at].chance, v.candidates[at].text)
						}
					}
				}
			}
			for i := range v.candidates {
				if expHolds(v.candidates[i].text, q.Answers) {
					oracle++
					break
				}
			}
		}
		t.Logf("%-14s n=%.0f  1: %.3f  2: %.3f  3: %.3f   any sentence: %.3f", name, n, hit[1]/n, hit[2]/n, hit[3]/n, oracle/n)
	}
}

// expSample is a question: the facts of its candidates, and which hold gold.
type expSample struct {
	facts []facts
	gold  []bool
}

func expSamples(t testing.TB, names []string, half int) []expSample {
	var list []expSample
	for _, name := range names {
		s := expLoad(t, name)
		for _, q := range s.queries {
			if half >= 0 && expHalf(q.ID) != half {
				continue
			}
			v := read(q.Text, s.evidence(s.index.search(q.Text, expPassages)))
			var x expSample
			any := false
			gold := s.goldPassages(q)
			for i := range v.candidates {
				c := &v.candidates[i]
				holds := gold[c.passageID(s, v)] && expHolds(c.text, q.Answers)
				any = any || holds
				x.facts = append(x.facts, c.facts)
				x.gold = append(x.gold, holds)
			}
			if any {
				list = append(list, x)
			}
		}
	}
	return list
}

func (s *expSet) goldPassages(q expQuery) map[string]bool { return map[string]bool{"": true} }

func (c *candidate) passageID(*expSet, *evidenceView) string { return "" }

// expFit maximises the likelihood of the gold candidates under a softmax over
// the candidates of each question (Adam, full batch, small L2).
func expFit(samples []expSample, start facts, epochs int, l2 float64) facts {
	w, m, s := start, facts{}, facts{}
	for e := 1; e <= epochs; e++ {
		var g facts
		loss := 0.0
		for _, x := range samples {
			loss += expGradient(x, &w, &g)
		}
		rate := .05
		if e > epochs*2/3 {
			rate = .015
		}
		for k := range w {
			d := g[k]/float64(len(samples)) - l2*w[k]
			m[k] = .9*m[k] + .1*d
			s[k] = .999*s[k] + .001*d*d
			w[k] += rate * (m[k] / (1 - math.Pow(.9, float64(e)))) / (math.Sqrt(s[k]/(1-math.Pow(.999, float64(e)))) + 1e-8)
		}
		if e == epochs {
			fmt.Printf("log-likelihood %.4f over %d questions\n", loss/float64(len(samples)), len(samples))
		}
	}
	return w
}

func expGradient(x expSample, w, g *facts) float64 {
	scores := make([]float64, len(x.facts))
	most := math.Inf(-1)
	for i := range x.facts {
		for k, f := range x.facts[i] {
			scores[i] += w[k] * f
		}
		most = max(most, scores[i])
	}
	all, gold := 0.0, 0.0
	for i := range scores {
		scores[i] = math.Exp(scores[i] - most)
		all += scores[i]
		if x.gold[i] {
			gold += scores[i]
		}
	}
	for i := range scores {
		d := -scores[i] / all
		if x.gold[i] {
			d += scores[i] / gold
		}
		for k, f := range x.facts[i] {
			g[k] += d * f
		}
	}
	return math.Log(gold / all)
}

func expPrint(name string, w facts) {
	fmt.Printf("var %s = facts{\n", name)
	for k, x := range w {
		fmt.Printf("\t%d: %.2f,\n", k, x)
	}
	fmt.Println("}")
}

// TestExpFitAnswers fits the weights on half 0 of the sets and on sets that
// are not reported at all, then reports half 1 as TestExpAnswers does.
func TestExpFitAnswers(t *testing.T) {
	zh := expSamples(t, []string{"xquad_zh", "cmrc2018_dev", "drcd_dev"}, 0)
	zh = append(zh, expSamples(t, []string{"cmrc2018_trial", "drcd_test"}, -1)...)
	en := expSamples(t, []string{"xquad_en"}, 0)
	en = append(en, expSamples(t, []string{"squad2_dev"}, -1)...)
	chineseWeights = expFit(zh, chineseWeights, 300, 1e-4)
	englishWeights = expFit(en, englishWeights, 300, 1e-4)
	expPrint("chineseWeights", chineseWeights)
	expPrint("englishWeights", englishWeights)
	TestExpAnswers(t)
}
