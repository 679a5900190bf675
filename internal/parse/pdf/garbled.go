package pdf

import (
	"strings"
	"unicode"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// decodeMojibake repairs Chinese text whose font gives the bytes of GBK as if
// they were Latin letters: È«ÊÀ½ç is 全世界.
func decodeMojibake(pages []page) {
	if !isLatinSoup(pages) {
		return
	}
	eachSegment(pages, func(s *segment) {
		if text, ok := fromGBK(s.text); ok {
			s.text = text
		}
	})
}

func eachSegment(pages []page, visit func(*segment)) {
	for _, p := range pages {
		for _, r := range p.regions {
			for _, l := range r {
				for i := range l.cells {
					visit(&l.cells[i])
				}
			}
		}
	}
}

// isLatinSoup reports whether most letters are accented Latin ones or signs
// from U+0080 to U+00FF. No language writes so; French has one in twenty.
func isLatinSoup(pages []page) bool {
	high, all := 0, 0
	eachSegment(pages, func(s *segment) {
		for _, r := range s.text {
			if r > ' ' {
				all++
			}
			if _, ok := latinByte(r); ok && r >= 0x80 {
				high++
			}
		}
	})
	return high*2 > all
}

// latinByte gives the byte that Windows-1252 has for a character.
func latinByte(r rune) (byte, bool) {
	if r < 0x100 {
		return byte(r), true
	}
	at := strings.IndexRune(windows1252, r)
	if at < 0 {
		return 0, false
	}
	return byte(0x80 + len([]rune(windows1252[:at]))), true
}

// windows1252 is the row from 0x80; a space stands where it has none.
const windows1252 = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"

// fromGBK reads Latin characters as the bytes of GBK. Spaces between the two
// halves of a character come from the layout and are dropped.
func fromGBK(text string) (string, bool) {
	var raw []byte
	for _, r := range text {
		b, ok := latinByte(r)
		if !ok {
			return "", false
		}
		if b == ' ' && odd(raw) {
			continue
		}
		raw = append(raw, b)
	}
	decoded, err := simplifiedchinese.GBK.NewDecoder().Bytes(raw)
	if err != nil || strings.ContainsRune(string(decoded), unicode.ReplacementChar) {
		return "", false
	}
	return withoutGaps(string(decoded)), true
}

// withoutGaps drops the spaces between characters of scripts that use none.
func withoutGaps(text string) string {
	rs := []rune(text)
	out := rs[:0:0]
	for i, r := range rs {
		if r == ' ' && i > 0 && i+1 < len(rs) && (isWide(rs[i-1]) || rs[i-1] == '…') && (isWide(rs[i+1]) || rs[i+1] == '…') {
			continue
		}
		out = append(out, r)
	}
	return string(out)
}

// odd reports whether raw ends in the first half of a GBK character.
func odd(raw []byte) bool {
	half := false
	for _, b := range raw {
		half = !half && b >= 0x81
	}
	return half
}

// garbled reports whether the text is not language: too many characters that
// stand for nothing or belong to scripts that nobody mixes, Latin soup that is
// no GBK either, or Latin words that change case as no word does.
func garbled(pages []page) bool {
	bad, all, latin, odd := 0, 0, 0, 0
	eachSegment(pages, func(s *segment) {
		for _, r := range s.text {
			if r <= ' ' {
				continue
			}
			all++
			if r == unicode.ReplacementChar || unicode.Is(unicode.Co, r) || !unicode.IsPrint(r) || isRare(r) {
				bad++
			}
		}
		for word := range strings.FieldsSeq(s.text) {
			n := len([]rune(word))
			latin += n
			if n >= 6 && isOddWord(word) {
				odd += n
			}
		}
	})
	return all > 0 && (bad*3 > all || odd*10 > latin*6 || isLatinSoup(pages))
}

// isRare tells the scripts that a wrong mapping hits and an office document
// does not hold.
func isRare(r rune) bool {
	return r > 0x1000 && unicode.In(r, unicode.Limbu, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Buginese, unicode.Ogham,
		unicode.Runic, unicode.Tagalog, unicode.Hanunoo, unicode.Buhid, unicode.Tagbanwa, unicode.Lepcha, unicode.Vai)
}

// isOddWord reports whether a word goes from lower case to upper and back, or
// has signs between letters that no word has.
func isOddWord(word string) bool {
	turns, signs := 0, 0
	var last rune
	for _, r := range word {
		if r >= 0x250 {
			return false
		}
		if unicode.IsUpper(r) && unicode.IsLower(last) || unicode.IsLower(r) && unicode.IsUpper(last) && turns > 0 {
			turns++
		}
		if strings.ContainsRune("\\~^{}|¤§¨¬¯¸", r) && unicode.IsLetter(last) {
			signs++
		}
		last = r
	}
	return turns+signs >= 4 || turns+signs >= 3 && len(word) < 16
}
