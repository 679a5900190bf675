package builtin

import (
	"math"
	"slices"
	"unicode/utf8"

	"kaoju/internal/llm"
	"kaoju/internal/text"
	"kaoju/internal/text/bilingual"
)

// crossing is a question read for passages in the other language: what its
// words may be called there. Words that are the same in both languages (names,
// numbers, codes) stand for themselves.
//
// Translations are less certain than words, and dictionaries lack names. So a
// crossing is judged by concepts, each as surely as a passage says it, and what
// the dictionary offers but no passage says costs little.
type crossing struct {
	concepts []concept
	stems    map[string]int         // stem of a word in letters, or a number → its place in uses
	uses     [][]use                // what stems may mean
	keys     keyed                  // the same places by the keys of stems
	chars    map[rune][]chineseWord // first character → words, longest first
	sieve    [256]bool              // by the last byte of a character: it may be in chars
	thin     float64                // the words of a translation of several share its weight by this power of their number
}

// concept is a content word of the question.
type concept struct {
	weight   float64 // by kind
	worth    float64 // weight times rarity
	from, to int     // bytes of the question
}

// chineseWord is a word that may stand in a Chinese passage.
type chineseWord struct {
	text  string
	atoms []uint32 // as in a reading; 0 for a word in letters, which is in words
	words []uint64 // keys
	uses  []use
}

// use says that a term is a translation of a concept, or a part of one.
type use struct {
	concept int
	weight  float64 // how surely
}

const (
	translated      = .8 // the usual translation, where the word itself counts 1
	translatedPart  = .5 // share for a part of what is translated as a whole
	maxTranslations = 12 // of a word
	crossPair       = .5 // two neighbouring words that stand close together in the passage
	crossNearby     = 8  // atoms between such
	crossMissing    = .3 // share of its worth that a word costs which no passage says
	crossStretch    = 2  // as stretch; translations of a good passage reach even less
)

// newCrossing reads a question; nil where nothing of it can be translated.
func newCrossing(question string, w RerankWeights, thin float64) *crossing {
	terms := text.Terms(question)
	renderings := bilingual.Render(terms)
	if len(renderings) == 0 {
		return nil
	}
	c := &crossing{stems: map[string]int{}, chars: map[rune][]chineseWord{}, thin: thin}
	at := c.addConcepts(terms, w)
	for _, r := range renderings {
		weight := translated
		if r.Inner {
			weight *= translatedPart
		}
		for pos := r.From; pos < r.To; pos++ {
			if i, ok := at[pos]; ok {
				c.addOptions(i, r.Options, weight)
			}
		}
	}
	for stem, i := range c.stems {
		c.keys.add(keyOf(stem), i)
	}
	return c
}

// addConcepts makes a concept of each content word, and gives them by token.
// The parts of codes stand for the code.
func (c *crossing) addConcepts(terms []text.Term, w RerankWeights) map[int]int {
	at, known := map[int]int{}, map[string]bool{}
	for _, t := range terms {
		i, ok := at[t.Pos]
		switch {
		case ok && t.Part && t.Kind != text.Han:
			c.add(t.Text, i, translatedPart)
		case !t.Part && !text.IsStop(t.Text) && !known[t.Text]:
			known[t.Text] = true
			weight := 1.0
			if t.Kind == text.Number || t.Kind == text.Code {
				weight = w.Number
			}
			at[t.Pos] = len(c.concepts)
			c.add(t.Text, len(c.concepts), 1)
			c.concepts = append(c.concepts, concept{weight: weight, from: t.Start, to: t.End})
		}
	}
	return at
}

func (c *crossing) addOptions(concept int, options []bilingual.Option, weight float64) {
	for _, o := range options[:min(len(options), maxTranslations)] {
		each := weight * float64(o.Weight) / math.Pow(float64(len(o.Terms)), c.thin)
		for _, t := range o.Terms {
			c.add(t, concept, each)
		}
	}
}

