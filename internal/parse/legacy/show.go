package legacy

import (
	"slices"

	"kaoju/internal/core"
)

// Records of a presentation, by [MS-PPT] 2.13.24.
const (
	recDocument     = 0x03E8
	recSlide        = 0x03EE
	recSlideAtom    = 0x03EF
	recNotes        = 0x03F0
	recPersistAtom  = 0x03F3
	recOutlineRef   = 0x0F9E
	recTextHeader   = 0x0F9F
	recTextChars    = 0x0FA0
	recTextBytes    = 0x0FA8
	recSlideList    = 0x0FF0
	recUserEdit     = 0x0FF5
	recPersistTable = 0x1772
	recTextbox      = 0xF00D
	encryptedUser   = 0xF3D1C4DF
)

// Kinds of text on a slide, by [MS-PPT] TextTypeEnum.
const (
	titleText       = 0
	notesText       = 2
	centerTitleText = 6
)

// Bounds against files that point in circles.
const (
	maxEdits  = 1000
	maxNested = 32
)

// show is an opened presentation.
type show struct {
	data   []byte
	at     map[uint32]int // id of a stored object → where its newest version lies
	slides []slide
	noted  map[uint32]int // id of a notes page → where it lies
}

// slide is one slide: where it lies, and the texts that the outline keeps for it.
type slide struct {
	at      int
	outline []slideText
}

// slideText is a text of a slide with its kind.
type slideText struct {
	kind uint32
	text string
}

func (t slideText) isTitle() bool { return t.kind == titleText || t.kind == centerTitleText }

// pptRecord is one record: a container where its version is 15.
type pptRecord struct {
	kind     int
	instance int
	holds    bool
	body     []byte
}

// recordAt reads the record at a place. A record that is cut off has the body
// that there is.
func recordAt(data []byte, at int) (rec pptRecord, next int, ok bool) {
	if at < 0 || at+8 > len(data) {
		return pptRecord{}, 0, false
	}
	head := u16(data, at)
	size := int(u32(data, at+4))
	from := at + 8
	to := min(from+size, len(data))
	if size < 0 || to < from {
		return pptRecord{}, 0, false
	}
	return pptRecord{kind: u16(data, at+2), instance: head >> 4, holds: head&15 == 15, body: data[from:to]}, to, true
}

// each calls visit for the records that lie directly in body.
func each(body []byte, visit func(pptRecord)) {
	for at := 0; ; {
		rec, next, ok := recordAt(body, at)
		if !ok {
			return
		}
		visit(rec)
		at = next
	}
}

// openShow finds the newest version of each object: a file that was saved
// quickly holds older ones, too.
func openShow(data, user []byte) (*show, error) {
	if u32(user, 12) == encryptedUser {
		return nil, locked()
	}
	s := &show{data: data, at: map[uint32]int{}, noted: map[uint32]int{}}
	document, ok := s.objects(int(u32(user, 16)))
	if !ok {
		return nil, core.Errorf(core.CodeCorrupt, "the presentation is damaged: its last version cannot be found; open it in PowerPoint and save it as .pptx")
	}
	each(document.body, func(rec pptRecord) {
		switch {
		case rec.kind == recSlideList && rec.instance == 0:
			s.listed(rec.body)
		case rec.kind == recSlideList && rec.instance == 2:
			s.listNotes(rec.body)
		}
	})
	return s, nil
}

// objects follows the edits from the last to the first and gives the document.
func (s *show) objects(at int) (document pptRecord, ok bool) {
	var id uint32
	for range maxEdits {
		edit, _, found := recordAt(s.data, at)
		if !found || edit.kind != recUserEdit {
			break
		}
		if id == 0 {
			id = u32(edit.body, 16)
		}
		s.table(int(u32(edit.body, 12)))
		if at = int(u32(edit.body, 8)); at == 0 {
			break
		}
	}
	place, found := s.at[id]
	if !found {
		return pptRecord{}, false
	}
	document, _, ok = recordAt(s.data, place)
	return document, ok && document.kind == recDocument
}

