package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The signs around the end of a sentence.
const (
	enders  = "。！？；!?;"
	closers = enders + ".…”’\"'）)】」』》]"
)

// Sentences splits s into sentences, trimmed of white space; nothing but white
// space is lost. A sentence ends at 。！？; and their narrow forms, at a newline,
// and at a full stop that is none of a number, abbreviation or address. Closing
// quotes and brackets stay with the sentence that they close.
func Sentences(s string) []Span {
	var spans []Span
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if i += n; r != '\n' && !strings.ContainsRune(enders, r) && r != '.' {
			continue
		}
		end := i
		if r != '\n' {
			end = takeClosers(s, i)
			if !endsHere(s, start, i-n, end) {
				i = end // what it closes decides nothing else; and no text costs its square
				continue
			}
		}
		spans, start, i = appendTrimmed(spans, s, start, end), end, end
	}
	return appendTrimmed(spans, s, start, len(s))
}

func takeClosers(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune(closers, r) {
			break
		}
		i += n
	}
	return i
}

func appendTrimmed(spans []Span, s string, start, end int) []Span {
	part := strings.TrimLeftFunc(s[start:end], unicode.IsSpace)
	start = end - len(part)
	end = start + len(strings.TrimRightFunc(part, unicode.IsSpace))
	if start >= end {
		return spans
	}
	return append(spans, Span{start, end})
}

// endsHere decides about the mark at s[mark:], in the sentence that began at
// start; after is the offset behind the mark and what follows it closely.
func endsHere(s string, start, mark, after int) bool {
	next, _ := utf8.DecodeRuneInString(s[after:])
	stop := s[mark] == '.' && !strings.ContainsAny(s[mark:after], enders)
	switch {
	case after == len(s) || !stop && strings.ContainsAny(s[mark:after], "。！？；"):
		return true
	case !stop: // "a?b=1" and "&amp;x" go on
		return next >= utf8.RuneSelf || next <= ' '
	case next > ' ' && classify(next) != han && !unicode.IsSpace(next):
		return false // 3.5, v2.3.1, example.com
	}
	return fullStop(s, start, mark, after)
}

// fullStop decides about a full stop before white space or Chinese.
func fullStop(s string, start, mark, after int) bool {
	body := strings.TrimSpace(s[start:mark])
	if body == "" || len(body) <= 3 && strings.Trim(body, "0123456789") == "" {
		return false // "1. First point"
	}
	word := strings.TrimLeft(body[strings.LastIndexFunc(body, breaksWord)+1:], "([\"'“‘")
	rest := strings.TrimLeft(s[after:], " \t\r")
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "" || next == '\n':
		return true
	case unicode.IsLower(next):
		return false
	case classify(next) == han:
		return !isDigits(word)
	case abbreviations[strings.ToLower(word)]:
		return false
	case isInitials(word):
		return openers[firstWord(rest)]
	}
	return true
}

func breaksWord(r rune) bool { return unicode.IsSpace(r) || classify(r) == han }

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isInitials says whether s, before its last stop, is like "J", "U.S" or "p.m".
func isInitials(s string) bool {
	for i, r := range s {
		if i%2 == 0 && !unicode.IsLetter(r) || i%2 == 1 && r != '.' {
			return false
		}
	}
	return len(s)%2 == 1
}

func firstWord(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(s)
	}
	return s[:end]
}

// abbreviations come before a name or number rather than at an end.
var abbreviations = setOf(strings.Fields(`mr mrs ms dr prof st sr jr gen col sgt capt lt rev hon gov sen rep
	vs e.g i.e cf viz fig figs eq eqs sec ch no nos vol vols pp pg p ed eds al approx ca est
	jan feb mar apr jun jul aug sep sept oct nov dec mt ft dept univ inc ltd co corp bros`))

// openers are words that open a sentence even after initials ("in the U.S. The").
var openers = setOf(strings.Fields(`The This That These Those It Its In On At He She They We You I
	A An And But However For From When While As After Before If There Their His Her Our My Its
	With Since Although Because By To What Who How Why Where Some Many Most All No One Both Each`))
