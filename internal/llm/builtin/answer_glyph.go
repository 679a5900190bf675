package builtin

import (
	"unicode"
	"unicode/utf8"

	"kaoju/internal/text"
)

// glyph is what sentences are compared by: one Chinese character, one word of
// an alphabet (by its stem), or one number.
type glyph struct {
	key   uint64 // equal for glyphs that match
	start int32  // byte range in the text that was read
	end   int32
	class glyphClass
	upper bool // begins with a capital letter
}

type glyphClass uint8

const (
	glyphHan glyphClass = iota
	glyphWord
	glyphNumber
)

// readGlyphs appends the glyphs of s, which must be in simplified Chinese
// (text.Simplify), to list.
func readGlyphs(list []glyph, s string) []glyph {
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		r = narrow(r)
		switch {
		case isHan(r):
			list = append(list, glyph{key: uint64(r), start: int32(at), end: int32(at + size)})
			at += size
		case r >= '0' && r <= '9':
			end := numberEnd(s, at)
			list = append(list, glyph{key: numberKey(s[at:end]), start: int32(at), end: int32(end), class: glyphNumber})
			at = end
		case unicode.IsLetter(r):
			end := wordEnd(s, at)
			list = append(list, glyph{key: wordKey(s[at:end]), start: int32(at), end: int32(end),
				class: glyphWord, upper: unicode.IsUpper(r)})
			at = end
		default:
			at += size
		}
	}
	return list
}

// narrow folds the wide forms of ASCII.
func narrow(r rune) rune {
	if r >= 0xff01 && r <= 0xff5e {
		return r - 0xfee0
	}
	return r
}

func isHan(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && unicode.Is(unicode.Han, r)
}

// numberEnd is where the number at s[at:] ends; separators count only
// between digits.
func numberEnd(s string, at int) int {
	end := at
	for i := at; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		r = narrow(r)
		switch {
		case r >= '0' && r <= '9':
			end = i + size
		case (r == '.' || r == ',') && end == i:
		default:
			return end
		}
		i += size
	}
	return end
}

// wordEnd is where the word at s[at:] ends. Apostrophes and hyphens divide.
func wordEnd(s string, at int) int {
	for i, r := range s[at:] {
		r = narrow(r)
		if isHan(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) && (r < '0' || r > '9') {
			return at + i
		}
	}
	return len(s)
}

const (
	hashSeed  = 14695981039346656037
	hashPrime = 1099511628211
)

func numberKey(s string) uint64 {
	h := uint64(hashSeed)
	for _, r := range s {
		if r = narrow(r); r != ',' {
			h = (h ^ uint64(r)) * hashPrime
		}
	}
	return h
}

// wordKey hashes the stem of a word without regard to case and width.
func wordKey(s string) uint64 {
	var buf [48]byte
	lower := buf[:0]
	for _, r := range s {
		lower = utf8.AppendRune(lower, unicode.ToLower(narrow(r)))
	}
	h := uint64(hashSeed)
	for _, c := range wordStem(lower) {
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// pairKey joins the keys of two neighbours.
func pairKey(a, b uint64) uint64 { return (a*hashPrime ^ b) * hashPrime }

// simplified is the form in which questions and evidence meet.
func simplified(s string) string { return text.Simplify(s) }
