package embedded

import (
	"math"

	"kaoju/internal/core"
)

// maxPassages is the size of the largest segment: passages are numbered in 16
// bits, and an accumulator of that many scores stays in a core's cache.
const maxPassages = 1 << 16

// forever stands for the end of an interval that is still open.
const forever = math.MaxInt64

// segment is an immutable part of a base: its passages, numbered from 0, and
// everything that finds them. What changes later, the lives, stands apart in
// a part.
type segment struct {
	ids    dict // chunk ids; a passage's number is that of its id
	prints []uint64
	length []float32 // weighted number of terms

	terms  dict
	starts []uint32 // postings of term t are [starts[t], starts[t+1])
	docs   []uint16
	counts []uint8 // weighted frequency in eighths

	facts facts

	dim    int // 0: no vectors here
	stride int
	high   []int8 // stride values a passage
	low    []int8
	scales []float32

	total float64 // of length
}

// facts are what filters ask for.
type facts struct {
	documents, folders, tags, types dict

	document, folder []uint32
	kind             []uint16
	tagStarts        []uint32
	tag              []uint32
}

func (s *segment) len() int { return s.ids.len() }

func (s *segment) postings(term uint32) ([]uint16, []uint8) {
	from, to := s.starts[term], s.starts[term+1]
	return s.docs[from:to], s.counts[from:to]
}

func (s *segment) row(doc uint32) []int8 {
	at := int(doc) * s.stride
	return s.high[at : at+s.stride]
}

// rows gives the rows of n passages that follow each other.
func (s *segment) rows(doc uint32, n int) []int8 {
	at := int(doc) * s.stride
	return s.high[at : at+n*s.stride]
}

func (s *segment) lowRow(doc uint32) []int8 {
	at := int(doc) * s.stride
	return s.low[at : at+s.stride]
}

func (f *facts) tagsOf(doc uint32) []uint32 {
	return f.tag[f.tagStarts[doc]:f.tagStarts[doc+1]]
}

// lives says at which versions each passage of a segment is there. Nearly all
// have one interval; the others are in more. A passage without any interval
// was replaced or withdrawn.
type lives struct {
	since, until []int64
	more         map[uint32][]core.Interval
	gone         int // passages without any interval
}

func (l *lives) holds(doc uint32, version int64) bool {
	if l.since[doc] <= version && version < l.until[doc] {
		return true
	}
	if l.more == nil {
		return false
	}
	for _, i := range l.more[doc] {
		if i.Holds(version) {
			return true
		}
	}
	return false
}

func (l *lives) clone() *lives {
	c := &lives{
		since: append([]int64(nil), l.since...),
		until: append([]int64(nil), l.until...),
		gone:  l.gone,
	}
	if len(l.more) > 0 {
		c.more = make(map[uint32][]core.Interval, len(l.more))
		for doc, all := range l.more {
			c.more[doc] = all
		}
	}
	return c
}

func (l *lives) add(all []core.Interval) {
	l.since = append(l.since, 0)
	l.until = append(l.until, 0)
	l.gone++
	l.set(uint32(len(l.since)-1), all)
}

func (l *lives) set(doc uint32, all []core.Interval) {
	if l.isGone(doc) {
		l.gone--
	}
	l.since[doc], l.until[doc] = 0, 0
	delete(l.more, doc)
	if len(all) == 0 {
		l.gone++
		return
	}
	// The last interval is the one that most searches ask for.
	last := all[len(all)-1]
	l.since[doc], l.until[doc] = last.Since, last.Until
	if last.Until == 0 {
		l.until[doc] = forever
	}
	if len(all) > 1 {
		if l.more == nil {
			l.more = map[uint32][]core.Interval{}
		}
		l.more[doc] = all[: len(all)-1 : len(all)-1]
	}
}

func (l *lives) isGone(doc uint32) bool { return l.until[doc] == 0 }

// get gives the intervals of a passage, in order.
func (l *lives) get(doc uint32) []core.Interval {
	if l.isGone(doc) {
		return nil
	}
	last := core.Interval{Since: l.since[doc], Until: l.until[doc]}
	if last.Until == forever {
		last.Until = 0
	}
	before := l.more[doc]
	return append(before[:len(before):len(before)], last)
}

// part is a segment with its lives, as one snapshot sees it.
type part struct {
	*segment
	lives *lives
}

// snapshot is a base at one moment. It never changes.
type snapshot struct {
	baseID string
	parts  []part // oldest first
	seen   int64  // the newest version that changed a passage in here
	// asked is the newest version that a search looked for. A version that
	// changed no passage leaves no trace in the entries; noting it saves the
	// next search from asking again.
	asked int64
}

func (s *snapshot) knows(version int64) bool {
	return s != nil && version <= max(s.seen, s.asked)
}

func (s *snapshot) passages() (count int, length float64) {
	for _, p := range s.parts {
		count += p.len() - p.lives.gone
		length += p.total
	}
	return count, length
}
