package answer

import (
	"hash/fnv"
	"strings"

	"kaoju/internal/core"
)

// Standard gives the answer of an FAQ entry: all its answers, or one of them
// that seed, such as the id of the request, chooses.
func Standard(e core.FAQEntry, seed string) string {
	if len(e.Answers) == 0 {
		return ""
	}
	if e.Strategy == core.AnswerRandom {
		h := fnv.New32a()
		_, _ = h.Write([]byte(seed)) // a hash takes everything
		return e.Answers[int(h.Sum32()%uint32(len(e.Answers)))]
	}
	return strings.Join(e.Answers, "\n\n")
}
