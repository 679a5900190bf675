package office

import (
	"strconv"
	"strings"
)

// countIn writes a number of a list the way a numbering format (w:numFmt)
// asks for. Formats that are not known count in decimal digits.
func countIn(format string, n int) string {
	switch format {
	case "none":
		return ""
	case "decimalZero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "lowerLetter":
		return letters(n, 'a')
	case "upperLetter":
		return letters(n, 'A')
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "chineseCounting", "chineseCountingThousand", "taiwaneseCounting", "taiwaneseCountingThousand",
		"japaneseCounting", "ideographDigital":
		return chinese(n, "〇一二三四五六七八九", "十百千")
	case "chineseLegalSimplified":
		return chinese(n, "零壹贰叁肆伍陆柒捌玖", "拾佰仟")
	case "ideographLegalTraditional", "japaneseLegal":
		return chinese(n, "零壹貳參肆伍陸柒捌玖", "拾佰仟")
	case "ideographTraditional":
		return from(n, "甲乙丙丁戊己庚辛壬癸")
	case "ideographZodiac":
		return from(n, "子丑寅卯辰巳午未申酉戌亥")
	case "decimalEnclosedCircle", "decimalEnclosedCircleChinese":
		return from(n, "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳")
	case "ordinal":
		return ordinal(n)
	case "decimalFullWidth", "decimalFullWidth2":
		return fullWidth(n)
	}
	return strconv.Itoa(n)
}

// letters counts a … z, aa, bb, … as Word does.
func letters(n int, first rune) string {
	if n < 1 || n > 26*20 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(first+rune((n-1)%26)), (n-1)/26+1)
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	values := []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	signs := []string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}
	var b strings.Builder
	for i, v := range values {
		for ; n >= v; n -= v {
			b.WriteString(signs[i])
		}
	}
	return b.String()
}

// chinese writes 1 to 9999 in words: 十, 十一, 二十, 一百〇五, 一千二百.
func chinese(n int, digits, units string) string {
	if n < 1 || n > 9999 {
		return strconv.Itoa(n)
	}
	d, u := []rune(digits), []rune(units)
	var b strings.Builder
	gap := false
	for i, p := range []int{1000, 100, 10, 1} {
		digit := n / p % 10
		if digit == 0 {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteRune(d[0])
			gap = false
		}
		if digit != 1 || p != 10 || b.Len() > 0 {
			b.WriteRune(d[digit])
		}
		if p > 1 {
			b.WriteRune(u[2-i])
		}
	}
	return b.String()
}

func from(n int, signs string) string {
	s := []rune(signs)
	if n < 1 || n > len(s) {
		return strconv.Itoa(n)
	}
	return string(s[n-1])
}

func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

func fullWidth(n int) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r - '0' + '０'
		}
		return r
	}, strconv.Itoa(n))
}
