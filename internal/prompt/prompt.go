package prompt

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/text"
)

// Said is an earlier round as a model sees it.
type Said struct {
	Question string
	Answer   string
}

// Ask is what an answer is asked for.
type Ask struct {
	Assistant core.Assistant
	Question  string // stand-alone
	Evidence  []llm.Evidence
	Said      []Said // oldest first
	Now       time.Time
	System    string // id of the system template; "" means the default
	Context   string // id of the context template
	Profile   Profile
	Intent    string // what the user wants; some intents have words of their own for an answer from evidence
	Unmarked  bool   // the answer carries no marks
}

// longestSaid is how much of an earlier answer a model sees, in characters:
// what it was about, and not its evidence.
const longestSaid = 600

// Messages renders what a model is told that answers from evidence: the system
// prompt, closed by the citation protocol, what was said, and the question
// behind its sources.
func (l *Library) Messages(a Ask) []llm.Message {
	language := text.DetectLanguage(a.Question)
	v := persona(a.Assistant)
	v.Query, v.Contexts, v.Now = a.Question, Sources(a.Evidence), a.Now
	system, _ := l.Get(GroupSystem, a.System).Render(language, v)
	_, user := l.Get(GroupContext, a.Context).Render(language, v)
	return conversation(join(system, a.Profile.in(language), l.wish(a.Intent, language, v), protocol(language, a.Unmarked)), a.Said, user)
}

// wished are the intents whose templates hold beside evidence too.
var wished = []string{"summarize", "clarification", "doc_only", "web_search"}

// wish gives the words for what the user wants of the evidence; "" where that is
// just an answer.
func (l *Library) wish(intent string, language text.Language, v Values) string {
	if !slices.Contains(wished, intent) || !l.has(GroupIntent, intent) {
		return ""
	}
	system, _ := l.Get(GroupIntent, intent).Render(language, v)
	return system
}

// Talk renders what a model is told where nothing is asked of the documents:
// System names an intent or a system template, else small talk is meant.
func (l *Library) Talk(a Ask) []llm.Message {
	group := GroupIntent
	if l.has(GroupSystem, a.System) {
		group = GroupSystem
	}
	system, _ := l.render(group, a.System, a)
	return conversation(system, a.Said, a.Question)
}

// Fallback renders what a model is told that answers without documents.
func (l *Library) Fallback(a Ask) []llm.Message {
	system, user := l.render(GroupFallback, modelFallback, a)
	if strings.TrimSpace(user) == "" {
		user = a.Question
	}
	return conversation(system, a.Said, user)
}

func (l *Library) render(g Group, id string, a Ask) (system, user string) {
	v := persona(a.Assistant)
	v.Query, v.Now = a.Question, a.Now
	return l.Get(g, id).Render(text.DetectLanguage(a.Question), v)
}

// conversation puts what was said between the system's part and the user's.
func conversation(system string, said []Said, user string) []llm.Message {
	messages := []llm.Message{{Role: "system", Content: system}}
	for _, s := range said {
		messages = append(messages,
			llm.Message{Role: "user", Content: s.Question},
			llm.Message{Role: "assistant", Content: text.Truncate(withoutMarks(s.Answer), longestSaid)})
	}
	return append(messages, llm.Message{Role: "user", Content: user})
}

// Ids of templates of the fallback group that are asked for by name.
const (
	contactFallback = "contact_fallback"
	modelFallback   = "model_fallback"
)

// persona gives the values that an assistant fills in.
func persona(a core.Assistant) Values {
	return Values{
		AssistantName: a.SpokenName(), BusinessDomain: a.BusinessDomain, Industry: a.Industry, SupportContact: a.SupportContact,
	}
}

// Insufficient is what is said where the documents hold no answer, in the
// language of the question, with whom to ask if the assistant names someone.
func (l *Library) Insufficient(a core.Assistant, question string) string {
	id := ""
	if strings.TrimSpace(a.SupportContact) != "" {
		id = contactFallback
	}
	language := text.DetectLanguage(question)
	if language != text.English {
		language = text.Chinese
	}
	_, words := l.Get(GroupFallback, id).Render(language, persona(a))
	return words
}

// join puts the parts of a system prompt under each other, without those that
// say nothing.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n")
}

// protocol closes every system prompt. It is no template: answers are cited by
// whatever a deployment makes of its prompts.
func protocol(language text.Language, unmarked bool) string {
	chinese := language == text.Chinese || language == text.Mixed
	switch {
	case chinese && unmarked:
		return `不要标注来源：不写引用标记和方括号编号，也不列来源清单。`
	case unmarked:
		return `Do not mark sources: write no citation tags, no numbers in brackets and no list of sources.`
	case chinese:
		return `每个论断之后，用 <ref id="ID"/> 标出陈述它的来源，ID 是该来源标签中的 id，例如 <ref id="c1"/>。只用给出的 id，不列来源清单。`
	}
	return `After each claim, cite the source that states it as <ref id="ID"/>, with the id of its tag, for example <ref id="c1"/>. Use only ids that are given. Write no list of sources.`
}

// Sources writes the evidence, each passage in a tag with its handle and the
// place where it stands. A passage cannot close its tag.
func Sources(evidence []llm.Evidence) string {
	var b strings.Builder
	for _, e := range evidence {
		place := placeOf(e)
		b.WriteString(`<source id="` + e.Handle + `" place="` + attribute(place) + "\">\n")
		if e.Question != "" {
			b.WriteString("Q: " + defused(e.Question) + "\nA: " + defused(strings.Join(e.Answers, "\n")))
		} else {
			b.WriteString(defused(e.Text))
		}
		b.WriteString("\n</source>\n")
	}
	return b.String()
}

// placeOf names where a passage stands: document, headings, sheet and row.
func placeOf(e llm.Evidence) string {
	parts := append([]string{e.Title}, e.Headings...)
	if e.Sheet != "" {
		parts = append(parts, e.Sheet)
	}
	if e.Row > 0 {
		parts = append(parts, "row "+strconv.Itoa(e.Row))
	}
	return strings.Join(parts, " / ")
}

var attributes = strings.NewReplacer(`"`, "'", "<", "‹", ">", "›", "\n", " ")

func attribute(s string) string { return attributes.Replace(s) }

// marks are the numbers of an earlier answer's sources; in this turn they
// would point at others.
var marks = regexp.MustCompile(`\s?\[\d{1,3}\]`)

func withoutMarks(s string) string { return marks.ReplaceAllString(s, "") }
