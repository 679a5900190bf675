package chunk

import (
	"slices"
	"unicode/utf8"

	"kaoju/internal/core"
)

// span is a group of drafts, [from, to), that share a parent.
type span struct{ from, to int }

// group puts neighbouring children into parents.
func (p *plan) group(drafts []draft) []span {
	var out []span
	for from := 0; from < len(drafts); {
		size := p.runes(drafts[from].start, drafts[from].end)
		to := from + 1
		for ; to < len(drafts); to++ {
			size += p.runes(drafts[to-1].end, max(drafts[to].end, drafts[to-1].end))
			if !p.joins(drafts, from, to, size) {
				break
			}
		}
		out = append(out, span{from, to})
		from = to
	}
	return out
}

// joins reports whether child to goes into the parent that starts at child
// from and has size characters with it. Pieces of one row always do. A section
// or block that would fit into a parent of its own, but not into what is left
// of this one, starts a new one.
func (p *plan) joins(drafts []draft, from, to, size int) bool {
	first, d := drafts[from], drafts[to]
	if d.from == drafts[to-1].from {
		return true
	}
	a, b := p.parts[p.units[first.from].part], p.parts[p.units[d.to-1].part]
	if a.sheet != b.sheet || a.section != b.section && !sameTop(a.path, b.path) || size > p.set.Parent {
		return false
	}
	whole := p.wholeEnd(drafts, to)
	if whole <= d.end {
		return true
	}
	return size+p.runes(d.end, whole) <= p.set.Parent || p.runes(d.start, whole) > p.set.Parent
}

func (p *plan) runes(start, end int) int { return utf8.RuneCountInString(p.text[start:end]) }

func sameTop(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return a[0] == b[0]
}

// wholeEnd is where the section that starts with child d ends, if it starts
// there, else the end of the last block that starts in it.
func (p *plan) wholeEnd(drafts []draft, at int) int {
	d := drafts[at]
	section := p.section(d.to - 1)
	if p.section(drafts[at-1].to-1) != section {
		end := d.end
		for i := at; i < len(drafts) && p.section(drafts[i].to-1) == section; i++ {
			end = drafts[i].end
		}
		return end
	}
	end := d.end
	for _, u := range p.units[d.from:d.to] {
		if u.first && !p.parts[u.part].rows {
			end = max(end, p.parts[u.part].end)
		}
	}
	return end
}

// parent writes the parent of some children.
func (p *plan) parent(drafts []draft, index int) core.Chunk {
	first, last := drafts[0], drafts[len(drafts)-1]
	pt := p.parts[p.units[first.from].part]
	path := p.parts[p.units[first.to-1].part].path
	for _, d := range drafts[1:] {
		path = commonPath(path, p.parts[p.units[d.to-1].part].path)
	}
	start, end := first.start, last.end
	for _, d := range drafts {
		start, end = min(start, d.start), max(end, d.end)
	}
	return core.Chunk{
		Type: core.ChunkParentText, Index: index, Start: start, End: end,
		Content:  p.repeated(first.from) + p.text[start:end],
		Headings: slices.Clone(path), Page: pt.page, Sheet: pt.sheet,
	}
}

func commonPath(a, b []string) []string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
