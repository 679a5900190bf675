package builtin

import (
	"strings"

	"kaoju/internal/text"
)

// wanted says what kind of thing a question asks for.
type wanted uint8

const (
	wantAnything wanted = iota
	wantPerson
	wantTime
	wantPlace
	wantNumber
	wantReason
	wantManner
	wantName    // what something is called
	wantMeaning // what something is
	wantList
)

// maxItems is how many of its glyphs, pairs and words a question is compared
// by; the rest of a longer one is not looked at.
const maxItems = 64

// inquiry is a question, taken apart.
type inquiry struct {
	text    string // simplified
	chinese bool
	want    wanted
	glyphs  []glyph
	weight  []float64  // by glyph: that of the word it is in, 0 for what carries no topic
	gap     int        // glyphs [gap, gapEnd) are the phrase that asks; in Chinese
	gapEnd  int        // the answer would stand there. Both are 0 when none was found
	single  items      // content glyphs
	pairs   items      // neighbouring content glyphs
	words   items      // words of the segmentation
	aliases aliases    // of its words; nil without any
	codes   []codeName // names of things among many alike
}

// items are parts of a question with their place in it.
type items struct {
	index keyed
	at    []int     // index of the first glyph
	size  []int     // glyphs
	base  []float64 // weight before anything is known of the evidence
}

func (it *items) add(key uint64, at, size int, base float64) {
	if _, have := it.index.find(key); have || len(it.at) == maxItems {
		return
	}
	it.index.add(key, len(it.at))
	it.at = append(it.at, at)
	it.size = append(it.size, size)
	it.base = append(it.base, base)
}

// ask reads a question.
func ask(question string) *inquiry {
	q := &inquiry{text: simplified(question)}
	q.chinese = text.DetectLanguage(question) != text.English
	q.glyphs = readGlyphs(nil, q.text)
	q.weight = make([]float64, len(q.glyphs))
	q.findGap()
	q.addWords()
	q.addPairs()
	return q
}

// foreign tells whether a text of a language is in the other one than the
// question.
func (q *inquiry) foreign(language text.Language) bool {
	return q.chinese && language == text.English || !q.chinese && language == text.Chinese
}

// addWords makes an item of every word that carries the topic, and marks its
// glyphs as content.
func (q *inquiry) addWords() {
	g := 0
	for _, tok := range text.Tokenize(q.text) {
		for g < len(q.glyphs) && int(q.glyphs[g].start) < tok.Start {
			g++
		}
		first := g
		for g < len(q.glyphs) && int(q.glyphs[g].start) < tok.End {
			g++
		}
		if first == g || text.IsStop(tok.Text) || q.asks(first, g) {
			continue
		}
		key := q.glyphs[first].key
		for k := first + 1; k < g; k++ {
			key = pairKey(key, q.glyphs[k].key)
		}
		if isCode(tok) && len(q.codes) < maxItems {
			q.codes = append(q.codes, codeName{squeezed(tok.Text)})
		}
		weight := wordWeight(tok, g-first)
		if !q.chinese && first > 0 && q.glyphs[first].upper {
			weight *= nameWeight
		}
		q.words.add(key, first, g-first, weight)
		for k := first; k < g; k++ {
			q.weight[k] = weight
			q.single.add(q.glyphs[k].key, k, 1, weight)
		}
	}
}

// asks tells whether glyphs [first, end) touch the phrase that asks.
func (q *inquiry) asks(first, end int) bool {
	return first < q.gapEnd && end > q.gap
}

// wordWeight is larger for what is seldom in general language, for codes and
// for numbers: the evidence itself cannot tell, for all of it was found by
// these words.
func wordWeight(tok text.Token, glyphs int) float64 {
	switch {
	case tok.Kind == text.Number || tok.Kind == text.Code:
		return 1.5
	case tok.Kind == text.Han && glyphs == 1:
		return .5 * text.Rarity(tok.Text) / usualRarity
	case tok.Kind == text.Han:
		return text.Rarity(tok.Text) / usualRarity
	}
	return 1
}

// nameWeight is what a capitalised word counts more than another.
const nameWeight = 1.4

// usualRarity is that of an ordinary word.
const usualRarity = 9

// addPairs makes an item of every two neighbouring content glyphs; it weighs
// as much as the words that they come from.
func (q *inquiry) addPairs() {
	for i := 0; i+1 < len(q.glyphs); i++ {
		if q.weight[i] > 0 && q.weight[i+1] > 0 && q.adjacent(i) {
			q.pairs.add(pairKey(q.glyphs[i].key, q.glyphs[i+1].key), i, 2, (q.weight[i]+q.weight[i+1])/2)
		}
	}
}

// adjacent tells whether only white space stands between glyph i and the
// next.
func (q *inquiry) adjacent(i int) bool {
	return strings.TrimSpace(q.text[q.glyphs[i].end:q.glyphs[i+1].start]) == ""
}
