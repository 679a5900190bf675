package office

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// role is what a paragraph style means to us.
type role int

const (
	roleBody role = iota
	roleTitle
	roleCode
	roleQuote
	roleContents // a line of the table of contents
)

// style is a paragraph style with what it inherits.
type style struct {
	name, base string
	outline    int // 1 to 9; 0 if it has none
	outlineSet bool
	numID      string
	depth      int
	role       role
}

// styles is styles.xml, resolved.
type styles struct {
	byID     map[string]*style
	fallback string // the style of paragraphs that name none
}

// readStyles reads styles.xml; a missing part gives no styles.
func readStyles(a *archive, part string) (*styles, error) {
	s := &styles{byID: map[string]*style{}}
	var open *style
	err := a.eachElement(part, func(_ *xml.Decoder, el xml.StartElement) error {
		if el.Name.Local == "style" {
			open = s.begin(el)
		} else if open != nil {
			open.property(el)
		}
		return nil
	})
	for _, st := range s.byID {
		st.role = roleOf(st.name)
	}
	for id := range s.byID {
		s.inherit(id)
	}
	return s, err
}

func (s *styles) begin(el xml.StartElement) *style {
	if kind := attr(el, "type"); kind != "paragraph" && kind != "" {
		return nil
	}
	id := attr(el, "styleId")
	st := &style{name: id}
	s.byID[id] = st
	if v := attr(el, "default"); v == "1" || v == "true" {
		s.fallback = id
	}
	return st
}

func (st *style) property(el xml.StartElement) {
	switch el.Name.Local {
	case "name":
		st.name = attr(el, "val")
	case "basedOn":
		st.base = attr(el, "val")
	case "outlineLvl":
		st.outline, st.outlineSet = outlineOf(attr(el, "val")), true
	case "numId":
		st.numID = attr(el, "val")
	case "ilvl":
		st.depth = depthOf(attr(el, "val"))
	}
}

// outlineOf turns Word's 0 to 8 into 1 to 9, and 9 (body text) into 0.
func outlineOf(val string) int {
	n, err := strconv.Atoi(val)
	if err != nil || n < 0 || n > 8 {
		return 0
	}
	return n + 1
}

// inherit fills what a style leaves open from the styles it is based on. The
// walk is bounded, so that a circle ends.
func (s *styles) inherit(id string) {
	st := s.byID[id]
	if n := headingName(st.name); n > 0 && !st.outlineSet {
		st.outline, st.outlineSet = n, true
	}
	for base, steps := s.byID[st.base], 0; base != nil && steps < 20; base, steps = s.byID[base.base], steps+1 {
		if !st.outlineSet && (base.outlineSet || headingName(base.name) > 0) {
			st.outline, st.outlineSet = max(base.outline, headingName(base.name)), true
		}
		if st.numID == "" {
			st.numID, st.depth = base.numID, max(st.depth, base.depth)
		}
		if st.role == roleBody {
			st.role = roleOf(base.name)
		}
	}
}

// of gives the style of a paragraph, never nil. A style that is used but not
// defined is known by its id.
func (s *styles) of(id string) *style {
	if id == "" {
		id = s.fallback
	}
	if st := s.byID[id]; st != nil {
		return st
	}
	n := headingName(id)
	return &style{name: id, outline: n, role: roleOf(id)}
}

// headingName gives the level of a style called "heading 2", "标题 2" or
// "Heading2"; 0 for others.
func headingName(name string) int {
	n := strings.ToLower(strings.ReplaceAll(name, " ", ""))
	for _, prefix := range []string{"heading", "标题", "標題", "überschrift", "titre", "заголовок", "見出し"} {
		rest, ok := strings.CutPrefix(n, prefix)
		if !ok || rest == "" {
			continue
		}
		if level, err := strconv.Atoi(rest); err == nil && level >= 1 && level <= 9 {
			return level
		}
	}
	return 0
}

func roleOf(name string) role {
	n := strings.ToLower(strings.TrimSpace(name))
	switch {
	case n == "title" || n == "标题" || n == "文档标题":
		return roleTitle
	case strings.HasPrefix(n, "toc ") && n != "toc heading", strings.HasPrefix(n, "目录 "):
		return roleContents
	case n == "quote" || n == "intense quote" || n == "block text" || strings.HasPrefix(n, "引用"):
		return roleQuote
	case n == "html preformatted" || n == "macro" || n == "macro text" || n == "plain code",
		strings.Contains(n, "source code"), strings.Contains(n, "code block"), n == "code", n == "listing",
		strings.Contains(n, "代码"):
		return roleCode
	}
	return roleBody
}