// add says what a term may mean.
func (c *crossing) add(term string, concept int, weight float64) {
	first, _ := utf8.DecodeRuneInString(term)
	if !isHan(first) {
		i, ok := c.stems[term]
		if !ok {
			i = len(c.uses)
			c.stems[term], c.uses = i, append(c.uses, nil)
		}
		c.uses[i] = withUse(c.uses[i], use{concept, weight})
		return
	}
	c.sieve[byte(first)] = true
	words := c.chars[first]
	i := slices.IndexFunc(words, func(w chineseWord) bool { return len(w.text) < len(term) || w.text == term })
	if i < 0 {
		i = len(words)
	}
	if i == len(words) || words[i].text != term {
		words = slices.Insert(words, i, newChineseWord(term))
	}
	words[i].uses = withUse(words[i].uses, use{concept, weight})
	c.chars[first] = words
}

func withUse(uses []use, u use) []use {
	for i, old := range uses {
		if old.concept == u.concept {
			uses[i].weight = max(old.weight, u.weight)
			return uses
		}
	}
	return append(uses, u)
}

// glimpse is what a passage holds of a crossing, by concept.
type glimpse struct {
	sum    []float64 // of the weights of all tokens that may mean it
	best   []float64
	near   []float64 // how surely it stands beside the concept after it
	length int       // atoms of the text
}

func (c *crossing) read(p llm.Passage, read passageReading) glimpse {
	n := len(c.concepts)
	g := glimpse{sum: make([]float64, n), best: make([]float64, n), near: make([]float64, n)}
	r := crossReader{crossing: c, glimpse: &g, now: make([]float64, n), last: make([]place, n)}
	r.run(p.Title, read.lines[0])
	for i, h := range p.Headings {
		r.run(h, read.lines[i+1])
	}
	r.run(p.Text, read.body)
	g.length = read.body.length
	return g
}

// place is where a concept stood last, and how surely.
type place struct {
	pos    int // atoms before it
	weight float64
}

// crossReader walks through a text atom by atom.
type crossReader struct {
	*crossing
	*glimpse
	now  []float64 // by concept: how surely the atom at hand means it
	hit  []int     // concepts in now
	last []place
}

// run reads a text; s is what was read.
func (r *crossReader) run(s string, text *reading) {
	clear(r.last)
	stems := text.stems(s)
	pos, inside := 0, 0 // atoms so far; the end of the Chinese word found last
	for i, atom := range text.atoms {
		if atom == ends {
			continue
		}
		pos++
		switch {
		case atom&isWord != 0:
			if at, ok := r.keys.find(stems[atom&atomics]); ok {
				r.mean(r.uses[at])
			}
		case r.sieve[byte(atom)]:
			inside = max(inside, r.chinese(text, i, inside))
		}
		r.endAtom(pos)
	}
}

// chinese finds the longest word of the crossing that stands at an atom and
// goes on past a word that was found before it; it gives the word's end.
func (r *crossReader) chinese(text *reading, from, inside int) (end int) {
	for _, w := range r.chars[rune(text.atoms[from]&atomics)] {
		if from+len(w.atoms) > inside && w.stands(text, from) {
			r.mean(w.uses)
			return from + len(w.atoms)
		}
	}
	return 0
}

// newChineseWord makes a word of a term that begins with a Chinese character.
func newChineseWord(term string) chineseWord {
	read := newReading(term)
	w := chineseWord{text: term, atoms: read.atoms}
	for len(w.atoms) > 0 && w.atoms[len(w.atoms)-1] == ends {
		w.atoms = w.atoms[:len(w.atoms)-1]
	}
	for _, other := range read.words {
		w.words = append(w.words, other.key)
	}
	return w
}

// stands tells whether the word stands in a text, from an atom on.
func (w *chineseWord) stands(text *reading, from int) bool {
	if from+len(w.atoms) > len(text.atoms) {
		return false
	}
	for k, atom := range w.atoms {
		there := text.atoms[from+k]
		switch {
		case k > 0 && atom&apart != there&apart, atom&isWord != there&isWord:
			return false
		case atom&isWord == 0 && atom&atomics != there&atomics:
			return false
		case atom&isWord != 0 && (there == ends || w.words[atom&atomics] != text.words[there&atomics].key):
			return false
		}
	}
	return true
}

