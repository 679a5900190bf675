package llm

import "encoding/json"

// Tool is a function that a chat model may ask to have called.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema of the arguments
}

// ToolCall is a model's wish to have a tool called.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // JSON as the model wrote it: check before use
}
