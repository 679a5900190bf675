package answer

import (
	"strings"
	"unicode"
)

// percent is the unit of a share.
const percent = "%"

// unitNames are what a number may count, by the ways to write them: names that
// mean the same lead to one. What is both a measure and a part of a date (日,
// 月) or a count of anything (个) is left out.
var unitNames = map[string]string{
	"%": percent, "％": percent, "percent": percent, "per cent": percent,
	"kb": "kb", "mb": "mb", "gb": "gb", "tb": "tb", "kbps": "kbps", "mbps": "mbps", "gbps": "gbps",
	"mm": "mm", "cm": "cm", "km": "km", "毫米": "mm", "厘米": "cm", "公里": "km", "千米": "km", "米": "metre", "metre": "metre", "meter": "metre",
	"mg": "mg", "kg": "kg", "毫克": "mg", "公斤": "kg", "千克": "kg", "吨": "ton", "ton": "ton", "tonne": "ton",
	"秒": "second", "second": "second", "分钟": "minute", "minute": "minute", "小时": "hour", "hour": "hour",
	"天": "day", "day": "day", "工作日": "working day", "个工作日": "working day", "working day": "working day", "business day": "working day",
	"周": "week", "星期": "week", "个星期": "week", "week": "week", "个月": "month", "month": "month", "年": "year", "year": "year", "季度": "quarter", "个季度": "quarter", "quarter": "quarter",
	"元": "yuan", "yuan": "yuan", "美元": "dollar", "dollar": "dollar", "欧元": "euro", "euro": "euro", "英镑": "pound",
	"v": "volt", "volt": "volt", "watt": "watt", "kv": "kilovolt", "w": "watt", "kw": "kilowatt", "mw": "megawatt", "伏": "volt", "瓦": "watt", "千瓦": "kilowatt",
}

// shortUnit is the length up to which a name has no plural: "5 vs 6".
const shortUnit = 3

// longestUnit is the most characters of a name in unitNames.
const longestUnit = 12

// unitOf gives the unit that a text begins with, after white space or a
// hyphen; empty for none that is known.
func unitOf(s []rune) string {
	at := 0
	for at < len(s) && at < 2 && (s[at] == ' ' || s[at] == '\u00a0' || s[at] == '-') {
		at++
	}
	s = s[at:]
	for n := min(longestUnit, len(s)); n > 0; n-- {
		name := strings.ToLower(string(s[:n]))
		unit, known := unitNames[name]
		if !known && n > shortUnit {
			unit, known = unitNames[strings.TrimSuffix(name, "s")]
		}
		if known && !goesOn(s, n) {
			return unit
		}
	}
	return ""
}

// goesOn tells whether a Latin word goes on behind its first n characters.
func goesOn(s []rune, n int) bool {
	isLatin := func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) }
	return n < len(s) && isLatin(s[n-1]) && isLatin(s[n])
}

// shareAt reads 百分之 and the number behind it at the head of a text, and how
// long both are; 0 where there is none.
func shareAt(s []rune) (detail, int) {
	if len(s) < 4 || string(s[:3]) != "百分之" {
		return detail{}, 0
	}
	rest := s[3:]
	if n := digitRun(rest); n > 0 {
		d := digitDetail(string(rest[:n]))
		return detail{text: string(s[:3+n]), key: d.key, unit: percent}, 3 + n
	}
	if n := numeralRun(rest); n > 0 {
		if value := numeralDetails(rest[:n]); len(value) > 0 {
			return detail{text: string(s[:3+n]), key: value[0].key, unit: percent}, 3 + n
		}
	}
	return detail{}, 0
}
