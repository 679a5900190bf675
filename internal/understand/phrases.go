package understand

import (
	"regexp"
	"strings"
)

var (
	wordEn   = regexp.MustCompile(`[\pL\pN]+(?:['’.&/_-][\pL\pN]+)*`)
	measures = setOf("days hours weeks months years number amount amounts quantity percentage share sum copies")
	siteEn   = setOf("in at from on to near into inside around")
	placesEn = setOf("school university college abbey hospital church street county park station city award awards river hall house island states company institute museum")
)

// wordIn is a word of an English question with its place.
type wordIn struct {
	text, low  string
	start, end int
}

func wordsOf(s string) []wordIn {
	var out []wordIn
	for _, at := range wordEn.FindAllStringIndex(s, -1) {
		w := s[at[0]:at[1]]
		end := at[1]
		if bare, ok := cutPossessive(w); ok {
			w, end = bare, at[0]+len(bare)
		}
		low := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(w), "'", ""), "’", "")
		out = append(out, wordIn{text: w, low: low, start: at[0], end: end})
	}
	return out
}

func cutPossessive(w string) (string, bool) {
	for _, tail := range []string{"'s", "’s"} {
		if bare, ok := strings.CutSuffix(w, tail); ok && !emptyEnglish[strings.ToLower(bare)] {
			return bare, true
		}
	}
	return w, false
}

// englishPhrases gives what an English question names, in order: runs of words
// that are no frame, tied by "of".
func englishPhrases(question string) []phrase {
	question = leadEn.ReplaceAllString(question, "")
	words := wordsOf(question)
	var out []phrase
	for i := 0; i < len(words); {
		if !content(words, i) {
			i++
			continue
		}
		to := phraseEnd(question, words, i)
		p := phrase{text: withoutMeasure(question[words[i].start:words[to-1].end])}
		p.name = capital(words[to-1].text) && (i > 0 || to-i > 1 || len(words) == 1)
		p.site = p.name && isSite(words, i, to)
		if (len(p.text) > 2 || p.name) && !doing(words, i, to) {
			out = append(out, p)
		}
		i = to
	}
	return out
}

// withoutMeasure gives "annual leave" for "days of annual leave".
func withoutMeasure(s string) string {
	head, thing, ok := strings.Cut(s, " of ")
	if !ok || !measures[strings.ToLower(head)] {
		return s
	}
	return withoutArticle(thing)
}

// content reports whether word i names something. A name may hold words that
// are empty elsewhere.
func content(words []wordIn, i int) bool {
	w := words[i]
	if i > 0 && capital(w.text) && w.low != "i" && !personEn[w.low] && !thingEn[w.low] {
		return !emptyEnglish[w.low] || len(w.text) == 1 || i+1 < len(words) && capital(words[i+1].text)
	}
	return !emptyEnglish[w.low] && !relationalEnglish[w.low]
}

func phraseEnd(question string, words []wordIn, from int) int {
	to := from + 1
	for to < len(words) && to-from < 7 {
		gap := question[words[to-1].end:words[to].start]
		if strings.TrimSpace(gap) != "" {
			break
		}
		if content(words, to) || words[to].low == "a" && words[to].text == "A" {
			to++
			continue
		}
		skip := to + 1
		if words[to].low == "of" && skip < len(words) && words[skip].low == "the" {
			skip++
		}
		if words[to].low != "of" || skip >= len(words) || !content(words, skip) {
			break
		}
		to = skip + 1
	}
	return to
}

// namesIn gives the proper names of running text, in order: runs of words in
// capitals that do not open a sentence, or are more than one word.
func namesIn(s string) []phrase {
	if !isEnglish(s) {
		return nil
	}
	words := wordsOf(s)
	var out []phrase
	for i := 0; i < len(words); {
		to := i
		for to < len(words) && capital(words[to].text) && (to > i || !emptyEnglish[words[to].low]) && (to == i || beside(s, words, to)) {
			to++
		}
		if to == i {
			i++
			continue
		}
		opens := i == 0 || strings.ContainsAny(s[words[i-1].end:words[i].start], ".!?:\n•*")
		if (to-i > 1 || !opens) && to-i <= 4 {
			out = append(out, phrase{text: s[words[i].start:words[to-1].end], name: true, site: isSite(words, i, to)})
		}
		i = to
	}
	return out
}

// beside reports whether word i stands right behind the one before, but for a
// space and the dot of an initial.
func beside(s string, words []wordIn, i int) bool {
	gap := s[words[i-1].end:words[i].start]
	return len(gap) <= 2 && strings.Trim(gap, ". ") == ""
}

// isSite reports whether the name words[from:to] is a place or an institution.
func isSite(words []wordIn, from, to int) bool {
	at := from - 1
	if at >= 0 && words[at].low == "the" {
		at--
	}
	return at >= 0 && siteEn[words[at].low] || placesEn[words[to-1].low]
}

// doing reports whether words[from:to] is a lone word for what is done, and
// not for a thing: "reorganized", but not "the filing".
func doing(words []wordIn, from, to int) bool {
	w := words[from]
	if to-from > 1 || capital(w.text) || len(w.low) < 5 {
		return false
	}
	if from > 0 && (words[from-1].low == "the" || words[from-1].low == "a" || words[from-1].low == "of" || words[from-1].low == "for") {
		return false
	}
	return strings.HasSuffix(w.low, "ed") || strings.HasSuffix(w.low, "ing") || strings.HasSuffix(w.low, "ly")
}
