package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
	"unicode/utf8"

	"kaoju/internal/api/fault"
	"kaoju/internal/api/request"
	"kaoju/internal/api/sse"
	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// Evidence is what stands behind an answer: on the message, and on the last
// delta of a stream. It is the same in both.
type Evidence struct {
	References []core.Reference `json:"references"`
	Citations  []core.Citation  `json:"citations"`
	Confidence *core.Confidence `json:"confidence"`
	HitType    core.HitType     `json:"hit_type,omitempty"`
	// Unsupported are the claims that no source carries.
	Unsupported []core.Unsupported `json:"unsupported,omitempty"`
	MessageID   string             `json:"message_id"`
}

// Message is the text of an answer, or an increment of it.
type Message struct {
	Role      core.Role `json:"role,omitempty"`
	Content   *string   `json:"content,omitempty"`
	Reasoning string    `json:"reasoning_content,omitempty"`
	*Evidence
}

// Choice is the one answer; Message is set in a completion and Delta in a
// chunk.
type Choice struct {
	Index        int      `json:"index"`
	Message      *Message `json:"message,omitempty"`
	Delta        *Message `json:"delta,omitempty"`
	FinishReason *string  `json:"finish_reason"`
}

// Usage is the size of question and answer in tokens, estimated from their
// characters: an answer may take several models, or none.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// Completion is an answer, or a chunk of one.
type Completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"` // Unix seconds
	Model   string   `json:"model"`
	Choices []Choice `json:"choices"`
	Usage   *Usage   `json:"usage,omitempty"`
}

// completion is a turn on its way to the caller.
type completion struct {
	handlers *Handlers
	request  Request
	started  chat.Started
	scope    core.Scope
	created  time.Time
}

// Complete answers the last user message.
func (h *Handlers) Complete(w http.ResponseWriter, r *http.Request) error {
	var req Request
	if err := request.JSON(w, r, &req); err != nil {
		return err
	}
	if err := req.check(); err != nil {
		return err
	}
	if err := h.checkModel(r, req.Model); err != nil {
		return err
	}
	question, before, err := req.split()
	if err != nil {
		return err
	}
	started, err := h.Chat.AskOnce(r.Context(), scopeOf(r), chat.AskRequest{
		Question: question, BaseIDs: req.BaseIDs, DocumentIDs: req.DocumentIDs, TopK: req.TopK, AssistantID: req.Model, Citations: req.Citations,
	}, before)
	if err != nil {
		return err
	}
	c := &completion{handlers: h, request: req, started: started, scope: scopeOf(r), created: started.AssistantMessage.CreatedAt}
	if req.Stream {
		c.stream(r.Context(), sse.Open(w))
		return nil
	}
	return c.whole(r.Context(), w)
}

// whole waits for the end of the turn and answers with all of it.
func (c *completion) whole(ctx context.Context, w http.ResponseWriter) error {
	var reasoning string
	for {
		events, err := c.started.Events.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			c.abandon(ctx)
			return err
		}
		for _, e := range events {
			if e.Type == core.EventThinking {
				reasoning += e.Content
			}
			if f := faultOf(e); f != nil {
				WriteFault(w, *f)
				return nil
			}
		}
	}
	m, err := c.stored(ctx)
	if err != nil {
		return err
	}
	out := c.chunk("chat.completion", &Message{Role: core.RoleAssistant, Content: &m.Content, Reasoning: reasoning, Evidence: evidence(m)}, "stop")
	out.Choices[0].Message, out.Choices[0].Delta = out.Choices[0].Delta, nil
	out.Usage = c.usage(m.Content)
	writeJSON(w, http.StatusOK, out)
	return nil
}

// stream sends increments as they come, then the evidence, then [DONE].
func (c *completion) stream(ctx context.Context, out *sse.Writer) {
	nothing := ""
	err := out.JSON("", 0, c.delta(&Message{Role: core.RoleAssistant, Content: &nothing}, ""))
	failed := false
	if err == nil {
		err = sse.Relay(ctx, out, c.started.Events, c.handlers.Heartbeat, func(e core.Event) error {
			if f := faultOf(e); f != nil {
				failed = true
				return out.JSON("", 0, failure(*f))
			}
			return c.put(out, e)
		})
	}
	if !errors.Is(err, io.EOF) {
		c.abandon(ctx)
		return
	}
	if !failed {
		c.close(ctx, out)
	}
}

