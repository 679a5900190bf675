package builtin

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"kaoju/internal/llm"
	"kaoju/internal/text"
)

// candidate is a sentence of the evidence that may answer.
type candidate struct {
	passage  int
	order    int       // of the sentence in its passage
	span     text.Span // in the passage's text
	text     string    // simplified
	heading  bool      // it only repeats the title or a heading
	row      bool      // it is a row of a table
	glyphs   []glyph
	single   uint64 // which single glyphs of the question it has, by item
	pairs    uint64
	words    uint64
	marks    []occurrence
	facts    facts
	strength []float64 // of a sentence in another language: how surely it means each concept
	score    float64   // linear score of the facts
	chance   float64   // that it holds the answer, among all candidates
}

// occurrence is a glyph of the question in a sentence.
type occurrence struct{ at, item int }

// evidenceView is the evidence as a question sees it.
type evidenceView struct {
	q          *inquiry
	passages   []passageView
	candidates []candidate
	singleIDF  []float64
	pairsIDF   []float64
	wordsIDF   []float64
	across     *crossMatch // nil where all evidence speaks the question's language
	// bothLanguages says that some of the evidence speaks it and some does not.
	bothLanguages bool
	assessed      *Assessment // nil before the first look
}

// passageView is one passage; its candidates are [from, to).
type passageView struct {
	from, to             int
	score                float64 // of retrieval, in [0,1]
	lead                 float64 // how far that stands before the best of the others, or behind it
	single, pairs, words uint64  // of all its sentences and its title
	titleSingle          uint64
	titlePairs           uint64
	titleIn              float64 // longest run of the title in the question, relative to the title
	foreign              bool    // it is in the other language than the question
	codes                uint64  // of the question that it has
}

// view reads the evidence. The work is linear in its length.
func view(q *inquiry, evidence []llm.Evidence, readings *Readings) *evidenceView {
	parts := make([]*sentences, len(evidence))
	size, across, own := 0, false, false
	for i, e := range evidence {
		parts[i] = readings.parts(e)
		size += len(parts[i].list)
		foreign := q.foreign(parts[i].language)
		across, own = across || foreign, own || !foreign
	}
	v := &evidenceView{q: q, candidates: make([]candidate, 0, size)}
	if across {
		v.across = newCrossMatch(q)
		v.bothLanguages = own
	}
	for i, e := range evidence {
		v.addPassage(i, e, parts[i])
	}
	for i := range v.passages {
		v.passages[i].lead = v.lead(i)
	}
	v.singleIDF = v.rarity(&q.single, func(c *candidate) uint64 { return c.single })
	v.pairsIDF = v.rarity(&q.pairs, func(c *candidate) uint64 { return c.pairs })
	v.wordsIDF = v.rarity(&q.words, func(c *candidate) uint64 { return c.words })
	return v
}

// sentence is a part of evidence that may be quoted, as it is compared.
type sentence struct {
	span    text.Span // in the evidence's text
	text    string    // simplified
	glyphs  []glyph
	heading bool // of a section inside the text, or of a table
	row     bool // of a table
}

// parts cuts evidence into what may be quoted. The work is linear in its
// length, and done once for running text.
func (r *Readings) parts(e llm.Evidence) *sentences {
	body := evidenceText(e)
	if r == nil || len(e.Answers) > 0 || isTableRow(e) {
		return newSentences(e, body)
	}
	known, ok := r.evidence.Get(body)
	if !ok {
		known = newSentences(e, body)
		r.evidence.Put(r.evidence.Age(), body, known, sentenceBytes(known.list))
	}
	return known
}

func newSentences(e llm.Evidence, body string) *sentences {
	spans, rows := evidenceParts(e, body)
	list := make([]sentence, len(spans))
	for i, span := range spans {
		said, row := body[span.Start:span.End], rowAt(rows, span.Start)
		if row != nil && !row.head {
			said = joinCells(row.cells, ": ", "; ")
		}
		s := simplified(said)
		list[i] = sentence{span: span, text: s, glyphs: readGlyphs(make([]glyph, 0, len(s)/3+4), s),
			heading: row != nil && row.head, row: row != nil || isTableRow(e)}
	}
	if len(list) > 1 {
		markHeadings(body, list)
	}
	return &sentences{list: list, language: languageOf(body)}
}

// markHeadings finds the headings of sections among sentences.
func markHeadings(body string, list []sentence) {
	at := 0
	for _, h := range headingLines(body, linesOf(body)) {
		for ; at < len(list) && list[at].span.Start < h.End; at++ {
			list[at].heading = list[at].heading || list[at].span.Start >= h.Start
		}
	}
}

// sentenceBytes is what sentences take in memory.
func sentenceBytes(list []sentence) int64 {
	n := 0
	for _, s := range list {
		n += 64 + len(s.text) + 32*cap(s.glyphs) // with the stems that may come
	}
	return int64(n)
}

