package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/text"
)

// tiny is the length up to which a "sentence" is only the mark of the next:
// "1." or "a)".
const tiny = 4

// proseUnits makes every sentence of text[start:end] a unit; one that is
// longer than a child is cut at commas, then at spaces, then anywhere.
func (p *plan) proseUnits(index, start, end int) {
	from := -1
	for _, s := range text.Sentences(p.text[start:end]) {
		if from < 0 {
			from = s.Start
		}
		piece := p.text[start+from : start+s.End]
		if utf8.RuneCountInString(piece) <= tiny && !endsHard(piece) {
			continue
		}
		p.sentence(index, start+from, start+s.End)
		from = -1
	}
	if from >= 0 {
		p.sentence(index, start+from, end)
	}
}

func endsHard(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune("。！？!?；;", r)
}

func (p *plan) sentence(index, start, end int) {
	for _, c := range cuts(p.text[start:end], p.set.Child) {
		p.add(unit{start: start + c[0], end: start + c[1], part: index, row: -1})
	}
}

// cuts divides s into ranges of at most limit characters each: behind the
// last comma, else the last space, of the second half of each piece, else at
// the limit.
func cuts(s string, limit int) [][2]int {
	var out [][2]int
	start := 0
	for {
		end, comma, space, n := len(s), 0, 0, 0
		for i, r := range s[start:] {
			if n == limit {
				end = start + i
				break
			}
			n++
			after := start + i + utf8.RuneLen(r)
			switch {
			case n < limit/2:
			case strings.ContainsRune("，,、：:；;|", r):
				comma = after
			case unicode.IsSpace(r):
				space = after
			}
		}
		if end == len(s) {
			return append(out, [2]int{start, end})
		}
		if comma > start {
			end = comma
		} else if space > start {
			end = space
		}
		out = append(out, [2]int{start, end})
		start = end
	}
}
