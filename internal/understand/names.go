package understand

import "strings"

// fullNames puts the whole name where a question uses a part of it.
func (m *memory) fullNames(question string) (string, bool) {
	for i, w := range wordsOf(question) {
		if !capital(w.text) || emptyEnglish[w.low] || len(w.text) < 3 || i == 0 && !strings.Contains(question, " ") {
			continue
		}
		for _, n := range m.names {
			parts := strings.Fields(n.text)
			if len(parts) < 2 || len(parts) > 4 || parts[0] != w.text && parts[len(parts)-1] != w.text {
				continue
			}
			if strings.Contains(question, n.text) || besideName(question, w) {
				break
			}
			return question[:w.start] + n.text + question[w.end:], true
		}
	}
	return question, false
}

// besideName reports whether the word is part of a name of several words.
func besideName(question string, w wordIn) bool {
	words := wordsOf(question)
	for i, v := range words {
		if v.start != w.start {
			continue
		}
		before := i > 1 && capital(words[i-1].text) && words[i-1].end+1 == w.start
		after := i+1 < len(words) && capital(words[i+1].text) && w.end+1 == words[i+1].start
		return before || after
	}
	return false
}
