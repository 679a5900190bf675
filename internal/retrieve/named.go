package retrieve

import (
	"slices"
	"strings"

	"kaoju/internal/text"
)

// otherShare is what a passage of a document keeps of its score when the
// question names a sibling of that document.
const otherShare = .6

// PreferNamed lowers the passages of documents whose name differs from that
// of another just in what the question says: of four yearly reports, a
// question about 2023 means one. It gives the names of the documents meant.
//
// Documents are siblings when their names are equal but for codes and
// numbers. One of them is meant when the question says a code or number of
// its name that another sibling's lacks.
func PreferNamed(question string, items []Found) (preferred []Found, named []string) {
	asked := marks(question)
	if len(asked) == 0 {
		return items, nil
	}
	families := familiesOf(items)
	preferred = slices.Clone(items)
	for i, f := range preferred {
		title := nameOf(f)
		switch families[familyOf(title)].verdict(title, asked) {
		case meant:
			if !slices.Contains(named, title) {
				named = append(named, title)
			}
		case passedOver:
			preferred[i] = f.with("other document named", f.Score*otherShare)
		}
	}
	return preferred, named
}

func nameOf(f Found) string {
	if f.Document.Title != "" {
		return f.Document.Title
	}
	return f.Document.Name
}

// marks are the codes and numbers in a text, as search terms: "2023年报" and
// "2023 年" share 2023.
func marks(s string) []string {
	var out []string
	for _, t := range text.Terms(s) {
		if (t.Kind == text.Code || t.Kind == text.Number) && strings.ContainsAny(t.Text, "0123456789") {
			out = append(out, t.Text)
		}
	}
	return out
}

// familyOf is a name without digits and signs.
func familyOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text.Key(name))
}

// family is the set of names that differ only in marks.
type family map[string][]string // marks by name

func familiesOf(items []Found) map[string]family {
	all := map[string]family{}
	for _, f := range items {
		name := nameOf(f)
		key := familyOf(name)
		if key == "" {
			continue // nothing but a number: no family to speak of
		}
		if all[key] == nil {
			all[key] = family{}
		}
		all[key][name] = marks(name)
	}
	return all
}

type verdict int

const (
	undecided verdict = iota
	meant
	passedOver
)

// verdict says what the question's marks make of a name. Without siblings,
// or with marks that tell none of them apart, nothing is decided.
func (f family) verdict(name string, asked []string) verdict {
	if len(f) < 2 {
		return undecided
	}
	most, least := 0, len(asked)+1
	for _, own := range f {
		n := shared(own, asked)
		most, least = max(most, n), min(least, n)
	}
	switch n := shared(f[name], asked); {
	case most == least:
		return undecided
	case n == most:
		return meant
	default:
		return passedOver
	}
}

func shared(own, asked []string) int {
	n := 0
	for _, mark := range asked {
		if slices.Contains(own, mark) {
			n++
		}
	}
	return n
}
