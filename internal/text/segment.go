package text

import "kaoju/internal/text/lexicon"

// maxRun bounds the length of one search for the best path; longer runs of
// Chinese without punctuation are cut there.
const maxRun = 4096

// piece is a Chinese word as an offset from the run's start. A guess comes
// from the Markov model and not from the dictionary.
type piece struct {
	start, end int
	guess      bool
}

// segmenter holds the scratch memory of the jieba algorithm.
type segmenter struct {
	best   []int32 // cost of the best path from each character to the end
	next   []int32 // end of the first word of that path
	pieces []piece
	states [][4]uint8
}

// segment cuts a run of Chinese characters into words. The result is valid
// until the next call.
func (g *segmenter) segment(cells []cell) []piece {
	g.pieces = g.pieces[:0]
	for from := 0; from < len(cells); from += maxRun {
		g.cut(cells[from:min(from+maxRun, len(cells))], from)
	}
	return g.pieces
}

// cut finds the cheapest path through the graph of dictionary words, and
// leaves stretches of single characters to the Markov model.
func (g *segmenter) cut(cells []cell, from int) {
	g.findPath(cells)
	loose := -1 // start of a stretch of single characters
	for i := 0; i < len(cells); {
		end := int(g.next[i])
		if end == i+1 {
			if loose < 0 {
				loose = i
			}
			i = end
			continue
		}
		if loose >= 0 {
			g.cutLoose(cells[loose:i], from+loose)
			loose = -1
		}
		g.pieces = append(g.pieces, piece{start: from + i, end: from + end})
		i = end
	}
	if loose >= 0 {
		g.cutLoose(cells[loose:], from+loose)
	}
}

func (g *segmenter) findPath(cells []cell) {
	n := len(cells)
	if cap(g.best) <= n {
		g.best, g.next = make([]int32, n+64), make([]int32, n+64)
	}
	best, next := g.best[:n+1], g.next[:n+1]
	best[n] = 0
	for i := n - 1; i >= 0; i-- {
		node, value, ok := words.Step(lexicon.Root, cells[i].code)
		if value == lexicon.Never {
			value = words.Unknown
		}
		low, end := int32(value)+best[i+1], i+1
		for j := i + 1; ok && node != 0 && j < n; j++ {
			node, value, ok = words.Step(node, cells[j].code)
			// On a tie the longer word wins, as in jieba.
			if value != lexicon.Never && int32(value)+best[j+1] <= low {
				low, end = int32(value)+best[j+1], j+1
			}
		}
		best[i], next[i] = low, int32(end)
	}
}

// cutLoose splits a stretch of single characters by the Markov model, which
// may join them again to rare words of the dictionary (长达, 所需).
func (g *segmenter) cutLoose(cells []cell, from int) {
	if len(cells) == 1 {
		g.pieces = append(g.pieces, piece{start: from, end: from + 1})
		return
	}
	g.viterbi(cells, from)
}

// isWord says whether the cells spell a word of the dictionary.
func isWord(cells []cell) bool {
	node, value := uint32(lexicon.Root), lexicon.Never
	for i, c := range cells {
		var ok bool
		if i > 0 && node == lexicon.Root {
			return false
		}
		if node, value, ok = words.Step(node, c.code); !ok {
			return false
		}
	}
	return value != lexicon.Never
}
