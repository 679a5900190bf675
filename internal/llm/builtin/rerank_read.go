package builtin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/text"
)

// criteria is a question taken apart into pieces: single words or Chinese
// characters (atoms), and pairs of neighbouring ones.
type criteria struct {
	pieces []piece
	words  map[string]int // word → piece
	roots  map[string]int // root of a word → piece
	chars  map[rune]int   // Chinese character → piece
	sieve  [256]bool      // by the last byte of a character: it may be in chars
	keys   keyed          // the words by their keys
	kin    keyed          // the roots by theirs
	pairs  map[[2]int]int // two atoms' pieces → piece
	size   float64        // atoms
	total  float64        // of the pieces' worths
}

// piece is an atom of the question, or a pair of them.
type piece struct {
	kind   pieceKind
	stop   bool // a function word, or a part of one
	first  int  // of a pair: its atoms
	second int
	weight float64 // by kind
	worth  float64 // weight times rarity
}

type pieceKind uint8

const (
	wordPiece   pieceKind = iota
	numberPiece           // a number, or a code with digits in it
	charPiece             // a Chinese character
	wordPair
	charPair
)

// isContent reports whether the piece is a word or number that is not a
// function word.
func (p piece) isContent() bool { return p.kind <= numberPiece && !p.stop }

// tally is how often a piece occurs: as it is, and in a weaker form (a word of
// the same root, a pair with other words between).
type tally struct{ exact, weak int32 }

func (t tally) sum(p piece, w RerankWeights) float64 {
	if p.kind == wordPair {
		return float64(t.exact) + w.Near*float64(t.weak)
	}
	return float64(t.exact) + w.Stem*float64(t.weak)
}

// sighting is what a passage holds of the question.
type sighting struct {
	count  []tally // by piece, over title, headings and text
	length int     // atoms of the text
	lines  []line  // title and headings that are not empty
}

// line is a title or heading: what it holds by piece, its atoms, and how many
// of these are in the question.
type line struct {
	count           []tally
	length, matched int
}

// newCriteria takes a question apart.
func newCriteria(question string) *criteria {
	c := &criteria{
		words: map[string]int{}, roots: map[string]int{}, chars: map[rune]int{}, pairs: map[[2]int]int{},
	}
	s := text.Normalize(question)
	stops := stopRanges(s)
	last, content := -1, -1
	eachAtom(s, func(from, to int, han bool) {
		for len(stops) > 0 && stops[0].End <= from {
			stops = stops[1:]
		}
		i := c.addAtom(s[from:to], han, len(stops) > 0 && stops[0].Start <= from)
		c.size++
		c.addPair(last, i)
		last = i
		if c.pieces[i].isContent() {
			c.addPair(content, i)
			content = i
		}
	}, func() { last, content = -1, -1 })
	return c
}

// stopRanges gives where function words stand in a normalised text.
func stopRanges(s string) []text.Span {
	var out []text.Span
	for _, t := range text.Tokenize(s) {
		if text.IsStop(t.Text) {
			out = append(out, text.Span{Start: t.Start, End: t.End})
		}
	}
	return out
}

func (c *criteria) addAtom(atom string, han, stop bool) int {
	i, known := c.words[atom]
	if known {
		return i
	}
	i = len(c.pieces)
	p := piece{kind: wordPiece, stop: stop}
	switch {
	case han:
		p.kind = charPiece
		r, _ := utf8.DecodeRuneInString(atom)
		c.chars[r] = i
		c.sieve[byte(r)] = true
	case strings.ContainsAny(atom, "0123456789"):
		p.kind = numberPiece
	default:
		if _, taken := c.roots[rootOf(atom)]; !taken {
			c.roots[rootOf(atom)] = i
		}
	}
	c.pieces = append(c.pieces, p)
	c.words[atom] = i
	return i
}

func (c *criteria) addPair(a, b int) {
	key := [2]int{a, b}
	if _, known := c.pairs[key]; known || a < 0 {
		return
	}
	kind := wordPair
	if c.pieces[a].kind == charPiece && c.pieces[b].kind == charPiece {
		kind = charPair
	}
	c.pairs[key] = len(c.pieces)
	c.pieces = append(c.pieces, piece{kind: kind, first: a, second: b})
}

// keyed finds what stands under the key of a word. Nearly all words of a
// passage are not in a question, and are told by one look at a table.
type keyed struct {
	sieve [64]uint64
	at    map[uint64]int
}

func (k *keyed) add(key uint64, piece int) {
	if k.at == nil {
		k.at = map[uint64]int{}
	}
	k.sieve[key>>6&63] |= 1 << (key & 63)
	k.at[key] = piece
}

func (k *keyed) find(key uint64) (int, bool) {
	if k.sieve[key>>6&63]&(1<<(key&63)) == 0 {
		return 0, false
	}
	i, ok := k.at[key]
	return i, ok
}

// read finds the question's pieces in passages.
func (c *criteria) read(passages []passageReading) []sighting {
	for w, i := range c.words {
		c.keys.add(keyOf(w), i)
	}
	for root, i := range c.roots {
		c.kin.add(keyOf(root), i)
	}
	r := reader{criteria: c}
	found := make([]sighting, len(passages))
	for i, p := range passages {
		found[i] = r.passage(p)
	}
	return found
}

