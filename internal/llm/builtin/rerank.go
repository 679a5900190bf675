package builtin

import (
	"context"
	"math"

	"kaoju/internal/llm"
)

// RerankModel names the built-in reranker.
const RerankModel = "kaoju-evidence-1"

// Reranker scores passages by the evidence that they share with the question:
// rare words count more than common ones, words that stand side by side in the
// question count again where they do so in the passage, numbers and codes
// count more than words, and a title or heading counts by how much of the
// question it says and how little else. How rare a word is, is learned from
// the passages themselves, so scores of one call compare with each other best.
//
// It knows words, not meanings. It is deterministic and safe for concurrent
// use; make it with NewReranker.
type Reranker struct {
	weights  RerankWeights
	readings *Readings
}

var _ llm.Reranker = Reranker{}

// RerankWeights says how the kinds of evidence are mixed. Passage and Title
// add up to 1, so that a score is a share of what a perfect passage would
// reach; a text without title and headings is given half of Title for its text.
type RerankWeights struct {
	Passage float64 // all words anywhere in the passage, saturating, by BM25
	Title   float64 // the best of title and headings

	Char     float64 // a Chinese character, where a pair of them counts 1
	Number   float64 // a number or code, where a word counts 1
	Stop     float64 // a function word
	WordPair float64 // two neighbouring words
	Near     float64 // such a pair with other words between or in the other order, where one side by side counts 1
	Stem     float64 // a word with the same root, where the same word counts 1

	Common float64 // rarity of a word that every passage holds
	Extra  float64 // what a word of a title that the question lacks counts against it
	K1, B  float64 // of BM25
}

// DefaultRerankWeights are those of the product. They were chosen on one half
// of the questions of the public sets and checked on the other:
// docs/benchmarks.md.
func DefaultRerankWeights() RerankWeights {
	return RerankWeights{
		Passage: .7, Title: .3,
		Char: .5, Number: 1.5, Stop: .3, WordPair: .3, Near: .5, Stem: .8,
		Common: 1, Extra: .4, K1: 1.5, B: .3,
	}
}

// NewReranker makes a reranker with the product's weights.
func NewReranker() Reranker { return NewRerankerWith(DefaultRerankWeights()) }

// NewRerankerWith makes a reranker with weights of one's own.
func NewRerankerWith(w RerankWeights) Reranker { return Reranker{weights: w} }

// With gives the reranker with a memory of what it read.
func (r Reranker) With(readings *Readings) Reranker {
	r.readings = readings
	return r
}

// Model names the reranker.
func (Reranker) Model() string { return RerankModel }

// Rerank gives one score in [0,1] a passage, in order. A question without
// words gives zeros.
func (r Reranker) Rerank(ctx context.Context, question string, passages []llm.Passage) ([]float64, error) {
	read := make([]passageReading, len(passages))
	for i, p := range passages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		read[i] = r.readings.passage(p)
	}
	c := newCriteria(question)
	scores := c.scores(c.read(read), r.weights)
	r.rescore(question, passages, read, scores)
	return scores, nil
}

func (c *criteria) scores(found []sighting, w RerankWeights) []float64 {
	c.price(w)
	c.weigh(found, w)
	length := meanLength(found)
	scores := make([]float64, len(found))
	for i := range found {
		scores[i] = c.score(&found[i], length, w)
	}
	return scores
}

func meanLength(found []sighting) float64 {
	sum := 0
	for i := range found {
		sum += found[i].length
	}
	return max(float64(sum)/float64(max(len(found), 1)), 1)
}

// price sets the weights of the pieces by their kind. A pair is a function
// word as far as one of its atoms is.
func (c *criteria) price(w RerankWeights) {
	byKind := [...]float64{wordPiece: 1, numberPiece: w.Number, charPiece: w.Char, wordPair: w.WordPair, charPair: 1}
	for i := range c.pieces {
		p := &c.pieces[i]
		p.weight = byKind[p.kind]
		isPair := p.kind == wordPair || p.kind == charPair
		if p.stop || isPair && (c.pieces[p.first].stop || c.pieces[p.second].stop) {
			p.weight *= w.Stop
		}
	}
}

// rarityFloor keeps words that all or none of a few passages have from
// weighing nothing or everything.
const rarityFloor = .5

// weigh sets how much each piece of the question is worth: its weight by kind
// times its rarity among the passages.
func (c *criteria) weigh(found []sighting, w RerankWeights) {
	n := float64(len(found))
	c.total = 0
	for i := range c.pieces {
		df := 0.0
		for k := range found {
			if found[k].count[i] != (tally{}) {
				df++
			}
		}
		rarity := math.Log(1 + (n-df+rarityFloor)/(df+rarityFloor))
		c.pieces[i].worth = c.pieces[i].weight * (w.Common + rarity)
		c.total += c.pieces[i].worth
	}
}

// stretch brings the best passages near 1: a word that occurs once or twice
// reaches only half of its worth in BM25, and hardly a passage has them all.
const stretch = 1.4

// score gives a passage's share of what a perfect one would reach.
func (c *criteria) score(s *sighting, meanLength float64, w RerankWeights) float64 {
	if c.total == 0 {
		return 0
	}
	slow := w.K1 * (1 - w.B + w.B*float64(s.length)/meanLength)
	passage := 0.0
	for i, p := range c.pieces {
		if n := s.count[i].sum(p, w); n > 0 {
			passage += p.worth * n / (n + slow)
		}
	}
	passage /= c.total
	if len(s.lines) == 0 {
		return min(stretch*passage*(w.Passage+w.Title/2), 1)
	}
	title := 0.0
	for _, l := range s.lines {
		title = max(title, c.lineScore(l, w))
	}
	return min(stretch*(w.Passage*passage+w.Title*title), 1)
}

// lineScore is the share of the question that a title says, less for what
// else it says.
func (c *criteria) lineScore(l line, w RerankWeights) float64 {
	got := 0.0
	for i, p := range c.pieces {
		got += p.worth * min(l.count[i].sum(p, w), 1)
	}
	extra := float64(l.length-l.matched) * w.Extra
	return got / c.total * c.size / (c.size + extra)
}
