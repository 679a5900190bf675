package prompt

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"kaoju/internal/text"
)

// Words are what a template says in one language: the system's part and the
// user's, either of which may be empty.
type Words struct {
	System string `yaml:"system"`
	User   string `yaml:"user"`
}

// Template is one thing that a model is told, in one or two languages.
type Template struct {
	Group       Group  `yaml:"-"`
	ID          string `yaml:"id"`
	Description string `yaml:"description"`
	Default     bool   `yaml:"default"` // taken where no id is asked for
	ZH          Words  `yaml:"zh"`
	EN          Words  `yaml:"en"`
}

// Values are what is put in for placeholders. What is empty reads as a general
// word where a sentence needs one, else as nothing.
type Values struct {
	Query           string
	Contexts        string // sources as Sources writes them
	Conversation    string
	Now             time.Time // zero means that no time is told
	KnowledgeBases  string
	WebSearchStatus string
	KBDocuments     string
	DocName         string
	Content         string
	Context         string
	QuestionCount   int
	AssistantName   string
	BusinessDomain  string
	Industry        string
	SupportContact  string
}

var placeholder = regexp.MustCompile(`\{\{([a-z_]+)\}\}|\{([a-z_]+)\}`)

// placeholders gives the names that stand in a text.
func placeholders(s string) []string {
	var out []string
	for _, m := range placeholder.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

// check reports what is wrong with a template.
func (t Template) check() error {
	if t.ID == "" {
		return fmt.Errorf("a template has no id")
	}
	known := Values{}.named(text.English)
	spoken := false
	for language, words := range map[string]Words{"zh": t.ZH, "en": t.EN} {
		all := words.System + words.User
		if strings.TrimSpace(all) == "" {
			continue
		}
		spoken = true
		there := map[string]bool{}
		for _, name := range placeholders(all) {
			if _, ok := known[name]; !ok {
				return fmt.Errorf("template %s (%s): there is no placeholder {%s}", t.ID, language, name)
			}
			there[name] = true
		}
		for _, name := range needed(t.Group) {
			if !there[name] {
				return fmt.Errorf("template %s (%s): {%s} is missing", t.ID, language, name)
			}
		}
	}
	if !spoken {
		return fmt.Errorf("template %s says nothing", t.ID)
	}
	return nil
}

// Render fills the template in for a language; one that it lacks is replaced
// by the other. Each value is put in once: placeholders inside of it stay.
func (t Template) Render(language text.Language, v Values) (system, user string) {
	words := t.EN
	if language == text.Chinese || language == text.Mixed || words == (Words{}) {
		words = t.ZH
	}
	if words == (Words{}) {
		words = t.EN
	}
	names := v.named(language)
	fill := func(s string) string {
		return placeholder.ReplaceAllStringFunc(s, func(m string) string { return names[strings.Trim(m, "{}")] })
	}
	return fill(words.System), fill(words.User)
}

// named gives every placeholder's value.
func (v Values) named(language text.Language) map[string]string {
	pick := func(s, zh, en string) string {
		switch {
		case strings.TrimSpace(s) != "":
			return defused(s)
		case language == text.Chinese || language == text.Mixed:
			return zh
		}
		return en
	}
	m := map[string]string{
		"query": defused(v.Query), "contexts": v.Contexts, "conversation": defused(v.Conversation),
		"language":          pick("", "中文", "English"),
		"knowledge_bases":   pick(v.KnowledgeBases, "全部", "all"),
		"web_search_status": pick(v.WebSearchStatus, "不可用", "not available"),
		"kb_documents":      defused(v.KBDocuments), "doc_name": defused(v.DocName), "content": defused(v.Content),
		"context": defused(v.Context), "question_count": fmt.Sprint(max(v.QuestionCount, 1)),
		"assistant_name":  pick(v.AssistantName, "一名严谨的助手", "a careful assistant"),
		"business_domain": pick(v.BusinessDomain, "本单位文件", "the organisation's documents"),
		"industry":        defused(v.Industry),
		"support_contact": pick(v.SupportContact, "文件的管理者", "the people who keep these documents"),
		"current_time":    "", "current_week": "", "yesterday": "",
	}
	if !v.Now.IsZero() {
		m["current_time"] = v.Now.Format("2006-01-02 15:04")
		m["yesterday"] = v.Now.AddDate(0, 0, -1).Format("2006-01-02")
		m["current_week"] = pick("", "星期"+string([]rune("日一二三四五六")[v.Now.Weekday()]), v.Now.Weekday().String())
	}
	return m
}

// ourTags set material off from instructions.
var ourTags = regexp.MustCompile(`(?i)<(/?\s*(?:source|question|conversation|passage|document|text)\b)`)

// defused keeps material from closing, or opening, one of our tags.
func defused(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	return ourTags.ReplaceAllString(s, "‹$1")
}
