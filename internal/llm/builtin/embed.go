package builtin

import (
	"context"
	"math"
	"unicode/utf8"

	"kaoju/internal/llm"
	"kaoju/internal/text"
)

// EmbedModel names the built-in embedding space. It changes whenever a vector
// for the same text would.
const EmbedModel = "kaoju-subword-1"

// embedDim is the length of the vectors; docs/benchmarks.md has what other
// lengths measured.
const embedDim = 512

// Embedder turns texts into vectors by the pieces of their words: English
// words with their stems and the character sequences in them, Chinese words
// with the pairs and single characters in them. Texts that share words, parts
// of words, inflections or misspellings come to lie near each other; texts
// that say the same in other words do not, since nothing here was trained.
//
// The zero Embedder is ready for use and safe for concurrent use.
type Embedder struct{}

var _ llm.Embedder = Embedder{}

// Dim is the length of each vector.
func (Embedder) Dim() int { return embedDim }

// Model names the embedding space.
func (Embedder) Model() string { return EmbedModel }

// Embed gives one unit vector a text, the same for questions and passages. A
// text without words gives the zero vector.
func (Embedder) Embed(ctx context.Context, _ llm.Purpose, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = embed(s)
	}
	return out, nil
}

// Weights of a text's features. A word counts fully, what is in it less, and
// function words hardly. Long English words are rarer than short ones and
// count more, by the square root of their length.
const (
	stopWeight  = .3
	pairWeight  = .6 // two Chinese characters
	charWeight  = .35
	gramsWeight = .9 // all character sequences of an English word together
	gramMin     = 3
	gramMax     = 4
	usualLength = 5 // letters of a word that counts 1
	longLength  = 12
)

// subwords is the terminology of the space: words with all their parts.
func subwords() text.Terminology {
	t := text.DefaultTerminology()
	t.Bigrams, t.Unigrams = text.Everywhere, text.Everywhere
	return t
}

// wordCount is a term of a text and how it occurs.
type wordCount struct {
	word string
	n    int
	kind text.Kind
	part bool
}

func embed(s string) []float32 {
	v := make([]float32, embedDim)
	for _, c := range countWords(s) {
		weight := 1 + math.Log(float64(c.n))
		if text.IsStop(c.word) {
			weight *= stopWeight
		}
		addWord(v, c, float32(weight))
	}
	normalize(v)
	return v
}

// countWords gives the terms of s in order of first occurrence, so that sums
// over them are the same every time.
func countWords(s string) []wordCount {
	at := map[string]int{}
	var counts []wordCount
	for _, t := range subwords().Terms(s) {
		i, seen := at[t.Text]
		if !seen {
			i = len(counts)
			at[t.Text] = i
			counts = append(counts, wordCount{word: t.Text, kind: t.Kind, part: true})
		}
		counts[i].n++
		counts[i].part = counts[i].part && t.Part
	}
	return counts
}

func addWord(v []float32, c wordCount, weight float32) {
	switch {
	case c.kind == text.Han && utf8.RuneCountInString(c.word) == 1:
		addFeature(v, c.word, weight*charWeight)
	case c.part:
		addFeature(v, c.word, weight*pairWeight)
	default:
		if c.kind == text.Word {
			weight *= lengthWeight(c.word)
		}
		addFeature(v, c.word, weight)
	}
	if c.kind != text.Han && !c.part {
		addGrams(v, c.word, weight*gramsWeight)
	}
}

func lengthWeight(word string) float32 {
	return float32(math.Sqrt(float64(min(len(word), longLength)) / usualLength))
}

// addGrams adds the sequences of characters of a word, its ends marked.
func addGrams(v []float32, word string, weight float32) {
	marked := "^" + word + "$"
	n := 0
	for size := gramMin; size <= gramMax; size++ {
		n += max(len(marked)-size+1, 0)
	}
	if n == 0 {
		return
	}
	each := weight / float32(math.Sqrt(float64(n)))
	for size := gramMin; size <= gramMax; size++ {
		for i := 0; i+size <= len(marked); i++ {
			addFeature(v, marked[i:i+size], each)
		}
	}
}

// spread is the number of coordinates that a feature is written to: a sparse
// random projection (Li, Hastie and Church 2006), which keeps angles as well
// as a dense one.
const spread = 24

// addFeature adds a feature at coordinates and with signs that depend on its
// name alone.
func addFeature(v []float32, name string, weight float32) {
	h := hash(name)
	for range spread {
		h = mix(h)
		if h>>63 == 0 {
			v[h%embedDim] += weight
		} else {
			v[h%embedDim] -= weight
		}
	}
}

// hash is FNV-1a: vectors are stored, so it must be the same on every machine.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// mix is a step of SplitMix64.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

func normalize(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
}
