package ws

import (
	"context"
	"encoding/json"
	"time"
	"unicode"

	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// answer does what a message asks for.
func (c *connection) answer(ctx context.Context, m Message) {
	var err error
	switch {
	case m.Stop != nil:
		// The end event of the answer says what came of it.
		_, err = c.handlers.Chat.Stop(ctx, c.scope, "", m.Stop.MessageID)
		if err != nil {
			c.fail(ctx, Head{MessageID: m.Stop.MessageID}, err)
		}
	case m.Resume != nil:
		c.resume(ctx, *m.Resume)
	default:
		c.ask(ctx, m)
	}
}

// ask starts a turn and tells its events.
func (c *connection) ask(ctx context.Context, m Message) {
	started, err := c.start(ctx, m)
	if err != nil {
		c.fail(ctx, Head{SessionID: m.SessionID}, err)
		return
	}
	t := c.telling(started.AssistantMessage, m.Query)
	t.assistant = started.Assistant
	t.asked = time.Now()
	t.tell(ctx, started.Events)
}

func (c *connection) start(ctx context.Context, m Message) (chat.Started, error) {
	if err := m.check(); err != nil {
		return chat.Started{}, err
	}
	scope, err := m.narrow(c.scope)
	if err != nil {
		return chat.Started{}, err
	}
	if err := c.handlers.Chat.Check(ctx, scope, m.request("")); err != nil {
		return chat.Started{}, err // before a session is opened for it
	}
	session, err := c.session(ctx, scope, m.SessionID, m.assistant())
	if err != nil {
		return chat.Started{}, err
	}
	return c.handlers.Chat.Ask(ctx, scope, m.request(session.ID))
}

// resume tells the events of a turn after one of them.
func (c *connection) resume(ctx context.Context, r Resume) {
	m, tail, err := c.handlers.Chat.Follow(ctx, c.scope, "", r.MessageID, r.After)
	if err != nil {
		c.fail(ctx, Head{MessageID: r.MessageID}, err)
		return
	}
	question := ""
	if before, _, err := c.handlers.Chat.ListMessages(ctx, c.scope, m.SessionID, m.Order, 1); err == nil && len(before) == 1 {
		question = before[0].Content
	}
	t := c.telling(m, question)
	if s, err := c.handlers.Chat.Session(ctx, c.scope, m.SessionID); err == nil {
		if t.assistant, err = c.handlers.Chat.AssistantOf(ctx, c.scope, s.AssistantID); err != nil {
			t.assistant = core.Assistant{ID: s.AssistantID}
		}
	}
	t.tell(ctx, tail)
}

// telling is a turn that is told to a client.
type telling struct {
	connection *connection
	message    core.Message
	assistant  core.Assistant
	chinese    bool
	asked      time.Time // zero where the client came later
	firstToken time.Time
}

func (c *connection) telling(m core.Message, question string) *telling {
	t := &telling{connection: c, message: m}
	for _, r := range question {
		t.chinese = t.chinese || unicode.Is(unicode.Han, r)
	}
	return t
}

// tell sends the events of a turn up to its end. A client that left comes
// back with resume.
func (t *telling) tell(ctx context.Context, tail *chat.Tail) {
	for {
		events, err := tail.Next(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			t.connection.fail(ctx, t.head("error", 0), err)
			return
		}
		for _, e := range events {
			if !t.pass(ctx, e) {
				return
			}
		}
	}
}

// pass sends what an event is in this protocol, if anything, and reports
// whether there is more to come.
func (t *telling) pass(ctx context.Context, e core.Event) bool {
	var out any
	switch e.Type {
	case core.EventAgentQuery:
		out = t.start(e)
	case core.EventToolCall:
		var window struct {
			Name string `json:"tool_name"`
		}
		_ = json.Unmarshal(e.Data, &window) // without a name the status is general
		out = t.status(e, window.Name)
	case core.EventReferences:
		out = t.status(e, "generate")
	case core.EventAnswer:
		if e.Content == "" {
			return true
		}
		if t.firstToken.IsZero() {
			t.firstToken = time.Now()
		}
		out = Token{Head: t.head("token", e.Seq), Token: e.Content}
	case core.EventError:
		out = t.failure(e)
	case core.EventComplete, core.EventStop:
		end, err := t.end(ctx, e)
		if err != nil {
			t.connection.fail(ctx, t.head("error", e.Seq), err)
			return false
		}
		out = end
	default:
		return true
	}
	return t.connection.send(ctx, out) == nil && !e.Type.Terminal()
}
