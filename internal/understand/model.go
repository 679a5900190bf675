package understand

import (
	"context"
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
// Rules, so that a bad model never changes what is asked. It is safe for
// concurrent use.
type Model struct {
	// Chats gives the models in the order in which they are asked: a cheap one
	// of its own first, behind it the one that writes answers. None means that
	// the rules understand alone.
	Chats   func(ctx context.Context) []llm.Chat
	Prompts *prompt.Library
	Rules   Rules
	// Timeout is the time that all models together have; 0 means 5 s. The
	// deadline of the stage, where it is nearer, counts too.
	Timeout time.Duration
}

// Limits of the model's part.
const (
	modelTimeout = 5 * time.Second
	modelTokens  = 512 // more than a rewrite needs, and enough for a model that thinks first
	modelHeat    = .3
	maxReply     = 4000 // bytes of a reply that are read; a rewrite is short
)

var errUseless = errors.New("the model's words cannot be used")

// Understand asks the models, and the rules where they give nothing usable. It
// fails only where the turn ends.
func (m Model) Understand(ctx context.Context, question string, said []pipeline.Round) (pipeline.Understanding, error) {
	ruled, err := m.Rules.Understand(ctx, question, said)
	if err != nil || ruled.Intent.Talks() || utf8.RuneCountInString(question) > longestQuestion {
		return ruled, err
	}
	chats := m.Chats(ctx)
	if len(chats) == 0 {
		return ruled, nil
	}
	within, cancel := context.WithTimeout(ctx, m.limit())
	defer cancel()
	why := ""
	for i, chat := range chats {
		u, err := m.by(within, len(chats)-i, chat, asked{question, said, ruled})
		if errors.Is(ctx.Err(), context.Canceled) {
			return ruled, core.Wrap(ctx.Err(), core.CodeCanceled, "the question was not understood before the turn ended")
		}
		if err == nil {
			return u, nil
		}
		why += "; " + chat.Model() + " " + inAWord(err)
	}
	ruled.Reason += "; by rules" + why
	return ruled, nil
}

func (m Model) limit() time.Duration {
	if m.Timeout == 0 {
		return modelTimeout
	}
	return m.Timeout
}

// asked is a question with what was said before it, and what the rules make of
// it.
type asked struct {
	question string
	said     []pipeline.Round
	ruled    pipeline.Understanding
}

// by understands by one model, which has its part of the time that is left to
// all that have not been asked.
func (m Model) by(ctx context.Context, left int, chat llm.Chat, q asked) (pipeline.Understanding, error) {
	if deadline, ok := ctx.Deadline(); ok && left > 1 {
		part, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
		ctx = part
	}
	words, err := m.ask(ctx, chat, q.question, q.said)
	if err != nil {
		return q.ruled, err
	}
	return read(words, q.question, q.said, q.ruled)
}

// inAWord says what went wrong, without the model's own words.
func inAWord(err error) string {
	switch {
	case errors.Is(err, errUseless):
		return "gave nothing usable"
	case errors.Is(err, context.DeadlineExceeded):
		return "was too late"
	}
	return "failed: " + string(core.CodeOf(err))
}

func (m Model) ask(ctx context.Context, chat llm.Chat, question string, said []pipeline.Round) (string, error) {
	system, user := m.Prompts.Get(prompt.GroupRewrite, "").Render(text.DetectLanguage(question), prompt.Values{
		Query: question, Conversation: conversation(said), Now: time.Time{},
	})
	var reply strings.Builder
	err := chat.Stream(ctx, llm.ChatRequest{
		Messages:    []llm.Message{{Role: "system", Content: system}, {Role: "user", Content: user}},
		Question:    question,
		Temperature: modelHeat, MaxTokens: modelTokens, JSON: true,
	}, func(d llm.Delta) error {
		if reply.WriteString(d.Text); reply.Len() > maxReply {
			return errUseless
		}
		return nil
	})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return reply.String(), err
}

// conversation writes the rounds for a prompt.
func conversation(said []pipeline.Round) string {
	var b strings.Builder
	for _, r := range said {
		b.WriteString("User: " + text.Truncate(r.Question, longestQuestion) + "\n")
		if r.Image != "" {
			b.WriteString("(The user's picture shows: " + text.Truncate(r.Image, longestQuestion) + ")\n")
		}
		if r.Answer != "" {
			b.WriteString("Assistant: " + text.Truncate(r.Answer, longestQuestion) + "\n")
		}
	}
	return b.String()
}
