package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences splits s into sentences, trimmed of white space; nothing but white
// space is lost.
func Sentences(s string) []Span {
	var spans []Span
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if r == '\n' || strings.ContainsRune("。！？!?；;", r) || r == '.' && endsSentence(s, i-1) {
			i = takeClosers(s, i)
			spans = appendTrimmed(spans, s, start, i)
			start = i
		}
	}
	return appendTrimmed(spans, s, start, len(s))
}

func takeClosers(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune("。！？!?；;.”’\"'）)】」』》]", r) {
			break
		}
		i += n
	}
	return i
}

func appendTrimmed(spans []Span, s string, start, end int) []Span {
	part := s[start:end]
	start += len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
	end = start + len(strings.TrimSpace(part))
	if start >= end {
		return spans
	}
	return append(spans, Span{start, end})
}

// endsSentence says whether the full stop at i is followed by white space and
// something that can open a sentence.
func endsSentence(s string, i int) bool {
	rest := s[i+1:]
	if rest == "" {
		return true
	}
	r, _ := utf8.DecodeRuneInString(rest)
	if !unicode.IsSpace(r) {
		return false
	}
	r, _ = utf8.DecodeRuneInString(strings.TrimLeftFunc(rest, unicode.IsSpace))
	return !unicode.IsLower(r)
}
