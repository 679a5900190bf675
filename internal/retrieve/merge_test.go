package retrieve

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"kaoju/internal/core"
)

func TestLiftToParents(t *testing.T) {
	child := func(id, parent string, score float64) Found {
		f := piece(id, 0, score, "child "+id)
		f.Chunk.ParentID, f.Chunk.Start, f.Chunk.End = parent, 10, 20
		return f
	}
	parents := map[string]core.Chunk{"p": {ID: "p", Content: "the whole section"}}
	got := LiftToParents([]Found{
		child("a", "p", .5), child("b", "p", .9), child("c", "missing", .7), child("d", "", .6),
	}, parents)
	wantIDs(t, got, "b", "c", "d")
	if got[0].Text != "the whole section" || got[0].Score != .9 || got[0].Chunk.Start != 10 || got[0].Chunk.Content != "child b" {
		t.Errorf("lifted to %+v", got[0])
	}
	if !slices.Equal(got[0].Joined, []string{"a"}) || got[1].Text != "child c" {
		t.Errorf("joined %v, orphan %q", got[0].Joined, got[1].Text)
	}
}

func TestJoinNeighbours(t *testing.T) {
	row := piece("row", 3, .3, "row")
	row.Chunk.Type = core.ChunkTableRow
	lifted := piece("lifted", 4, .2, "child")
	lifted.Text = "parent"
	elsewhere := piece("elsewhere", 2, .1, "else")
	elsewhere.Chunk.DocumentID = "other"
	got := JoinNeighbours([]Found{
		piece("c", 2, .4, "two three"), row, piece("a", 0, .6, "zero one"), piece("b", 1, .9, "one two"), lifted,
		piece("far", 9, .5, "nine"), elsewhere,
	}, MaxJoined)
	wantIDs(t, got, "b", "far", "row", "lifted", "elsewhere")
	if got[0].Text != "zero one two three" || got[0].Chunk.Content != "one two" || got[0].Score != .9 {
		t.Errorf("joined to %+v", got[0])
	}
	if !slices.Equal(got[0].Joined, []string{"a", "c"}) {
		t.Errorf("joined ids %v", got[0].Joined)
	}
}

func TestJoinNeighboursStopsAtParentSize(t *testing.T) {
	var items []Found
	for i := range 9 {
		items = append(items, piece(string(rune('a'+i)), i, .5, strings.Repeat(string(rune('甲'+i)), 400)))
	}
	got := JoinNeighbours(items, MaxJoined)
	if len(got) != 3 {
		t.Errorf("9 × 400 characters became %d passages, want 3", len(got))
	}
	for _, f := range got {
		if n := utf8.RuneCountInString(f.Text); n > MaxJoined+8 {
			t.Errorf("%s has %d characters", f.Chunk.ID, n)
		}
	}
}

func TestJoinTexts(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"abc", "cde", "abcde"},
		{"abc", "xyz", "abc\nxyz"},
		{"一二三", "三四", "一二三四"},
		{"same", "same", "same"},
		{"", "b", "\nb"},
		{"a\n", "\nb", "a\n\nb"[:2] + "b"},
	} {
		if got := joinTexts(c.a, c.b).text; got != c.want {
			t.Errorf("%q + %q = %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

type neighbours []core.Chunk

func (n neighbours) NeighbourChunks(_ context.Context, documentID string, _ core.ChunkType, from, to int) ([]core.Chunk, error) {
	var out []core.Chunk
	for _, c := range n {
		if c.DocumentID == documentID && from <= c.Index && c.Index <= to {
			out = append(out, c)
		}
	}
	return out, nil
}

func TestWiden(t *testing.T) {
	text := func(r rune, n int) string { return strings.Repeat(string(r), n) }
	around := neighbours{
		piece("before", 0, 0, text('前', 300)).Chunk, piece("self", 1, 0, text('中', 200)).Chunk,
		piece("after", 2, 0, text('后', 300)).Chunk, piece("big", 4, 0, text('大', 800)).Chunk,
	}
	long := piece("long", 1, .8, text('长', 350))
	beside := piece("beside", 3, .5, text('旁', 100))
	row := piece("row", 1, .4, "short")
	row.Chunk.Type = core.ChunkTableRow
	got, err := Widen(t.Context(), []Found{piece("self", 1, .9, text('中', 200)), long, beside, row}, ShortText, around)
	if err != nil {
		t.Fatal(err)
	}
	if n := utf8.RuneCountInString(got[0].Text); n != 802 || got[0].Score != .9 || got[0].Chunk.Content != text('中', 200) {
		t.Errorf("widened to %d characters: %+v", n, got[0].Chunk)
	}
	if !slices.Equal(got[0].Joined, []string{"after", "before"}) {
		t.Errorf("joined %v", got[0].Joined)
	}
	if got[1].Text != long.Text || got[3].Text != "short" {
		t.Error("a long passage or a row was widened")
	}
	if strings.Contains(got[2].Text, "大") || !strings.HasPrefix(got[2].Text, "后") {
		t.Errorf("%q: the neighbour that is too large must stay out", got[2].Text)
	}
}

type unreadable struct{}

func (unreadable) NeighbourChunks(context.Context, string, core.ChunkType, int, int) ([]core.Chunk, error) {
	return nil, errors.New("no disk")
}

func TestWidenReportsErrors(t *testing.T) {
	if _, err := Widen(t.Context(), []Found{piece("a", 0, 1, "short")}, ShortText, unreadable{}); err == nil {
		t.Error("an unreadable store gives no error")
	}
}
