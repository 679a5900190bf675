package builtin

import "math"

// The facts about a candidate that its score is made of. All are of the order
// of 1.
const (
	factSingle     = iota // share of the question's glyphs, by weight, that it has
	factPairs             // the same for pairs
	factWords             // and for words
	factSingleBest        // single, relative to the best candidate
	factPairsBest
	factWordsBest
	factTop        // it is the best by pairs
	factAround     // what its neighbours add in pairs
	factBefore     // pairs of the sentence before it
	factAfter      // pairs of the sentence behind it
	factPassage    // pairs of its whole passage, relative to the best passage
	factPassageGap // words of its passage, relative to the best passage
	factSecond     // its passage is the second, third, a later one
	factThird
	factLater
	factScore   // score of its passage, relative to the first
	factTitle   // what the title has of the question and the sentence has not
	factLength  // logarithm of its length
	factShort   // it is hardly more than a phrase
	factFirst   // it opens its passage
	factSecondS // it is the second sentence
	factLast    // it closes the passage
	factNew     // glyphs that the question does not have, up to 20
	factFocus   // words beside the phrase that asks
	factDensity // how close the question's glyphs stand to something new
	factSpot    // it has a place that could answer, by kind of question
	factSpotTime
	factSpotPerson
	factSpotPlace
	factSpotNumber
	factSpotReason
	factSpotManner
	factSpotName
	factSpotMeaning
	factSpotList
	factSpotNear   // how close the question's glyphs stand to such a place
	factPassageAll // glyphs of its passage, relative to the best passage
	factPronoun    // it opens with a pronoun
	factCarried    // it does, and glyphs of the sentence before it count
	factRun        // longest run of the question in it, relative
	factUnit       // a number before what the question counts
	factHead       // what "which" or "what" asks for, with something new before it
	factSlotLeft   // what the question has left of the phrase that asks, then something new
	factSlotRight  // something new, then what the question has right of it
	factLead       // how far its passage stands before the next best, or behind the best
	factCount
)

type facts [factCount]float64

// best holds the maxima over all candidates.
type best struct{ single, pairs, words, passagePairs, passageWords, passageSingle float64 }

// findFacts fills the facts of every candidate.
func (v *evidenceView) findFacts() {
	if len(v.candidates) == 0 {
		return
	}
	top := v.maxima()
	focus := v.focusWeights()
	for i := range v.candidates {
		c := &v.candidates[i]
		v.coverageFacts(i, c, top)
		v.placeFacts(c)
		v.nearFacts(c)
		c.facts[factFocus] = ratio(weigh(c.single, focus), total(focus))
	}
}

func (v *evidenceView) maxima() best {
	var b best
	for i := range v.candidates {
		c := &v.candidates[i]
		b.single = max(b.single, weigh(c.single, v.singleIDF))
		b.pairs = max(b.pairs, weigh(c.pairs, v.pairsIDF))
		b.words = max(b.words, weigh(c.words, v.wordsIDF))
	}
	for _, p := range v.passages {
		b.passagePairs = max(b.passagePairs, weigh(p.pairs, v.pairsIDF))
		b.passageSingle = max(b.passageSingle, weigh(p.single, v.singleIDF))
		b.passageWords = max(b.passageWords, weigh(p.words, v.wordsIDF))
	}
	return b
}

func (v *evidenceView) coverageFacts(i int, c *candidate, top best) {
	p := v.passages[c.passage]
	f := &c.facts
	single, pairs, words := weigh(c.single, v.singleIDF), weigh(c.pairs, v.pairsIDF), weigh(c.words, v.wordsIDF)
	f[factSingle] = ratio(single, total(v.singleIDF))
	f[factPairs] = ratio(pairs, total(v.pairsIDF))
	f[factWords] = ratio(words, total(v.wordsIDF))
	f[factSingleBest] = ratio(single, top.single)
	f[factPairsBest] = ratio(pairs, top.pairs)
	f[factWordsBest] = ratio(words, top.words)
	if pairs == top.pairs && pairs > 0 {
		f[factTop] = 1
	}
	f[factPassageAll] = ratio(weigh(p.single, v.singleIDF), top.passageSingle)
	f[factRun] = ratio(v.longestRun(c.pairs), float64(len(v.q.pairs.at)))
	f[factPronoun] = step(opensWithPronoun(c.text))
	var before, after uint64
	if i > p.from {
		before = v.candidates[i-1].pairs
		f[factCarried] = f[factPronoun] * ratio(weigh(v.candidates[i-1].single&^c.single, v.singleIDF), total(v.singleIDF))
	}
	if i+1 < p.to {
		after = v.candidates[i+1].pairs
	}
	f[factAround] = ratio(weigh((before|after)&^c.pairs, v.pairsIDF), total(v.pairsIDF))
	f[factBefore] = ratio(weigh(before, v.pairsIDF), top.pairs)
	f[factAfter] = ratio(weigh(after, v.pairsIDF), top.pairs)
	f[factPassage] = ratio(weigh(p.pairs, v.pairsIDF), top.passagePairs)
	f[factPassageGap] = ratio(weigh(p.words, v.wordsIDF), top.passageWords)
	f[factTitle] = ratio(weigh(p.titleSingle&^c.single, v.singleIDF), total(v.singleIDF))
}

