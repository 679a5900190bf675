package prompt

import (
	"kaoju/internal/core"
	"kaoju/internal/text"
)

// The answer profiles: what kind of answer a question wants.
const (
	ProfilePricing         = "pricing_guard"
	ProfileCompliance      = "compliance_guard"
	ProfileTroubleshooting = "troubleshooting_steps"
	ProfileSummary         = "source_bound_summary"
	ProfileFAQ             = "faq_answer"
	ProfileKnowledge       = "knowledge_answer"
	ProfileFollowUp        = "follow_up"
	ProfileDefault         = "default_answer"
)

// Profile is a way of answering, chosen before anything is searched. It does
// not change: its words are filled with the assistant's persona when it is
// chosen.
type Profile struct {
	name, reason string
	words        map[text.Language]string
}

// Name is one of the Profile constants.
func (p Profile) Name() string { return p.name }

// Reason says why it was chosen.
func (p Profile) Reason() string { return p.reason }

// words in the language of an answer; English where there are none.
func (p Profile) in(language text.Language) string { return p.words[language] }

// Profile gives the way of answering a question: the risk of its category
// first, then what the user wants, then the safe default.
func (l *Library) Profile(a core.Assistant, category, intent string) Profile {
	name, reason := profileOf(category, intent)
	t, v := l.Get(GroupProfile, name), persona(a)
	p := Profile{name: name, reason: reason, words: map[text.Language]string{}}
	for _, language := range []text.Language{text.Chinese, text.Mixed, text.English} {
		p.words[language], _ = t.Render(language, v)
	}
	return p
}

func profileOf(category, intent string) (name, reason string) {
	for _, c := range []struct{ category, name string }{
		{"pricing", ProfilePricing}, {"compliance", ProfileCompliance},
		{"troubleshooting", ProfileTroubleshooting}, {"summary", ProfileSummary},
	} {
		if c.category == category {
			return c.name, "the question is about " + category
		}
	}
	for _, i := range []struct{ intent, name string }{
		{"faq_query", ProfileFAQ}, {"knowledge_query", ProfileKnowledge}, {"follow_up", ProfileFollowUp},
	} {
		if i.intent == intent {
			return i.name, "the intent is " + intent
		}
	}
	return ProfileDefault, "neither its category nor its intent is known"
}
