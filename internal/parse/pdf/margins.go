package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// dropMargins removes what only frames the pages: lines that stand in the
// same place on most pages, but for their numbers, and page numbers. It needs
// three pages to be sure.
func dropMargins(pages []page) {
	if len(pages) < 3 {
		return
	}
	count := map[marginKey]int{}
	for _, p := range pages {
		seen := map[marginKey]bool{}
		p.eachEdge(func(l line) bool {
			if k := keyOf(l); !seen[k] {
				seen[k] = true
				count[k]++
			}
			return false
		})
	}
	need := max(3, len(pages)/2)
	for _, p := range pages {
		p.eachEdge(func(l line) bool { return count[keyOf(l)] >= need })
	}
}

// marginKey is a line without its numbers, and about where it stands.
type marginKey struct {
	text string
	y    int
}

func keyOf(l line) marginKey {
	text := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '#'
		}
		return r
	}, strings.ToLower(l.text()))
	for strings.Contains(text, "##") {
		text = strings.ReplaceAll(text, "##", "#")
	}
	return marginKey{text: text, y: int(math.Round(l.box.middle() / 6))}
}

// eachEdge shows the two highest and the two lowest lines of a page, and
// removes those for which drop is true.
func (p page) eachEdge(drop func(line) bool) {
	var ys []float64
	for _, r := range p.regions {
		for _, l := range r {
			ys = append(ys, l.box.middle())
		}
	}
	if len(ys) < 3 {
		return
	}
	slices.Sort(ys)
	low, high := ys[min(1, len(ys)-1)], ys[max(0, len(ys)-2)]
	for i, r := range p.regions {
		p.regions[i] = slices.DeleteFunc(r, func(l line) bool {
			y := l.box.middle()
			return (y <= low+0.5 || y >= high-0.5) && drop(l)
		})
	}
}
