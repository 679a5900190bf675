package text

import "strings"

// minStem is the shortest word that has endings to lose.
const minStem = 4

// unstemmed are words whose ending is no ending.
var unstemmed = setOf(strings.Fields(`news series species always sometimes perhaps besides
	king wing ring sing thing bring spring string nothing something everything anything morning evening
	ceiling sibling during hundred sacred naked wicked bed red need feed seed speed breed exceed proceed succeed
	ios aws dns https gps`))

// stem reduces an English word, in lower case, to the form that its plural,
// its past and its -ing form share. It applies the inflectional steps of
// Porter's algorithm (1980, steps 1 and 5) and takes off a safe -ly; endings
// that make new words (-ation, -ness) stay, since they change the topic.
func stem(s string) string {
	if basic, ok := basicForms[s]; ok {
		s = basic
	}
	if len(s) < minStem || unstemmed[s] || !isLowerASCII(s) {
		return s
	}
	s = verbForm(plural(s))
	if n := len(s); n >= 6 && strings.HasSuffix(s, "ly") && strings.IndexByte("cdeghkmnrt", s[n-3]) >= 0 {
		s = s[:n-2]
	}
	if n := len(s); s[n-1] == 'y' && n > 2 && !vowelAt(s, n-2) {
		s = s[:n-1] + "i"
	}
	return finalLetter(s)
}

func isLowerASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

func plural(s string) string {
	n := len(s)
	switch {
	case s[n-1] != 's' || strings.HasSuffix(s, "ss") || hasAnySuffix(s, "us", "is", "js"):
		return s
	case strings.HasSuffix(s, "ies"):
		if n == minStem {
			return s[:n-1] // ties, dies
		}
		return s[:n-3] + "y"
	case hasAnySuffix(s, "sses", "xes", "ches", "shes", "zzes"):
		return s[:n-2]
	}
	return s[:n-1]
}

func hasAnySuffix(s string, endings ...string) bool {
	for _, e := range endings {
		if strings.HasSuffix(s, e) {
			return true
		}
	}
	return false
}

// verbForm takes off -ed and -ing and restores the end of the root.
func verbForm(s string) string {
	if strings.HasSuffix(s, "eed") {
		if measure(s[:len(s)-3]) > 0 {
			return s[:len(s)-1]
		}
		return s
	}
	root, ok := strings.CutSuffix(s, "ed")
	if !ok {
		root, ok = strings.CutSuffix(s, "ing")
	}
	if !ok || len(root) < 2 || !hasVowel(root) {
		return s
	}
	n := len(root)
	switch {
	case hasAnySuffix(root, "at", "bl", "iz"):
		return root + "e"
	case doubled(root) && strings.IndexByte("lsz", root[n-1]) < 0:
		return root[:n-1]
	case measure(root) == 1 && closedSyllable(root):
		return root + "e"
	}
	return root
}

// finalLetter drops a silent e and the second of two l, which the forms of one
// word have and lack in turn.
func finalLetter(s string) string {
	n := len(s)
	if s[n-1] == 'e' {
		root := s[:n-1]
		if m := measure(root); m > 1 || m == 1 && !closedSyllable(root) {
			return root
		}
	}
	if strings.HasSuffix(s, "ll") && measure(s[:n-1]) > 1 {
		return s[:n-1]
	}
	return s
}

// vowelAt says whether the letter at i sounds as a vowel: y does after a
// consonant.
func vowelAt(s string, i int) bool {
	switch s[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	case 'y':
		return i > 0 && !vowelAt(s, i-1)
	}
	return false
}

func hasVowel(s string) bool {
	for i := range s {
		if vowelAt(s, i) {
			return true
		}
	}
	return false
}

// measure counts the changes from vowel to consonant, Porter's m.
func measure(s string) (m int) {
	before := false
	for i := range s {
		vowel := vowelAt(s, i)
		if before && !vowel {
			m++
		}
		before = vowel
	}
	return m
}

func doubled(s string) bool {
	n := len(s)
	return n > 1 && s[n-1] == s[n-2] && !vowelAt(s, n-1)
}

// closedSyllable says whether s ends in consonant, vowel, consonant, the last
// one not w, x or y: the roots that take an e back (hop → hope).
func closedSyllable(s string) bool {
	n := len(s)
	return n > 2 && !vowelAt(s, n-3) && vowelAt(s, n-2) && !vowelAt(s, n-1) &&
		strings.IndexByte("wxy", s[n-1]) < 0
}
