package builtin

import (
	"strings"
	"sync"
	"unicode/utf8"

	"kaoju/internal/llm"
	"kaoju/internal/memo"
	"kaoju/internal/text"
)

// Readings remembers what was read out of passages, so that the reranker, the
// answerer and the assessment cut no text into words twice. What is remembered
// is found by the text itself, and so never out of date. A nil one remembers
// nothing. It is safe for concurrent use.
type Readings struct {
	texts    *memo.Memo[string, *reading]
	evidence *memo.Memo[string, *sentences]
}

// NewReadings makes one that takes about so many bytes.
func NewReadings(bytes int64) *Readings {
	return &Readings{texts: memo.New[string, *reading](2 * bytes / 3), evidence: memo.New[string, *sentences](bytes / 3)}
}

// reading is a text as the reranker sees it: its words, numbers and Chinese
// characters (atoms) in order.
type reading struct {
	atoms    []uint32 // a character, or a word's number and isWord; with apart and ends
	words    []word   // that the text has, each once, in the order in which they come first
	length   int      // atoms but for ends
	language text.Language

	stemming sync.Once
	stemKeys []uint64 // of the words' stems in the index, by word
}

// word is a word or number.
type word struct {
	key  uint64 // equal for equal words
	root uint64 // equal for words of one root
}

const (
	isWord  = 1 << 31   // the atom is a word
	apart   = 1 << 30   // something stands between it and the atom before
	ends    = 1<<32 - 1 // no atom, but the end of a sentence or line
	atomics = 1<<30 - 1 // the rest: a character or number
)

// read gives the reading of a text.
func (r *Readings) read(s string) *reading {
	if r == nil {
		return newReading(s)
	}
	known, ok := r.texts.Get(s)
	if !ok {
		known = newReading(s)
		r.texts.Put(r.texts.Age(), s, known, known.bytes())
	}
	return known
}

// readingBytes is what a reading takes beside its atoms.
const readingBytes = 160

func (r *reading) bytes() int64 {
	return int64(readingBytes + 4*cap(r.atoms) + 24*len(r.words)) // with the stems that may come
}

func newReading(s string) *reading {
	r := &reading{language: text.DetectLanguage(s[:min(len(s), sampleBytes)])}
	r.atoms = make([]uint32, 0, usualAtoms(s))
	numbers := map[uint64]uint32{}
	eachWord(s, func(word string, between bool) {
		r.length++
		atom := uint32(0)
		if between {
			atom = apart
		}
		if ch, ok := hanOf(word); ok {
			r.atoms = append(r.atoms, atom|uint32(ch))
			return
		}
		r.atoms = append(r.atoms, atom|isWord|r.number(numbers, word))
	}, func() {
		if n := len(r.atoms); n > 0 && r.atoms[n-1] != ends {
			r.atoms = append(r.atoms, ends)
		}
	})
	return r
}

// usualAtoms guesses how many atoms a text has, for sizing only.
func usualAtoms(s string) int {
	wide := 0
	for i := 0; i < len(s); i += 16 {
		if s[i] >= utf8.RuneSelf {
			wide++
		}
	}
	return len(s)/6 + 16*wide/6 + 4
}

// hanOf gives the Chinese character that an atom is.
func hanOf(atom string) (rune, bool) {
	if atom[0] < utf8.RuneSelf {
		return 0, false
	}
	ch, size := utf8.DecodeRuneInString(atom)
	return ch, size == len(atom) && isHan(ch)
}

// number gives the number of a word in the reading.
func (r *reading) number(numbers map[uint64]uint32, s string) uint32 {
	key := keyOf(s)
	n, ok := numbers[key]
	if !ok {
		n = uint32(len(r.words))
		numbers[key] = n
		r.words = append(r.words, word{key: key, root: keyOf(rootOf(s))})
	}
	return n
}

// keyOf hashes a word.
func keyOf(s string) uint64 {
	h := uint64(hashSeed)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h ^ h>>32
}

// eachWord calls yield for the words, numbers and Chinese characters of a text
// as they are compared, with whether something stands between one and the one
// before, and end where a sentence or a line ends.
func eachWord(s string, yield func(atom string, between bool), end func()) {
	for part := range strings.Lines(s) {
		part = normalized(part)
		last := -1 // where the atom before ended
		eachAtom(part, func(from, to int, _ bool) {
			yield(part[from:to], from != last)
			last = to
		}, end)
		end()
	}
}

// stems gives the keys of the words' stems in the index; s is the text that
// was read. Only questions in another language ask for them.
func (r *reading) stems(s string) []uint64 {
	r.stemming.Do(func() {
		keys := make([]uint64, 0, len(r.words))
		seen := map[uint64]bool{}
		eachWord(s, func(atom string, _ bool) {
			if _, han := hanOf(atom); han || seen[keyOf(atom)] {
				return
			}
			seen[keyOf(atom)] = true
			stem := uint64(0)
			if terms := text.Terms(atom); len(terms) > 0 {
				stem = keyOf(terms[0].Text)
			}
			keys = append(keys, stem)
		}, func() {})
		r.stemKeys = keys
	})
	return r.stemKeys
}

// passageReading is a passage as the reranker sees it.
type passageReading struct {
	lines []*reading // title and headings
	body  *reading
}

func (r *Readings) passage(p llm.Passage) passageReading {
	out := passageReading{lines: make([]*reading, 0, 1+len(p.Headings)), body: r.read(p.Text)}
	out.lines = append(out.lines, r.read(p.Title))
	for _, h := range p.Headings {
		out.lines = append(out.lines, r.read(h))
	}
	return out
}
