package retrieve

import "strings"

// Part says which chunk a stretch of a passage's text comes from: the bytes
// [Start, End) of the text are the bytes of that chunk's content from Offset
// on. Parts of neighbours may share what both chunks hold.
type Part struct {
	ChunkID    string
	Start, End int // in the text that is shown
	Offset     int // in the content of the chunk
}

// parts gives the parts of f; a passage without any is its own chunk.
func (f Found) parts() []Part {
	if f.Parts != nil {
		return f.Parts
	}
	return []Part{{ChunkID: f.Chunk.ID, End: len(f.Text)}}
}

// Origin finds where the span [start, end) of a text comes from: the part that
// holds it, else the one that holds most of it, and the piece of the span that
// it holds. It is not ok where no part holds anything of the span: the glue
// between two chunks comes from none.
func Origin(parts []Part, start, end int) (from Part, cutStart, cutEnd int, ok bool) {
	for _, p := range parts {
		s, e := max(start, p.Start), min(end, p.End)
		if s < e && (!ok || e-s > cutEnd-cutStart) {
			from, cutStart, cutEnd, ok = p, s, e, true
		}
	}
	return from, cutStart, cutEnd, ok
}

// before puts the text of f before that of next: the text of both, and where
// it comes from.
func (f Found) before(next Found) (string, []Part) {
	j := joinTexts(f.Text, next.Text)
	var parts []Part
	for _, p := range f.parts() {
		if p.End = min(p.End, j.left); p.Start < p.End {
			parts = append(parts, p)
		}
	}
	for _, p := range next.parts() {
		if cut := j.cut - p.Start; cut > 0 {
			p.Start, p.Offset = p.Start+cut, p.Offset+cut
		}
		p.Start, p.End = p.Start+j.right-j.cut, p.End+j.right-j.cut
		if p.Start < p.End {
			parts = append(parts, p)
		}
	}
	return j.text, parts
}

// joint is a text made of two.
type joint struct {
	text  string
	left  int // bytes of the first that it begins with
	right int // where the second begins …
	cut   int // … with the byte at cut
}

// maxOverlap bounds the search for what two neighbours share, in bytes.
const maxOverlap = 1024

// joinTexts puts b after a, without what the end of a and the start of b
// share.
func joinTexts(a, b string) joint {
	for n := min(len(a), len(b), maxOverlap); n > 0; n-- {
		if a[len(a)-n:] == b[:n] {
			return joint{text: a + b[n:], left: len(a), right: len(a) - n}
		}
	}
	head, tail := strings.TrimRight(a, "\n"), strings.TrimLeft(b, "\n")
	return joint{text: head + "\n" + tail, left: len(head), right: len(head) + 1, cut: len(b) - len(tail)}
}
