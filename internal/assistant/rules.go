package assistant

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"kaoju/internal/text"
)

// Names of the question categories that change how a question is searched
// for and answered.
const (
	CategoryPricing         = "pricing"
	CategoryCompliance      = "compliance"
	CategoryTroubleshooting = "troubleshooting"
	CategorySummary         = "summary"
	CategoryTable           = "table"
)

func categories() []string {
	return []string{CategoryPricing, CategoryCompliance, CategoryTroubleshooting, CategorySummary, CategoryTable}
}

// Rules are what a file of rules says. Patterns are regular expressions over
// the normalised question: lower case, half width, simplified characters,
// without the signs at its end.
type Rules struct {
	FAQ          FAQRules     `json:"faq"`
	Greeting     PatternRules `json:"greeting"`
	HumanService PatternRules `json:"human_service"`
	OutOfScope   PatternRules `json:"out_of_scope"`
	Categories   []Category   `json:"categories"`
	Variants     VariantRules `json:"query_variants"`
	Short        ShortRules   `json:"short_question"`
}

// FAQRules say which questions are looked up among the standard questions
// before anything else.
type FAQRules struct {
	MaxChars int      `json:"max_chars"`
	Hints    []string `json:"hints"` // words of which one must occur
}

// PatternRules match short messages.
type PatternRules struct {
	MaxChars int      `json:"max_chars"` // longer messages never match; 0 means no bound
	Patterns []string `json:"patterns"`
}

// Category names a kind of question. The first that matches counts.
type Category struct {
	Name     string   `json:"name"`
	Patterns []string `json:"patterns"`
}

// VariantRules word a question otherwise.
type VariantRules struct {
	Max          int           `json:"max"`             // variants beside the question itself
	ShortChars   int           `json:"short_max_chars"` // longer questions are not reworded
	Replacements []Replacement `json:"replacements"`
}

// Replacement words a question otherwise where one of WhenAny (if any) and
// all of WhenAll occur in it.
type Replacement struct {
	WhenAny []string `json:"when_any"`
	WhenAll []string `json:"when_all"`
	Replace []Swap   `json:"replace"`
}

// Swap puts To where From stands.
type Swap struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// ShortRules say what a short question is: one that says too little for a
// standard answer to a question that is only like it.
type ShortRules struct {
	MaxChars int `json:"max_chars"` // of questions without spaces, such as Chinese ones
	MaxWords int `json:"max_words"`
}

// Set is rules made ready. It does not change and is safe for concurrent use.
type Set struct {
	rules      Rules
	greeting   []*regexp.Regexp
	human      []*regexp.Regexp
	outOfScope []*regexp.Regexp
	kinds      []kind
}

type kind struct {
	name     string
	patterns []*regexp.Regexp
}

// Rules gives what the set was made of.
func (s *Set) Rules() Rules { return s.rules }

// Greeting reports whether a message only greets.
func (s *Set) Greeting(question string) bool {
	return s.rules.Greeting.fits(question) && matchAny(s.greeting, plain(question))
}

// HumanService reports whether a message asks for a person.
func (s *Set) HumanService(question string) bool {
	return s.rules.HumanService.fits(question) && matchAny(s.human, plain(question))
}

// OutOfScope reports whether a question is about what no assistant answers.
func (s *Set) OutOfScope(question string) bool {
	return s.rules.OutOfScope.fits(question) && matchAny(s.outOfScope, plain(question))
}

func (r PatternRules) fits(question string) bool {
	return r.MaxChars <= 0 || utf8.RuneCountInString(strings.TrimSpace(question)) <= r.MaxChars
}

// Probes reports whether a question may be a standard question word for word:
// short, one line, and with the look of one. A question that names a source
// needs no hint.
func (s *Set) Probes(question string, named bool) bool {
	compact := strings.TrimSpace(question)
	if compact == "" || strings.ContainsAny(compact, "\n\r") || utf8.RuneCountInString(compact) > s.rules.FAQ.MaxChars {
		return false
	}
	q := text.Normalize(compact)
	return named || slices.ContainsFunc(s.rules.FAQ.Hints, func(h string) bool { return strings.Contains(q, h) })
}

// Category gives the kind of a question; "" for most.
func (s *Set) Category(question string) string {
	q := plain(question)
	for _, k := range s.kinds {
		if matchAny(k.patterns, q) {
			return k.name
		}
	}
	return ""
}

// IsShort reports whether a question says little.
func (s *Set) IsShort(question string) bool {
	q := strings.TrimSpace(question)
	if text.DetectLanguage(q) == text.English {
		return len(strings.Fields(q)) <= s.rules.Short.MaxWords
	}
	return utf8.RuneCountInString(q) <= s.rules.Short.MaxChars
}

// Variants gives the question and other wordings of it, without repetition.
func (s *Set) Variants(question string) []string {
	out := []string{question}
	if utf8.RuneCountInString(question) > s.rules.Variants.ShortChars {
		return out
	}
	q := text.Normalize(question)
	for _, r := range s.rules.Variants.Replacements {
		if len(out) > s.rules.Variants.Max {
			break
		}
		if v := r.apply(q); v != "" && v != q && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func (r Replacement) apply(q string) string {
	occurs := func(w string) bool { return strings.Contains(q, text.Normalize(w)) }
	if len(r.WhenAny) > 0 && !slices.ContainsFunc(r.WhenAny, occurs) {
		return ""
	}
	if slices.ContainsFunc(r.WhenAll, func(w string) bool { return !occurs(w) }) {
		return ""
	}
	for _, swap := range r.Replace {
		q = strings.ReplaceAll(q, text.Normalize(swap.From), swap.To)
	}
	return q
}

// plain is a message as patterns see it.
func plain(s string) string {
	return strings.Trim(text.Normalize(s), " \t\n.,!?~;:。，、！？；：…～")
}

func matchAny(patterns []*regexp.Regexp, s string) bool {
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(s) })
}

// Asks reports whether a text asks something, however long it is.
func (s *Set) Asks(question string) bool {
	q := text.Normalize(question)
	return strings.ContainsAny(question, "?？") || slices.ContainsFunc(s.rules.FAQ.Hints, func(h string) bool { return strings.Contains(q, h) })
}
