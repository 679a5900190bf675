package openai

import (
	"errors"
	"sync/atomic"
	"unicode/utf8"

	"kaoju/internal/llm"
)

// fitter makes texts fit a model whose real limit is not known beforehand:
// limits are in tokens, and which model an endpoint runs is its own affair.
type fitter struct {
	runes atomic.Int64 // the longest text that is sent
}

// minRunes is the shortest that texts are cut to; an endpoint that refuses even
// that means something else.
const minRunes = 100

// fit calls with the texts, cut to what is known of the limit. Where the
// endpoint says that they are too long, it halves the batch, so that the other
// texts stay whole, and at last the one text, and remembers the length.
func fit[T any](f *fitter, texts []string, call func([]string) ([]T, error)) ([]T, error) {
	limit := int(f.runes.Load())
	short := make([]string, len(texts))
	longest := 0
	for i, t := range texts {
		short[i] = cut(t, limit)
		longest = max(longest, utf8.RuneCountInString(short[i]))
	}
	out, err := call(short)
	if !errors.As(err, new(*llm.ContextLengthError)) {
		return out, err
	}
	if half := len(texts) / 2; half > 0 {
		left, err := fit(f, texts[:half], call)
		if err != nil {
			return nil, err
		}
		right, err := fit(f, texts[half:], call)
		return append(left, right...), err
	}
	if longest/2 < minRunes {
		return nil, err
	}
	f.lower(longest / 2)
	return fit(f, texts, call)
}

// lower sets the limit to n unless it is lower already.
func (f *fitter) lower(n int) {
	for {
		old := f.runes.Load()
		if old <= int64(n) || f.runes.CompareAndSwap(old, int64(n)) {
			return
		}
	}
}
