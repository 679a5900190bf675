package retrieve

import (
	"strings"
	"testing"
)

// Whatever is joined and widened, each part of the text stands word for word
// in the chunk that it names, and nothing but the glue is of no part.
func TestPartsAreWordForWord(t *testing.T) {
	around := neighbours{
		piece("a", 0, 0, "第一段。共有的尾巴").Chunk, piece("b", 1, 0, "共有的尾巴。第二段\n").Chunk,
		piece("c", 2, 0, "\n\n第三段").Chunk, piece("d", 3, 0, "第四段 and more").Chunk,
	}
	found := func(i int, score float64) Found {
		return Found{Chunk: around[i], Text: around[i].Content, Score: score}
	}
	content := map[string]string{}
	for _, c := range around {
		content[c.ID] = c.Content
	}
	joined := JoinNeighbours([]Found{found(2, .5), found(0, .4), found(1, .9)}, MaxJoined)
	widened, err := Widen(t.Context(), []Found{found(1, .9), found(3, .2)}, ShortText, around)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(joined, widened...) {
		covered := make([]bool, len(f.Text))
		for _, p := range f.Parts {
			if want := content[p.ChunkID][p.Offset : p.Offset+p.End-p.Start]; f.Text[p.Start:p.End] != want {
				t.Errorf("%s: %q is not %q of the chunk", p.ChunkID, f.Text[p.Start:p.End], want)
			}
			for i := p.Start; i < p.End; i++ {
				covered[i] = true
			}
		}
		for i, ok := range covered {
			if !ok && f.Text[i] != '\n' {
				t.Errorf("%q: byte %d comes from nowhere", f.Text, i)
			}
		}
		if len(f.Parts) < 2 {
			t.Errorf("%q has parts %v", f.Text, f.Parts)
		}
	}
	if joined[0].Chunk.ID != "b" || !strings.HasPrefix(joined[0].Text, "第一段") {
		t.Errorf("joined to %q of %s", joined[0].Text, joined[0].Chunk.ID)
	}
}

func TestOrigin(t *testing.T) {
	parts := []Part{{"a", 0, 10, 0}, {"b", 6, 20, 0}, {"c", 21, 30, 4}}
	for _, c := range []struct {
		start, end int
		chunk      string
		cutStart   int
		cutEnd     int
		ok         bool
	}{
		{2, 8, "a", 2, 8, true},
		{7, 15, "b", 7, 15, true},
		{18, 29, "c", 21, 29, true},
		{20, 21, "", 0, 0, false},
		{5, 5, "", 0, 0, false},
	} {
		p, s, e, ok := Origin(parts, c.start, c.end)
		if p.ChunkID != c.chunk || s != c.cutStart || e != c.cutEnd || ok != c.ok {
			t.Errorf("[%d,%d) comes from %v [%d,%d) %t", c.start, c.end, p, s, e, ok)
		}
	}
	if f := piece("x", 0, 1, "text"); len(f.parts()) != 1 || f.parts()[0] != (Part{"x", 0, 4, 0}) {
		t.Errorf("a passage of its own has %v", f.parts())
	}
}
