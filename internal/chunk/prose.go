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

// proseUnits makes every piece of text[start:end] between separators a unit,
// or every sentence where it has none of them.
func (p *plan) proseUnits(index, start, end int) {
	p.separated(index, start, end, p.set.Separators)
}

// separated cuts text[start:end] behind the first of the separators that it
// has, and pieces that are longer than a child behind the others.
func (p *plan) separated(index, start, end int, separators []string) {
	for i, sep := range separators {
		if !strings.Contains(p.text[start:end], sep) {
			continue
		}
		for at := start; at < end; {
			next := end
			if n := strings.Index(p.text[at:end], sep); n >= 0 {
				next = at + n + len(sep)
			}
			if utf8.RuneCountInString(p.text[at:next]) > p.set.Child {
				p.separated(index, at, next, separators[i+1:])
			} else {
				p.pieceUnit(index, at, next)
			}
			at = next
		}
		return
	}
	if len(p.set.Separators) > 0 && utf8.RuneCountInString(p.text[start:end]) <= p.set.Child {
		p.pieceUnit(index, start, end)
		return
	}
	p.sentenceUnits(index, start, end)
}

// pieceUnit makes one unit of text[start:end], without the white space before
// it.
func (p *plan) pieceUnit(index, start, end int) {
	piece := p.text[start:end]
	start = end - len(strings.TrimLeftFunc(piece, unicode.IsSpace))
	p.add(unit{start: start, end: end, part: index, row: -1})
}

// sentenceUnits makes every sentence of text[start:end] a unit; one that is
// longer than a child is cut at commas, then at spaces, then anywhere.
func (p *plan) sentenceUnits(index, start, end int) {
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
