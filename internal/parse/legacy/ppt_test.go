package legacy

import (
	"context"
	"slices"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// atom and holder write records of a presentation.
func atom(kind uint16, values ...any) []byte {
	body := bytesOf(values...)
	return bytesOf(uint16(0), kind, uint32(len(body)), body)
}

func holder(kind, instance uint16, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return bytesOf(instance<<4|15, kind, uint32(len(body)), body)
}

// shape is a shape with a text of its own; a text of the outline is shown by
// its number.
func shape(kind uint32, text string) []byte {
	return holder(0xF004, 0, holder(recTextbox, 0, atom(recTextHeader, kind), atom(recTextChars, utf16le(text))))
}

func outlineShape(n uint32) []byte {
	return holder(0xF004, 0, holder(recTextbox, 0, atom(recOutlineRef, n)))
}

func slideOf(notesID uint32, shapes ...[]byte) []byte {
	drawing := holder(0x040C, 0, holder(0xF002, 0, holder(0xF003, 0, shapes...)))
	return holder(recSlide, 0, atom(recSlideAtom, make([]byte, 16), notesID, uint32(0)), drawing)
}

// showFile writes a presentation of two slides that was saved twice: the
// second edit has a newer first slide.
func showFile() []byte {
	const (
		documentID, firstID, secondID, notesID = 1, 2, 3, 4
		notesNumber                            = 77
	)
	persist := func(id uint32, number uint32) []byte {
		return atom(recPersistAtom, id, uint32(0), uint32(0), number, uint32(0))
	}
	document := holder(recDocument, 0,
		holder(recSlideList, 0,
			persist(firstID, 256), atom(recTextHeader, uint32(titleText)), atom(recTextChars, utf16le("安全培训")),
			atom(recTextHeader, uint32(1)), atom(recTextChars, utf16le("进入车间\r必须戴安全帽")),
			persist(secondID, 257), atom(recTextHeader, uint32(1)), atom(recTextBytes, "Emergency exit\vis on the left")),
		holder(recSlideList, 2, persist(notesID, notesNumber)))
	parts := [][]byte{
		document,
		slideOf(0, outlineShape(0), shape(4, "旧版本")),
		slideOf(0),
		holder(recNotes, 0, holder(0x040C, 0, shape(notesText, "提醒大家签到"), shape(4, "页脚"))),
	}
	stream, offsets := []byte{}, []uint32{}
	for _, p := range parts {
		offsets = append(offsets, uint32(len(stream)))
		stream = append(stream, p...)
	}
	edit := func(last uint32, table []byte) uint32 {
		at := uint32(len(stream))
		stream = append(stream, table...)
		here := uint32(len(stream))
		stream = append(stream, atom(recUserEdit, uint32(0), uint32(0), last, at, uint32(documentID), uint32(0), uint32(0))...)
		return here
	}
	first := edit(0, atom(recPersistTable, uint32(documentID|4<<20), offsets[0], offsets[1], offsets[2], offsets[3]))
	newer := uint32(len(stream))
	stream = append(stream, slideOf(notesNumber, outlineShape(0), outlineShape(1), shape(4, "联系电话 8012"))...)
	last := edit(first, atom(recPersistTable, uint32(firstID|1<<20), newer))
	user := atom(0x0FF6, uint32(20), uint32(0xE391C05F), last)
	return container(named{"Current User", user}, named{"PowerPoint Document", stream})
}

// TestPPTReadsTheNewestSlides has titles and texts kept in the outline, texts
// of shapes, notes, and a slide that a later save replaced.
func TestPPTReadsTheNewestSlides(t *testing.T) {
	doc, err := PPT{}.Read(t.Context(), parse.Input{Data: showFile()}, parse.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := []parse.Block{
		{Kind: parse.Heading, Level: 1, Text: "安全培训", Page: 1},
		{Kind: parse.Paragraph, Text: "进入车间\n必须戴安全帽", Page: 1},
		{Kind: parse.Paragraph, Text: "联系电话 8012", Page: 1},
		{Kind: parse.Paragraph, Text: "※ 提醒大家签到", Page: 1},
		{Kind: parse.Heading, Level: 1, Text: "Slide 2", Page: 2},
		{Kind: parse.Paragraph, Text: "Emergency exit\nis on the left", Page: 2},
	}
	same := func(a, b parse.Block) bool {
		return a.Kind == b.Kind && a.Level == b.Level && a.Text == b.Text && a.Page == b.Page
	}
	if !slices.EqualFunc(doc.Blocks, want, same) || doc.Title != "安全培训" || doc.Format != parse.FormatPPT {
		t.Errorf("title %q, blocks\n%+v\nwant\n%+v", doc.Title, doc.Blocks, want)
	}
}

func TestPPTRefusals(t *testing.T) {
	user := func(token uint32) []byte { return atom(0x0FF6, uint32(20), token, uint32(0)) }
	for _, c := range []struct {
		name string
		data []byte
		want core.Code
	}{
		{"password", container(named{"Current User", user(encryptedUser)}, named{"PowerPoint Document", nil}), core.CodeEncrypted},
		{"no document", container(named{"Current User", user(0)}, named{"PowerPoint Document", nil}), core.CodeCorrupt},
		{"no user", container(named{"PowerPoint Document", nil}), core.CodeCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := (PPT{}).Read(t.Context(), parse.Input{Data: c.data}, parse.Limits{}); core.CodeOf(err) != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestPPTStaysWithinLimits(t *testing.T) {
	_, err := PPT{}.Read(t.Context(), parse.Input{Data: showFile()}, parse.Limits{MaxText: 10})
	if core.CodeOf(err) != core.CodeTooLarge {
		t.Errorf("got %v, want it called too large", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (PPT{}).Read(ctx, parse.Input{Data: showFile()}, parse.Limits{}); err == nil {
		t.Error("a cancelled reading ended without an error")
	}
}

// FuzzPPT reads anything without a panic and with errors that name a reason.
func FuzzPPT(f *testing.F) {
	f.Add(showFile())
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := (PPT{}).Read(t.Context(), parse.Input{Data: data}, parse.Limits{}); err != nil && core.CodeOf(err) == core.CodeInternal {
			t.Errorf("no reason: %v", err)
		}
	})
}
