package openai

import (
	"encoding/json"
	"strings"

	"kaoju/internal/llm"
)

// wireRequest is the body of a chat call.
type wireRequest struct {
	Model          string          `json:"model"`
	Messages       []wireMessage   `json:"messages"`
	Stream         bool            `json:"stream"`
	StreamOptions  *wireStream     `json:"stream_options,omitempty"`
	Temperature    float64         `json:"temperature"`
	Tools          []wireTool      `json:"tools,omitempty"`
	ResponseFormat json.RawMessage `json:"response_format,omitempty"`
}

type wireStream struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireMessage struct {
	Role       string     `json:"role"`
	Content    wireText   `json:"content"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// wireText is the content of a message: a string, or with pictures a list of
// parts.
type wireText struct {
	text   string
	images []llm.Image
}

// MarshalJSON writes the form that endpoints without pictures know wherever
// there are none.
func (t wireText) MarshalJSON() ([]byte, error) {
	if len(t.images) == 0 {
		return json.Marshal(t.text)
	}
	var parts []wireSent
	if t.text != "" {
		parts = append(parts, wireSent{Type: "text", Text: t.text})
	}
	for _, i := range t.images {
		parts = append(parts, wireSent{Type: "image_url", Image: &wireImage{i.Address()}})
	}
	return json.Marshal(parts)
}

// wireSent is a part of a message that we send.
type wireSent struct {
	Type  string     `json:"type"`
	Text  string     `json:"text,omitempty"`
	Image *wireImage `json:"image_url,omitempty"`
}

type wireImage struct {
	URL string `json:"url"`
}

type wireTool struct {
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

type wireCall struct {
	ID       string           `json:"id"`
	Type     string           `json:"type"`
	Function wireCallFunction `json:"function"`
}

type wireCallFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// wireChunk is one value of a stream, or a whole answer.
type wireChunk struct {
	Choices []wireChoice    `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
}

type wireChoice struct {
	Index        int             `json:"index"`
	Delta        *wireDelta      `json:"delta"`
	Message      *wireDelta      `json:"message"`
	FinishReason json.RawMessage `json:"finish_reason"`
	Usage        json.RawMessage `json:"usage"`
}

type wireDelta struct {
	Content          json.RawMessage `json:"content"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	Refusal          json.RawMessage `json:"refusal"`
	ToolCalls        []wireFragment  `json:"tool_calls"`
}

// wireFragment is a piece of a tool call.
type wireFragment struct {
	Index    *int            `json:"index"`
	ID       json.RawMessage `json:"id"` // a string, or a number
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// wirePart is an element of content that comes as a list.
type wirePart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking json.RawMessage `json:"thinking"`
}

// content gives the text and the reasoning of a content member: a string,
// null, or a list of parts.
func content(m json.RawMessage) (text, reasoning string) {
	var parts []wirePart
	if len(m) == 0 || m[0] != '[' || json.Unmarshal(m, &parts) != nil {
		return word(m), ""
	}
	for _, p := range parts {
		if present(p.Thinking) {
			inner, _ := content(p.Thinking)
			reasoning += inner
			continue
		}
		text += p.Text
	}
	return text, reasoning
}

// thoughts gives the reasoning that stands in a member of its own. Some
// endpoints send it under both names.
func (d wireDelta) thoughts() string {
	if s := word(d.ReasoningContent); s != "" {
		return s
	}
	return word(d.Reasoning)
}

// word gives a string's content, and "" for anything else.
func word(m json.RawMessage) string {
	var s string
	if len(m) == 0 || m[0] != '"' || json.Unmarshal(m, &s) != nil {
		return ""
	}
	return s
}

// finishOf gives a reason to end in our words; "" for none.
func finishOf(m json.RawMessage) string {
	switch s := strings.ToLower(word(m)); s {
	case "null", "none":
		return ""
	case "eos", "stop_sequence", "end_turn", "complete":
		return "stop"
	case "max_tokens", "max_output_tokens":
		return "length"
	case "function_call":
		return "tool_calls"
	case "sensitive", "content-filter":
		return "content_filter"
	default:
		return s
	}
}

// toolSet puts tool calls together from their fragments.
type toolSet struct {
	calls []llm.ToolCall
	index []int // of each call, -1 where the endpoint gives none
	bytes int
}

func (t *toolSet) add(f wireFragment) {
	id := plain(f.ID)
	at := t.find(f, id)
	if at < 0 {
		at = len(t.calls)
		index := -1
		if f.Index != nil {
			index = *f.Index
		}
		t.calls, t.index = append(t.calls, llm.ToolCall{}), append(t.index, index)
	}
	call := &t.calls[at]
	if call.ID == "" {
		call.ID = id
	}
	if call.Name == "" {
		call.Name = f.Function.Name
	}
	// Arguments are a string in pieces, or one object.
	arguments := plain(f.Function.Arguments)
	t.bytes += len(arguments) + len(id) + 8<<10 // and no more than a thousand calls
	call.Arguments += arguments
}

// find gives the place of the call that a fragment belongs to, -1 for a new
// one. A new id begins a new call also where the index stays 0; where there is
// neither, a name does.
func (t *toolSet) find(f wireFragment, id string) int {
	if f.Index == nil && id == "" && f.Function.Name != "" {
		return -1
	}
	for at := len(t.calls) - 1; at >= 0; at-- {
		same := id == "" || id == t.calls[at].ID || t.calls[at].ID == ""
		if same && (f.Index == nil || *f.Index == t.index[at]) {
			return at
		}
	}
	return -1
}

func wireMessages(messages []llm.Message) []wireMessage {
	out := make([]wireMessage, len(messages))
	for i, m := range messages {
		out[i] = wireMessage{Role: m.Role, Content: wireText{m.Content, m.Images}, ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			out[i].ToolCalls = append(out[i].ToolCalls, wireCall{c.ID, "function", wireCallFunction{c.Name, c.Arguments}})
		}
	}
	return out
}

func wireTools(tools []llm.Tool) []wireTool {
	var out []wireTool
	for _, t := range tools {
		out = append(out, wireTool{"function", wireFunction(t)})
	}
	return out
}

// responseFormat gives the member that asks for JSON; nil for none.
func responseFormat(req llm.ChatRequest) (json.RawMessage, error) {
	switch {
	case len(req.Schema) > 0:
		return json.Marshal(map[string]any{
			"type":        "json_schema",
			"json_schema": map[string]any{"name": "answer", "schema": req.Schema, "strict": true},
		})
	case req.JSON:
		return json.RawMessage(`{"type":"json_object"}`), nil
	}
	return nil, nil
}
