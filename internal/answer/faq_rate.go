package answer

import (
	"math"
	"slices"

	"kaoju/internal/text"
)

// Rating says how an FAQ entry fits a question.
type Rating struct {
	// Order compares the entries that were rated together; more is better.
	Order float64
	// Chance in [0,1] that the entry is the one that is meant, moved down so
	// that at the default thresholds fewer than one question in a hundred gets
	// the answer of another: docs/benchmarks.md.
	Chance float64
}

// Rate judges the entries that a search found for a question. Both judgements
// were fitted on one half of the FAQ sets of evaluation; docs/benchmarks.md has
// how they do on the other half.
func Rate(question string, entries []Entry) []Rating {
	r := newRater(question, entries)
	out := make([]Rating, len(entries))
	for i := range entries {
		f := r.fit(i)
		r.orders = append(r.orders, dot(orderWeights[:], f[:]))
		r.fits = append(r.fits, f)
	}
	for i := range out {
		out[i].Order = r.orders[i]
		f := r.certainty(i)
		out[i].Chance = 1 / (1 + math.Exp(likelyCaution-dot(chanceWeights[:], f[:])))
	}
	return out
}

// likelyCaution moves the chance down, so that a fitted .82 is the .72 from
// which an answer is given.
const likelyCaution = .57

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// The facts about an entry that its order is made of. All are of the order of 1.
const (
	fitScore    = iota // of the search
	fitUnion           // share of the question, by rarity, that its questions say between them
	fitBest            // cosine of its question that is most like the one asked
	fitThree           // mean cosine of the three best
	fitAll             // mean cosine of all its questions
	fitBayes           // how likely its questions' words are those asked
	fitGrams           // share of the sequences of characters that its questions have
	fitGramBest        // Dice of these with its most alike question
	fitAnswers         // share of the question that its answers say
	fitSaidOnly        // what the most alike question says beside, by rarity
	fitOpposed         // that question asks for the contrary
	fitOdd             // numbers and names that only one of the two has
	fitCount
)

type rater struct {
	question   string
	asked      questionReading
	askedTerms map[string]bool
	askedGrams map[uint64]bool
	entries    []Entry
	read       []entryReading
	terms      map[string]float64 // rarity of a term among the entries
	grams      map[uint64]float64 // and of a sequence of characters
	fits       [][fitCount]float64
	orders     []float64
}

func newRater(question string, entries []Entry) *rater {
	r := &rater{question: question, asked: readQuestion(question), entries: entries,
		askedTerms: map[string]bool{}, askedGrams: map[uint64]bool{}, terms: map[string]float64{}, grams: map[uint64]float64{}}
	for _, t := range r.asked.terms {
		r.askedTerms[t.text] = true
	}
	for _, g := range r.asked.grams {
		r.askedGrams[g] = true
	}
	for _, e := range entries {
		read := r.readEntry(e)
		for t := range read.have {
			r.terms[t]++
		}
		for g := range read.grams {
			r.grams[g]++
		}
		r.read = append(r.read, read)
	}
	r.price()
	return r
}

// price puts rarities in the place of counts.
func (r *rater) price() {
	n := len(r.entries)
	for _, t := range r.asked.terms {
		r.terms[t.text] += 0 // those that no entry has
	}
	for _, g := range r.asked.grams {
		r.grams[g] += 0
	}
	for t, count := range r.terms {
		r.terms[t] = rarity(n, count)
	}
	for g, count := range r.grams {
		r.grams[g] = rarity(n, count)
	}
}

// worth is the weight of a term times its rarity.
func (r *rater) worth(t weighed) float64 {
	return t.weight * r.terms[t.text]
}

// fit fills the facts about an entry.
func (r *rater) fit(i int) [fitCount]float64 {
	e := &r.read[i]
	var f [fitCount]float64
	f[fitScore] = r.entries[i].Score
	f[fitUnion] = r.share(r.asked, func(t string) bool { return e.have[t] > 0 })
	f[fitAnswers] = r.share(r.asked, func(t string) bool { return e.answers[t] })
	f[fitGrams] = r.gramShare(e)
	f[fitBayes] = r.bayes(e)
	if len(e.questions) > 0 {
		r.fitQuestions(i, &f)
	}
	return f
}

