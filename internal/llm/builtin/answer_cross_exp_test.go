//go:build exp

package builtin

import (
	"cmp"
	"slices"
	"testing"

	"kaoju/internal/llm"
)

// expCrossSets are questions in one language over passages in the other, with
// the weights of that pair and those of the question's own language.
var expCrossSets = []struct {
	name      string
	odds, own *Features
}{
	{"zh2en", &chineseToEnglishOdds, &chineseOdds},
	{"en2zh", &englishToChineseOdds, &englishOdds},
}

func expCrossCases(t testing.TB, name string) []expGroup {
	groups := []expGroup{
		{name + ", 6", expMade(t, name, 6, .6), true},
		{name + ", 3", expMade(t, name, 3, .2), true},
		{name + ", 1", expMade(t, name, 1, .2), true},
		{name + ", later", expLater(t, name, 4, .5), true},
		{name + ", a later one", expLater(t, name, 1, .5), true},
	}
	for _, g := range groups {
		expFeatures(g.cases)
	}
	return groups
}

// expLater pairs questions with the last passages of the ranking.
func expLater(t testing.TB, name string, n int, weight float64) []expCase {
	var list []expCase
	for _, d := range expAsked(t, name) {
		far := expWithout(d.Ranked[len(d.Ranked)/2:], d.Answers)
		list = append(list, expCase{id: d.ID, question: d.Question, evidence: far[:min(len(far), n)], weight: weight})
	}
	return list
}

// TestExpCross reports answers and refusal where question and passages are of
// two languages.
func TestExpCross(t *testing.T) {
	for _, s := range expCrossSets {
		expReportAnswers(t, s.name, expHalfOf(expAsked(t, s.name), 1-expSkip()))
		for _, g := range expCrossCases(t, s.name) {
			expReport(t, g.name, expSplit(g.cases, 1-expSkip()), s.odds)
		}
	}
}

// TestExpMixed reports answers where passages of both languages are found
// together: the same text in both, where the answer had best be in the
// question's language, and the answer in the other language only.
func TestExpMixed(t *testing.T) {
	for _, pair := range [][2]string{{"xquad_zh", "zh2en"}, {"xquad_en", "en2zh"}} {
		other := map[string]expDump{}
		for _, d := range expAsked(t, pair[1]) {
			other[d.ID] = d
		}
		both := expHalfOf(expAsked(t, pair[0]), 1)
		only := slices.Clone(both)
		for i, d := range both {
			there := other[d.ID]
			both[i].Evidence = expMix(d.Evidence, there.Evidence)
			only[i].Evidence = expMix(expWithout(d.Ranked, d.Answers), there.Evidence)
			only[i].Answers = there.Answers
		}
		expReportAnswers(t, pair[0]+" both", both)
		expReportAnswers(t, pair[0]+" only other", only)
	}
}

// expMix puts two rankings into one of six passages.
func expMix(a, b []llm.Evidence) []llm.Evidence {
	both := slices.Concat(a[:min(6, len(a))], b)
	slices.SortStableFunc(both, func(a, b llm.Evidence) int { return cmp.Compare(b.Score, a.Score) })
	return both[:min(6, len(both))]
}

// TestExpFitCross fits the odds across languages on half 0, starting from
// those of one language.
func TestExpFitCross(t *testing.T) {
	var odds []Features
	for _, s := range expCrossSets {
		*s.odds = expLogisticFrom(*s.own, Features{}, expAll(expCrossCases(t, s.name), 0), 1500, 1e-3)
		odds = append(odds, *s.odds)
	}
	expWriteOdds(t, "assess_cross_weights.go", expCrossOddsHead, []string{"chineseToEnglishOdds", "englishToChineseOdds"}, odds)
	TestExpCross(t)
}

const expCrossOddsHead = `// The weights of the features of an assessment where question and passage are of
// two languages, written by TestExpFitCross (answer_cross_exp_test.go): half of
// the questions (by hash of the id) of xquad_xling, with the passages that the
// product finds, without those that hold gold, and with the last ones that it
// ranks.
`
