package openai

import (
	"encoding/json"
	"strings"

	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// Request is the body of a completion. Settings of the model, such as
// temperature, belong to the assistant: they are taken and not followed.
type Request struct {
	Model         string         `json:"model"`
	Messages      []SaidMessage  `json:"messages"`
	Stream        bool           `json:"stream"`
	StreamOptions *StreamOptions `json:"stream_options"`
	N             int            `json:"n"`
	// What follows is ours.
	BaseIDs     []string           `json:"knowledge_base_ids"` // bases to ask, by id or name; none means all
	DocumentIDs []string           `json:"knowledge_ids"`      // documents to stay within
	TopK        int                `json:"top_k"`
	Citations   core.CitationStyle `json:"citation_style"` // numbers, tags or none; "" means as the model has it
}

// StreamOptions ask for more in a stream.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// SaidMessage is one message of the conversation so far.
type SaidMessage struct {
	Role    string `json:"role"`
	Content Text   `json:"content"`
}

// Text is content that a client sends as text, as a list of parts, or as null.
type Text string

// UnmarshalJSON joins the parts. A part that is not text is core.CodeInvalid.
func (t *Text) UnmarshalJSON(data []byte) error {
	var plain *string
	if err := json.Unmarshal(data, &plain); err == nil {
		if plain != nil {
			*t = Text(*plain)
		}
		return nil
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(data, &parts); err != nil {
		return core.Errorf(core.CodeInvalid, "the content of a message must be text or a list of parts")
	}
	var joined []string
	for _, p := range parts {
		if p.Type != "text" {
			return core.Errorf(core.CodeInvalid, "a message has a part of type %q; only text is understood", p.Type)
		}
		joined = append(joined, p.Text)
	}
	*t = Text(strings.Join(joined, "\n"))
	return nil
}

// check refuses what could not be answered in the way that was asked for.
func (r Request) check() error {
	switch {
	case r.Model == "":
		return core.Errorf(core.CodeInvalid, "model is missing; GET /v1/models lists what there is")
	case len(r.Messages) == 0:
		return core.Errorf(core.CodeInvalid, "messages is empty")
	case r.N > 1:
		return core.Errorf(core.CodeInvalid, "n is %d; one answer is given", r.N)
	case r.TopK < 0 || r.TopK > 100:
		return core.Errorf(core.CodeInvalid, "top_k is %d; it lies in 0..100", r.TopK)
	}
	return r.Citations.Check()
}

// split finds the question, which is the last user message, and what was said
// before it. Instructions of the caller (system, developer) are not followed:
// how an answer is written is the assistant's.
func (r Request) split() (question string, before []chat.Spoken, err error) {
	last := -1
	for i, m := range r.Messages {
		if m.Role == "user" {
			last = i
		}
	}
	if last < 0 {
		return "", nil, core.Errorf(core.CodeInvalid, "messages has no message of role user")
	}
	for _, m := range r.Messages[:last] {
		if role := core.Role(m.Role); role == core.RoleUser || role == core.RoleAssistant {
			before = append(before, chat.Spoken{Role: role, Content: string(m.Content)})
		}
	}
	return string(r.Messages[last].Content), before, nil
}
