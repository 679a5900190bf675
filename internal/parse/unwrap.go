package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lines of a paragraph that was wrapped by hand or by a mail program are
// about as long as each other, between these widths.
const (
	narrowest = 40
	widest    = 130
)

// unwrap joins the lines of a wrapped paragraph, so that a sentence is in one
// piece. Lines that were meant as lines (verses, addresses, log entries,
// lists) stay: they differ in length, or end where sentences end.
func unwrap(lines []string) string {
	if !isWrapped(lines) {
		return strings.Join(lines, "\n")
	}
	var b strings.Builder
	for i, line := range lines {
		if line = strings.TrimSpace(line); i > 0 && needsSpace(lines[i-1], line) {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return b.String()
}

func isWrapped(lines []string) bool {
	if len(lines) < 2 {
		return false
	}
	least, most := widest+1, 0
	for _, line := range lines[:len(lines)-1] {
		w := width(strings.TrimSpace(line))
		least, most = min(least, w), max(most, w)
	}
	if most < narrowest || most > widest || least*10 < most*7 || width(lines[len(lines)-1]) > most+most/5 {
		return false
	}
	inside := 0
	for i, line := range lines[:len(lines)-1] {
		if breaksInside(strings.TrimSpace(line), strings.TrimSpace(lines[i+1])) {
			inside++
		}
	}
	return inside*2 >= len(lines)-1 && inside > 0
}

// width counts as a typewriter does: a Chinese character is two wide.
func width(s string) int {
	w := 0
	for _, r := range s {
		w++
		if r >= 0x2E80 {
			w++
		}
	}
	return w
}

// breaksInside reports whether the break between two lines is inside a
// sentence.
func breaksInside(line, next string) bool {
	last, _ := utf8.DecodeLastRuneInString(line)
	first, _ := utf8.DecodeRuneInString(next)
	if isItem(next) {
		return false
	}
	if last >= 0x2E80 {
		return unicode.IsLetter(last) && (unicode.IsLetter(first) || unicode.IsDigit(first) || unicode.IsPunct(first))
	}
	return unicode.IsLower(first) && !strings.ContainsRune(".!?:;", last)
}

// needsSpace: words are divided by a space, Chinese and Japanese text is not.
func needsSpace(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(before))
	first, _ := utf8.DecodeRuneInString(after)
	return last < 0x2E80 || first < 0x2E80 && unicode.IsLetter(first)
}
