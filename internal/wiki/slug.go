package wiki

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// maxSlug is the longest slug, in characters.
const maxSlug = 200

// Slug writes a title, or what a link says, as a slug: in lower case and half
// width, letters and digits of any script, what stands between them as one
// dash, and slashes between the parts. What has no letter gives "".
func Slug(s string) string {
	var parts []string
	for part := range strings.SplitSeq(text.Normalize(strings.ToValidUTF8(s, "")), "/") {
		words := strings.FieldsFunc(strings.ToLower(part), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' && r != '.'
		})
		if slug := strings.Trim(strings.Join(words, "-"), "-."); slug != "" {
			parts = append(parts, slug)
		}
	}
	slug := strings.Join(parts, "/")
	if utf8.RuneCountInString(slug) > maxSlug {
		slug = strings.TrimRight(string([]rune(slug)[:maxSlug]), "/-.")
	}
	return slug
}

// slugFor gives the slug that was asked for, else that of the title. One that
// would read otherwise when it is linked is a core.CodeInvalid that says how.
func slugFor(slug, title string) (string, error) {
	slug = strings.TrimSpace(slug)
	if slug == "" {
		slug = Slug(title)
	}
	switch clean := Slug(slug); {
	case clean == "":
		return "", core.Errorf(core.CodeInvalid, "a page needs a slug of letters or digits")
	case clean != slug:
		return "", core.Errorf(core.CodeInvalid, "%q cannot be a slug; %q could: lower case, letters and digits, dashes between words, slashes between parts", text.Truncate(slug, 80), clean)
	}
	return slug, nil
}
