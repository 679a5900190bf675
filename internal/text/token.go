package text

import (
	"slices"
	"strings"
)

// lexeme is a token as a range of cells.
type lexeme struct {
	from, to int
	kind     Kind
	guess    bool // a Chinese word that the Markov model proposed
}

// scanner cuts a folded text into lexemes. It is good for one text.
type scanner struct {
	f   *folded
	s   string // the original, for the case of its letters
	out []lexeme
}

// Tokenize splits s into words in reading order, without overlaps; punctuation
// is left out. Text is the normal form of s[Start:End].
func Tokenize(s string) []Token {
	f := fold(s)
	defer f.release()
	lexemes := scan(f, s)
	tokens := make([]Token, len(lexemes))
	for i, x := range lexemes {
		tokens[i] = Token{Text: f.slice(x.from, x.to), Kind: x.kind,
			Start: int(f.cells[x.from].start), End: int(f.cells[x.to-1].end)}
	}
	return tokens
}

func scan(f *folded, s string) []lexeme {
	sc := scanner{f: f, s: s, out: f.lexemes[:0]}
	for i := 0; i < len(f.cells); {
		i = sc.next(i)
	}
	f.lexemes = sc.out
	return sc.out
}

// next reads what begins at cell i and gives the cell after it.
func (sc *scanner) next(i int) int {
	switch c := sc.f.cells[i]; c.class {
	case han:
		return sc.chinese(i)
	case letter, digit:
		return sc.alphanumeric(i)
	case kana, hangul:
		end := sc.while(i, c.class)
		sc.add(i, end, Word)
		return end
	case other:
		if c.r == '.' && sc.dotName(i) {
			end := sc.while(i+1, letter)
			sc.add(i, end, Code)
			return end
		}
	}
	return i + 1
}

func (sc *scanner) add(from, to int, kind Kind) {
	sc.out = append(sc.out, lexeme{from: from, to: to, kind: kind})
}

func (sc *scanner) while(i int, c class) int {
	for i < len(sc.f.cells) && sc.f.cells[i].class == c {
		i++
	}
	return i
}

// chinese segments a run of Chinese characters. A unit after a number ("5000元",
// "2023 年") joins it.
func (sc *scanner) chinese(i int) int {
	end := sc.while(i, han)
	for k, p := range sc.f.seg.segment(sc.f.cells[i:end]) {
		from, to := i+p.start, i+p.end
		if k == 0 && sc.afterNumber(from) {
			if unit := sc.unitLength(from, to); unit > 0 {
				last := &sc.out[len(sc.out)-1]
				last.to, last.kind = from+unit, Code
				from += unit
			}
		}
		if from < to {
			sc.out = append(sc.out, lexeme{from: from, to: to, kind: Han, guess: p.guess})
		}
	}
	return end
}

// unitLength gives the cells of the unit with which a word after a number
// begins; what is left may only be a short word of place or time ("3 天内").
func (sc *scanner) unitLength(from, to int) int {
	if isUnit(sc.f.slice(from, to)) {
		return to - from
	}
	if to-from > 1 && strings.ContainsRune("内后前间起末初底中", sc.f.cells[to-1].r) && isUnit(sc.f.slice(from, to-1)) {
		return to - 1 - from
	}
	return 0
}

func (sc *scanner) afterNumber(from int) bool {
	n := len(sc.out)
	if n == 0 || sc.out[n-1].kind != Number {
		return false
	}
	to := sc.out[n-1].to
	return to == from || to+1 == from && sc.f.gap(sc.s, to)
}

// units are the words that form one term with the number before them. They are
// those of money, measure and time; plain counters (个, 人) are words of their own.
var units = []string{
	"万", "万元", "亿", "亿元", "元", "公里", "公斤", "公顷", "分", "分钟", "千克", "千米", "千瓦",
	"厘米", "吨", "号", "周", "周岁", "块", "天", "小时", "岁", "平方公里", "平方米", "年", "度", "日",
	"时", "月", "毫克", "毫升", "毫米", "瓦", "百万", "秒", "立方米", "米", "级", "美元", "英里", "英镑",
	"日元", "欧元", "港元", "角", "千", "伏", "克", "升", "期", "届", "版", "章", "条", "页", "点",
}

var unitSet = setOf(units)

func isUnit(word string) bool { return unitSet[word] }

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, w := range list {
		set[w] = true
	}
	return set
}

// dotName says whether the dot at i opens a name such as .NET.
func (sc *scanner) dotName(i int) bool {
	cells := sc.f.cells
	end := sc.while(i+1, letter)
	if end < i+3 || end > i+5 || end < len(cells) && cells[end].class == digit {
		return false
	}
	return i == 0 || slices.Contains([]class{space, han, other}, cells[i-1].class) && cells[i-1].r != '.'
}
