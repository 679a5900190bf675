package builtin

import (
	"math"

	"kaoju/internal/llm"
)

// Assessment says whether evidence answers a question.
type Assessment struct {
	// Probability is the calibrated chance, in [0,1], that the evidence
	// answers. It is 0 without evidence.
	Probability float64
	// Best is the index of the passage that most likely answers, -1 for none.
	Best int
}

// RefusalThreshold is the probability below which the answerer refuses.
const RefusalThreshold = .12

// Assess estimates whether the evidence, best first, answers the question.
func Assess(question string, evidence []llm.Evidence) Assessment {
	return read(question, evidence).assess()
}

func (v *evidenceView) assess() Assessment {
	a := Assessment{Best: -1}
	top := 0.0
	for _, c := range v.candidates {
		if c.chance > top {
			top, a.Best = c.chance, c.passage
		}
		a.Probability = max(a.Probability, 1/(1+math.Exp(-6*(c.facts[factSingle]-.5))))
	}
	return a
}