func (v *evidenceView) addPassage(index int, e llm.Evidence, parts *sentences) {
	p := passageView{from: len(v.candidates), score: e.Score, foreign: v.across != nil && v.q.foreign(parts.language), codes: v.q.codesIn(e)}
	var stems [][]uint64
	if p.foreign {
		stems = parts.stems()
	}
	head := v.head(e, p.foreign)
	p.titleIn = v.titleRun(e.Title)
	p.titleSingle, p.titlePairs = head.single, head.pairs
	p.single, p.pairs, p.words = head.single, head.pairs, head.words
	body := evidenceText(e)
	for order, s := range parts.list {
		c := candidate{passage: index, order: order, span: s.span, text: s.text, glyphs: s.glyphs, row: s.row}
		c.heading = s.heading || isHeading(body[s.span.Start:s.span.End], e)
		v.match(&c)
		if p.foreign {
			v.across.match(&c, stems[order])
			c.strength = slices.Clone(v.across.strength)
		}
		p.single |= c.single
		p.pairs |= c.pairs
		p.words |= c.words
		v.candidates = append(v.candidates, c)
	}
	p.to = len(v.candidates)
	v.passages = append(v.passages, p)
}

// head reads the title and the headings of a passage.
func (v *evidenceView) head(e llm.Evidence, foreign bool) candidate {
	head := candidate{}
	for _, s := range append([]string{e.Title}, e.Headings...) {
		s = simplified(s)
		line := candidate{glyphs: readGlyphs(nil, s)}
		if foreign {
			v.across.match(&line, stemsOf(s, line.glyphs))
			head.single |= line.single
			head.pairs |= line.pairs
			head.words |= line.words
		}
		head.glyphs = append(head.glyphs, line.glyphs...)
	}
	v.match(&head)
	return head
}

// isHeading tells whether a line is the title or a heading of its passage,
// which is no answer.
func isHeading(line string, e llm.Evidence) bool {
	line = strings.TrimSpace(unmarked(line))
	return line != "" && (line == e.Title || slices.Contains(e.Headings, line))
}

// evidenceText is what candidates are cut from.
func evidenceText(e llm.Evidence) string {
	if len(e.Answers) > 0 {
		return e.Question + "\n" + strings.Join(e.Answers, "\n")
	}
	return e.Text
}

// evidenceParts cuts evidence into candidates: an FAQ entry and a row of a
// table are one, a text is cut into sentences and the rows of its tables.
func evidenceParts(e llm.Evidence, body string) ([]text.Span, []gridRow) {
	if len(e.Answers) > 0 || isTableRow(e) {
		return []text.Span{{Start: 0, End: len(body)}}, nil
	}
	rows := gridRows(body)
	return wholeRows(text.Sentences(body), rows), rows
}

// match finds the items of the question in a sentence.
func (v *evidenceView) match(c *candidate) {
	q := v.q
	for i, g := range c.glyphs {
		item, ok := q.single.index.find(g.key)
		if !ok {
			continue
		}
		c.single |= 1 << item
		c.marks = append(c.marks, occurrence{i, item})
		if i+1 < len(c.glyphs) {
			if item, ok := q.pairs.index.find(pairKey(g.key, c.glyphs[i+1].key)); ok {
				c.pairs |= 1 << item
			}
		}
		v.matchWords(c, i)
	}
	v.matchAliases(c)
}

// matchWords finds the words of the question that begin at glyph i.
func (v *evidenceView) matchWords(c *candidate, i int) {
	key := c.glyphs[i].key
	for size := 1; size <= maxWordGlyphs && i+size <= len(c.glyphs); size++ {
		if size > 1 {
			key = pairKey(key, c.glyphs[i+size-1].key)
		}
		if item, ok := v.q.words.index.find(key); ok {
			c.words |= 1 << item
		}
	}
}

// maxWordGlyphs is the length of the longest word that is looked for.
const maxWordGlyphs = 5

// rarity weighs the items of a question by how few of the candidates have
// them.
func (v *evidenceView) rarity(it *items, mask func(*candidate) uint64) []float64 {
	counts := make([]int, len(it.at))
	for i := range v.candidates {
		for m := mask(&v.candidates[i]); m != 0; m &= m - 1 {
			counts[bits.TrailingZeros64(m)]++
		}
	}
	n := float64(len(v.candidates))
	weights := make([]float64, len(counts))
	for i, df := range counts {
		weights[i] = it.base[i] * math.Log(1+(n+.5)/(float64(df)+.5))
	}
	return weights
}

// weigh sums the weights of the items in a mask.
func weigh(mask uint64, weights []float64) float64 {
	sum := 0.0
	for ; mask != 0; mask &= mask - 1 {
		sum += weights[bits.TrailingZeros64(mask)]
	}
	return sum
}

// titleRun gives the longest run of a title's glyphs that stands in the
// question, as a share of the title; what a title has in brackets is left
// out.
func (v *evidenceView) titleRun(title string) float64 {
	title, _, _ = strings.Cut(simplified(title), "(")
	title, _, _ = strings.Cut(title, "（")
	glyphs := readGlyphs(nil, title)
	longest := 0
	for i := range v.q.glyphs {
		for j := range glyphs {
			n := 0
			for i+n < len(v.q.glyphs) && j+n < len(glyphs) && v.q.glyphs[i+n].key == glyphs[j+n].key {
				n++
			}
			longest = max(longest, n)
		}
	}
	return ratio(float64(longest), float64(len(glyphs)))
}
