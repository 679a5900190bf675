package answer

import (
	"math"
	"strings"
	"unicode/utf8"

	"kaoju/internal/text"
)

// Entry is an FAQ entry that a search found.
type Entry struct {
	Score     float64  // of the search, in [0,1]
	Matched   string   // its question that is most like the one asked
	Questions []string // all its questions
}

// Likely gives, for each entry, the chance in [0,1] that it is the one that a
// question means. The weights were fitted on one half of the FAQ sets of
// evaluation, so that at the default thresholds fewer than one question in a
// hundred gets the answer of another; docs/benchmarks.md has how they do on the
// other half.
func Likely(question string, entries []Entry) []float64 {
	scores := Together(question, entries)
	out := make([]float64, len(entries))
	for i, e := range entries {
		rival := 0.0
		for j, s := range scores {
			if j != i {
				rival = max(rival, s)
			}
		}
		sum := likelyBias - likelyCaution
		for k, f := range likelyFeatures(question, e.Matched, scores[i], rival) {
			sum += likelyWeights[k] * f
		}
		out[i] = 1 / (1 + math.Exp(-sum))
	}
	return out
}

// allShare is what the words of all questions of an entry weigh beside the
// question of it that is most like the one asked.
const allShare = .1

// Together adds to each entry's score how much of what is asked its questions
// say between them; a word that few of the entries have counts for more. It is
// what entries are ordered by.
func Together(question string, entries []Entry) []float64 {
	said := make([]map[string]bool, len(entries))
	have := map[string]float64{}
	for i, e := range entries {
		said[i] = map[string]bool{}
		for _, q := range e.Questions {
			for term := range plainTerms(q) {
				said[i][term] = true
			}
		}
		for term := range said[i] {
			have[term]++
		}
	}
	asked := plainTerms(question)
	out := make([]float64, len(entries))
	for i, e := range entries {
		var sum, held float64
		for term, w := range asked {
			w *= math.Log(1+float64(len(entries))/(have[term]+.5)) + .05
			sum += w
			if said[i][term] {
				held += w
			}
		}
		out[i] = e.Score
		if sum > 0 {
			out[i] += allShare * held / sum
		}
	}
	return out
}

// likelyCount is the number of features.
const likelyCount = 9

func likelyFeatures(question, matched string, score, rival float64) [likelyCount]float64 {
	asked, said := plainTerms(question), plainTerms(matched)
	common, askedOnly, saidOnly := shares(asked, said)
	return [likelyCount]float64{
		score, score - rival, common, askedOnly, saidOnly,
		bigramLikeness(text.Key(question), text.Key(matched)),
		oddDetails(question, matched), flag(opposed(question, matched)),
		math.Min(float64(len(asked)), 12) / 12,
	}
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// plainTerms gives the whole terms of a question, function words too: in a
// short question "how many" and "which" tell entries apart.
func plainTerms(s string) map[string]float64 {
	out := map[string]float64{}
	for _, t := range text.Terms(s) {
		if t.Part {
			continue
		}
		out[t.Text] = 1
		if text.IsStop(t.Text) {
			out[t.Text] = .3
		}
	}
	return out
}

// shares compares two sets of terms: the weight in common over that of both
// (Dice), and what each has alone, as a share of its own.
func shares(a, b map[string]float64) (common, onlyA, onlyB float64) {
	var both, sumA, sumB float64
	for t, w := range a {
		sumA += w
		if b[t] > 0 {
			both += w
		}
	}
	for _, w := range b {
		sumB += w
	}
	if sumA == 0 || sumB == 0 {
		return 0, 1, 1
	}
	return 2 * both / (sumA + sumB), 1 - both/sumA, 1 - both/sumB
}

// bigramLikeness is Dice over pairs of neighbouring characters.
func bigramLikeness(a, b string) float64 {
	x, y := bigrams(a), bigrams(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	common := 0
	for pair := range x {
		if y[pair] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y))
}

func bigrams(s string) map[[2]rune]bool {
	out := map[[2]rune]bool{}
	last := rune(-1)
	for _, r := range s {
		if last >= 0 {
			out[[2]rune{last, r}] = true
		}
		last = r
	}
	return out
}

// oddDetails counts the numbers and names that one question has and the other
// has not, up to three, as a share.
func oddDetails(a, b string) float64 {
	n := 0
	for _, pair := range [2][2]string{{a, b}, {b, a}} {
		set := newDetailSet(pair[1])
		for _, d := range claimDetails(pair[0]) {
			if !set.has(d) {
				n++
			}
		}
	}
	return math.Min(float64(n), 3) / 3
}

// contraries are words of which two questions that differ in one ask for
// different things.
var contraries = [...][2]string{
	{"最多", "最少"}, {"最大", "最小"}, {"最高", "最低"}, {"最早", "最晚"}, {"最长", "最短"}, {"之前", "之后"}, {"升序", "降序"},
	{"以上", "以下"}, {"大于", "小于"}, {"超过", "低于"}, {"开通", "关闭"}, {"开启", "关闭"}, {"申请", "取消"}, {"增加", "减少"}, {"入职", "离职"},
	{"most", "least"}, {"maximum", "minimum"}, {"highest", "lowest"}, {"oldest", "youngest"}, {"largest", "smallest"}, {"before", "after"},
	{"ascending", "descending"}, {"more than", "less than"}, {"above", "below"}, {"enable", "disable"}, {"open", "close"}, {"with", "without"},
}

// opposed reports whether one question has a word and the other its contrary,
// or one denies and the other does not.
func opposed(a, b string) bool {
	x, y := text.Normalize(a), text.Normalize(b)
	for _, pair := range contraries {
		ax, ay := hasWord(x, pair[0]), hasWord(x, pair[1])
		bx, by := hasWord(y, pair[0]), hasWord(y, pair[1])
		if ax != ay && bx != by && ax != bx {
			return true
		}
	}
	return denies(x) != denies(y)
}

// hasWord reports whether a normalised text has a word: a Latin one only
// whole, but for endings such as n't.
func hasWord(s, w string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], w)
		if i < 0 {
			return false
		}
		at, end := from+i, from+i+len(w)
		latin := w[0] < utf8.RuneSelf
		if !latin || (w[0] == 'n' && strings.Contains(w, "'") || at == 0 || !letter(s[at-1])) && (end == len(s) || !letter(s[end])) {
			return true
		}
		from = end
	}
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' }

// denials make a question ask for the contrary.
var denials = [...]string{"不是", "没有", "不能", "无法", "不在", "不用", "不要", "未", "not", "n't", "never", "without", "no"}

func denies(s string) bool {
	for _, d := range denials {
		if hasWord(s, d) {
			return true
		}
	}
	return false
}

// likelyBias and likelyWeights, in the order of likelyFeatures, give the
// chance as it was fitted. likelyCaution moves it down, so that a fitted .86 is
// the .72 from which an answer is given.
const (
	likelyBias    = -3.576
	likelyCaution = .871
)

var likelyWeights = [likelyCount]float64{3.903, 8.280, -1.908, -.756, -1.151, .770, -1.190, -.682, 2.310}
