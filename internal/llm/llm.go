// Package llm says what a model is: small interfaces that stages and
// ingestion depend on. Package builtin implements them without any file or
// network; package openai implements them over HTTP.
//
// Every implementation is safe for use from several goroutines, honours its
// context at once, and reports failures as *core.Error.
package llm

import (
	"context"
	"encoding/json"
)

// Purpose says what a text is embedded for; many models treat questions and
// passages differently.
type Purpose int

// Purposes.
const (
	ForQuery Purpose = iota
	ForPassage
)

// Embedder turns texts into vectors of unit length.
type Embedder interface {
	// Embed gives one vector of Dim values a text, in order.
	Embed(ctx context.Context, purpose Purpose, texts []string) ([][]float32, error)
	// Dim is the length of each vector.
	Dim() int
	// Model names the embedding space; vectors of two models never mix.
	Model() string
}

// Switching is an Embedder that stands for another one, which may change while
// it is in use.
type Switching interface {
	Embedder
	// Now gives the one that it stands for at this moment.
	Now() Embedder
}

// Now gives the embedder that e stands for at this moment. Work that asks it
// more than once holds on to that, so that all is of one model.
func Now(e Embedder) Embedder {
	if s, ok := e.(Switching); ok {
		return s.Now()
	}
	return e
}

// Passage is what a reranker reads.
type Passage struct {
	Title    string
	Headings []string
	Text     string
}

// Reranker scores how well passages answer a question.
type Reranker interface {
	// Rerank gives one score in [0,1] a passage, in order.
	Rerank(ctx context.Context, question string, passages []Passage) ([]float64, error)
	Model() string
}

// Message is one turn of a prompt.
type Message struct {
	Role    string // system, user, assistant, tool
	Content string
	// Images stand behind the content; only models that see take them.
	Images []Image
	// ToolCalls are what an assistant's message asked for.
	ToolCalls []ToolCall
	// ToolCallID names the call that a tool's message answers.
	ToolCallID string
}

// Evidence is a numbered source of a prompt. A remote model reads it inside
// the messages; the built-in one reads it here.
type Evidence struct {
	Handle   string // c1, c2 …: the only name of a source that a model ever sees
	Type     string // a core.ChunkType
	Title    string
	Headings []string
	Sheet    string // of a table row
	Row      int    // 1-based, of a table row; 0 for others
	Text     string
	Question string   // of an FAQ entry
	Answers  []string // of an FAQ entry
	Score    float64  // relevance in [0,1]
}

// ChatRequest is one call of a chat model.
type ChatRequest struct {
	Messages    []Message
	Question    string     // the stand-alone question
	Evidence    []Evidence // in the order in which the prompt shows it
	Aliases     []Alias    // of words of the question
	Temperature float64
	MaxTokens   int
	// Final says that the caller will not shorten a request that is too long
	// for the model.
	Final bool
	// Tools are what the model may call; none for a plain answer.
	Tools []Tool
	// JSON asks for one JSON object; Schema, if given, describes it.
	JSON   bool
	Schema json.RawMessage
}

// Delta is an increment of a model's output. Text cites sources with
// <ref id="c1"/> or [1].
type Delta struct {
	Text      string
	Reasoning string
	// Insufficient says that the model found no answer in the evidence; the
	// text is then whatever it says about that.
	Insufficient bool
	// Degraded says why another model than the wanted one writes; it comes
	// before its text.
	Degraded string
	// Assessed is the calibrated probability, in [0,1], that the evidence
	// answers, from a model that knows it; nil from others. It comes with
	// Finish.
	Assessed *float64
	// Finish is why the output ended ("stop", "length"); empty before that.
	Finish string
	// ToolCalls are complete calls; they come with or before Finish.
	ToolCalls []ToolCall
}

// Chat is a chat model. Stream calls yield for every increment in order and
// returns when the output is complete, yield returned an error (which it then
// returns), or ctx ended.
type Chat interface {
	Stream(ctx context.Context, req ChatRequest, yield func(Delta) error) error
	Model() string
}
