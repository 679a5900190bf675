package builtin

import (
	"strings"
	"unicode/utf8"
)

// spot is a place in a sentence that may be an answer of some kind: glyphs
// [from, to).
type spot struct{ from, to int }

// spots finds the places of a sentence that could answer a question of the
// kind. Several kinds have no spots; for them nil is right.
func spots(want wanted, s string, glyphs []glyph) []spot {
	switch want {
	case wantTime:
		return timeSpots(s, glyphs)
	case wantNumber:
		return numberSpots(s, glyphs)
	case wantPerson:
		return personSpots(s, glyphs)
	case wantPlace:
		return placeSpots(s, glyphs)
	case wantName:
		return nameSpots(s, glyphs)
	case wantReason:
		return phraseSpots(s, glyphs, reasonPhrases)
	case wantManner:
		return phraseSpots(s, glyphs, mannerPhrases)
	case wantList:
		return listSpots(s, glyphs)
	case wantMeaning:
		return phraseSpots(s, glyphs, meaningPhrases)
	}
	return nil
}

var (
	reasonPhrases = []string{"因为", "由于", "因此", "所以", "因而", "以便", "为了", "导致", "使得", "原因", "故", "因",
		" because", " due to", " since ", " as a result", " so that", " in order to", " owing to", " caused", " to avoid", " led to"}
	mannerPhrases = []string{"通过", "利用", "以", "用", "经由", "透过", "方式", "方法", "凭借", "采用", "使用",
		" by ", " using ", " through ", " via ", " with "}
	meaningPhrases = []string{"是指", "指的是", "是一", "即", "意思", "意为", "定义", "是", "为",
		" is a", " is the", " refers to", " means", " are ", " was a", " known as", " defined"}
)

// phraseSpots finds phrases; the spot is the glyph after each.
func phraseSpots(s string, glyphs []glyph, phrases []string) []spot {
	var list []spot
	for _, p := range phrases {
		if at := strings.Index(s, p); at >= 0 {
			g := glyphAt(glyphs, at+len(p))
			if g < len(glyphs) {
				list = append(list, spot{g, g + 1})
			}
		}
	}
	return list
}

