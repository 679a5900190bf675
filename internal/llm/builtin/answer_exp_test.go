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
	"unicode"

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

// unread remembers nothing.
var unread *Readings

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

func expNorm(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPunct(r) {
			return -1
		}
		return r
	}, text.Normalize(s))
}

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

var expThresholds = []float64{.02, .03, .04, .06, .08, .1}

const expPassages = 5

// TestExpAnswers reports how often the first 1, 2, 3 sentences hold the gold,
// and what is written.
func TestExpAnswers(t *testing.T) {
	for _, name := range expSets {
		expReportAnswers(t, name, expHalfOf(expAsked(t, name), 1-expSkip()))
	}
}

func expHalfOf(list []expDump, half int) []expDump {
	return slices.DeleteFunc(list, func(d expDump) bool { return expHalf(d.ID) != half })
}

func expReportAnswers(t *testing.T, name string, list []expDump) {
	var hit [4]float64
	oracle, n := 0.0, float64(len(list))
	var shorter, fewer [len(expEnough)]float64
	written, pieces, misses := 0.0, 0.0, 0
	kept, refused := make([]float64, len(expThresholds)), make([]float64, len(expThresholds))
	for _, q := range list {
		v := unread.ask(q.Question, q.Evidence)
		order := v.byChance()
		for k := 1; k <= 3; k++ {
			hit[k] += step(expHolds(expAnswer(v, q.Evidence, order, k), q.Answers))
		}
		says, count := expWritten(v, q.Evidence, enough)
		good := expHolds(says, q.Answers)
		written += step(good)
		pieces += float64(count)
		for i, until := range expEnough {
			says, count := expWritten(v, q.Evidence, until)
			shorter[i] += step(expHolds(says, q.Answers)) / n
			fewer[i] += float64(count) / n
		}
		p := v.assess().Probability
		for i, th := range expThresholds {
			kept[i] += step(p >= th && good)
			refused[i] += step(p < th)
		}
		oracle += step(slices.ContainsFunc(v.candidates, func(c candidate) bool { return expHolds(c.text, q.Answers) }))
		if !good && misses < 12 && os.Getenv("MISS") == name {
			misses++
			expMiss(v, order, q)
		}
	}
	t.Logf("%-14s n=%.0f  1: %.3f  2: %.3f  3: %.3f   any sentence: %.3f  written: %.3f in %.2f pieces", name, n,
		hit[1]/n, hit[2]/n, hit[3]/n, oracle/n, written/n, pieces/n)
	line := "   refusing below"
	for i, th := range expThresholds {
		line += fmt.Sprintf("  %.2f: %.3f refused, %.3f gold;", th, refused[i]/n, kept[i]/n)
	}
	t.Log(line)
	line = "   until"
	for i, until := range expEnough {
		line += fmt.Sprintf("  %.3f: %.3f gold in %.2f;", until, shorter[i], fewer[i])
	}
	t.Log(line)
}

var expEnough = [...]float64{.8, .9, .95, .97, .98, .99, .995, 2}

func expMiss(v *evidenceView, order []int, q expDump) {
	fmt.Printf("MISS %s | %v | want %d\n", q.Question, q.Answers, v.q.want)
	for i, at := range order {
		c := v.candidates[at]
		if gold := expHolds(c.text, q.Answers); i < 3 || gold {
			fmt.Printf("   %v %d (%d.%d %.2f) %s\n", gold, i, c.passage, c.order, c.chance, c.text)
		}
	}
}

// expSkip is the half that is not reported; REPORT=0 shows the other one.
func expSkip() int {
	if os.Getenv("REPORT") == "0" {
		return 1
	}
	return 0
}
