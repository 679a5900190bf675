package charset

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"

	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	xunicode "golang.org/x/text/encoding/unicode"
)

// candidate is an encoding that is tried. Of two that score the same, the
// earlier one wins: short Chinese text is taken for GB18030.
type candidate struct {
	name string
	enc  encoding.Encoding
	kana bool // whether kana are at home in it: the tables of GB and Big5 hold some, their texts hardly any
}

func candidates() []candidate {
	return []candidate{
		{"gb18030", simplifiedchinese.GB18030, false},
		{"big5", traditionalchinese.Big5, false},
		{"shift_jis", japanese.ShiftJIS, true},
		{"euc-jp", japanese.EUCJP, true},
		{"euc-kr", korean.EUCKR, false},
		{"windows-1252", charmap.Windows1252, false},
	}
}

// byLanguage decodes by every candidate and keeps the best score. Where none
// reads like language, the statistical detector may name one of the rarer
// encodings (Cyrillic, Greek, Thai and others).
func byLanguage(data []byte) (encoding.Encoding, string) {
	best, bestScore := candidates()[0], -1e9
	for _, c := range candidates() {
		if s := score(decodeWith(c.enc, data), c.kana); s > bestScore {
			best, bestScore = c, s
		}
	}
	if bestScore >= goodScore {
		return best.enc, best.name
	}
	if enc, name := byStatistics(data); enc != nil {
		return enc, name
	}
	return best.enc, best.name
}

// byStatistics asks the library, and believes it only when it is sure and
// names a single-byte encoding: for the others our own score is better.
func byStatistics(data []byte) (encoding.Encoding, string) {
	guess := chardet.Detect(data)
	if guess.Confidence < 0.7 {
		return nil, ""
	}
	enc, err := htmlindex.Get(guess.Encoding)
	if err != nil {
		return nil, ""
	}
	if _, single := enc.(*charmap.Charmap); !single {
		return nil, ""
	}
	return enc, strings.ToLower(guess.Encoding)
}

// goodScore is what real text in its right encoding reaches: on average each
// character beyond ASCII is an ordinary one of its language.
const goodScore = 0.5

// frequent holds the most frequent characters of written Chinese, simplified
// and traditional. A text in a wrong encoding hardly has any of them.
const frequent = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处府研质请答可以及什么如何" +
	"這個為國時來們對於說會發動過後種經進還電裡體機當應開與關間樣從業實現學點兩長問題無區數線內變條結總員設將組見計別論運農幾強決戰處術華網頁語書義氣圖統級場務財費買賣單號類報請讓認識難選舉權聯"

