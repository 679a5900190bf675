package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
)

// Sizes of merged texts, in characters.
const (
	shortText = 350  // a shorter text is widened from its neighbours …
	wideText  = 850  // … up to this
	maxJoined = 1600 // neighbours are joined up to the size of a parent
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
// document, up to the size of a parent. It keeps the best score and the chunk
// that has it, the text of all, and the ids of the others. Only running text
// is joined: rows and FAQ entries stand for themselves.
func JoinNeighbours(items []Found) []Found {
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
		to := runEnd(running, from)
		joined = append(joined, joinRun(running[from:to]))
		from = to
	}
	return SortTop(joined, 0)
}

// runs reports whether the passage is running text, as it stands in its
// document.
func (f Found) runs() bool {
	return (f.Chunk.Type == core.ChunkText || f.Chunk.Type == core.ChunkWikiPage) && f.Text == f.Chunk.Content
}

func runEnd(sorted []Found, from int) int {
	size := utf8.RuneCountInString(sorted[from].Text)
	to := from + 1
	for ; to < len(sorted); to++ {
		a, b := sorted[to-1].Chunk, sorted[to].Chunk
		size += utf8.RuneCountInString(b.Content)
		follows := a.DocumentID == b.DocumentID && a.Type == b.Type && b.Index-a.Index <= 1
		if !follows || size > maxJoined {
			break
		}
	}
	return to
}

func joinRun(run []Found) Found {
	if len(run) == 1 {
		return run[0]
	}
	top := SortTop(run, 1)[0]
	body := ""
	for i, f := range run {
		if i == 0 {
			body = f.Text
		} else {
			body = joinTexts(body, f.Text)
		}
		if f.Chunk.ID != top.Chunk.ID {
			top = top.joining(f)
		}
	}
	top.Text = body
	return top
}

// maxOverlap bounds the search for what two neighbours share, in bytes.
const maxOverlap = 1024

// joinTexts puts b after a, without what the end of a and the start of b
// share.
func joinTexts(a, b string) string {
	for n := min(len(a), len(b), maxOverlap); n > 0; n-- {
		if a[len(a)-n:] == b[:n] {
			return a + b[n:]
		}
	}
	return strings.TrimRight(a, "\n") + "\n" + strings.TrimLeft(b, "\n")
}

// NeighbourReader reads the searchable chunks of a document whose index lies
// in [from, to], in order.
type NeighbourReader interface {
	NeighbourChunks(ctx context.Context, documentID string, from, to int) ([]core.Chunk, error)
}

// Widen gives passages of running text that are shorter than 350 characters
// the text around them, up to 850: what follows first, then what stands
// before. Scores, ids and spans stay.
func Widen(ctx context.Context, items []Found, reader NeighbourReader) ([]Found, error) {
	wide := slices.Clone(items)
	for i, f := range wide {
		if !f.runs() || utf8.RuneCountInString(f.Text) >= shortText {
			continue
		}
		around, err := reader.NeighbourChunks(ctx, f.Chunk.DocumentID, f.Chunk.Index-1, f.Chunk.Index+1)
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
			body := joinTexts(f.Text, c.Content)
			if step < 0 {
				body = joinTexts(c.Content, f.Text)
			}
			if utf8.RuneCountInString(body) <= wideText {
				f.Text = body
				f = f.joining(Found{Chunk: c})
			}
		}
	}
	return f
}