// glyphAt gives the first glyph that begins at or behind byte at.
func glyphAt(glyphs []glyph, at int) int {
	lo, hi := 0, len(glyphs)
	for lo < hi {
		mid := (lo + hi) / 2
		if int(glyphs[mid].start) < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

const hanNumerals = "〇零一二三四五六七八九十百千万亿两半数几"

func hanRune(s string, g glyph) rune {
	r, _ := utf8.DecodeRuneInString(s[g.start:])
	return r
}

func isNumeral(s string, g glyph) bool {
	return g.class == glyphNumber || g.class == glyphHan && strings.ContainsRune(hanNumerals, hanRune(s, g)) ||
		g.class == glyphWord && isNumberWord(s[g.start:g.end])
}

func isNumberWord(w string) bool {
	switch strings.ToLower(w) {
	case "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
		"dozen", "hundred", "thousand", "million", "billion", "half", "twice", "once", "third", "quarter", "hundreds", "thousands",
		"twenty", "thirty", "forty", "fifty", "sixty", "first", "second", "several", "percent":
		return true
	}
	return false
}

// numberSpots finds runs of numerals.
func numberSpots(s string, glyphs []glyph) []spot {
	var list []spot
	for i := 0; i < len(glyphs); i++ {
		from := i
		for i < len(glyphs) && isNumeral(s, glyphs[i]) {
			i++
		}
		if i > from {
			list = append(list, spot{from, min(i+1, len(glyphs))})
		}
	}
	return list
}

const timeUnits = "年月日世代朝期"

// timeSpots finds dates: numerals before a unit of time, years, months.
func timeSpots(s string, glyphs []glyph) []spot {
	var list []spot
	for _, n := range numberSpots(s, glyphs) {
		first, last := glyphs[n.from], glyphs[n.to-1]
		number := s[first.start:first.end]
		switch {
		case last.class == glyphHan && strings.ContainsRune(timeUnits, hanRune(s, last)),
			len(number) == 4 && (number[0] == '1' || number[0] == '2') && last.class != glyphHan,
			last.class == glyphWord && isTimeWord(s[last.start:last.end]):
			list = append(list, n)
		}
	}
	for i, g := range glyphs {
		switch {
		case g.class == glyphWord && isTimeWord(s[g.start:g.end]):
			list = append(list, spot{i, i + 1})
		case g.class == glyphHan && i+1 < len(glyphs) && isHanTime(hanRune(s, g), hanRune(s, glyphs[i+1])):
			list = append(list, spot{i, i + 2})
		}
	}
	return list
}

func isHanTime(a, b rune) bool {
	switch string([]rune{a, b}) {
	case "时期", "年间", "时代", "年代", "世纪", "之后", "之前", "时候", "初年", "末年", "朝代", "战后", "以后", "以来", "同年", "翌年", "次年":
		return true
	}
	return b == '朝' || b == '代' && strings.ContainsRune("唐宋元明清汉古现近", a)
}

func isTimeWord(w string) bool {
	switch strings.ToLower(w) {
	case "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
		"november", "december", "century", "centuries", "bc", "ad", "bce", "ce", "decade", "decades", "today", "years",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "after", "before", "during", "until",
		"spring", "summer", "autumn", "winter", "year":
		return true
	}
	return false
}

// personSpots finds what may name a person: a Chinese family name at a place
// where a name may begin, a name in translation (约翰·史密斯), a run of
// capitalised words.
func personSpots(s string, glyphs []glyph) []spot {
	var list []spot
	for i := 0; i < len(glyphs); i++ {
		g := glyphs[i]
		switch {
		case g.class == glyphWord && g.upper:
			from := i
			for i+1 < len(glyphs) && glyphs[i+1].upper {
				i++
			}
			list = append(list, spot{from, i + 1})
		case g.class == glyphHan && i+1 < len(glyphs) && glyphs[i+1].class == glyphHan && startsName(s, glyphs, i):
			list = append(list, spot{i, min(i+3, len(glyphs))})
		}
	}
	return list
}

// familyNames are the commonest family names; rarer ones are common words.
const familyNames = "王李张刘陈杨赵黄周吴徐孙胡朱林郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范石姚谭廖邹熊陆郝孔崔康毛邱秦顾侯邵孟龙段雷钱汤尹黎贺赖龚文"

func startsName(s string, glyphs []glyph, i int) bool {
	g := glyphs[i]
	if strings.HasPrefix(s[g.end:], "·") || strings.HasPrefix(s[g.end:], "‧") {
		return true
	}
	return strings.ContainsRune(familyNames, hanRune(s, g))
}

const placeEndings = "国省市县区镇村州岛山河湖海港路街洲城乡郡府寺庙宫站洋江湾半东西南北部"

// placeSpots finds names of places: by their last character in Chinese, by a
// preposition before a capital letter in English.
func placeSpots(s string, glyphs []glyph) []spot {
	var list []spot
	for i, g := range glyphs {
		switch {
		case g.class == glyphHan && i > 0 && strings.ContainsRune(placeEndings, hanRune(s, g)):
			list = append(list, spot{max(0, i-2), i + 1})
		case g.class == glyphWord && g.upper && i > 0 && isPlacePreposition(s[glyphs[i-1].start:glyphs[i-1].end]):
			list = append(list, spot{i, i + 1})
		case g.class == glyphHan && i+1 < len(glyphs) && (strings.HasPrefix(s[g.start:], "位于") || strings.HasPrefix(s[g.start:], "在")):
			list = append(list, spot{i + 1, i + 2})
		}
	}
	return list
}

func isPlacePreposition(w string) bool {
	switch strings.ToLower(w) {
	case "in", "at", "near", "from", "to", "of", "the", "into", "across", "between", "around":
		return true
	}
	return false
}

// nameSpots finds titles and quoted names, and what stands behind a naming
// verb.
func nameSpots(s string, glyphs []glyph) []spot {
	list := phraseSpots(s, glyphs, []string{"称为", "称作", "叫做", "名为", "又称", "俗称", "简称", "别称", "又名", "命名", "称之为",
		"称", "叫", "《", "「", "“", "『", "\"", " called ", " named ", " known as ", " term "})
	for i, g := range glyphs {
		if g.class == glyphWord && g.upper && i > 0 {
			list = append(list, spot{i, i + 1})
		}
	}
	return list
}

// listSpots finds enumerations.
func listSpots(s string, glyphs []glyph) []spot {
	if strings.Count(s, "、") < 2 && strings.Count(s, ",")+strings.Count(s, "，") < 3 && !strings.ContainsAny(s, "和与及") {
		return nil
	}
	at := max(strings.Index(s, "、"), 0)
	g := glyphAt(glyphs, at)
	return []spot{{g, min(g+1, len(glyphs))}}
}