func (c *completion) put(out *sse.Writer, e core.Event) error {
	switch {
	case e.Type == core.EventAnswer && e.Content != "":
		return out.JSON("", 0, c.delta(&Message{Content: &e.Content}, ""))
	case e.Type == core.EventThinking && e.Content != "":
		return out.JSON("", 0, c.delta(&Message{Reasoning: e.Content}, ""))
	default:
		return nil
	}
}

// close ends a stream whose turn ended well. A reader that left meanwhile has
// all of the text.
func (c *completion) close(ctx context.Context, out *sse.Writer) {
	m, err := c.stored(ctx)
	if err != nil {
		_ = out.JSON("", 0, failure(fault.Of(ctx, c.handlers.Logger, err)))
		_ = out.Flush()
		return
	}
	_ = out.JSON("", 0, c.delta(&Message{Evidence: evidence(m)}, "stop"))
	if c.request.StreamOptions != nil && c.request.StreamOptions.IncludeUsage {
		last := c.delta(nil, "")
		last.Choices, last.Usage = []Choice{}, c.usage(m.Content)
		_ = out.JSON("", 0, last)
	}
	out.Line("[DONE]")
	_ = out.Flush()
}

// stored reads the answer that the turn came to.
func (c *completion) stored(ctx context.Context) (core.Message, error) {
	return c.handlers.Chat.Message(ctx, c.scope, c.started.AssistantMessage.ID)
}

// abandonTimeout bounds the stop of a turn whose caller left.
const abandonTimeout = 10 * time.Second

// abandon stops a turn that nobody can come back to.
func (c *completion) abandon(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTimeout)
	defer cancel()
	if _, err := c.handlers.Chat.Stop(ctx, c.scope, c.started.SessionID, c.started.AssistantMessage.ID); err != nil {
		c.handlers.Logger.WarnContext(ctx, "a turn was not stopped", "message_id", c.started.AssistantMessage.ID, "error", err)
	}
}

// faultOf gives the error in which a turn ended, nil where it did not. An
// answer that was stopped is not an answer to the question.
func faultOf(e core.Event) *fault.Fault {
	var f fault.Fault
	switch e.Type {
	case core.EventError:
		var failed chat.Failed
		if json.Unmarshal(e.Data, &failed) != nil || failed.Code == "" {
			failed.Code = core.CodeInternal
		}
		f = fault.New(failed.Code, e.Content)
	case core.EventStop:
		var stopped chat.Stopped
		if json.Unmarshal(e.Data, &stopped) == nil && stopped.Reason == core.MessageInterrupted {
			f = fault.New(core.CodeInterrupted, "the server ended before the answer did")
		} else {
			f = fault.New(core.CodeCanceled, "the answer was stopped")
		}
	default:
		return nil
	}
	return &f
}

func (c *completion) delta(m *Message, finish string) Completion {
	return c.chunk("chat.completion.chunk", m, finish)
}

func (c *completion) chunk(object string, m *Message, finish string) Completion {
	choice := Choice{Delta: m}
	if finish != "" {
		choice.FinishReason = &finish
	}
	return Completion{
		ID: "chatcmpl-" + c.started.AssistantMessage.ID, Object: object, Created: c.created.Unix(),
		Model: c.request.Model, Choices: []Choice{choice},
	}
}

func evidence(m core.Message) *Evidence {
	e := &Evidence{References: m.References, Citations: m.Citations, Confidence: m.Confidence, HitType: m.HitType, MessageID: m.ID, Unsupported: m.Unsupported}
	if e.References == nil {
		e.References = []core.Reference{}
	}
	if e.Citations == nil {
		e.Citations = []core.Citation{}
	}
	return e
}

func (c *completion) usage(answer string) *Usage {
	u := Usage{Completion: tokens(answer)}
	for _, m := range c.request.Messages {
		u.Prompt += tokens(string(m.Content))
	}
	u.Total = u.Prompt + u.Completion
	return &u
}

// tokens estimates: four characters of ASCII a token, one of other scripts.
func tokens(s string) int {
	wide := 0
	for _, r := range s {
		if r >= utf8.RuneSelf {
			wide++
		}
	}
	return wide + (utf8.RuneCountInString(s)-wide+3)/4
}
