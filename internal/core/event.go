package core

import "encoding/json"

// EventType names an entry in a turn's log. The names are the native
// protocol's response types.
type EventType string

// Types of event. A turn's log ends with exactly one of Complete, Error and
// Stop; only SessionTitle may follow.
const (
	EventAgentQuery   EventType = "agent_query"
	EventThinking     EventType = "thinking"
	EventAnswer       EventType = "answer"
	EventReferences   EventType = "references"
	EventToolCall     EventType = "tool_call"
	EventToolResult   EventType = "tool_result"
	EventReflection   EventType = "reflection"
	EventSessionTitle EventType = "session_title"
	EventError        EventType = "error"
	EventComplete     EventType = "complete"
	EventStop         EventType = "stop"
)

// Terminal reports whether the type ends a turn.
func (t EventType) Terminal() bool {
	return t == EventComplete || t == EventError || t == EventStop
}

// Event is one entry of a turn's log. Seq starts at 1 and has no gaps.
// Content is an increment, never the text so far. Data is the type's own
// payload, already encoded.
type Event struct {
	Seq     int64           `json:"seq"`
	Type    EventType       `json:"type"`
	Content string          `json:"content,omitempty"`
	Done    bool            `json:"done,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}
