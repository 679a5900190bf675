package text

import "unicode"

// class is what the scanner sees of a rune.
type class uint8

const (
	other  class = iota // punctuation, symbols
	space               // white space
	letter              // a letter of an alphabet
	digit               // 0-9
	han                 // a Chinese character
	kana                // Japanese syllables
	hangul              // Korean syllables
)

func classify(r rune) class {
	switch {
	case r < 0x80:
		return classifyASCII(r)
	case isHan(r), r == 0x3005, r == 0x3007:
		return han
	case r >= 0x3041 && r <= 0x30ff && r != 0x30fb && r != 0x30a0:
		return kana
	case r >= 0xac00 && r <= 0xd7a3:
		return hangul
	case r == 0x3000:
		return space
	case r >= 0x2010 && r <= 0x2027, r >= 0x3001 && r <= 0x3020:
		return other
	case r >= 0x20000 && unicode.Is(unicode.Han, r):
		return han
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
		return letter
	}
	return other
}

func classifyASCII(r rune) class {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return letter
	case '0' <= r && r <= '9':
		return digit
	case r == ' ' || r >= '\t' && r <= '\r':
		return space
	}
	return other
}

// isHan says whether r is a Chinese character of the basic plane, which is
// where nearly all of them are.
func isHan(r rune) bool { return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf }
