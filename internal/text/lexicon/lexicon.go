// Package lexicon reads the compiled word list of package text in place: the
// simplification of characters, a prefix tree of Chinese words with their log
// frequencies, and the hidden Markov model for words that the list lacks.
//
// The file is written by internal/text/gen and embedded by package text. Open
// only cuts it into sections, so that it costs nothing at start; every look-up
// is one or two little-endian loads. A Lexicon is immutable and safe for
// concurrent use.
//
// Layout, all little endian:
//
//	header   8 × uint32: magic, version, then the entry counts of the sections
//	fold     uint32 a rune of First..Last: code<<16 | simplified rune
//	wide     pairs of uint32 (rune, simplified rune), sorted, for the rest
//	markov   4 starts, 16 transitions, then 4 emissions a code, all uint16
//	trie     uint64 a slot: base<<32 | value<<16 | label
//
// A code is a dense number for a character, 1 up; frequent characters have the
// small ones. Log probabilities are stored as -log(p)·Scale; Never stands for
// minus infinity and, in the tree, for "no word ends here".
package lexicon

import (
	"encoding/binary"
	"errors"
	"sort"
)

// The constants of the layout, shared with the generator.
const (
	Magic   = 0x4b4a5458 // "KJTX"
	Version = 1
	First   = 0x3400 // first rune of the fold table
	Last    = 0x9fff // last rune of the fold table
	Scale   = 3500   // units per natural logarithm
	Never   = 0xffff // a probability of zero
	Root    = 0      // the root of the tree
	Header  = 32     // bytes
)

// The states of the Markov model: the place of a character in its word.
const (
	Begin = iota
	End
	Middle
	Single
)

// Lexicon is a view of a compiled file.
type Lexicon struct {
	fold, wide, markov, trie []byte
	slots                    uint32
	// Unknown is the cost of a character that the list does not hold: that of
	// a word seen once.
	Unknown int
}

// Open cuts data into its sections. It fails on a file of another version or
// of the wrong length; it does not check the contents.
func Open(data []byte) (*Lexicon, error) {
	if len(data) < Header || binary.LittleEndian.Uint32(data) != Magic ||
		binary.LittleEndian.Uint32(data[4:]) != Version {
		return nil, errors.New("lexicon: not a word list of this version")
	}
	count := func(i int) int { return int(binary.LittleEndian.Uint32(data[8+4*i:])) }
	sizes := []int{4 * count(0), 8 * count(1), 2 * count(2), 8 * count(3)}
	parts := make([][]byte, len(sizes))
	rest := data[Header:]
	for i, n := range sizes {
		if n > len(rest) {
			return nil, errors.New("lexicon: the word list is cut short")
		}
		parts[i], rest = rest[:n:n], rest[n:]
	}
	return &Lexicon{fold: parts[0], wide: parts[1], markov: parts[2], trie: parts[3],
		slots: uint32(count(3)), Unknown: count(4)}, nil
}

// Fold gives the simplified form of r and the code of that form; the code is 0
// for a character that no word and no model holds.
func (l *Lexicon) Fold(r rune) (rune, uint16) {
	if i := uint32(r) - First; i <= Last-First {
		v := binary.LittleEndian.Uint32(l.fold[4*i:])
		return rune(v & 0xffff), uint16(v >> 16)
	}
	if r < First {
		return r, 0
	}
	return l.foldWide(r), 0
}

func (l *Lexicon) foldWide(r rune) rune {
	n := len(l.wide) / 8
	i := sort.Search(n, func(i int) bool {
		return rune(binary.LittleEndian.Uint32(l.wide[8*i:])) >= r
	})
	if i < n && rune(binary.LittleEndian.Uint32(l.wide[8*i:])) == r {
		return rune(binary.LittleEndian.Uint32(l.wide[8*i+4:]))
	}
	return r
}

// Step goes from a node of the tree to its child for code. It gives the child
// and the cost of the word that ends there (Never: none); ok is false where
// the tree has no such child. A child equal to Root is a leaf: do not go on from it.
func (l *Lexicon) Step(node uint32, code uint16) (child uint32, cost int, ok bool) {
	next := node + uint32(code)
	if code == 0 || next >= l.slots {
		return 0, Never, false
	}
	v := binary.LittleEndian.Uint64(l.trie[8*next:])
	if uint16(v) != code {
		return 0, Never, false
	}
	return uint32(v >> 32), int(v >> 16 & 0xffff), true
}

// Start is the cost of beginning in a state of the Markov model.
func (l *Lexicon) Start(state int) int {
	return int(binary.LittleEndian.Uint16(l.markov[2*state:]))
}

// Transition is the cost of going from one state to another.
func (l *Lexicon) Transition(from, to int) int {
	return int(binary.LittleEndian.Uint16(l.markov[8+2*(4*from+to):]))
}

// Emission is the cost of a character in a state.
func (l *Lexicon) Emission(code uint16, state int) int {
	i := 40 + 2*(4*int(code)+state)
	if code == 0 || i+2 > len(l.markov) {
		return Never
	}
	return int(binary.LittleEndian.Uint16(l.markov[i:]))
}
