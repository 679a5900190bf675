package answer

import (
	"regexp"
	"strings"
	"testing"

	"kaoju/internal/core"
)

// Numbers, handles and references agree before, during and after the answer.
func TestSourcesKeepTheirNumbers(t *testing.T) {
	s := threeSources()
	for n := 1; n <= 3; n++ {
		byNumber, ok := s.ByNumber(n)
		if !ok || byNumber.Number != n {
			t.Fatalf("source %d: %+v", n, byNumber)
		}
		byHandle, ok := s.ByHandle(byNumber.Handle)
		if !ok || byHandle.ChunkID != byNumber.ChunkID {
			t.Errorf("handle %s opens %q, number %d opens %q", byNumber.Handle, byHandle.ChunkID, n, byNumber.ChunkID)
		}
	}
	for _, h := range []string{"", "c", "c0", "c4", "x1", "1", "c-1", "c99999999999999999999"} {
		if ref, ok := s.ByHandle(h); ok {
			t.Errorf("handle %q opens %+v", h, ref)
		}
	}
	final := s.Final([]int{2})
	if final[0].Number != 0 || final[1].Number != 2 || final[2].Number != 0 {
		t.Errorf("final numbers: %+v", final)
	}
}

func TestSourcesTakeAChunkOnce(t *testing.T) {
	s := NewSources()
	a := s.Add(core.Reference{ChunkID: "x", DocumentID: "d"}, "one")
	b := s.Add(core.Reference{ChunkID: "y", DocumentID: "d"}, "two")
	c := s.Add(core.Reference{ChunkID: "x", DocumentID: "d"}, "one")
	if a != "c1" || b != "c2" || c != a || s.Len() != 2 {
		t.Errorf("handles %s %s %s, %d sources", a, b, c, s.Len())
	}
}

// The complaints about citations, each as its reporter saw it.
func TestComplaints(t *testing.T) {
	run := func(s *Sources, model ...string) (string, *Expander) {
		x := NewExpander(s, core.CiteNumbers)
		var b strings.Builder
		for _, delta := range model {
			b.WriteString(x.Write(delta))
		}
		return b.String() + x.Flush(), x
	}
	t.Run("A15 each mark opens its own passage", func(t *testing.T) {
		s := threeSources()
		text, x := run(s, "一[1]。二[2]。三[3]。")
		for i, c := range Support(text, marksOf(text, s), s).Citations(s) {
			if ref, _ := s.ByNumber(c.Number); c.ChunkID != ref.ChunkID || c.Number != i+1 {
				t.Errorf("mark %d opens %s", c.Number, c.ChunkID)
			}
		}
		if len(x.Cited()) != 3 {
			t.Errorf("cited %v", x.Cited())
		}
	})
	t.Run("A16 marker and list agree", func(t *testing.T) {
		s := NewSources()
		data := s.Add(core.Reference{Document: "DATA"}, "the code is 7310")
		s.Add(core.Reference{Document: "NODATA"}, "nothing here")
		text, x := run(s, "The code is 7310.<ref id=\""+data+"\"/>")
		c := Support(text, marksOf(text, s), s).Citations(s)
		final := s.Final(x.Cited())
		if len(c) != 1 || c[0].Document != "DATA" || final[c[0].Number-1].Document != "DATA" || !strings.Contains(text, "[1]") {
			t.Errorf("%q, citations %+v, references %+v", text, c, final)
		}
	})
	t.Run("A19 no dead marks", func(t *testing.T) {
		text, _ := run(threeSources(), "a[c003]b[c0", "17]c[42]d")
		if text != "a[3]bcd" {
			t.Errorf("got %q", text)
		}
	})
	t.Run("A20 only what is cited counts", func(t *testing.T) {
		s := NewSources()
		for range 8 {
			s.Add(core.Reference{ChunkID: core.NewID()}, "text")
		}
		_, x := run(s, "fact[4]")
		numbered := 0
		for _, ref := range s.Final(x.Cited()) {
			if ref.Number > 0 {
				numbered++
			}
		}
		if numbered != 1 {
			t.Errorf("%d references count as cited", numbered)
		}
	})
	t.Run("A22 two passages of a file are told apart", func(t *testing.T) {
		s := NewSources()
		s.Add(core.Reference{ChunkID: "x", DocumentID: "d", Document: "f.md"}, "one")
		s.Add(core.Reference{ChunkID: "y", DocumentID: "d", Document: "f.md"}, "two")
		refs := s.Published()
		if refs[0].Number == refs[1].Number || refs[0].ChunkID == refs[1].ChunkID {
			t.Errorf("%+v", refs)
		}
	})
	t.Run("A23 no internal id", func(t *testing.T) {
		s := NewSources()
		id := core.NewID()
		handle := s.Add(core.Reference{ChunkID: id, DocumentID: core.NewID()}, "text")
		text, _ := run(s, "x<ref id=\""+handle+"\"/><kb chunk_id=\""+id+"\"/><ref id=\""+id+"\"/>")
		if handle == id || regexp.MustCompile(`[0-9a-f]{8}`).MatchString(text) {
			t.Errorf("handle %s, text %q", handle, text)
		}
	})
	t.Run("A25 nothing is lost at the end", func(t *testing.T) {
		for _, model := range [][]string{{"去窗口办理[1", "]"}, {"去窗口办理[1"}, {"去窗口办理<ref id=\"c1\"/"}, {"去窗口办理`x"}, {"去窗口办理。<"}} {
			text, _ := run(threeSources(), model...)
			if want := strings.Join(model, ""); text != want {
				t.Errorf("%q became %q", want, text)
			}
		}
	})
}
