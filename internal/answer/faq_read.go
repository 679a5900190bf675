package answer

import (
	"math"

	"kaoju/internal/text"
)

// questionReading is a question: its terms and the sequences of characters in
// it, each once, in order.
type questionReading struct {
	terms []weighed
	grams []uint64
}

// weighed is a term with its weight before rarity.
type weighed struct {
	text   string
	weight float64
}

// stopTerm is what a function word weighs: in a short question "how many" and
// "which" tell entries apart.
const stopTerm = .3

func readQuestion(s string) questionReading {
	terms := text.Terms(s)
	r := questionReading{terms: make([]weighed, 0, len(terms))}
	seen := make(map[string]bool, len(terms))
	for _, t := range terms {
		if t.Part || seen[t.Text] {
			continue
		}
		seen[t.Text] = true
		w := 1.0
		if text.IsStop(t.Text) {
			w = stopTerm
		}
		r.terms = append(r.terms, weighed{t.Text, w})
	}
	r.grams = gramsOf(text.Key(s))
	return r
}

// gramsOf gives the sequences of four letters, or of two Chinese characters,
// of a key.
func gramsOf(key string) []uint64 {
	runes := []rune(key)
	out := make([]uint64, 0, len(runes))
	seen := make(map[uint64]bool, len(runes))
	for i := range runes {
		size := 4
		if runes[i] >= firstWide {
			size = 2
		}
		if i+size > len(runes) {
			break
		}
		h := uint64(0)
		for _, r := range runes[i : i+size] {
			h = h<<16 ^ uint64(r)
		}
		if !seen[h] {
			seen[h] = true
			out = append(out, h)
		}
	}
	return out
}

// firstWide is the first of the Chinese radicals; characters lie behind it.
const firstWide = 0x2e80

// entryReading is what the questions and answers of an FAQ entry say.
type entryReading struct {
	questions []questionReading
	have      map[string]float64 // in how many of the questions a term is
	grams     map[uint64]bool    // those of the question asked that any of them has
	answers   map[string]bool    // terms of the answers
}

// answerRunes is how much of an answer is read.
const answerRunes = 300

func (r *rater) readEntry(e Entry) entryReading {
	out := entryReading{have: map[string]float64{}, grams: map[uint64]bool{}, answers: map[string]bool{}}
	for _, q := range e.Questions {
		read := readQuestion(q)
		out.questions = append(out.questions, read)
		for _, t := range read.terms {
			out.have[t.text]++
		}
		for _, g := range read.grams {
			if r.askedGrams[g] {
				out.grams[g] = true
			}
		}
	}
	for _, a := range e.Answers {
		for _, t := range text.Terms(text.Truncate(a, answerRunes)) {
			if !t.Part {
				out.answers[t.Text] = true
			}
		}
	}
	return out
}

// rarity is how few of n entries have something that count of them have.
func rarity(n int, count float64) float64 { return math.Log(1+float64(n)/(count+.5)) + .05 }
