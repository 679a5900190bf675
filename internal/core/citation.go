package core

// CitationStyle says how an answer's text marks its sources.
type CitationStyle string

// Styles. The empty one means whatever stands behind it: the assistant's in a
// request, numbers in an assistant.
const (
	CiteNumbers CitationStyle = "numbers" // [1], a number of the references
	CiteTags    CitationStyle = "tags"    // <kb doc="…" chunk_id="…" kb_id="…" /> and <web url="…" title="…" />
	CiteNothing CitationStyle = "none"    // no marks and no list of sources
)

// Check refuses a style that is not known.
func (s CitationStyle) Check() error {
	switch s {
	case "", CiteNumbers, CiteTags, CiteNothing:
		return nil
	}
	return Errorf(CodeInvalid, "there is no citation style %q; it is numbers, tags or none", string(s))
}

// Or gives the style, or another where it is empty.
func (s CitationStyle) Or(other CitationStyle) CitationStyle {
	if s == "" {
		return other
	}
	return s
}
