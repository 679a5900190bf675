package builtin

import (
	"slices"
	"strings"
	"unicode"

	"kaoju/internal/llm"
	"kaoju/internal/text"
)

// unnamed is the most that is likely where a question names a code (a model, a
// part, an error) that stands nowhere in the evidence: what is said of
// another one is no answer, however alike the sentences are. It lies above the
// thresholds of refusal, for the code may be beside the point, and below that
// of an answer which says that it may be none.
const unnamed = .15

// isCode tells whether a word of a question is the name of one thing among many
// alike: it has letters and digits.
func isCode(tok text.Token) bool {
	return tok.Kind == text.Code && strings.ContainsFunc(tok.Text, unicode.IsLetter) && strings.ContainsFunc(tok.Text, unicode.IsDigit)
}

// squeezed is a text as codes are compared in it: without case, width, spaces
// and signs.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if r = narrow(r); !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// codeName is a code that the question names, and what else it is called, all
// squeezed.
type codeName []string

// codesIn tells which codes of the question a passage has.
func (q *inquiry) codesIn(e llm.Evidence) (mask uint64) {
	if len(q.codes) == 0 {
		return 0
	}
	body := squeezed(e.Title + "\n" + strings.Join(e.Headings, "\n") + "\n" + evidenceText(e))
	for i, names := range q.codes {
		if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(body, name) }) {
			mask |= 1 << i
		}
	}
	return mask
}

// lacksCode tells whether the question names a code that no passage has.
func (v *evidenceView) lacksCode() bool {
	var have uint64
	for _, p := range v.passages {
		have |= p.codes
	}
	return have != 1<<len(v.q.codes)-1
}
