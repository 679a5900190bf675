package bilingual

import (
	"unicode/utf8"

	"kaoju/internal/text"
)

// Rendering is a stretch of a question and what it may be called in the other
// language.
type Rendering struct {
	From, To int // range of tokens, as text.Term.Pos counts them
	Options  []Option
	// Inner says that it translates only a part of what is translated as a
	// whole, or a character of a word that is not known.
	Inner bool
}

// The longest stretches that are looked up as one.
const (
	maxTokens = 4
	maxRunes  = 8
)

// Render gives the translations of a question's words and phrases. Function
// words are not translated. Stretches may overlap: a phrase comes beside its
// words.
func Render(terms []text.Term) []Rendering {
	r := renderer{tokens: make([]text.Term, 0, len(terms))}
	for _, t := range terms {
		if !t.Part {
			r.tokens = append(r.tokens, t)
		}
	}
	for i := 0; i < len(r.tokens); {
		switch t := r.tokens[i]; {
		case text.IsStop(t.Text):
			i++
		case t.Kind == text.Han:
			i = r.chinese(i)
		default:
			r.english(i)
			i++
		}
	}
	return r.out
}

type renderer struct {
	tokens []text.Term
	out    []Rendering
}

func (r *renderer) add(from, to int, options []Option, inner bool) {
	if len(options) > 0 {
		r.out = append(r.out, Rendering{From: r.tokens[from].Pos, To: r.tokens[to-1].Pos + 1, Options: options, Inner: inner})
	}
}

// chinese translates the longest word that begins at token i, which may be
// longer than the token: the dictionaries of segmentation and translation have
// different words. It gives the token after it.
func (r *renderer) chinese(i int) int {
	word, end := r.longest(i)
	if end == i {
		r.inside(i)
		return i + 1
	}
	r.add(i, end, English(word), false)
	for k := i; k < end && end > i+1; k++ {
		if !text.IsStop(r.tokens[k].Text) {
			r.add(k, k+1, English(r.tokens[k].Text), true)
		}
	}
	return end
}

func (r *renderer) longest(i int) (word string, end int) {
	joined := ""
	end = i
	for k := i; k < min(i+maxTokens, len(r.tokens)); k++ {
		t := r.tokens[k]
		if t.Kind != text.Han || k > i && t.Start != r.tokens[k-1].End {
			break
		}
		joined += t.Text
		if utf8.RuneCountInString(joined) > maxRunes {
			break
		}
		if chinese.Has(joined) {
			word, end = joined, k+1
		}
	}
	return word, end
}

// inside translates the words in a word that is not known, longest first from
// the left.
func (r *renderer) inside(i int) {
	word := []rune(r.tokens[i].Text)
	for from := 0; from < len(word); {
		to := min(from+maxRunes, len(word))
		for to > from+1 && !chinese.Has(string(word[from:to])) {
			to--
		}
		r.add(i, i+1, English(string(word[from:to])), to == from+1)
		from = to
	}
}

// english translates the word at token i, and the longest phrase that begins
// there.
func (r *renderer) english(i int) {
	r.add(i, i+1, Chinese(r.tokens[i].Text), false)
	key, n := r.tokens[i].Text, 1
	phrase, end := "", 0
	for k := i + 1; k < len(r.tokens) && n < maxTokens; k++ {
		t := r.tokens[k]
		if t.Kind == text.Han {
			break
		}
		if text.IsStop(t.Text) {
			continue
		}
		key += " " + t.Text
		n++
		if english.Has(key) {
			phrase, end = key, k+1
		}
	}
	if end > 0 {
		r.add(i, end, Chinese(phrase), false)
	}
}
