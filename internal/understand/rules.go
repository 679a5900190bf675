package understand

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"kaoju/internal/pipeline"
	"kaoju/internal/text"
)

// Rules understands questions by patterns and word lists, in Chinese and
// English. It is safe for concurrent use.
type Rules struct{}

// Limits of what the rules read: longer texts say nothing new about what a
// short question leaves out.
const (
	longestQuestion = 300 // characters of a question that may be completed
	longestAnswer   = 600 // bytes of an answer that are read for names
)

// Understand gives the intent and the stand-alone question. It never fails.
func (Rules) Understand(_ context.Context, question string, said []pipeline.Round) (pipeline.Understanding, error) {
	u := pipeline.Understanding{Question: question, Intent: intentOf(question), Reason: "the question stands alone"}
	if u.Intent == pipeline.IntentGreeting || u.Intent == pipeline.IntentChitchat || len(said) == 0 {
		return u, nil
	}
	var m memory
	for _, r := range said {
		if intentOf(r.Question) == pipeline.IntentClarification {
			continue
		}
		whole, _ := m.complete(r.Question)
		m.add(whole, r.Answer)
		m.see(text.Truncate(r.Image, longestAnswer))
	}
	if u.Intent == pipeline.IntentClarification && m.question != "" {
		u.Question, u.Rewritten, u.Reason = m.question, true, "it asks what the last answer meant"
		return u, nil
	}
	whole, reason := m.complete(question)
	if whole = strings.TrimSpace(whole); reason == "" || whole == "" || whole == strings.TrimSpace(question) {
		return u, nil
	}
	u.Question, u.Rewritten, u.Reason = whole, true, reason
	if u.Intent == pipeline.IntentSearch {
		u.Intent = pipeline.IntentFollowUp
	}
	return u, nil
}

// phrase is something that was spoken of.
type phrase struct {
	text string
	name bool // a proper name
	site bool // a name that stands after "in", "at", "from": no person, most likely
}

// memory is what a conversation was about so far.
type memory struct {
	question string   // the last one, complete
	subject  []phrase // of the last question that named something, in its order
	names    []phrase // proper names of the whole conversation, newest first
	things   []phrase // other phrases of its questions, newest first
}

// add notes a round whose question is complete.
func (m *memory) add(question, answer string) {
	if small := smallTalk(question); small || strings.TrimSpace(question) == "" {
		return
	}
	m.question = strings.TrimSpace(question)
	spoken, told := phrasesOf(question), namesIn(text.Truncate(answer, longestAnswer))
	if len(told) > 0 && whoEn.MatchString(question) && !slices.ContainsFunc(spoken, func(p phrase) bool { return p.name }) {
		spoken = append(told[:1:1], spoken...) // the one who was asked for
	}
	if len(spoken) > 0 {
		m.subject = spoken
	}
	m.note(told)
	m.note(spoken)
}

// see notes what the picture of the last question showed: the codes and names
// in it, of which the first is what is spoken of.
func (m *memory) see(shown string) {
	var list []phrase
	for _, tok := range text.Tokenize(shown) {
		if tok.Kind == text.Code {
			list = append(list, phrase{text: shown[tok.Start:tok.End], name: true})
		}
	}
	if list = append(list, namesIn(shown)...); len(list) > 0 {
		m.subject = append(list[:1:1], m.subject...)
		m.note(list)
	}
}

// note puts phrases before those that are known, the first foremost.
func (m *memory) note(list []phrase) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].name {
			m.names = append([]phrase{list[i]}, m.names...)
		} else {
			m.things = append([]phrase{list[i]}, m.things...)
		}
	}
}

// complete gives the question with what it leaves out, and by what rule; no
// reason means that nothing is missing.
func (m *memory) complete(question string) (whole, reason string) {
	if m.question == "" || utf8.RuneCountInString(question) > longestQuestion || smallTalk(question) {
		return question, ""
	}
	if isEnglish(question) {
		return m.completeEnglish(question)
	}
	return m.completeChinese(question)
}

func isEnglish(s string) bool { return text.DetectLanguage(s) == text.English }

func phrasesOf(question string) []phrase {
	if isEnglish(question) {
		return englishPhrases(question)
	}
	return chinesePhrases(question)
}
