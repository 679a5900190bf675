package ws

import (
	"context"
	"slices"

	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// Message is what a client sends: a question, or one of resume and stop.
type Message struct {
	Query       string             `json:"query"`
	SessionID   string             `json:"session_id"`   // empty: a new session; start tells its id
	ScenarioID  string             `json:"scenario_id"`  // the assistant; empty: the session's, or the default one
	AssistantID string             `json:"assistant_id"` // the same
	BaseIDs     []string           `json:"knowledge_base_ids"`
	DocumentIDs []string           `json:"knowledge_ids"`
	Source      string             `json:"source_filter"` // one base, by id or name
	TopK        int                `json:"top_k"`
	Citations   core.CitationStyle `json:"citation_style"` // numbers, tags or none; "" means as the assistant has it
	// What follows only ever narrows what the credential opens.
	TenantID   string   `json:"tenant_id"`
	DatasetID  string   `json:"dataset_id"`
	Visibility string   `json:"visibility"`
	Role       string   `json:"user_role"`
	Roles      []string `json:"user_roles"`
	Version    string   `json:"kb_version"`

	Resume *Resume `json:"resume"`
	Stop   *Stop   `json:"stop"`
}

// Resume takes up an answer after an event that the client has.
type Resume struct {
	MessageID string `json:"message_id"`
	After     int64  `json:"after"`
}

// Stop ends an answer.
type Stop struct {
	MessageID string `json:"message_id"`
}

// check refuses what would be answered otherwise than it was asked.
func (m Message) check() error {
	switch {
	case m.ScenarioID != "" && m.AssistantID != "" && m.ScenarioID != m.AssistantID:
		return core.Errorf(core.CodeInvalid, "scenario_id and assistant_id name different assistants")
	case m.Version != "":
		return core.Errorf(core.CodeInvalid, "kb_version is not taken: answers come from the active version")
	case m.TopK < 0 || m.TopK > 100:
		return core.Errorf(core.CodeInvalid, "top_k is %d; it lies in 0..100", m.TopK)
	}
	return m.Citations.Check()
}

// narrow gives the part of a scope that the message asks for.
func (m Message) narrow(scope core.Scope) (core.Scope, error) {
	if m.TenantID != "" && m.TenantID != scope.TenantID {
		return scope, core.Errorf(core.CodeForbidden, "the credential does not open the tenant %q", m.TenantID)
	}
	if m.DatasetID != "" {
		if scope.Datasets == nil || slices.Contains(scope.Datasets, m.DatasetID) {
			scope.Datasets = []string{m.DatasetID}
		} else {
			scope.Datasets = []string{} // not nil, which would be all
		}
	}
	if m.Visibility != "" {
		scope.Visibility = intersect(scope.Visibility, []core.Visibility{core.Visibility(m.Visibility)})
	}
	roles := m.Roles
	if m.Role != "" {
		roles = append(slices.Clone(roles), m.Role)
	}
	if len(roles) > 0 {
		scope.Roles = intersect(scope.Roles, roles)
	}
	return scope, nil
}

func intersect[T comparable](have, want []T) []T {
	return slices.DeleteFunc(slices.Clone(have), func(v T) bool { return !slices.Contains(want, v) })
}

// request makes the question within a session.
func (m Message) request(sessionID string) chat.AskRequest {
	bases := m.BaseIDs
	if m.Source != "" {
		bases = append(slices.Clone(bases), m.Source)
	}
	return chat.AskRequest{SessionID: sessionID, Question: m.Query, BaseIDs: bases, DocumentIDs: m.DocumentIDs, TopK: m.TopK, AssistantID: m.assistant(), Citations: m.Citations}
}

// assistant is the assistant that the message names; "" for none.
func (m Message) assistant() string {
	if m.AssistantID != "" {
		return m.AssistantID
	}
	return m.ScenarioID
}

// session gives the session of a question: the one that it names or, where
// there is none (any more), a new one, so that a channel whose session was
// deleted goes on.
func (c *connection) session(ctx context.Context, scope core.Scope, id, assistantID string) (core.Session, error) {
	if id != "" {
		s, err := c.handlers.Chat.Session(ctx, scope, id)
		if core.CodeOf(err) != core.CodeNotFound {
			return s, err
		}
	}
	return c.handlers.Chat.OpenSession(ctx, scope, chat.NewSession{AssistantID: assistantID})
}
