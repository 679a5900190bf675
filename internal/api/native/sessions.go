package native

import (
	"context"

	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// NewSession is the body that opens a session.
type NewSession struct {
	Title   string   `json:"title,omitempty" doc:"empty: made from the first question"`
	BaseIDs []string `json:"knowledge_base_ids,omitempty" maxItems:"100" doc:"bases that every question asks, by id or name; none means all"`
	// AssistantID is who answers in the session.
	AssistantID string `json:"assistant_id,omitempty" doc:"who answers; none means the default assistant"`
}

// CreateSessionInput opens a session. The body may be left out.
type CreateSessionInput struct {
	Body *NewSession
}

// CreateSession opens a session.
func (h *Handlers) CreateSession(ctx context.Context, in *CreateSessionInput) (*Reply[core.Session], error) {
	var body NewSession
	if in.Body != nil {
		body = *in.Body
	}
	return reply(h.Chat.OpenSession(ctx, scopeOf(ctx), chat.NewSession{Title: body.Title, BaseIDs: body.BaseIDs, AssistantID: body.AssistantID}))
}

// ListSessions gives the caller's sessions, the last used first.
func (h *Handlers) ListSessions(ctx context.Context, in *Page) (*Reply[List[core.Session]], error) {
	return list(h.Chat.ListSessions(ctx, scopeOf(ctx), in.Offset, in.Limit))
}

// Session gives one session.
func (h *Handlers) Session(ctx context.Context, in *ByID) (*Reply[core.Session], error) {
	return reply(h.Chat.Session(ctx, scopeOf(ctx), in.ID))
}

// SessionPatch is what to change of a session.
type SessionPatch struct {
	Title   *string   `json:"title,omitempty" doc:"1 to 200 characters"`
	Pinned  *bool     `json:"pinned,omitempty" doc:"pinned sessions come first in the list"`
	BaseIDs *[]string `json:"knowledge_base_ids,omitempty" maxItems:"100" doc:"bases that every question asks, by id or name; empty means all"`
}

// ChangeSessionInput changes a session.
type ChangeSessionInput struct {
	ByID
	Body SessionPatch
}

// ChangeSession changes a session: all of what is asked, or nothing.
func (h *Handlers) ChangeSession(ctx context.Context, in *ChangeSessionInput) (*Reply[core.Session], error) {
	b := in.Body
	if b.Title == nil && b.Pinned == nil && b.BaseIDs == nil {
		return nil, core.Errorf(core.CodeInvalid, "nothing to change: give title, pinned or knowledge_base_ids")
	}
	return reply(h.Chat.ChangeSession(ctx, scopeOf(ctx), in.ID, chat.SessionChange{Title: b.Title, Pinned: b.Pinned, BaseIDs: b.BaseIDs}))
}

// DeleteSession removes a session with its messages.
func (h *Handlers) DeleteSession(ctx context.Context, in *ByID) (*Empty, error) {
	return &Empty{}, h.Chat.DeleteSession(ctx, scopeOf(ctx), in.ID)
}

// DeleteSessionsInput says which sessions to delete.
type DeleteSessionsInput struct {
	Body struct {
		IDs []string `json:"ids,omitempty" maxItems:"1000" doc:"the sessions to delete"`
		All bool     `json:"all,omitempty" doc:"every session of the caller"`
	}
}

// Deleted says how many objects are gone.
type Deleted struct {
	Deleted int `json:"deleted"`
}

// DeleteSessions removes many sessions with their messages: all that are
// named, or none.
func (h *Handlers) DeleteSessions(ctx context.Context, in *DeleteSessionsInput) (*Reply[Deleted], error) {
	ids := in.Body.IDs
	if in.Body.All == (len(ids) > 0) {
		return nil, core.Errorf(core.CodeInvalid, "say which sessions: ids, or all")
	}
	if in.Body.All {
		ids = nil
	}
	n, err := h.Chat.DeleteSessions(ctx, scopeOf(ctx), ids)
	return reply(Deleted{Deleted: n}, err)
}

// SearchMessagesInput says what to find in the caller's messages.
type SearchMessagesInput struct {
	Query     string `query:"query" required:"true" doc:"words that the message must hold, all of them"`
	SessionID string `query:"session_id" doc:"only this session"`
	Limit     int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"messages to give"`
}

// FoundMessages are the newest messages that a search found.
type FoundMessages struct {
	Items []core.FoundMessage `json:"items"`
}

// SearchMessages finds messages by their words, the newest first.
func (h *Handlers) SearchMessages(ctx context.Context, in *SearchMessagesInput) (*Reply[FoundMessages], error) {
	items, err := h.Chat.SearchMessages(ctx, scopeOf(ctx), in.Query, in.SessionID, in.Limit)
	return reply(FoundMessages{Items: orEmpty(items)}, err)
}

// MessagesInput chooses a part of a session's history.
type MessagesInput struct {
	ByID
	Before int64 `query:"before" minimum:"0" doc:"only messages with a smaller order; 0 means all"`
	Limit  int   `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"messages to give"`
}

// History is a part of a session's messages, oldest first.
type History struct {
	Items   []core.Message `json:"items"`
	HasMore bool           `json:"has_more" doc:"there are earlier ones"`
}

// ListMessages gives the last messages before a point.
func (h *Handlers) ListMessages(ctx context.Context, in *MessagesInput) (*Reply[History], error) {
	items, more, err := h.Chat.ListMessages(ctx, scopeOf(ctx), in.ID, in.Before, in.Limit)
	if err == nil {
		err = h.rated(ctx, items)
	}
	return reply(History{Items: orEmpty(items), HasMore: more}, err)
}

// Message gives one message.
func (h *Handlers) Message(ctx context.Context, in *ByID) (*Reply[core.Message], error) {
	m, err := h.Chat.Message(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	one := []core.Message{m}
	err = h.rated(ctx, one)
	return reply(one[0], err)
}

// Trace gives what a turn did.
func (h *Handlers) Trace(ctx context.Context, in *ByID) (*Reply[core.Trace], error) {
	t, err := h.Traces.Trace(ctx, scopeOf(ctx), in.ID)
	t.Timings, t.Notes = orEmpty(t.Timings), orEmpty(t.Notes)
	return reply(t, err)
}
