package answer

import (
	"strconv"
	"strings"
	"unicode"

	"kaoju/internal/text"
)

// detail is a number or a name in a text: what a reader would check first.
type detail struct {
	text string // as the text has it
	key  string // as it is compared
	unit string // that a number counts; empty where none is known
	what string // how the text writes the unit, with what is before it
}

// detailSet is what a source has to offer against details.
type detailSet struct {
	numbers map[string]map[string]bool // number → the units that it counts
	plain   string                     // normalised, for names
}

func newDetailSet(s string) detailSet {
	set := detailSet{numbers: map[string]map[string]bool{}, plain: text.Normalize(s)}
	for _, d := range numbers(set.plain, true) {
		if set.numbers[d.key] == nil {
			set.numbers[d.key] = map[string]bool{}
		}
		set.numbers[d.key][d.unit] = true
	}
	return set
}

// has tells whether a source has a detail. A number that only counts something
// else there (5 MB for 5 GB, 3 months for 3 days) is not the same.
func (s detailSet) has(d detail) bool {
	if units, ok := s.numbers[d.key]; ok && d.unit != "" {
		return units[d.unit] || units[""]
	}
	return s.numbers[d.key] != nil || strings.Contains(s.plain, d.key)
}

// hasNumber tells whether a source has a number, whatever it counts.
func (s detailSet) hasNumber(d detail) bool { return s.numbers[d.key] != nil }

// claimDetails gives the numbers and names of a claim. Single Chinese
// numerals without a unit and number words are left out, for they often count
// nothing (一个, 一些, "one of"), and so is 一 with any; so is the first word of an English sentence.
func claimDetails(claim string) []detail {
	return append(numbers(claim, false), names(claim)...)
}

// numbers reads the numbers of a text in digits and in Chinese numerals. With
// loose, it also reads single numerals and English number words, so that a
// source that says "five" has the 5 of a claim.
func numbers(s string, loose bool) []detail {
	var list []detail
	runes := []rune(s)
	for i := 0; i < len(runes); {
		share, length := shareAt(runes[i:])
		switch n := digitRun(runes[i:]); {
		case length > 0:
			list = append(list, share)
			i += length
		case n > 0:
			list = append(list, counted(digitDetail(string(runes[i:i+n])), runes[i+n:]))
			i += n
		case isNumeral(runes[i]):
			n := numeralRun(runes[i:])
			if n > 1 || loose || runes[i] != '一' && unitOf(runes[i+n:]) != "" {
				for _, d := range numeralDetails(runes[i : i+n]) {
					list = append(list, counted(d, runes[i+n:]))
				}
			}
			i += n
		default:
			i++
		}
	}
	if loose {
		list = append(list, numberWords(s)...)
	}
	return list
}

// counted adds to a number what it counts, which stands at the head of rest.
func counted(d detail, rest []rune) detail {
	if d.unit = unitOf(rest); d.unit == "" {
		return d
	}
	end := 0
	for end < len(rest) && unitOf(rest[:end]) != d.unit {
		end++
	}
	for end < len(rest) && goesOn(rest, end) {
		end++
	}
	d.what = string(rest[:end])
	return d
}

// digitRun is the length of the number in digits at the head of s, with
// thousands separators and decimals inside.
func digitRun(s []rune) int {
	n := 0
	for n < len(s) {
		switch {
		case digitValue(s[n]) >= 0:
		case n > 0 && strings.ContainsRune(".,．，", s[n]) && n+1 < len(s) && digitValue(s[n+1]) >= 0:
		default:
			return n
		}
		n++
	}
	return n
}

// digitValue reads a digit, wide ones too; -1 for what is none.
func digitValue(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r >= '０' && r <= '９':
		return int(r - '０')
	}
	return -1
}

