package main

import (
	"regexp"
	"strings"

	"kaoju/internal/text"
)

// maxGlossWords is the most content words that a translation has; longer ones
// explain rather than translate.
const maxGlossWords = 5

// gloss is a translation: the stems of its content words, and its place among
// the entry's translations.
type gloss struct {
	stems []string
	place int
}

func (g gloss) key() string { return strings.Join(g.stems, " ") }

var (
	notes = regexp.MustCompile(`\([^()]*\)|\[[^\]]*\]`)
	// remarks open senses that say something about the word and translate
	// nothing.
	remarks = regexp.MustCompile(`(?i)^(CL:|(old |erhua |erroneous |archaic |japanese |ancient |popular )*(variant|form) of|` +
		`surname\b|see |see also|also (pr|written|called)|taiwan pr|used (in|to|as|for|before|after)|same as|classifier|` +
		`abbr\.|sound of|name of|one of the|pr\. |in the|prefix|suffix|particle|radical|kangxi|component|bound form)`)
	// frames are words of the dictionary's own language, and say nothing.
	frames = wordSet(`sb sth sbs etc eg ie ones oneself someone something somebody lit fig esp usu usually onomatopoeia
		idiom loanword abbr kind type sort various certain old used make get become very`)
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// glosses gives the translations of an entry in order.
func glosses(e entry) []gloss {
	var out []gloss
	place := 0
	seen := map[string]bool{}
	for _, sense := range e.senses {
		for notes.MatchString(sense) {
			sense = notes.ReplaceAllString(sense, " ")
		}
		sense = strings.TrimSpace(sense)
		if sense == "" || remarks.MatchString(sense) {
			continue
		}
		for _, part := range strings.Split(sense, ";") {
			g := gloss{stems: stems(part), place: place}
			if len(g.stems) == 0 || len(g.stems) > maxGlossWords || seen[g.key()] {
				continue
			}
			seen[g.key()] = true
			out = append(out, g)
			place++
		}
	}
	return out
}

// stems gives the content words of a translation as the index has them. What
// follows a comma explains: "Warsaw, capital of Poland".
func stems(s string) []string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), ",")
	var out []string
	for _, t := range text.Terms(s) {
		if t.Part || t.Kind == text.Han || text.IsStop(t.Text) || frames[t.Text] {
			continue
		}
		out = append(out, strings.Clone(t.Text))
	}
	return out
}