// table reads where one edit put its objects. Edits are read from the newest,
// so that the first place of an object counts.
func (s *show) table(at int) {
	rec, _, ok := recordAt(s.data, at)
	if !ok || rec.kind != recPersistTable {
		return
	}
	for p := 0; p+4 <= len(rec.body); {
		head := u32(rec.body, p)
		id, count := head&0xFFFFF, int(head>>20)
		p += 4
		for range count {
			if p+4 > len(rec.body) {
				return
			}
			if _, known := s.at[id]; !known {
				s.at[id] = int(u32(rec.body, p))
			}
			id++
			p += 4
		}
	}
}

// listed reads the list of slides with the texts of their placeholders.
func (s *show) listed(body []byte) {
	kind := uint32(0)
	each(body, func(rec pptRecord) {
		switch rec.kind {
		case recPersistAtom:
			at, ok := s.at[u32(rec.body, 0)]
			if !ok {
				at = -1
			}
			s.slides = append(s.slides, slide{at: at})
		case recTextHeader:
			kind = u32(rec.body, 0)
		case recTextChars, recTextBytes:
			if n := len(s.slides); n > 0 {
				s.slides[n-1].outline = append(s.slides[n-1].outline, slideText{kind: kind, text: textOf(rec)})
			}
		}
	})
}

func (s *show) listNotes(body []byte) {
	each(body, func(rec pptRecord) {
		if rec.kind == recPersistAtom {
			if at, ok := s.at[u32(rec.body, 0)]; ok {
				s.noted[u32(rec.body, 12)] = at
			}
		}
	})
}

func textOf(rec pptRecord) string {
	if rec.kind == recTextChars {
		return plain(wideText(rec.body))
	}
	return plain(narrowText(rec.body))
}

// texts gives the texts of a slide in the order in which they were drawn, then
// those of the outline that no shape shows.
func (s *show) texts(at int, outline []slideText) []slideText {
	var out []slideText
	shown := map[int]bool{}
	if rec, _, ok := recordAt(s.data, at); ok && (rec.kind == recSlide || rec.kind == recNotes) {
		walkTextboxes(rec.body, 0, func(t slideText, ref int) {
			if ref >= 0 && ref < len(outline) {
				shown[ref] = true
				t = outline[ref]
			}
			out = append(out, t)
		})
	}
	for i, t := range outline {
		if !shown[i] {
			out = append(out, t)
		}
	}
	return slices.DeleteFunc(out, func(t slideText) bool { return t.text == "" || t.text == "*" })
}

// walkTextboxes visits the texts in the shapes below a record: each text, or
// the number of the text in the outline that stands there (else -1).
func walkTextboxes(body []byte, depth int, visit func(t slideText, ref int)) {
	if depth > maxNested {
		return
	}
	each(body, func(rec pptRecord) {
		switch {
		case rec.kind == recTextbox:
			textbox(rec.body, visit)
		case rec.holds:
			walkTextboxes(rec.body, depth+1, visit)
		}
	})
}

func textbox(body []byte, visit func(t slideText, ref int)) {
	kind := uint32(0)
	each(body, func(rec pptRecord) {
		switch rec.kind {
		case recTextHeader:
			kind = u32(rec.body, 0)
		case recTextChars, recTextBytes:
			visit(slideText{kind: kind, text: textOf(rec)}, -1)
		case recOutlineRef:
			visit(slideText{}, int(u32(rec.body, 0)))
		}
	})
}

// notes gives what the speaker wrote for a slide.
func (s *show) notes(sl slide) []string {
	rec, _, ok := recordAt(s.data, sl.at)
	if !ok || rec.kind != recSlide {
		return nil
	}
	var out []string
	each(rec.body, func(atom pptRecord) {
		if atom.kind != recSlideAtom {
			return
		}
		at, ok := s.noted[u32(atom.body, 16)]
		if !ok {
			return
		}
		for _, t := range s.texts(at, nil) {
			if t.kind == notesText {
				out = append(out, t.text)
			}
		}
	})
	return out
}
