package retrieve

import (
	"strings"

	"kaoju/internal/index"
	"kaoju/internal/text"
)

// MaxVariants is the largest number of other wordings of a question.
const MaxVariants = 5

// variantWeight is what a passage found by another wording keeps of its
// score.
const variantWeight = .8

// Variant is another wording of a question, for the keyword part.
type Variant struct {
	Text   string
	Reason string // "content words", "key phrase", "codes"
	Terms  []index.QueryTerm
	Weight float64 // factor on the scores that it finds
}

// Expand gives other wordings of a question, at most MaxVariants, without a
// model: the codes and numbers alone, the content words without the question's
// frame, and each phrase between stop words. None equals the question.
func Expand(question string) []Variant {
	e := expander{seen: map[string]bool{text.Key(question): true}}
	tokens := text.Tokenize(question)
	e.add("codes", keep(tokens, func(t text.Token) bool { return t.Kind == text.Code }))
	e.add("content words", keep(tokens, func(t text.Token) bool { return !text.IsStop(t.Text) }))
	for _, phrase := range phrases(tokens) {
		e.add("key phrase", phrase)
	}
	return e.variants
}

type expander struct {
	variants []Variant
	seen     map[string]bool
}

func (e *expander) add(reason string, words []string) {
	wording := strings.Join(words, " ")
	key := text.Key(wording)
	if key == "" || e.seen[key] || len(e.variants) == MaxVariants {
		return
	}
	e.seen[key] = true
	e.variants = append(e.variants, Variant{
		Text: wording, Reason: reason, Terms: index.QueryTerms(wording), Weight: variantWeight,
	})
}

func keep(tokens []text.Token, wanted func(text.Token) bool) []string {
	var words []string
	for _, t := range tokens {
		if wanted(t) {
			words = append(words, t.Text)
		}
	}
	return words
}

// phrases are the runs of two words or more between stop words, longest
// first.
func phrases(tokens []text.Token) [][]string {
	var all [][]string
	var run []string
	flush := func() {
		if len(run) >= 2 {
			all = append(all, run)
		}
		run = nil
	}
	for _, t := range tokens {
		if text.IsStop(t.Text) {
			flush()
			continue
		}
		run = append(run, t.Text)
	}
	flush()
	longestFirst(all)
	return all
}

func longestFirst(all [][]string) {
	for i := 1; i < len(all); i++ {
		for k := i; k > 0 && len(all[k]) > len(all[k-1]); k-- {
			all[k], all[k-1] = all[k-1], all[k]
		}
	}
}
