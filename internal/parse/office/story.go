package office

import (
	"encoding/xml"
	"strings"

	"kaoju/internal/core"
)

// walker reads a part of an office file token by token.
type walker struct {
	*reading
	dec    *xml.Decoder
	depth  int
	tokens int
}

// story is a part of a Word document with running text (the body, a header,
// the notes) being read.
type story struct {
	walker
	doc *docx
}

// enter reads up to the start of the part's first element.
func (w *walker) enter() error {
	for {
		tok, err := w.dec.Token()
		if err != nil {
			return err
		}
		if _, ok := tok.(xml.StartElement); ok {
			return nil
		}
	}
}

// inside reads the content of the element whose start was just read, through
// its end. It shows visit every element within, at any depth; where visit has
// read an element to its end it returns true, and where it returns false the
// element is transparent: its children come next. So insertions, hyperlinks,
// content controls, smart tags and the like need no case of their own.
//
// Of the alternatives in mc:AlternateContent only the first is shown.
func (w *walker) inside(visit func(el xml.StartElement) (bool, error)) error {
	if w.depth++; w.depth > w.lim.MaxDepth {
		return core.Errorf(core.CodeCorrupt, "the document's parts are nested more than %d deep", w.lim.MaxDepth)
	}
	defer func() { w.depth-- }()
	var alt alternatives
	for open := 0; ; {
		tok, err := w.next()
		if err != nil {
			return err
		}
		switch el := tok.(type) {
		case xml.StartElement:
			done, err := w.show(el, &alt, open, visit)
			if err != nil {
				return err
			}
			if !done {
				open++
			}
		case xml.EndElement:
			if open == 0 {
				return nil
			}
			open--
			alt.close(open)
		}
	}
}

// show hands one element to visit, unless it is an alternative not to be
// taken or something that is never text.
func (w *walker) show(el xml.StartElement, alt *alternatives, open int, visit func(xml.StartElement) (bool, error)) (bool, error) {
	switch el.Name.Local {
	case "AlternateContent":
		alt.begin(open)
		return false, nil
	case "Choice", "Fallback":
		if alt.take() {
			return false, nil
		}
		return true, w.dec.Skip()
	case "del", "moveFrom", "instrText", "delText", "delInstrText", "sdtPr", "rt":
		return true, w.dec.Skip()
	}
	return visit(el)
}

// next reads a token, and looks now and then whether anybody still waits.
func (w *walker) next() (xml.Token, error) {
	if w.tokens++; w.tokens%1024 == 0 && w.ctx.Err() != nil {
		return nil, w.ctx.Err()
	}
	return w.dec.Token()
}

// chars reads the character data of an element through its end.
func (w *walker) chars() (string, error) {
	var b strings.Builder
	for open := 0; ; {
		tok, err := w.next()
		if err != nil {
			return "", err
		}
		switch t := tok.(type) {
		case xml.CharData:
			if err := w.charge(len(t), 0); err != nil {
				return "", err
			}
			b.Write(t)
		case xml.StartElement:
			open++
		case xml.EndElement:
			if open == 0 {
				return b.String(), nil
			}
			open--
		}
	}
}

// alternatives remembers, for each open mc:AlternateContent, whether one of
// its alternatives was taken.
type alternatives struct {
	at    []int
	taken []bool
}

func (a *alternatives) begin(open int) {
	a.at, a.taken = append(a.at, open), append(a.taken, false)
}

// take takes an alternative if it is the first.
func (a *alternatives) take() bool {
	last := len(a.taken) - 1
	if last < 0 {
		return true
	}
	if a.taken[last] {
		return false
	}
	a.taken[last] = true
	return true
}

// close ends the alternatives that were begun at this depth.
func (a *alternatives) close(open int) {
	if last := len(a.at) - 1; last >= 0 && a.at[last] == open {
		a.at, a.taken = a.at[:last], a.taken[:last]
	}
}
