package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"kaoju/internal/core"
)

// Sizes of merged texts, in characters.
const (
	ShortText = 350  // a shorter text is widened from its neighbours …
	wideText  = 850  // … up to this
	MaxJoined = 1600 // neighbours are joined up to the size of a parent
)

// LiftToParents gives children the text of their parents; parents holds those
// by id. The child stays what is cited: its id and span are kept. Of several
// children of one parent the best remains, and names the others as joined.
// Children whose parent is not in the map stay as they are.
func LiftToParents(items []Found, parents map[string]core.Chunk) []Found {
	at := map[string]int{}
	lifted := make([]Found, 0, len(items))
	for _, f := range SortTop(items, 0) {
		parent, ok := parents[f.Chunk.ParentID]
		if !ok || f.Chunk.ParentID == "" {
			lifted = append(lifted, f)
			continue
		}
		if i, again := at[parent.ID]; again {
			lifted[i] = lifted[i].joining(f)
			continue
		}
		at[parent.ID] = len(lifted)
		f.Text = parent.Content
		lifted = append(lifted, f)
	}
	return lifted
}

// joining notes that the text of other is in that of f.
func (f Found) joining(other Found) Found {
	f.Joined = append(f.Joined[:len(f.Joined):len(f.Joined)], other.Chunk.ID)
	f.Joined = append(f.Joined, other.Joined...)
	return f
}

// JoinNeighbours makes one passage of passages that follow each other in a
// document, up to most characters (MaxJoined suits). It keeps the best score and the chunk
// that has it, the text of all, and the ids of the others. Only running text
// is joined: rows and FAQ entries stand for themselves.
func JoinNeighbours(items []Found, most int) []Found {
	var joined, running []Found
	for _, f := range items {
		if f.runs() {
			running = append(running, f)
		} else {
			joined = append(joined, f)
		}
	}
	slices.SortStableFunc(running, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.Chunk.DocumentID, b.Chunk.DocumentID),
			cmp.Compare(a.Chunk.Type, b.Chunk.Type), cmp.Compare(a.Chunk.Index, b.Chunk.Index))
	})
	for from := 0; from < len(running); {
		to := runEnd(running, from, most)
		joined = append(joined, joinRun(running[from:to]))
		from = to
	}
	return SortTop(joined, 0)
}

// runs reports whether the passage is running text, as it stands in its
// document.
func (f Found) runs() bool {
	switch f.Chunk.Type {
	case core.ChunkText, core.ChunkParentText, core.ChunkWikiPage:
		return f.Text == f.Chunk.Content
	}
	return false
}

func runEnd(sorted []Found, from, most int) int {
	size := utf8.RuneCountInString(sorted[from].Text)
	to := from + 1
	for ; to < len(sorted); to++ {
		a, b := sorted[to-1].Chunk, sorted[to].Chunk
		size += utf8.RuneCountInString(b.Content)
		follows := a.DocumentID == b.DocumentID && a.Type == b.Type && b.Index-a.Index <= 1
		if !follows || size > most {
			break
		}
	}
	return to
}

func joinRun(run []Found) Found {
	if len(run) == 1 {
		return run[0]
	}
	top, all := SortTop(run, 1)[0], run[0]
	for i, f := range run {
		if i > 0 {
			all.Text, all.Parts = all.before(f)
		}
		if f.Chunk.ID != top.Chunk.ID {
			top = top.joining(f)
		}
	}
	top.Text, top.Parts = all.Text, all.Parts
	return top
}

// NeighbourReader reads the chunks of a document that are of one type and
// searchable, or are the parents of such, whose index lies in [from, to], in
// order.
type NeighbourReader interface {
	NeighbourChunks(ctx context.Context, documentID string, kind core.ChunkType, from, to int) ([]core.Chunk, error)
}

// Widen gives passages of running text that are shorter than below (ShortText
// suits) characters the text around them, up to 850: what follows first, then what stands
// before. Scores, ids and spans stay. Passages whose neighbours are among the
// items or already in a wider one may overlap then; DropContained sees to it.
func Widen(ctx context.Context, items []Found, below int, reader NeighbourReader) ([]Found, error) {
	wide := slices.Clone(items)
	for i, f := range wide {
		if !f.runs() || utf8.RuneCountInString(f.Text) >= below {
			continue
		}
		around, err := reader.NeighbourChunks(ctx, f.Chunk.DocumentID, f.Chunk.Type, f.Chunk.Index-1, f.Chunk.Index+1)
		if err != nil {
			return nil, fmt.Errorf("read the text around a passage: %w", err)
		}
		wide[i] = f.widened(around)
	}
	return wide, nil
}

func (f Found) widened(around []core.Chunk) Found {
	for _, step := range []int{1, -1} {
		for _, c := range around {
			if c.Index != f.Chunk.Index+step || c.Type != f.Chunk.Type {
				continue
			}
			beside := Found{Chunk: c, Text: c.Content}
			body, parts := f.before(beside)
			if step < 0 {
				body, parts = beside.before(f)
			}
			if utf8.RuneCountInString(body) <= wideText {
				f.Text, f.Parts = body, parts
				f = f.joining(beside)
			}
		}
	}
	return f
}
