// Package text reads Chinese and English: it normalises, cuts texts into words
// and sentences, and gives the terms under which passages are indexed and
// searched.
//
// Tokenize finds exact codes first (model numbers, standards, versions, dates,
// numbers with units, addresses), then words; Chinese is cut by the jieba
// algorithm over an embedded, compiled dictionary. Terms adds to the words what
// search needs: canonical forms of codes, parts of codes and of long words, and
// English stems. Documents and queries must both go through Terms to meet.
//
// All functions are pure, safe for concurrent use, and accept any bytes;
// invalid UTF-8 counts as white space. Offsets are byte offsets in the string
// that was passed in. Strings that are returned may share memory with each
// other: clone what is kept for long (strings.Clone).
package text

//go:generate go run ./gen data/words.bin

import (
	_ "embed"

	"kaoju/internal/text/lexicon"
)

//go:embed data/words.bin
var compiled []byte

// words is read-only and only cut into sections here.
var words = mustOpen()

// mustOpen can fail only if the binary was built around a wrong file, which
// the package's tests would have shown.
func mustOpen() *lexicon.Lexicon {
	l, err := lexicon.Open(compiled)
	if err != nil {
		panic(err)
	}
	return l
}

// Kind says what a token is.
type Kind uint8

// The kinds of tokens.
const (
	Word   Kind = iota // a word in letters (Latin, Cyrillic, kana, …)
	Han                // a Chinese word
	Number             // digits, with decimal point or thousand separators
	Code               // an identifier, model number, standard, date, address, or number with unit
)

// Token is one word of a text.
type Token struct {
	Text       string // normalised
	Start, End int    // byte range in the original string
	Kind       Kind
}

// Span is a byte range of a string.
type Span struct{ Start, End int }
