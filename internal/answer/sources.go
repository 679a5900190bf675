package answer

import (
	"slices"
	"strconv"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/retrieve"
	"kaoju/internal/text"
)

// Sources is the register of what a turn's prompt shows to the model. A
// source is known to the model by its handle (c1, c2 …, w3 where it is a page
// of the web) and to the user by its number (1, 2 …): both count the evidence in prompt order, so a number
// is fixed before the first token and never changes afterwards. The ids of
// the store never reach the model.
type Sources struct {
	entries []source
	byChunk map[string]int // chunk id → position
}

type source struct {
	ref     core.Reference
	content string
	parts   []retrieve.Part // of content; nil where it is the chunk's own
}

// NewSources makes an empty register.
func NewSources() *Sources {
	return &Sources{byChunk: map[string]int{}}
}

// Add registers a source with the text that the model reads of it and gives
// its handle. Number and Handle of ref are set here. A chunk that is already
// registered keeps the handle that it has: one passage is one source. parts
// say where the text comes from, where it is not the chunk's alone.
func (s *Sources) Add(ref core.Reference, content string, parts ...retrieve.Part) string {
	if at, ok := s.byChunk[ref.ChunkID]; ok && ref.ChunkID != "" {
		return s.entries[at].ref.Handle
	}
	s.byChunk[ref.ChunkID] = len(s.entries)
	ref.Number = len(s.entries) + 1
	ref.Handle = kindOf(ref) + strconv.Itoa(ref.Number)
	s.entries = append(s.entries, source{ref: ref, content: content, parts: parts})
	return ref.Handle
}

// kindOf is the letter of a source's handle.
func kindOf(ref core.Reference) string {
	if ref.Type == core.ChunkWebSearch {
		return "w"
	}
	return "c"
}

// Len is the number of sources.
func (s *Sources) Len() int { return len(s.entries) }

// ByNumber gives the source with the number that the user sees.
func (s *Sources) ByNumber(n int) (core.Reference, bool) {
	if n < 1 || n > len(s.entries) {
		return core.Reference{}, false
	}
	return s.entries[n-1].ref, true
}

// ByHandle gives the source with the handle that the model saw. Models pad
// handles ("c003"): leading zeros do not count.
func (s *Sources) ByHandle(handle string) (core.Reference, bool) {
	return s.ByNumber(handleNumber([]byte(strings.TrimSpace(handle))))
}

// origin gives the chunk that a span of source n comes from, the piece of the
// span that is in it, and where that begins in the chunk.
func (s *Sources) origin(n int, span text.Span) (chunkID string, piece text.Span, at int) {
	e := s.entries[n-1]
	if part, start, end, ok := retrieve.Origin(e.parts, span.Start, span.End); ok {
		return part.ChunkID, text.Span{Start: start, End: end}, part.Offset + start - part.Start
	}
	if len(e.parts) > 0 { // between two chunks, or nothing
		return e.ref.ChunkID, text.Span{}, 0
	}
	return e.ref.ChunkID, span, span.Start
}

// Content gives the text of source n, empty where there is no such source.
func (s *Sources) Content(n int) string {
	if n < 1 || n > len(s.entries) {
		return ""
	}
	return s.entries[n-1].content
}

// Published gives the references as they are shown before the answer: all
// of them numbered, since any may be cited.
func (s *Sources) Published() []core.Reference {
	refs := make([]core.Reference, len(s.entries))
	for i, e := range s.entries {
		refs[i] = e.ref
	}
	return refs
}

// Final gives the references as they are stored with the answer: what the
// answer does not cite has number 0 and is "also found". The numbers of the
// others are those that were published.
func (s *Sources) Final(cited []int) []core.Reference {
	refs := s.Published()
	for i := range refs {
		if !slices.Contains(cited, refs[i].Number) {
			refs[i].Number = 0
		}
	}
	return refs
}
