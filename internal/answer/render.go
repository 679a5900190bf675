package answer

import (
	"regexp"
	"strconv"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// longestName is how many characters of a document's name stand in a tag.
const longestName = 200

// Mark is a place in an answer where it cites: the bytes [Start, End) stand
// for source Number. Without marks in the text, Start and End are equal.
type Mark struct{ Start, End, Number int }

// render writes the mark of a source: a number, a tag, or nothing.
func render(ref core.Reference, style core.CitationStyle) string {
	switch style {
	case core.CiteTags:
		return tag(ref)
	case core.CiteNothing:
		return ""
	}
	return "[" + strconv.Itoa(ref.Number) + "]"
}

// tag is the mark of a source for readers of markup, on one line.
func tag(ref core.Reference) string {
	if ref.Type == core.ChunkWebSearch {
		return `<web url="` + attribute(ref.URL) + `" title="` + attribute(ref.Title) + `" />`
	}
	name := ref.Document
	if ref.Type == core.ChunkFAQ && ref.Title != "" {
		name = ref.Title
	}
	chunk := ""
	if ref.ChunkID != "" { // what was computed stands in no passage
		chunk = ` chunk_id="` + attribute(ref.ChunkID) + `"`
	}
	return `<kb doc="` + attribute(name) + `"` + chunk + ` kb_id="` + attribute(ref.BaseID) + `" />`
}

// attributeSigns would end an attribute, a tag, or the line that it stands on.
var attributeSigns = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "\n", " ", "\r", " ", "`", "&#96;")

func attribute(s string) string {
	return attributeSigns.Replace(strings.ToValidUTF8(text.Truncate(s, longestName), "\uFFFD"))
}

// ownTags are the tags of an earlier answer.
var ownTags = regexp.MustCompile(`[ \t]?<(?:kb doc|web url)="[^"<>\n]*"[^<>\n]* />`)

// WithoutTags takes the tags out of an earlier answer, so that neither ids nor
// marks of other sources reach a model. Numbers stay.
func WithoutTags(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	return ownTags.ReplaceAllString(s, "")
}
