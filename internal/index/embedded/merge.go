package embedded

// compact keeps the number of parts logarithmic: the two youngest are merged
// while the older is not more than twice the younger, so that each passage is
// copied a logarithmic number of times. Parts that mostly hold withdrawn
// passages are rewritten without them.
func compact(parts []part) []part {
	for i, p := range parts {
		if 2*p.lives.gone > p.len() {
			parts[i] = merge(p)
		}
	}
	for n := len(parts); n >= 2 && worthMerging(parts[n-2], parts[n-1]); n = len(parts) {
		parts = append(parts[:n-2], merge(parts[n-2], parts[n-1]))
	}
	kept := parts[:0]
	for _, p := range parts {
		if p.len() > 0 {
			kept = append(kept, p)
		}
	}
	return kept
}

func worthMerging(older, younger part) bool {
	sameSpace := older.dim == younger.dim || older.dim == 0 || younger.dim == 0
	return sameSpace && older.len()+younger.len() <= maxPassages && older.len() <= 2*younger.len()
}

// merge makes one part of several, without the passages that are gone. All
// that have vectors have the same dim.
func merge(parts ...part) part {
	out := &segment{facts: facts{tagStarts: []uint32{0}}}
	for _, p := range parts {
		out.dim, out.stride = max(out.dim, p.dim), max(out.stride, p.stride)
	}
	held := &lives{}
	moved := make([][]int32, len(parts))
	for i, p := range parts {
		moved[i] = copyPassages(out, held, p)
	}
	mergePostings(out, parts, moved)
	return part{segment: out, lives: held}
}

// copyPassages appends what stands beside the postings, and gives the new
// number of each passage, or -1.
func copyPassages(out *segment, held *lives, p part) []int32 {
	moved := make([]int32, p.len())
	facts := factsCopier{from: &p.facts, to: &out.facts}
	for doc := range uint32(p.len()) {
		if p.lives.isGone(doc) {
			moved[doc] = -1
			continue
		}
		moved[doc] = int32(out.ids.add(p.ids.at(doc)))
		out.prints = append(out.prints, p.prints[doc])
		out.length = append(out.length, p.length[doc])
		out.total += float64(p.length[doc])
		facts.copy(doc)
		copyVector(out, p.segment, doc)
		held.add(p.lives.get(doc))
	}
	return moved
}

func copyVector(out, from *segment, doc uint32) {
	switch {
	case out.dim == 0:
	case from.dim == 0:
		out.high = append(out.high, make([]int8, out.stride)...)
		out.low = append(out.low, make([]int8, out.stride)...)
		out.scales = append(out.scales, 0)
	default:
		out.high = append(out.high, from.row(doc)...)
		out.low = append(out.low, from.lowRow(doc)...)
		out.scales = append(out.scales, from.scales[doc])
	}
}

// factsCopier copies facts between segments, whose numbering differs.
type factsCopier struct {
	from, to *facts
}

func (c factsCopier) copy(doc uint32) {
	f, t := c.from, c.to
	t.document = append(t.document, t.documents.add(f.documents.at(f.document[doc])))
	t.folder = append(t.folder, t.folders.add(f.folders.at(f.folder[doc])))
	t.kind = append(t.kind, uint16(t.types.add(f.types.at(uint32(f.kind[doc])))))
	for _, tag := range f.tagsOf(doc) {
		t.tag = append(t.tag, t.tags.add(f.tags.at(tag)))
	}
	t.tagStarts = append(t.tagStarts, uint32(len(t.tag)))
}

func mergePostings(out *segment, parts []part, moved [][]int32) {
	numbers := make([][]uint32, len(parts))
	var sizes []uint32
	for i, p := range parts {
		numbers[i], sizes = renumberTerms(out, p, moved[i], sizes)
	}
	out.starts = make([]uint32, len(sizes)+1)
	for t, n := range sizes {
		out.starts[t+1] = out.starts[t] + n
	}
	out.docs = make([]uint16, out.starts[len(sizes)])
	out.counts = make([]uint8, len(out.docs))
	next := sizes
	copy(next, out.starts)
	for i, p := range parts {
		for t, number := range numbers[i] {
			if number == noTerm {
				continue
			}
			docs, counts := p.postings(uint32(t))
			next[number] += out.place(next[number], docs, counts, moved[i])
		}
	}
}

const noTerm = ^uint32(0)

// renumberTerms gives each term of p its number in out, and adds the number
// of its kept postings to sizes. Terms that nothing kept says are left out.
func renumberTerms(out *segment, p part, moved []int32, sizes []uint32) (numbers, newSizes []uint32) {
	numbers = make([]uint32, p.terms.len())
	for t := range numbers {
		docs, _ := p.postings(uint32(t))
		kept := uint32(0)
		for _, doc := range docs {
			if moved[doc] >= 0 {
				kept++
			}
		}
		if kept == 0 {
			numbers[t] = noTerm
			continue
		}
		numbers[t] = out.terms.add(p.terms.at(uint32(t)))
		if int(numbers[t]) == len(sizes) {
			sizes = append(sizes, 0)
		}
		sizes[numbers[t]] += kept
	}
	return numbers, sizes
}

func (s *segment) place(at uint32, docs []uint16, counts []uint8, moved []int32) uint32 {
	placed := uint32(0)
	for i, doc := range docs {
		if moved[doc] < 0 {
			continue
		}
		s.docs[at+placed], s.counts[at+placed] = uint16(moved[doc]), counts[i]
		placed++
	}
	return placed
}
