package text

import (
	"unicode/utf8"

	"kaoju/internal/text/lexicon"
)

// Rarity is how rare a Chinese word is in general language: the negative
// natural logarithm of its probability, about 3 for 的, 8 for 经济, 13 and
// more for what few texts have. A word that the dictionary lacks has the
// rarity of its rarest; so has a word in letters.
func Rarity(word string) float64 {
	node, value := uint32(lexicon.Root), lexicon.Never
	for i := 0; i < len(word); {
		r, n := utf8.DecodeRuneInString(word[i:])
		_, code := words.Fold(r)
		var ok bool
		if node, value, ok = words.Step(node, code); !ok || node == lexicon.Root && i+n < len(word) {
			return float64(words.Unknown) / lexicon.Scale
		}
		i += n
	}
	if value == lexicon.Never {
		value = words.Unknown
	}
	return float64(value) / lexicon.Scale
}
