package knowledge_test

import (
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

// A document is cut anew by the settings that its base has now, and found as
// it was until then.
func TestRechunk(t *testing.T) {
	o := newOffice(t)
	text := "# 参观\n\n" + strings.Repeat("参观者须在入口处出示证件，然后登记。", 40)
	d := o.add("", "a.md", text)
	before := o.lines(d.ID)
	_, err := o.ChangeBase(t.Context(), owner(), core.DefaultBaseName, knowledge.BaseChange{Chunking: &core.Chunking{Size: 60, Overlap: -1}})
	must(t, err)
	again, err := o.Rechunk(t.Context(), owner(), d.ID, false)
	must(t, err)
	o.settle(core.DefaultBaseName)
	after := o.lines(again.ID)
	if len(after) <= 2*len(before) {
		t.Errorf("%d passages, %d before", len(after), len(before))
	}
	for _, c := range after {
		if n := len([]rune(c.Content)); n > 60 {
			t.Errorf("a passage of %d characters", n)
		}
	}
}

// What people changed by hand is taken back only where they say so: an edit,
// a passage that was added, and one that was taken out. In a whole base such
// documents stay as they are.
func TestChangesByHandAreNotTakenBackUnasked(t *testing.T) {
	changes := map[string]func(o *office, d core.Document){
		"an edit": func(o *office, d core.Document) {
			_, err := o.EditChunk(o.t.Context(), owner(), o.lines(d.ID)[0].ID, "改过的文字")
			must(o.t, err)
		},
		"an addition": func(o *office, d core.Document) {
			_, err := o.AddChunk(o.t.Context(), owner(), d.ID, "补充的文字")
			must(o.t, err)
		},
		"a removal": func(o *office, d core.Document) {
			_, err := o.EditChunk(o.t.Context(), owner(), o.lines(d.ID)[0].ID, "")
			must(o.t, err)
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			d := o.add("", "a.md", "# 一\n\n甲的规定。\n\n# 二\n\n乙的规定。")
			o.add("", "b.md", "# 三\n\n丙的规定。")
			change(o, d)
			for _, again := range []func() (core.Document, error){
				func() (core.Document, error) { return o.Reparse(t.Context(), owner(), d.ID, false) },
				func() (core.Document, error) { return o.Rechunk(t.Context(), owner(), d.ID, false) },
			} {
				if _, err := again(); core.CodeOf(err) != core.CodeEdited || !strings.Contains(core.PublicMessage(err), "a.md") {
					t.Errorf("unasked: %v", err)
				}
			}
			done, err := o.RechunkBase(t.Context(), owner(), core.DefaultBaseName, false)
			if err != nil || done != (knowledge.Rechunked{Documents: 1, Kept: 1}) {
				t.Errorf("the base: %+v, %v", done, err)
			}
			o.settle(core.DefaultBaseName)
			again, err := o.Reparse(t.Context(), owner(), d.ID, true)
			must(t, err)
			o.settle(core.DefaultBaseName)
			if lines := o.lines(again.ID); len(lines) != 2 || lines[0].Content != "一\n\n甲的规定。" {
				t.Errorf("read again: %+v", lines)
			}
			if _, err := o.Reparse(t.Context(), owner(), again.ID, false); err != nil {
				t.Errorf("what nobody changed: %v", err)
			}
			o.settle(core.DefaultBaseName)
		})
	}
}

func TestEntriesAreNotCutAnew(t *testing.T) {
	o := newOffice(t)
	b, err := o.CreateBase(t.Context(), owner(), knowledge.NewBase{Name: "faq", Kind: core.BaseFAQ})
	must(t, err)
	if _, err := o.RechunkBase(t.Context(), owner(), b.ID, false); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("%v", err)
	}
}
