package builtin

import (
	"math"

	"kaoju/internal/llm"
)

// Assessment says whether evidence answers a question.
type Assessment struct {
	// Probability is the calibrated chance, in [0,1], that the evidence
	// answers. It is 0 without evidence.
	Probability float64
	// Best is the index of the passage that most likely answers, -1 for none.
	Best int
	// Features are those of the best passage.
	Features Features
}

// Assess is Assess without a memory of what was read.
func Assess(question string, evidence []llm.Evidence) Assessment {
	return (*Readings)(nil).Assess(question, evidence)
}

// Assess estimates whether the evidence, best first, answers the question,
// whose words may have other names. The evidence answers as well as its best
// passage does.
func (r *Readings) Assess(question string, evidence []llm.Evidence, aliases ...llm.Alias) Assessment {
	return r.ask(question, evidence, aliases...).assess()
}

// The features of a passage; all lie in [0,1] or are of that order.
const (
	featBias      = iota
	featSingle    // share of the question's glyphs in its best sentence, by weight
	featPairs     // of its pairs
	featWords     // of its words
	featTitled    // pairs of the best sentence together with the title
	featWindow    // pairs of the best three neighbouring sentences with the title
	featAllSingle // glyphs of the whole passage
	featAllPairs  // pairs of the whole passage
	featAllWords  // words of the whole passage
	featElsewhere // words that only other passages have
	featNowhere   // words that no passage has
	featLoss      // weight of the words that it lacks, not relative
	featHead      // pairs of the passage, those that open the question counting more
	featHeadBest  // the same for the best sentence with the title
	featCode      // share of the question's numbers that it lacks
	featName      // share of its capitalised words that it lacks
	featTitleIn   // the question names the title
	featTitleLike // share of the title in the question
	featChance    // chance of its first candidate among all
	featScore     // score of that candidate
	featDensity   // how close the question's glyphs stand to something new in it
	featSpot      // it has a place that could answer
	featSpotNear  // how close to that the question's glyphs stand
	featNoSpot    // the kind of question has such places, and it has none
	featFocus     // words beside the phrase that asks
	featRun       // longest run of the question in one sentence, relative
	featLongRun   // the same in glyphs
	featNegation  // the question denies something, and the candidate does not
	featAsserts   // the candidate denies something, and the question does not
	featBrief     // the question has few items to compare by
	featFar       // by how much the glyphs of the best sentence stay under a half
	featFarAll    // by how much those of the whole passage stay under six tenths
	featAlone     // there is no other passage
	featLead      // how far it stands before the next best, or behind the best, relative to the better
	featSure      // how surely the best sentence says the question, across languages
	featSureAll   // how surely the passage does
	featCount
)

// Features of a passage, by the constants above.
type Features [featCount]float64

// assess judges the evidence, once.
func (v *evidenceView) assess() Assessment {
	if v.assessed == nil {
		a := v.judge()
		v.assessed = &a
	}
	return *v.assessed
}

func (v *evidenceView) judge() Assessment {
	a := Assessment{Best: -1}
	most := math.Inf(-1)
	for i, f := range v.features() {
		odds, weights := 0.0, v.fitted(i).odds
		for k, x := range f {
			odds += weights[k] * x
		}
		if f[featBias] > 0 && odds > most {
			most = odds
			a = Assessment{Best: i, Features: f, Probability: 1 / (1 + math.Exp(-odds))}
		}
	}
	if v.lacksCode() {
		a.Probability = min(a.Probability, unnamed)
	}
	return a
}

// refuses tells whether the evidence is too unlikely to answer.
func (v *evidenceView) refuses() bool {
	a := v.assess()
	return a.Best < 0 || a.Probability < v.fitted(a.Best).refusal
}

// features gives the features of every passage; those of a passage that
// cannot answer are zero, and so are all where no passage has a word of the
// question, in any language.
func (v *evidenceView) features() []Features {
	list := make([]Features, len(v.passages))
	var anywhere, anything uint64
	for _, p := range v.passages {
		anywhere |= p.words
		anything |= p.single
	}
	if anything == 0 {
		return list
	}
	for i := range list {
		p := &v.passages[i]
		first := v.firstOf(p)
		if first == nil {
			continue
		}
		f := &list[i]
		f[featBias] = 1
		v.sentenceFeatures(f, p)
		v.passageFeatures(f, p, anywhere)
		v.missingFeatures(f, p)
		v.firstFeatures(f, first)
		v.crossFeatures(f, p)
		f[featAlone] = step(len(v.passages) == 1)
		f[featLead] = ratio(p.lead, max(p.score, p.score-p.lead))
		if p.single == 0 { // it leads others that have nothing of the question either
			f[featLead] = min(0, f[featLead])
		}
	}
	return list
}

// lead gives how far passage i stands before the best of the others, or
// behind it, in the scores of retrieval; 0 where there is no other.
func (v *evidenceView) lead(i int) float64 {
	if len(v.passages) == 1 {
		return 0
	}
	other := 0.0
	for j := range v.passages {
		if j != i {
			other = max(other, v.passages[j].score)
		}
	}
	return v.passages[i].score - other
}

// firstOf gives the likeliest candidate of a passage.
func (v *evidenceView) firstOf(p *passageView) *candidate {
	var first *candidate
	for i := p.from; i < p.to; i++ {
		c := &v.candidates[i]
		if quotable(c) && (first == nil || c.score > first.score) {
			first = c
		}
	}
	return first
}