// score is the mean weight of a text's characters beyond ASCII.
func score(text string, kana bool) float64 {
	n, sum := 0.0, 0.0
	prev := ' '
	for _, r := range text {
		if r >= 0x80 {
			n++
			sum += weight(prev, r, kana)
		}
		prev = r
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// weight says how ordinary a character is: 1 for the ordinary, negative for
// what almost only a wrong encoding yields.
func weight(prev, r rune, kana bool) float64 {
	switch {
	case r == unicode.ReplacementChar:
		return -5
	case r >= 0xE000 && r <= 0xF8FF, unicode.IsControl(r):
		return -3
	case strings.ContainsRune("，。、；：？！“”‘’（）《》「」『』【】…—", r):
		return 1.5
	case unicode.Is(unicode.Hiragana, r), unicode.Is(unicode.Katakana, r) && r < 0xFF00:
		if !kana {
			return -0.5
		}
		return 1.6
	case r >= 0xFF61 && r <= 0xFF9F: // half-width katakana: what GBK looks like in Shift-JIS
		return -1
	case r >= 0xAC00 && r <= 0xD7A3:
		return hangulWeight(prev, r)
	case unicode.Is(unicode.Han, r):
		return hanWeight(prev, r)
	case r < 0x250:
		return latinWeight(prev, r)
	case r >= 0xFF01 && r <= 0xFF5E, r >= 0x2010 && r <= 0x2044, r >= 0x3000 && r <= 0x3020:
		return 0.8
	}
	return -0.5
}

func hanWeight(prev, r rune) float64 {
	switch {
	case strings.ContainsRune(frequent, r):
		return 2
	case unicode.IsLetter(prev) && prev < 0x80 && r > 0x20000:
		return -1
	case inLevelOne(r):
		return 0.7
	}
	return -0.3
}

// inLevelOne reports whether a character is among the common ones of GB2312
// or Big5, by the place that their tables give it.
func inLevelOne(r rune) bool {
	_, ok := levelOne()[r]
	return ok
}

// levelOne is built on first use: the first part of both tables holds the
// common characters, some 7,000 together.
var levelOne = sync.OnceValue(func() map[rune]struct{} {
	set := make(map[rune]struct{}, 8000)
	add := func(enc encoding.Encoding, first, last, trailFrom byte) {
		for lead := int(first); lead <= int(last); lead++ {
			for trail := int(trailFrom); trail <= 0xFE; trail++ {
				for _, r := range decodeWith(enc, []byte{byte(lead), byte(trail)}) {
					if unicode.Is(unicode.Han, r) {
						set[r] = struct{}{}
					}
				}
			}
		}
	}
	add(simplifiedchinese.GBK, 0xB0, 0xD7, 0xA1)
	add(traditionalchinese.Big5, 0xA4, 0xC6, 0x40)
	return set
})

// frequentHangul holds the most frequent syllables of written Korean.
const frequentHangul = "이다는의에을가하고은한지를로기인도사자대리어나서있해그들정시여것수아라부전제일보과으니상주구습장원국만성면게스안연조공우할중관마적소비화동위세거모무등신문년유내경계까간감개결교남너네당때또러려며못반방번법본분생선설실양없었영오와외용음입작재저점진차체출통트파표품학합행형회후"

// hangulWeight likes the syllables of real words: a Chinese or Japanese text
// taken for EUC-KR is a mixture of rare syllables and characters.
func hangulWeight(prev, r rune) float64 {
	switch {
	case strings.ContainsRune(frequentHangul, r):
		return 1.6
	case unicode.Is(unicode.Han, prev):
		return -0.5
	}
	return 0.2
}

// latinWeight likes accented letters inside words of plain letters.
func latinWeight(prev, r rune) float64 {
	plain := prev < 0x80 && (unicode.IsLetter(prev) || prev == ' ' || prev == '\'' || prev == '\n')
	switch {
	case unicode.IsLetter(r) && plain:
		return 1.3
	case unicode.IsLetter(r):
		return -0.6
	case plain || prev >= '0' && prev <= '9':
		return 0.5
	}
	return -0.6
}

// bySixteen recognises UTF-16 without a mark: text in it has zero bytes on
// one side only, or, without any ASCII, decodes to ordinary characters in
// one byte order and to a wild mixture in the other.
func bySixteen(data []byte) (encoding.Encoding, string) {
	if len(data) < 4 || len(data)%2 != 0 {
		return nil, ""
	}
	part := data
	if len(part) > sampleSize {
		part = part[:sampleSize]
	}
	little, big := sixteenScore(part, false), sixteenScore(part, true)
	switch {
	case little >= big && little > 0.9:
		return xunicode.UTF16(xunicode.LittleEndian, xunicode.IgnoreBOM), "utf-16le"
	case big > little && big > 0.9:
		return xunicode.UTF16(xunicode.BigEndian, xunicode.IgnoreBOM), "utf-16be"
	}
	return nil, ""
}

// sixteenScore is the share of 16-bit units that are letters, spaces and
// marks of ordinary text. It asks for spaces, line breaks or full stops,
// which a chance reading of other bytes hardly has.
func sixteenScore(data []byte, bigEndian bool) float64 {
	units := make([]uint16, len(data)/2)
	for i := range units {
		lo, hi := data[2*i], data[2*i+1]
		if bigEndian {
			lo, hi = hi, lo
		}
		units[i] = uint16(hi)<<8 | uint16(lo)
	}
	good, marks := 0, 0
	runes := utf16.Decode(units)
	for _, r := range runes {
		switch {
		case strings.ContainsRune(" \n\r\t,.，。、", r):
			marks++
			good++
		case r > ' ' && r < 0x7F, strings.ContainsRune(frequent, r), inLevelOne(r),
			unicode.Is(unicode.Hiragana, r), unicode.Is(unicode.Katakana, r),
			r >= 0xA0 && r < 0x600 && unicode.IsLetter(r), r >= 0x2010 && r <= 0x2044, r >= 0xFF01 && r <= 0xFF5E:
			good++
		}
	}
	if marks == 0 && len(runes) > 8 {
		return 0
	}
	return float64(good) / float64(len(runes))
}