func (v *evidenceView) placeFacts(c *candidate) {
	p := v.passages[c.passage]
	f := &c.facts
	switch c.passage {
	case 0:
	case 1:
		f[factSecond] = 1
	case 2:
		f[factThird] = 1
	default:
		f[factLater] = 1
	}
	f[factScore] = ratio(p.score, v.passages[0].score)
	f[factLead] = p.lead
	n := len(c.glyphs)
	f[factLength] = math.Log1p(float64(n)) / 4
	f[factShort] = step(n < 8)
	f[factFirst] = step(c.order == 0)
	f[factSecondS] = step(c.order == 1)
	f[factLast] = step(c.order == p.to-p.from-1)
}

// nearFacts looks at what is new in the sentence, and how close it stands to
// what the question named.
func (v *evidenceView) nearFacts(c *candidate) {
	f := &c.facts
	fresh := make([]bool, len(c.glyphs))
	count := len(c.glyphs)
	for i := range fresh {
		fresh[i] = true
	}
	for _, m := range c.marks {
		if fresh[m.at] {
			count--
		}
		fresh[m.at] = false
	}
	f[factNew] = min(float64(count), 20) / 20
	if all := total(v.singleIDF); all > 0 {
		for i := range fresh {
			if fresh[i] {
				f[factDensity] = max(f[factDensity], v.closeness(c, i)/all)
			}
		}
		v.spotFacts(c, fresh, all)
	}
	v.slotFacts(c, fresh)
}

func (v *evidenceView) spotFacts(c *candidate, fresh []bool, all float64) {
	f := &c.facts
	for _, s := range spots(v.q.want, c.text, c.glyphs) {
		if !anyTrue(fresh[s.from:s.to]) {
			continue
		}
		f[factSpot] = 1
		f[factSpotNear] = max(f[factSpotNear], v.closeness(c, s.from)/all)
	}
	if f[factSpot] == 0 {
		return
	}
	if at := spotFact(v.q.want); at > 0 {
		f[at] = 1
	}
}

// spotFact gives the fact that stands for a spot of a kind.
func spotFact(w wanted) int {
	switch w {
	case wantTime:
		return factSpotTime
	case wantPerson:
		return factSpotPerson
	case wantPlace:
		return factSpotPlace
	case wantNumber:
		return factSpotNumber
	case wantReason:
		return factSpotReason
	case wantManner:
		return factSpotManner
	case wantName:
		return factSpotName
	case wantMeaning:
		return factSpotMeaning
	case wantList:
		return factSpotList
	}
	return 0
}

// closeness sums the weights of the question's glyphs in a sentence, each
// counted once and the less the farther it stands from glyph at.
func (v *evidenceView) closeness(c *candidate, at int) float64 {
	var nearest [maxItems]float64
	sum := 0.0
	for _, m := range c.marks {
		d := m.at - at
		if d < 0 {
			d = -d
		}
		if d >= len(decay) {
			continue
		}
		if w := v.singleIDF[m.item] * decay[d]; w > nearest[m.item] {
			sum += w - nearest[m.item]
			nearest[m.item] = w
		}
	}
	return sum
}

// decay is what a glyph counts at a distance.
var decay = makeDecay()

func makeDecay() [40]float64 {
	var d [40]float64
	for i := range d {
		d[i] = math.Exp(-float64(i) / 12)
	}
	return d
}

// focusWeights weighs the glyphs of the question by how close they stand to
// the phrase that asks.
func (v *evidenceView) focusWeights() []float64 {
	q := v.q
	w := make([]float64, len(q.single.at))
	if q.gapEnd == 0 {
		return w
	}
	for i, at := range q.single.at {
		d := max(q.gap-at, at-q.gapEnd+1)
		w[i] = v.singleIDF[i] * math.Exp(-float64(d)/3)
	}
	return w
}

func ratio(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

func total(weights []float64) float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	return sum
}

func step(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func anyTrue(list []bool) bool {
	for _, b := range list {
		if b {
			return true
		}
	}
	return false
}
