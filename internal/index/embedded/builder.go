package embedded

import (
	"fmt"

	"kaoju/internal/index"
	"kaoju/internal/store"
)

// builder collects passages into a new segment.
type builder struct {
	seg   *segment
	lives *lives

	// What each passage says, in order: passage i has the pairs up to
	// pairEnds[i].
	pairTerm  []uint32
	pairCount []uint8
	pairEnds  []uint32
}

func newBuilder() *builder {
	return &builder{seg: &segment{facts: facts{tagStarts: []uint32{0}}}, lives: &lives{}}
}

func (b *builder) len() int { return b.seg.len() }

// fits reports whether a passage with a vector of dim values may come into
// the same segment. Passages without a vector fit everywhere.
func (b *builder) fits(dim int) bool {
	return b.len() < maxPassages && (dim == 0 || b.seg.dim == 0 || dim == b.seg.dim)
}

// add takes a passage whose id is not in here yet, and which fits.
func (b *builder) add(e store.StoredEntry, print uint64) error {
	planes, err := index.SplitVector(e.Vector)
	if err != nil {
		return fmt.Errorf("read the vector of chunk %s: %w", e.ChunkID, err)
	}
	if err := b.addTerms(e.Terms); err != nil {
		return fmt.Errorf("read the terms of chunk %s: %w", e.ChunkID, err)
	}
	b.seg.ids.add([]byte(e.ChunkID))
	b.seg.prints = append(b.seg.prints, print)
	b.seg.facts.add(e)
	b.seg.addVector(planes)
	b.lives.add(e.Lives)
	return nil
}

func (b *builder) addTerms(blob []byte) error {
	before := len(b.pairTerm)
	sum := 0
	err := index.EachTerm(blob, func(text []byte, eighths uint8) {
		b.pairTerm = append(b.pairTerm, b.seg.terms.add(text))
		b.pairCount = append(b.pairCount, eighths)
		sum += int(eighths)
	})
	if err != nil {
		b.pairTerm, b.pairCount = b.pairTerm[:before], b.pairCount[:before]
		return err
	}
	b.pairEnds = append(b.pairEnds, uint32(len(b.pairTerm)))
	b.seg.length = append(b.seg.length, float32(sum)/8)
	b.seg.total += float64(sum) / 8
	return nil
}

func (f *facts) add(e store.StoredEntry) {
	f.document = append(f.document, f.documents.add([]byte(e.DocumentID)))
	f.folder = append(f.folder, f.folders.add([]byte(e.FolderID)))
	f.kind = append(f.kind, uint16(f.types.add([]byte(e.Type))))
	for _, id := range e.TagIDs {
		f.tag = append(f.tag, f.tags.add([]byte(id)))
	}
	f.tagStarts = append(f.tagStarts, uint32(len(f.tag)))
}

// addVector appends the row of the passage that came last.
func (s *segment) addVector(p index.Planes) {
	if len(p.High) > 0 && s.dim == 0 {
		s.dim, s.stride = len(p.High), padded(len(p.High))
		s.high = make([]int8, (s.len()-1)*s.stride)
		s.low = make([]int8, (s.len()-1)*s.stride)
		s.scales = make([]float32, s.len()-1)
	}
	if s.dim == 0 {
		return
	}
	s.high = appendRow(s.high, p.High, s.stride)
	s.low = appendRow(s.low, p.Low, s.stride)
	s.scales = append(s.scales, p.Scale)
}

func appendRow(plane []int8, values []byte, stride int) []int8 {
	for _, v := range values {
		plane = append(plane, int8(v))
	}
	for range stride - len(values) {
		plane = append(plane, 0)
	}
	return plane
}

// finish sorts what was collected by term. The builder is used up.
func (b *builder) finish() part {
	s := b.seg
	s.starts = make([]uint32, s.terms.len()+1)
	for _, t := range b.pairTerm {
		s.starts[t+1]++
	}
	for t := range s.terms.len() {
		s.starts[t+1] += s.starts[t]
	}
	s.docs = make([]uint16, len(b.pairTerm))
	s.counts = make([]uint8, len(b.pairTerm))
	next := append([]uint32(nil), s.starts...)
	pair := uint32(0)
	for doc, end := range b.pairEnds {
		for ; pair < end; pair++ {
			at := next[b.pairTerm[pair]]
			s.docs[at], s.counts[at] = uint16(doc), b.pairCount[pair]
			next[b.pairTerm[pair]]++
		}
	}
	s.trim()
	return part{segment: s, lives: b.lives}
}

// trim gives back what appending reserved too much; it matters for the large
// blocks only.
func (s *segment) trim() {
	s.high = append(make([]int8, 0, len(s.high)), s.high...)
	s.low = append(make([]int8, 0, len(s.low)), s.low...)
	s.ids.trim()
	s.terms.trim()
}
