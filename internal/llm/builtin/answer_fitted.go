package builtin

// fitted holds what was fitted for a pair of languages: that of the question
// and that of the passage. Scorers fitted across languages chose no better
// than those of the question's language (docs/benchmarks.md).
type fitted struct {
	scorer *scorer
	odds   *Features
	// refusal is the probability below which the answerer refuses.
	refusal float64
}

// The probabilities below which the answerer refuses. They lie where the
// curves in docs/benchmarks.md bend: a refusal of what could be answered is
// held to cost as much as some twenty unneeded quotations, because a quotation
// stands beside its source and a low probability, while a refusal hides what
// is there.
const (
	RefusalThresholdChinese          = .03
	RefusalThresholdEnglish          = .06
	RefusalThresholdChineseToEnglish = .10 // a Chinese question, an English passage
	RefusalThresholdEnglishToChinese = .10
)

// fitted gives what was fitted for the question and passage i.
func (v *evidenceView) fitted(i int) fitted {
	switch foreign := v.passages[i].foreign; {
	case v.q.chinese && foreign:
		return fitted{&chineseScorer, &chineseToEnglishOdds, RefusalThresholdChineseToEnglish}
	case v.q.chinese:
		return fitted{&chineseScorer, &chineseOdds, RefusalThresholdChinese}
	case foreign:
		return fitted{&englishScorer, &englishToChineseOdds, RefusalThresholdEnglishToChinese}
	}
	return fitted{&englishScorer, &englishOdds, RefusalThresholdEnglish}
}
