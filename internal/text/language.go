package text

// Language is the language of a text.
type Language string

// The languages that are told apart.
const (
	Chinese Language = "zh"
	English Language = "en"
	Mixed   Language = "mixed"
	None    Language = "" // no letters
)

// DetectLanguage tells Chinese from English by the letters of s. Two Chinese
// characters weigh about as much as an English word.
func DetectLanguage(s string) Language {
	var chinese, latin int
	inWord := false
	for _, r := range s {
		c := classify(r)
		if c == han {
			chinese++
		}
		if c == letter && !inWord {
			latin++
		}
		inWord = c == letter
	}
	switch {
	case chinese == 0 && latin == 0:
		return None
	case chinese >= 2*latin:
		return Chinese
	case latin >= 2*chinese:
		return English
	}
	return Mixed
}
