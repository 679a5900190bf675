// Package bilingual translates words between Chinese and English by a
// dictionary, so that a question in one language finds passages in the other.
//
// Render takes the terms of a question, as text.Terms gives them, and gives
// each stretch of it with its translations: as words of the other language, in
// the form in which text.Terms has them too. English and Chinese look up
// single words.
//
// The dictionary is CC-CEDICT, compiled into data/ by the generator in gen and
// embedded; data/NOTICE has its licence. It is read in place: nothing is
// loaded at start, and look-ups allocate what they return only. All functions
// are pure and safe for concurrent use.
package bilingual

import (
	_ "embed"
	"strings"
	"unicode/utf8"

	"kaoju/internal/text"
	"kaoju/internal/text/bilingual/table"
)

//go:generate go run ./gen data

//go:embed data/chinese.bin
var chineseData []byte

//go:embed data/english.bin
var englishData []byte

// The two sides; each links to the other. They are read-only.
var (
	chinese = mustOpen(chineseData)
	english = mustOpen(englishData)
)

// mustOpen can fail only if the binary was built around a wrong file, which
// the package's tests would have shown.
func mustOpen(data []byte) *table.Table {
	t, err := table.Open(data)
	if err != nil {
		panic(err)
	}
	return t
}

// Option is a translation: one term, or several that say together what the
// word says ("internal combust engin").
type Option struct {
	Terms  []string
	Weight float32 // above 0; 1 for the usual translation
}

// English gives the translations of a Chinese word in simplified characters,
// the likeliest first; none for a word that the dictionary lacks.
func English(word string) []Option {
	links, _ := chinese.Find(word)
	options := make([]Option, 0, len(links))
	for _, l := range links {
		options = append(options, Option{Terms: strings.Fields(english.Key(l.To)), Weight: l.Weight})
	}
	return options
}

// Chinese gives the translations of an English stem, or of the stems of a
// phrase with blanks between and without function words, the likeliest first.
func Chinese(stems string) []Option {
	links, _ := english.Find(stems)
	options := make([]Option, 0, len(links))
	for _, l := range links {
		if terms := words(chinese.Key(l.To)); len(terms) > 0 {
			options = append(options, Option{Terms: terms, Weight: l.Weight})
		}
	}
	return options
}

// pair is the length in characters up to which the index has every word.
const pair = 2

// words cuts a Chinese word into the terms under which passages have it.
func words(word string) []string {
	if utf8.RuneCountInString(word) <= pair {
		return []string{word}
	}
	var out []string
	for _, t := range text.Terms(word) {
		if !t.Part && !text.IsStop(t.Text) {
			out = append(out, t.Text)
		}
	}
	return out
}
