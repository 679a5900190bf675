package understand

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
	"kaoju/internal/text"
)

// Model lets a chat model complete questions and name the intent, in one
// call. What it cannot use of the model's words — none, broken JSON, an
// apology, another language, far too many, too late — leaves the question to
// Fallback, so that a bad model never changes what is asked. It is safe for
// concurrent use.
type Model struct {
	Chat     llm.Chat
	Prompts  *prompt.Library
	Fallback Rules
	// Timeout is the time that the model has; 0 means 5 s.
	Timeout time.Duration
}

// Limits of the model's part.
const (
	modelTimeout = 5 * time.Second
	modelTokens  = 150
	modelHeat    = .3
	maxReply     = 4000 // bytes of a reply that are read; a rewrite is short
)

var errUseless = errors.New("the model's rewrite cannot be used")

// Understand asks the model, and the rules where it gives nothing usable. It
// fails only where the context ends.
func (m Model) Understand(ctx context.Context, question string, said []pipeline.Round) (pipeline.Understanding, error) {
	ruled, err := m.Fallback.Understand(ctx, question, said)
	if err != nil || ruled.Intent == pipeline.IntentGreeting || ruled.Intent == pipeline.IntentChitchat {
		return ruled, err
	}
	reply, err := m.ask(ctx, question, said)
	if ctx.Err() != nil {
		return ruled, core.Wrap(ctx.Err(), core.CodeCanceled, "the question was not understood in time")
	}
	if err == nil {
		var u pipeline.Understanding
		if u, err = read(reply, question); err == nil {
			return u, nil
		}
	}
	ruled.Reason += "; by rules, for the model gave nothing usable: " + why(err)
	return ruled, nil
}

// why says in a word what went wrong, without the model's own words.
func why(err error) string {
	if errors.Is(err, errUseless) {
		return errUseless.Error()
	}
	return string(core.CodeOf(err))
}

func (m Model) ask(ctx context.Context, question string, said []pipeline.Round) (string, error) {
	limit := m.Timeout
	if limit == 0 {
		limit = modelTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	system, user := m.Prompts.Get(prompt.GroupRewrite, "").Render(text.DetectLanguage(question), prompt.Values{
		Query: question, Conversation: conversation(said),
	})
	var reply strings.Builder
	err := m.Chat.Stream(ctx, llm.ChatRequest{
		Messages:    []llm.Message{{Role: "system", Content: system}, {Role: "user", Content: user}},
		Question:    question,
		Temperature: modelHeat, MaxTokens: modelTokens, JSON: true,
	}, func(d llm.Delta) error {
		if reply.WriteString(d.Text); reply.Len() > maxReply {
			return errUseless
		}
		return nil
	})
	return reply.String(), err
}

// conversation writes the rounds for a prompt.
func conversation(said []pipeline.Round) string {
	var b strings.Builder
	for _, r := range said {
		b.WriteString("User: " + text.Truncate(r.Question, longestQuestion) + "\n")
		if r.Answer != "" {
			b.WriteString("Assistant: " + text.Truncate(r.Answer, longestQuestion) + "\n")
		}
	}
	return b.String()
}

// reply is what models answer, under the names that they use.
type reply struct {
	RewriteQuery   string `json:"rewrite_query"`
	RewrittenQuery string `json:"rewritten_query"`
	Query          string `json:"query"`
	Question       string `json:"question"`
	Intent         string `json:"intent"`
}

// read takes the rewrite out of a model's words.
func read(words, question string) (pipeline.Understanding, error) {
	from, to := strings.IndexByte(words, '{'), strings.LastIndexByte(words, '}')
	if from < 0 || to < from {
		return pipeline.Understanding{}, errUseless
	}
	var r reply
	if err := json.Unmarshal([]byte(words[from:to+1]), &r); err != nil {
		return pipeline.Understanding{}, errUseless
	}
	rewrite := ""
	for _, s := range []string{r.RewriteQuery, r.RewrittenQuery, r.Query, r.Question} {
		if rewrite = strings.TrimSpace(s); rewrite != "" {
			break
		}
	}
	if !usable(rewrite, question) {
		return pipeline.Understanding{}, errUseless
	}
	return pipeline.Understanding{
		Question: rewrite, Rewritten: rewrite != strings.TrimSpace(question), Intent: known(r.Intent),
		Reason: "by the model",
	}, nil
}

// usable reports whether a rewrite can stand for the question: one short line
// in its language that is a question and no excuse.
func usable(rewrite, question string) bool {
	n := utf8.RuneCountInString(rewrite)
	switch strings.ToLower(strings.Trim(rewrite, `."' `)) {
	case "", "null", "none", "nil", "n/a", "undefined", "无":
		return false
	}
	if n > max(longestQuestion, 2*utf8.RuneCountInString(question)) || strings.ContainsAny(rewrite, "\n\x00") {
		return false
	}
	if apologetic(rewrite) && !apologetic(question) {
		return false
	}
	was, is := text.DetectLanguage(question), text.DetectLanguage(rewrite)
	return was == is || was == text.Mixed || is == text.Mixed || was == text.None
}

// apologetic reports whether words are an excuse, as a model's refusal is.
func apologetic(s string) bool {
	s = text.Normalize(s)
	for _, mark := range []string{"抱歉", "对不起", "无法改写", "作为一个", "作为ai", "sorry", "i cannot", "i can't", "unable to", "as an ai", "i apologize"} {
		if strings.Contains(s, mark) {
			return true
		}
	}
	return false
}

// known gives an intent that the pipeline has; a search for any other. What
// the model takes for small talk is searched for: the rules saw none, and a
// question must not be answered with a greeting.
func known(intent string) pipeline.Intent {
	switch i := pipeline.Intent(strings.ToLower(strings.TrimSpace(intent))); i {
	case pipeline.IntentWebSearch, pipeline.IntentFollowUp, pipeline.IntentImage, pipeline.IntentDocument,
		pipeline.IntentSummarize, pipeline.IntentClarification:
		return i
	}
	return pipeline.IntentSearch
}
