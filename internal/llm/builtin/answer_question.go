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
	wantKinds // how many kinds there are
)

// maxItems is how many of its glyphs, pairs and words a question is compared
// by; the rest of a longer one is not looked at.
const maxItems = 64

// asked is a question, taken apart.
type asked struct {
	text    string // simplified
	chinese bool
	want    wanted
	glyphs  []glyph
	content []bool // by glyph: it carries the topic
	gap     int    // glyphs [gap, gapEnd) are the phrase that asks; in Chinese
	gapEnd  int    // the answer would stand there. Both are 0 when none was found
	single  items  // content glyphs
	pairs   items  // neighbouring content glyphs
	words   items  // words of the segmentation
}

// items are parts of a question with their place in it.
type items struct {
	index map[uint64]int
	at    []int     // index of the first glyph
	size  []int     // glyphs
	base  []float64 // weight before anything is known of the evidence
}

func (it *items) add(key uint64, at, size int, base float64) {
	if _, have := it.index[key]; have || len(it.at) == maxItems {
		return
	}
	it.index[key] = len(it.at)
	it.at = append(it.at, at)
	it.size = append(it.size, size)
	it.base = append(it.base, base)
}

// ask reads a question.
func ask(question string) *asked {
	q := &asked{text: simplified(question)}
	q.chinese = text.DetectLanguage(question) != text.English
	q.glyphs = readGlyphs(nil, q.text)
	q.content = make([]bool, len(q.glyphs))
	for _, it := range []*items{&q.single, &q.pairs, &q.words} {
		it.index = map[uint64]int{}
	}
	q.findGap()
	q.addWords()
	q.addPairs()
	return q
}

// addWords makes an item of every word that carries the topic, and marks its
// glyphs as content.
func (q *asked) addWords() {
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
		q.words.add(key, first, g-first, wordWeight(tok, g-first))
		for k := first; k < g; k++ {
			q.content[k] = true
			q.single.add(q.glyphs[k].key, k, 1, 1)
		}
	}
}

// asks tells whether glyphs [first, end) touch the phrase that asks.
func (q *asked) asks(first, end int) bool {
	return first < q.gapEnd && end > q.gap
}

// wordWeight is larger for what is seldom without meaning: long words, codes
// and numbers.
func wordWeight(tok text.Token, glyphs int) float64 {
	switch {
	case tok.Kind == text.Number || tok.Kind == text.Code:
		return 1.5
	case tok.Kind == text.Han && glyphs == 1:
		return .5
	case tok.Kind == text.Han && glyphs > 2:
		return 1.5
	}
	return 1
}

func (q *asked) addPairs() {
	for i := 0; i+1 < len(q.glyphs); i++ {
		if q.content[i] && q.content[i+1] && q.adjacent(i) {
			q.pairs.add(pairKey(q.glyphs[i].key, q.glyphs[i+1].key), i, 2, 1)
		}
	}
}

// adjacent tells whether only white space stands between glyph i and the
// next.
func (q *asked) adjacent(i int) bool {
	return strings.TrimSpace(q.text[q.glyphs[i].end:q.glyphs[i+1].start]) == ""
}