// passage finds them in one.
func (r *reader) passage(p passageReading) sighting {
	s := sighting{count: make([]tally, len(r.pieces))}
	for _, title := range p.lines {
		if title.length == 0 {
			continue
		}
		l := line{count: make([]tally, len(r.pieces)), length: title.length}
		l.matched = r.run(title, l.count)
		s.lines = append(s.lines, l)
		for k, t := range l.count {
			s.count[k].exact += t.exact
			s.count[k].weak += t.weak
		}
	}
	s.length = p.body.length
	r.run(p.body, s.count)
	return s
}

// reader walks through a text atom by atom and counts what the question has.
type reader struct {
	*criteria
	count   []tally
	last    int // piece of the atom before, -1 for none
	content int // piece of the last word that is not a function word, -1 for none
	at      int // where that word stood
	length  int // atoms so far
	matched int
	hits    []hit // by word of the text
}

// hit is the piece that a word meets, -1 for none.
type hit struct {
	piece int
	exact bool
}

func (r *reader) run(text *reading, count []tally) (matched int) {
	r.count, r.length, r.matched = count, 0, 0
	r.hits = r.hits[:0]
	for _, w := range text.words {
		r.hits = append(r.hits, r.meet(w))
	}
	r.end()
	for _, atom := range text.atoms {
		switch {
		case atom == ends:
			r.end()
		case atom&isWord != 0:
			r.atom(r.hits[atom&atomics])
		default:
			r.atom(r.char(rune(atom & atomics)))
		}
	}
	return r.matched
}

// meet says which piece a word is, or shares its root with.
func (c *criteria) meet(w word) hit {
	if i, ok := c.keys.find(w.key); ok {
		return hit{i, true}
	}
	if i, ok := c.kin.find(w.root); ok {
		return hit{i, false}
	}
	return hit{piece: -1}
}

func (c *criteria) char(ch rune) hit {
	if c.sieve[byte(ch)] {
		if i, ok := c.chars[ch]; ok {
			return hit{i, true}
		}
	}
	return hit{piece: -1}
}

// normalized is text.Normalize as far as atoms are concerned, with a short way
// for texts of ASCII, Chinese and usual punctuation: nearly all passages.
func normalized(s string) string {
	ascii := true
	for _, r := range s {
		if r >= utf8.RuneSelf {
			ascii = false
			if !simple(r) {
				return text.Normalize(s)
			}
		}
	}
	if ascii {
		return strings.ToLower(s)
	}
	return text.Simplify(strings.ToLower(s))
}

// simple reports whether r is a Chinese character or a mark that only parts
// atoms, so that no table is needed to normalise it.
func simple(r rune) bool {
	switch {
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3400 && r <= 0x4dbf:
		return true
	case r >= 0x2010 && r <= 0x2027, r >= 0x3000 && r <= 0x3029, r == 0xb7:
		return true
	case r >= 0xff01 && r <= 0xff0f, r >= 0xff1a && r <= 0xff20:
		return true
	}
	return false
}

func (r *reader) end() { r.last, r.content = -1, -1 }

func (r *reader) atom(h hit) {
	r.length++
	i := h.piece
	if i < 0 {
		r.last = -1
		return
	}
	r.matched++
	r.add(i, h.exact)
	if r.last >= 0 {
		if pair, ok := r.pairs[[2]int{r.last, i}]; ok {
			r.add(pair, true)
		}
	}
	if r.pieces[i].isContent() {
		r.near(i)
	}
	r.last = i
}

func (r *reader) add(piece int, exact bool) {
	if exact {
		r.count[piece].exact++
	} else {
		r.count[piece].weak++
	}
}

// nearby is how far from one another two words may stand to count as a pair.
const nearby = 4

// near counts a pair of words that stand close together, in any order and
// with other words between them.
func (r *reader) near(piece int) {
	gap := r.length - r.at
	if r.content >= 0 && r.content != piece && gap <= nearby && (gap > 1 || r.last != r.content) {
		pair, ok := r.pairs[[2]int{r.content, piece}]
		if !ok {
			pair, ok = r.pairs[[2]int{piece, r.content}]
		}
		if ok {
			r.add(pair, false)
		}
	}
	r.content, r.at = piece, r.length
}

// eachAtom calls yield with the byte range of every word, number and Chinese
// character of a normalised text, and end where a sentence ends.
func eachAtom(s string, yield func(from, to int, han bool), end func()) {
	start := -1
	for i, r := range s {
		switch han := isHan(r); {
		case r < utf8.RuneSelf && isWordByte(byte(r)), r >= utf8.RuneSelf && !han && unicode.IsLetter(r):
			if start < 0 {
				start = i
			}
			continue
		case start >= 0:
			yield(start, i, false)
			start = -1
			fallthrough
		default:
			if han {
				yield(i, i+utf8.RuneLen(r), true)
			} else if endsSentence(s, i, r) {
				end()
			}
		}
	}
	if start >= 0 {
		yield(start, len(s), false)
	}
}

func isWordByte(b byte) bool { return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' }

func endsSentence(s string, i int, r rune) bool {
	switch r {
	case '。', '!', '?', ';', '！', '？', '；':
		return true
	case '.':
		return i+1 == len(s) || s[i+1] == ' '
	}
	return false
}