// sentenceFeatures measures how much of the question the best sentence and
// the best window of a passage have.
func (v *evidenceView) sentenceFeatures(f *Features, p *passageView) {
	head := v.headWeights()
	for i := p.from; i < p.to; i++ {
		c := &v.candidates[i]
		f[featSingle] = max(f[featSingle], share(c.single, v.singleIDF))
		f[featPairs] = max(f[featPairs], share(c.pairs, v.pairsIDF))
		f[featWords] = max(f[featWords], share(c.words, v.wordsIDF))
		f[featTitled] = max(f[featTitled], share(c.pairs|p.titlePairs, v.pairsIDF))
		f[featWindow] = max(f[featWindow], share(v.window(i, p)|p.titlePairs, v.pairsIDF))
		f[featHeadBest] = max(f[featHeadBest], share(c.pairs|p.titlePairs, head))
		run := v.longestRun(c.pairs)
		f[featRun] = max(f[featRun], ratio(run, float64(len(v.q.pairs.at))))
		f[featLongRun] = max(f[featLongRun], min(run, 10)/10)
	}
	f[featHead] = share(p.pairs, head)
}

// crossFeatures measures how surely words of another language mean the
// question's.
func (v *evidenceView) crossFeatures(f *Features, p *passageView) {
	if !p.foreign {
		return
	}
	all := make([]float64, len(v.across.covers))
	for _, c := range v.candidates[p.from:p.to] {
		f[featSure] = max(f[featSure], v.across.certainty(c.strength, v.singleIDF))
		for i, s := range c.strength {
			all[i] = max(all[i], s)
		}
	}
	f[featSureAll] = v.across.certainty(all, v.singleIDF)
}

func (v *evidenceView) passageFeatures(f *Features, p *passageView, anywhere uint64) {
	f[featAllSingle] = share(p.single, v.singleIDF)
	f[featFar], f[featFarAll] = max(0, .5-f[featSingle]), max(0, .6-f[featAllSingle])
	f[featAllPairs] = share(p.pairs, v.pairsIDF)
	f[featAllWords] = share(p.words, v.wordsIDF)
	f[featElsewhere] = share(anywhere&^p.words, v.wordsIDF)
	f[featNowhere] = 1 - share(anywhere, v.wordsIDF)
	f[featLoss] = weigh(^p.words&(1<<len(v.wordsIDF)-1), v.wordsIDF) / 20
	f[featBrief] = 1 / (1 + float64(len(v.q.single.at)))
	f[featTitleIn], f[featTitleLike] = step(p.titleIn == 1), p.titleIn
}

// share gives the weight of the items in a mask relative to all.
func share(mask uint64, weights []float64) float64 {
	return ratio(weigh(mask, weights), total(weights))
}

// headWeights weighs the pairs that open a question most: in Chinese they
// name what it is about.
func (v *evidenceView) headWeights() []float64 {
	w := make([]float64, len(v.pairsIDF))
	for i, idf := range v.pairsIDF {
		w[i] = idf * math.Exp(-float64(i)/5)
	}
	return w
}

// window gives the pairs of a sentence and its neighbours.
func (v *evidenceView) window(i int, p *passageView) uint64 {
	m := v.candidates[i].pairs
	if i > p.from {
		m |= v.candidates[i-1].pairs
	}
	if i+1 < p.to {
		m |= v.candidates[i+1].pairs
	}
	return m
}

// longestRun gives the longest run of neighbouring pairs of the question
// among those of mask.
func (v *evidenceView) longestRun(mask uint64) float64 {
	run, longest := 0, 0
	for i, at := range v.q.pairs.at {
		switch {
		case mask&(1<<i) == 0:
			run = 0
			continue
		case i > 0 && v.q.pairs.at[i-1] != at-1:
			run = 0
		}
		run++
		longest = max(longest, run)
	}
	return float64(longest)
}

// missingFeatures counts the numbers and names of the question that a
// passage does not have.
func (v *evidenceView) missingFeatures(f *Features, p *passageView) {
	numbers, noNumber, names, noName := 0.0, 0.0, 0.0, 0.0
	for item, at := range v.q.single.at {
		g := v.q.glyphs[at]
		missing := step(p.single&(1<<item) == 0)
		switch {
		case g.class == glyphNumber:
			numbers++
			noNumber += missing
		case g.class == glyphWord && g.upper:
			names++
			noName += missing
		}
	}
	f[featCode] = ratio(noNumber, numbers)
	f[featName] = ratio(noName, names)
}

// firstFeatures looks at the candidate that would be quoted first.
func (v *evidenceView) firstFeatures(f *Features, c *candidate) {
	f[featChance] = c.chance
	f[featScore] = c.score / 10
	f[featDensity] = c.facts[factDensity]
	f[featSpot] = c.facts[factSpot]
	f[featSpotNear] = c.facts[factSpotNear]
	f[featFocus] = c.facts[factFocus]
	if spotFact(v.q.want) > 0 {
		f[featNoSpot] = 1 - c.facts[factSpot]
	}
	asks, says := denies(v.q.text), denies(c.text)
	f[featNegation] = step(asks && !says)
	f[featAsserts] = step(says && !asks)
}
