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
	return reply(h.Chat.CreateSession(ctx, scopeOf(ctx), body.Title, body.BaseIDs))
}

// ListSessions gives the caller's sessions, the last used first.
func (h *Handlers) ListSessions(ctx context.Context, in *Page) (*Reply[List[core.Session]], error) {
	return list(h.Chat.ListSessions(ctx, scopeOf(ctx), in.Offset, in.Limit))
}

// Session gives one session.
func (h *Handlers) Session(ctx context.Context, in *ByID) (*Reply[core.Session], error) {
	return reply(h.Chat.Session(ctx, scopeOf(ctx), in.ID))
}

// RenameSessionInput gives a session another title.
type RenameSessionInput struct {
	ByID
	Body struct {
		Title string `json:"title" doc:"1 to 200 characters"`
	}
}

// RenameSession gives a session another title.
func (h *Handlers) RenameSession(ctx context.Context, in *RenameSessionInput) (*Reply[core.Session], error) {
	return reply(h.Chat.ChangeSession(ctx, scopeOf(ctx), in.ID, chat.SessionChange{Title: &in.Body.Title}))
}

// DeleteSession removes a session with its messages.
func (h *Handlers) DeleteSession(ctx context.Context, in *ByID) (*Empty, error) {
	return &Empty{}, h.Chat.DeleteSession(ctx, scopeOf(ctx), in.ID)
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
	return reply(History{Items: orEmpty(items), HasMore: more}, err)
}

// Message gives one message.
func (h *Handlers) Message(ctx context.Context, in *ByID) (*Reply[core.Message], error) {
	return reply(h.Chat.Message(ctx, scopeOf(ctx), in.ID))
}

// Trace gives what a turn did.
func (h *Handlers) Trace(ctx context.Context, in *ByID) (*Reply[core.Trace], error) {
	t, err := h.Traces.Trace(ctx, scopeOf(ctx), in.ID)
	t.Timings, t.Notes = orEmpty(t.Timings), orEmpty(t.Notes)
	return reply(t, err)
}
