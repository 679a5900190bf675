package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// vocabulary is the words of a document in lower case, as they stand inside
// lines, where nothing divides them: plain words, compounds with hyphens, and
// the parts of those.
type vocabulary map[string]bool

// wordsOf collects the words of all pages. The ends of words that a line
// divides, and what follows them, are left out.
func wordsOf(pages []page) vocabulary {
	words := vocabulary{}
	for _, p := range pages {
		for _, r := range p.regions {
			divided := false
			for _, l := range r {
				divided = words.addLine(l.text(), divided)
			}
		}
	}
	return words
}

// addLine adds the words of a line; divided says that it begins with the end
// of a word, and is returned for the next line.
func (v vocabulary) addLine(text string, divided bool) bool {
	fields := strings.Fields(text)
	if divided && len(fields) > 0 {
		fields = fields[1:]
	}
	if n := len(fields); n > 0 && strings.HasSuffix(fields[n-1], "-") {
		v.add(fields[:n-1])
		return true
	}
	v.add(fields)
	return false
}

func (v vocabulary) add(fields []string) {
	for _, f := range fields {
		f = strings.ToLower(strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
		if f == "" {
			continue
		}
		v[f] = true
		for part := range strings.SplitSeq(f, "-") {
			v[part] = true
		}
	}
}

// hyphenated reports whether the hyphen between two pieces of a word belongs
// to it, although a line ends there. What the document writes elsewhere
// decides; else it is a compound if both pieces are words by themselves.
func (v vocabulary) hyphenated(before, after string) bool {
	before, after = edge(before, true), edge(after, false)
	if v[before+"-"+after] {
		return true
	}
	last := before[strings.LastIndexByte(before, '-')+1:]
	return !v[before+after] && !v[last+after] && last != "" && v[last] && v[after]
}

// edge gives the word, with hyphens, at the end or the start of a text.
func edge(text string, end bool) string {
	inside := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' }
	if end {
		i := strings.LastIndexFunc(text, func(r rune) bool { return !inside(r) })
		if i >= 0 {
			_, size := utf8.DecodeRuneInString(text[i:])
			text = text[i+size:]
		}
	} else if i := strings.IndexFunc(text, func(r rune) bool { return !inside(r) }); i >= 0 {
		text = text[:i]
	}
	return strings.ToLower(strings.Trim(text, "-"))
}