func (r *crossReader) mean(uses []use) {
	for _, u := range uses {
		if r.now[u.concept] == 0 {
			r.hit = append(r.hit, u.concept)
		}
		r.now[u.concept] = max(r.now[u.concept], u.weight)
	}
}

// endAtom counts what the atom at pos means.
func (r *crossReader) endAtom(pos int) {
	for _, i := range r.hit {
		r.sum[i] += r.now[i]
		r.best[i] = max(r.best[i], r.now[i])
		r.last[i] = place{pos, r.now[i]}
		if i > 0 {
			r.pair(i-1, r.last[i-1], r.last[i])
		}
		if i+1 < len(r.concepts) {
			r.pair(i, r.last[i+1], r.last[i])
		}
	}
	for _, i := range r.hit {
		r.now[i] = 0
	}
	r.hit = r.hit[:0]
}

// pair notes that a concept and the one after it stand close together, in any
// order. One word that may mean both is no pair.
func (r *crossReader) pair(first int, before, here place) {
	if before.weight > 0 && before.pos != here.pos && here.pos-before.pos <= crossNearby {
		r.near[first] = max(r.near[first], min(before.weight, here.weight))
	}
}

// scores judges the passages that were read, each in [0,1].
func (c *crossing) scores(found []glimpse, w RerankWeights) []float64 {
	total := c.weigh(found, w)
	length := 0
	for i := range found {
		length += found[i].length
	}
	mean := max(float64(length)/float64(max(len(found), 1)), 1)
	out := make([]float64, len(found))
	for i := range found {
		if total > 0 {
			out[i] = min(crossStretch*c.score(&found[i], mean, w)/total, 1)
		}
	}
	return out
}

// weigh sets how much each concept is worth by its rarity among the passages,
// and gives what they are worth together.
func (c *crossing) weigh(found []glimpse, w RerankWeights) (total float64) {
	n := float64(len(found))
	for i := range c.concepts {
		df, reach := 0.0, crossMissing
		for k := range found {
			df += found[k].best[i]
			reach = max(reach, found[k].best[i])
		}
		rarity := math.Log(1 + (n-df+rarityFloor)/(df+rarityFloor))
		c.concepts[i].worth = c.concepts[i].weight * (w.Common + rarity)
		total += c.concepts[i].worth * reach
		if i > 0 {
			total += c.pairWorth(i - 1)
		}
	}
	return total
}

// pairWorth is what a concept and the one after it are worth as a pair.
func (c *crossing) pairWorth(first int) float64 {
	return crossPair * min(c.concepts[first].worth, c.concepts[first+1].worth)
}

// score adds up what a passage says. Each concept saturates by how often it
// occurs, as in BM25.
func (c *crossing) score(g *glimpse, meanLength float64, w RerankWeights) float64 {
	slow := w.K1 * (1 - w.B + w.B*float64(g.length)/meanLength)
	sum := 0.0
	for i, p := range c.concepts {
		if g.best[i] > 0 {
			times := g.sum[i] / g.best[i]
			sum += p.worth * g.best[i] * times / (times + slow)
		}
		if i+1 < len(c.concepts) {
			sum += c.pairWorth(i) * g.near[i] / (1 + slow)
		}
	}
	return sum
}

// rescore judges the passages that are in another language than the question
// by translations, where that says more than the words themselves.
func (r Reranker) rescore(question string, passages []llm.Passage, read []passageReading, scores []float64) {
	own := text.DetectLanguage(question)
	var across []int
	for i := range passages {
		if crosses(own, read[i].body.language) {
			across = append(across, i)
		}
	}
	if len(across) == 0 {
		return
	}
	c := newCrossing(question, r.weights, 1)
	if c == nil {
		return
	}
	found := make([]glimpse, len(across))
	for k, i := range across {
		found[k] = c.read(passages[i], read[i])
	}
	for k, score := range c.scores(found, r.weights) {
		scores[across[k]] = max(scores[across[k]], score)
	}
}

// sampleBytes of a passage tell its language.
const sampleBytes = 600

// crosses says whether a passage is in another language than the question.
func crosses(asks, says text.Language) bool {
	switch asks {
	case text.Chinese:
		return says == text.English
	case text.English:
		return says == text.Chinese
	case text.Mixed:
		return true
	}
	return false
}
