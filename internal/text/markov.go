package text

import "kaoju/internal/text/lexicon"

// impossible is more than any path costs, and small enough to be added to.
const impossible = 1 << 29

// before lists, for each state, the two states from which it can be reached.
var before = [4][2]int{
	lexicon.Begin:  {lexicon.End, lexicon.Single},
	lexicon.End:    {lexicon.Begin, lexicon.Middle},
	lexicon.Middle: {lexicon.Middle, lexicon.Begin},
	lexicon.Single: {lexicon.Single, lexicon.End},
}

// viterbi finds the likeliest sequence of states for the characters and adds
// the words that it spells.
func (g *segmenter) viterbi(cells []cell, from int) {
	n := len(cells)
	if cap(g.states) < n {
		g.states = make([][4]uint8, n+64)
	}
	back := g.states[:n]
	var costs [4]int
	for s := range costs {
		costs[s] = penalty(words.Start(s)) + emission(cells[0].code, s)
	}
	for i := 1; i < n; i++ {
		costs, back[i] = step(costs, cells[i].code)
	}
	state := lexicon.End
	if costs[lexicon.Single] < costs[lexicon.End] {
		state = lexicon.Single
	}
	path := g.next[:n] // no longer needed for this stretch
	for i := n - 1; i >= 0; i-- {
		path[i] = int32(state)
		state = int(back[i][state])
	}
	g.addGuesses(path, from)
}

func step(costs [4]int, code uint16) (next [4]int, back [4]uint8) {
	for s := range next {
		a, b := before[s][0], before[s][1]
		low, from := costs[a]+penalty(words.Transition(a, s)), a
		if other := costs[b] + penalty(words.Transition(b, s)); other < low {
			low, from = other, b
		}
		next[s], back[s] = low+emission(code, s), uint8(from)
	}
	return next, back
}

// penalty makes a stored probability of zero costlier than any path without.
func penalty(cost int) int {
	if cost == lexicon.Never {
		return impossible
	}
	return cost
}

// emission lets a character that the model does not know stand alone, and
// nowhere else.
func emission(code uint16, state int) int {
	cost := words.Emission(code, state)
	if cost == lexicon.Never && state == lexicon.Single {
		return cost
	}
	return penalty(cost)
}

func (g *segmenter) addGuesses(path []int32, from int) {
	start := 0
	for i, state := range path {
		if state == lexicon.End || state == lexicon.Single || i == len(path)-1 {
			g.pieces = append(g.pieces, piece{start: from + start, end: from + i + 1, guess: i > start})
			start = i + 1
		}
	}
}
