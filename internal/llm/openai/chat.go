package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// Chat is a chat model behind an endpoint.
type Chat struct{ c *client }

var _ llm.Chat = (*Chat)(nil)

// NewChat gives a chat model. Nothing is called yet.
func NewChat(o Options, e Env) (*Chat, error) {
	c, err := newClient(o, e, llm.KindChat, "/chat/completions")
	if err != nil {
		return nil, err
	}
	return &Chat{c}, nil
}

// Model gives the model's name as the endpoint knows it.
func (m *Chat) Model() string { return m.c.Model }

// Stream asks the model and passes its output on as it comes. An error of yield
// goes back as it is; the call is then cancelled, as it is when ctx ends. After
// the first increment nothing is tried again: what was passed on stands, and the
// error says that the rest is missing. An output without text and without tool
// calls is an error with llm.ErrNoText inside; an input that is too long one
// with *llm.ContextLengthError.
func (m *Chat) Stream(ctx context.Context, req llm.ChatRequest, yield func(llm.Delta) error) error {
	body, err := m.request(req)
	if err != nil {
		return err
	}
	return m.c.run(ctx, func(ctx context.Context, a *attempt) error {
		out := &output{client: m.c, attempt: a, yield: yield}
		out.split.thinking = m.c.Chat.StartsThinking
		defer func() { m.account(ctx, req, out) }()
		return m.stream(ctx, body, out)
	})
}

func (m *Chat) request(req llm.ChatRequest) ([]byte, error) {
	format, err := responseFormat(req)
	if err != nil {
		return nil, core.Wrap(err, core.CodeInvalid, "the schema of the answer is not JSON")
	}
	var limit map[string]int
	if req.MaxTokens > 0 {
		limit = map[string]int{m.c.Chat.MaxTokensField: req.MaxTokens}
	}
	body, err := m.c.body(wireRequest{
		Model: m.c.Model, Messages: wireMessages(req.Messages), Stream: true,
		StreamOptions: &wireStream{IncludeUsage: true}, Temperature: req.Temperature,
		Tools: wireTools(req.Tools), ResponseFormat: format,
	}, limit)
	return body, core.Wrap(err, core.CodeInvalid, "the request is not JSON")
}

// Grace is how long we read on after the end of the answer: for the numbers of
// tokens after its last chunk, and after [DONE] only for the end of the body,
// so that the connection can serve again.
const (
	graceUsage = 2 * time.Second
	graceDone  = 200 * time.Millisecond
)

func (m *Chat) stream(ctx context.Context, body []byte, out *output) error {
	first := m.c.late("gave no first word", m.c.Timeout.First)
	ctx, out.watch = m.c.watch(ctx, first, m.c.Timeout.First)
	defer out.watch.end()
	resp, err := m.c.send(ctx, http.MethodPost, m.c.url, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	err = out.read(resp)
	if ctx.Err() != nil && !out.over() && !errors.Is(err, io.EOF) && !errors.As(err, new(callerError)) {
		err = m.c.ended(ctx)
	}
	return out.end(err)
}

// pictureTokens is about what a picture costs where the endpoint does not say.
const pictureTokens = 1000

// account reports what an attempt cost. A refused one cost nothing.
func (m *Chat) account(ctx context.Context, req llm.ChatRequest, out *output) {
	u := out.usage
	if u == (llm.Usage{}) {
		if out.runes == (runes{}) {
			return
		}
		var in runes
		pictures := 0
		for _, msg := range req.Messages {
			in.add(msg.Content)
			pictures += len(msg.Images)
		}
		u = llm.Usage{Input: in.tokens() + pictures*pictureTokens, Output: out.runes.tokens(), Estimated: true}
	}
	u.Kind, u.Model = m.c.kind, m.c.Model
	m.c.OnUsage(ctx, u)
}