// digitDetail writes a number without separators, leading and trailing
// zeros: 5,000 and 5000.0 are one.
func digitDetail(s string) detail {
	narrow := strings.Map(func(r rune) rune {
		switch {
		case digitValue(r) >= 0:
			return rune('0' + digitValue(r))
		case r == '.' || r == '．':
			return '.'
		}
		return -1
	}, s)
	key := narrow
	if strings.Count(key, ".") == 1 {
		key = strings.TrimRight(strings.TrimRight(key, "0"), ".")
	}
	if trimmed := strings.TrimLeft(key, "0"); trimmed != "" && trimmed[0] != '.' {
		key = trimmed
	}
	return detail{text: s, key: key}
}

const numerals = "〇零一二三四五六七八九十百千万亿两廿卅"

func isNumeral(r rune) bool { return strings.ContainsRune(numerals, simplified(r)) }

// simplified folds the numerals that traditional Chinese writes differently.
func simplified(r rune) rune {
	switch r {
	case '萬':
		return '万'
	case '億':
		return '亿'
	case '兩':
		return '两'
	}
	return r
}

func numeralRun(s []rune) int {
	n := 0
	for n < len(s) && isNumeral(s[n]) {
		n++
	}
	return n
}

// numeralDetails reads a Chinese numeral by value (三百二十 is 320) or, where
// it has no units, digit by digit (一九九八 is 1998).
func numeralDetails(s []rune) []detail {
	value, ok := numeralValue(s)
	if !ok {
		return nil
	}
	return []detail{{text: string(s), key: strconv.Itoa(value)}}
}

func numeralValue(s []rune) (int, bool) {
	if len(s) > 12 {
		return 0, false
	}
	total, section, digit, placed := 0, 0, 0, false
	for i, r := range s {
		r = simplified(r)
		switch unit := numeralUnit(r); {
		case unit >= 10000:
			total += (section + digit) * unit
			section, digit, placed = 0, 0, true
		case unit > 1:
			if digit == 0 && (i == 0 || !placed) {
				digit = 1
			}
			section += digit * unit
			digit, placed = 0, true
		case placed:
			digit = numeralDigit(r)
		default:
			digit = digit*10 + numeralDigit(r)
		}
	}
	return total + section + digit, true
}

func numeralUnit(r rune) int {
	switch r {
	case '十':
		return 10
	case '百':
		return 100
	case '千':
		return 1000
	case '万':
		return 10000
	case '亿':
		return 100000000
	}
	return 1
}

func numeralDigit(r rune) int {
	switch r {
	case '两':
		return 2
	case '廿':
		return 20
	case '卅':
		return 30
	case '〇':
		return 0
	}
	for i, d := range []rune("零一二三四五六七八九") {
		if d == r {
			return i
		}
	}
	return 0
}

var smallNumbers = [...]string{"zero", "one", "two", "three", "four", "five", "six",
	"seven", "eight", "nine", "ten", "eleven", "twelve"}

func numberWords(s string) []detail {
	var list []detail
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		for value, name := range smallNumbers {
			if strings.EqualFold(word, name) {
				list = append(list, detail{text: word, key: strconv.Itoa(value)})
			}
		}
	}
	return list
}

// names gives the titles in 《》 and the capitalised Latin words of a claim,
// the first word apart, which every sentence capitalises.
func names(claim string) []detail {
	var list []detail
	if _, rest, ok := strings.Cut(claim, "《"); ok {
		if title, _, ok := strings.Cut(rest, "》"); ok {
			list = append(list, detail{text: title, key: text.Normalize(title)})
		}
	}
	words := strings.FieldsFunc(claim, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' || unicode.Is(unicode.Han, r)
	})
	for i, word := range words {
		r := []rune(word)
		if !unicode.IsUpper(r[0]) || len(r) < 2 || unitNames[strings.ToLower(word)] != "" || i == 0 && strings.HasPrefix(strings.TrimSpace(claim), word) {
			continue
		}
		list = append(list, detail{text: word, key: text.Normalize(word)})
	}
	return list
}