// fitQuestions fills the facts about the single questions of an entry.
func (r *rater) fitQuestions(i int, f *[fitCount]float64) {
	e := &r.read[i]
	likes := make([]float64, len(e.questions))
	at := 0
	for k, q := range e.questions {
		likes[k] = r.cosine(q)
		f[fitAll] += likes[k] / float64(len(likes))
		f[fitGramBest] = max(f[fitGramBest], r.gramDice(q))
		if likes[k] > likes[at] {
			at = k
		}
	}
	nearest, said := e.questions[at], r.entries[i].Questions[at]
	f[fitSaidOnly] = 1 - r.share(nearest, func(t string) bool { return r.askedTerms[t] })
	f[fitOpposed], f[fitOdd] = flag(opposed(r.question, said)), oddDetails(r.question, said)
	slices.SortFunc(likes, compareDown)
	f[fitBest] = likes[0]
	for _, l := range likes[:min(3, len(likes))] {
		f[fitThree] += l / float64(min(3, len(likes)))
	}
}

func compareDown(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// share is the part of a question's worth for which has holds.
func (r *rater) share(q questionReading, has func(string) bool) float64 {
	var sum, held float64
	for _, t := range q.terms {
		w := r.worth(t)
		sum += w
		if has(t.text) {
			held += w
		}
	}
	return over(held, sum)
}

// gramShare is the part of the asked question's sequences of characters, by
// rarity, that an entry's questions have.
func (r *rater) gramShare(e *entryReading) float64 {
	var sum, held float64
	for _, g := range r.asked.grams {
		w := r.grams[g]
		sum += w
		if e.grams[g] {
			held += w
		}
	}
	return over(held, sum)
}

func over(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

func (r *rater) gramDice(q questionReading) float64 {
	common := 0
	for _, g := range q.grams {
		if r.askedGrams[g] {
			common++
		}
	}
	return over(2*float64(common), float64(len(r.asked.grams)+len(q.grams)))
}

// cosine compares the question asked with another by their terms' worth.
func (r *rater) cosine(q questionReading) float64 {
	var both, a, b float64
	for _, t := range r.asked.terms {
		a += r.worth(t) * r.worth(t)
	}
	for _, t := range q.terms {
		w := r.worth(t) * r.worth(t)
		b += w
		if r.askedTerms[t.text] {
			both += w
		}
	}
	return over(both, math.Sqrt(a*b))
}

// bayes is the mean logarithm of the chance of a word asked in a question of
// the entry, against a word that none of its questions has.
func (r *rater) bayes(e *entryReading) float64 {
	sum, all := 0.0, 0.0
	n := float64(len(e.questions))
	for _, t := range r.asked.terms {
		w := r.worth(t)
		all += w
		sum += w * math.Log((e.have[t.text]+bayesFloor)/(n+1)/bayesFloor)
	}
	return over(sum, all) / 4
}

// bayesFloor is for how much of a question a word counts that none has.
const bayesFloor = .05

// The facts that a chance is made of.
const (
	sureBias   = iota
	sureShare  // of the entry among all, by their orders
	sureMargin // how far its order is before the next, or behind the first
	sureScore
	sureUnion
	sureBest
	sureThree
	sureGrams
	sureGramBest
	sureSaidOnly
	sureOpposed
	sureOdd
	sureLength
	sureCommon
	sureCount
)

// certainty fills the facts about how sure it is that the entry is meant.
func (r *rater) certainty(i int) [sureCount]float64 {
	rival, sum := math.Inf(-1), 0.0
	for k, o := range r.orders {
		sum += math.Exp(o - r.orders[i])
		if k != i {
			rival = max(rival, o)
		}
	}
	f := r.fits[i]
	out := [sureCount]float64{1, 1 / sum, 1, f[fitScore], f[fitUnion], f[fitBest], f[fitThree], f[fitGrams], f[fitGramBest],
		f[fitSaidOnly], f[fitOpposed], f[fitOdd], math.Min(float64(len(r.asked.terms)), 12) / 12}
	if len(r.orders) > 1 {
		out[sureMargin] = math.Tanh((r.orders[i] - rival) / 4)
	}
	out[sureCommon] = bigramLikeness(text.Key(r.question), text.Key(r.entries[i].Matched))
	return out
}
