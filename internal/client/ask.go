package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"kaoju/internal/core"
)

// Question is what is asked.
type Question struct {
	Text    string
	BaseIDs []string // empty means every base that the caller may see
	TopK    int      // 0 means the server's number
	Tags    []string // to stay within; empty means any
	// AssistantID is who answers; empty means the default assistant.
	AssistantID string
	// SessionID goes on with a conversation; empty opens one.
	SessionID string
}

// Answer is a finished answer.
type Answer struct {
	Text       string           `json:"answer"`
	Citations  []core.Citation  `json:"citations"`
	References []core.Reference `json:"references"`
	Confidence core.Confidence  `json:"confidence"`
	HitType    core.HitType     `json:"hit_type"`
	Timings    []core.Timing    `json:"timings"`
	// Unsupported are the claims that no source carries.
	Unsupported []core.Unsupported `json:"unsupported,omitempty"`
	SessionID   string             `json:"session_id"`
	MessageID   string             `json:"message_id"`
}

// item is one event of the native stream.
type item struct {
	Type       core.EventType   `json:"response_type"`
	Content    string           `json:"content"`
	References []core.Reference `json:"knowledge_references"`
	SessionID  string           `json:"session_id"`
	MessageID  string           `json:"assistant_message_id"`
	Data       json.RawMessage  `json:"data"`
}

// maxResumes bounds how often a broken stream is taken up again.
const maxResumes = 5

// Ask opens a session where the question names none, asks the question and
// follows the stream to its end, resuming where the connection breaks. onText, if not nil, gets every
// increment of the answer.
func (c *Client) Ask(ctx context.Context, q Question, onText func(string)) (Answer, error) {
	session := core.Session{ID: q.SessionID}
	if q.SessionID == "" {
		if err := c.call(ctx, http.MethodPost, "/api/v1/sessions", struct{}{}, &session); err != nil {
			return Answer{}, err
		}
	}
	resp, err := c.post(ctx, session.ID, q)
	if err != nil {
		return Answer{}, err
	}
	f := follower{onText: onText}
	for resumes := 0; ; resumes++ {
		err = f.follow(resp.Body)
		resp.Body.Close()
		if ctx.Err() != nil {
			return f.answer, core.Wrap(ctx.Err(), core.CodeCanceled, "interrupted")
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) || f.answer.MessageID == "" {
			return f.answer, err
		}
		if resumes == maxResumes {
			return f.answer, core.Wrap(err, core.CodeUnavailable, "the connection broke %d times; the answer goes on as message %s", resumes+1, f.answer.MessageID)
		}
		if resp, err = c.resume(ctx, session.ID, f.answer.MessageID, f.last); err != nil {
			return f.answer, err
		}
	}
}

// asked is a question as the server reads it.
type asked struct {
	Query   string   `json:"query"`
	BaseIDs []string `json:"knowledge_base_ids,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	TopK    int      `json:"top_k,omitempty"`
	Who     string   `json:"assistant_id,omitempty"`
}

func body(q Question) asked { return asked{q.Text, q.BaseIDs, q.Tags, q.TopK, q.AssistantID} }

func (c *Client) post(ctx context.Context, sessionID string, q Question) (*http.Response, error) {
	encoded, err := json.Marshal(body(q))
	if err != nil {
		return nil, fmt.Errorf("encode the question: %w", err)
	}
	return c.stream(ctx, http.MethodPost, "/api/v1/sessions/"+url.PathEscape(sessionID)+"/knowledge-qa", encoded)
}

func (c *Client) resume(ctx context.Context, sessionID, messageID string, after int64) (*http.Response, error) {
	query := url.Values{"message_id": {messageID}, "after": {strconv.FormatInt(after, 10)}}
	return c.stream(ctx, http.MethodGet, "/api/v1/sessions/continue-stream/"+url.PathEscape(sessionID)+"?"+query.Encode(), nil)
}

// follower reads the native stream of one turn.
type follower struct {
	onText func(string)
	answer Answer
	shown  int // bytes of the answer that onText was given
	last   int64
}

// show gives onText what it has not had yet. After a restart of the server
// the stream begins anew with the same text, which is not shown twice.
func (f *follower) show() {
	if f.onText != nil && len(f.answer.Text) > f.shown {
		f.onText(f.answer.Text[f.shown:])
		f.shown = len(f.answer.Text)
	}
}

// follow reads one connection's worth of events. A stream that ends before a
// terminal event is io.ErrUnexpectedEOF.
func (f *follower) follow(r io.Reader) error {
	return readEvents(r, func(e sse) error {
		if id, err := strconv.ParseInt(e.id, 10, 64); err == nil {
			f.last = id
		}
		var it item
		if err := json.Unmarshal([]byte(e.data), &it); err != nil {
			return fmt.Errorf("read event %s: %w", e.id, err)
		}
		return f.take(it)
	})
}

func (f *follower) take(it item) error {
	switch it.Type {
	case core.EventAgentQuery:
		// A replay begins again from nothing.
		f.answer = Answer{SessionID: it.SessionID, MessageID: it.MessageID}
	case core.EventReferences:
		f.answer.References = it.References
	case core.EventAnswer:
		f.answer.Text += it.Content
		f.show()
	case core.EventComplete:
		return f.complete(it)
	case core.EventError:
		var data struct {
			Code core.Code `json:"code"`
		}
		if err := json.Unmarshal(it.Data, &data); err != nil || data.Code == "" {
			data.Code = core.CodeInternal
		}
		return &core.Error{Code: data.Code, Message: it.Content}
	case core.EventStop:
		return core.Errorf(core.CodeCanceled, "the answer was stopped; what was written so far is kept in message %s", it.MessageID)
	}
	return nil
}

// complete takes the payload of the terminal event and numbers the references
// that the answer cites; the others are "also found" and have number 0.
func (f *follower) complete(it item) error {
	var data struct {
		HitType    core.HitType    `json:"hit_type"`
		Confidence core.Confidence `json:"confidence"`
		Citations  []core.Citation `json:"citations"`
		Cited      []struct {
			Number  int    `json:"number"`
			ChunkID string `json:"chunk_id"`
		} `json:"cited"`
		Timings     []core.Timing      `json:"timings"`
		Unsupported []core.Unsupported `json:"unsupported"`
	}
	if err := json.Unmarshal(it.Data, &data); err != nil {
		return fmt.Errorf("read the end of the answer: %w", err)
	}
	numbers := map[string]int{}
	for _, c := range data.Cited {
		numbers[c.ChunkID] = c.Number
	}
	for i, r := range f.answer.References {
		f.answer.References[i].Number = numbers[r.ChunkID]
	}
	f.answer.HitType, f.answer.Confidence = data.HitType, data.Confidence
	f.answer.Citations, f.answer.Timings, f.answer.Unsupported = data.Citations, data.Timings, data.Unsupported
	return errDone
}
