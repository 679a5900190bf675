package llm

import (
	"context"
	"strings"

	"kaoju/internal/core"
)

// Look is a question about pictures.
type Look struct {
	System    string
	Question  string
	Images    []Image
	MaxTokens int  // of the reply; 0 means 1,024
	JSON      bool // asks for one JSON object
}

// Vision is a model that sees. See gives its whole reply, without what it
// thought.
type Vision interface {
	See(ctx context.Context, look Look) (string, error)
	Model() string
}

// Limits of a reply about pictures.
const (
	lookTokens = 1024
	lookBytes  = 64 << 10
)

// Eyes make a chat model that takes pictures a Vision.
type Eyes struct{ Chat }

// See asks the chat model with the pictures behind the question.
func (e Eyes) See(ctx context.Context, look Look) (string, error) {
	tokens := look.MaxTokens
	if tokens <= 0 {
		tokens = lookTokens
	}
	messages := []Message{{Role: "user", Content: look.Question, Images: look.Images}}
	if look.System != "" {
		messages = append([]Message{{Role: "system", Content: look.System}}, messages...)
	}
	return Say(ctx, e.Chat, ChatRequest{Messages: messages, Question: look.Question, MaxTokens: tokens, JSON: look.JSON})
}

// Say asks a chat model and gives its whole reply, without what it thought and
// the blanks around. A reply of more than 64 KiB is a core.CodeTooLarge.
func Say(ctx context.Context, chat Chat, req ChatRequest) (string, error) {
	var reply strings.Builder
	err := chat.Stream(ctx, req, func(d Delta) error {
		if reply.WriteString(d.Text); reply.Len() > lookBytes {
			return core.Errorf(core.CodeTooLarge, "the model's reply does not end")
		}
		return nil
	})
	return strings.TrimSpace(reply.String()), err
}
