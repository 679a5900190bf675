package chat

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
)

// titleLimit is the longest title that a user may give, in characters.
const titleLimit = 200

// NewSession is a conversation to open. An empty title is filled from the
// first question; BaseIDs (or names) narrow every question in it; AssistantID
// "" means the default assistant.
type NewSession struct {
	Title       string
	BaseIDs     []string
	AssistantID string
}

// CreateSession opens a conversation with the default assistant.
func (s *Service) CreateSession(ctx context.Context, scope core.Scope, title string, baseIDs []string) (core.Session, error) {
	return s.OpenSession(ctx, scope, NewSession{Title: title, BaseIDs: baseIDs})
}

// OpenSession opens a conversation.
func (s *Service) OpenSession(ctx context.Context, scope core.Scope, n NewSession) (core.Session, error) {
	title := strings.TrimSpace(n.Title)
	if err := checkTitle(title); err != nil {
		return core.Session{}, err
	}
	who, err := s.AssistantOf(ctx, scope, n.AssistantID)
	if err != nil {
		return core.Session{}, err
	}
	baseIDs, err := s.checkSources(ctx, scope, n.BaseIDs, nil)
	if err != nil {
		return core.Session{}, err
	}
	now := s.Now().UTC()
	session := core.Session{
		ID: core.NewID(), TenantID: scope.TenantID, UserID: scope.UserID, AssistantID: who.ID,
		Title: title, BaseIDs: baseIDs, CreatedAt: now, UpdatedAt: now,
	}
	return session, s.Sessions.CreateSession(ctx, session)
}

// Session gives one conversation.
func (s *Service) Session(ctx context.Context, scope core.Scope, id string) (core.Session, error) {
	return s.Sessions.Session(ctx, scope, id)
}

// ListSessions gives one page, the last used first, and the total.
func (s *Service) ListSessions(ctx context.Context, scope core.Scope, offset, limit int) ([]core.Session, int, error) {
	return s.Sessions.ListSessions(ctx, scope, offset, limit)
}

// SessionChange is what to change of a conversation; nil leaves a field alone.
type SessionChange struct {
	Title   *string
	BaseIDs *[]string // ids or names; empty means all bases
	Pinned  *bool
}

// ChangeSession changes a conversation: all of what is asked, or nothing.
func (s *Service) ChangeSession(ctx context.Context, scope core.Scope, id string, c SessionChange) (core.Session, error) {
	if _, err := s.Sessions.Session(ctx, scope, id); err != nil {
		return core.Session{}, err
	}
	var title string
	if c.Title != nil {
		if title = strings.TrimSpace(*c.Title); title == "" {
			return core.Session{}, core.Errorf(core.CodeInvalid, "the title is empty")
		}
		if err := checkTitle(title); err != nil {
			return core.Session{}, err
		}
	}
	var baseIDs []string
	if c.BaseIDs != nil {
		var err error
		if baseIDs, err = s.checkSources(ctx, scope, *c.BaseIDs, nil); err != nil {
			return core.Session{}, err
		}
	}
	return s.Archive.UpdateSession(ctx, scope, id, func(v *core.Session) error {
		if c.Title != nil {
			v.Title = title
		}
		if c.BaseIDs != nil {
			v.BaseIDs = baseIDs
		}
		if c.Pinned != nil {
			v.Pinned = *c.Pinned
		}
		return nil
	})
}

// TogglePin pins a conversation that is not pinned, and the other way round.
func (s *Service) TogglePin(ctx context.Context, scope core.Scope, id string) (core.Session, error) {
	return s.Archive.UpdateSession(ctx, scope, id, func(v *core.Session) error {
		v.Pinned = !v.Pinned
		return nil
	})
}

func checkTitle(title string) error {
	if n := utf8.RuneCountInString(title); n > titleLimit {
		return core.Errorf(core.CodeTooLarge, "the title has %d characters; the limit is %d", n, titleLimit)
	}
	if strings.ContainsRune(title, 0) {
		return core.Errorf(core.CodeInvalid, "the title contains a NUL character")
	}
	return nil
}

// DeleteSession stops the session's running turns and removes it with all its
// messages.
func (s *Service) DeleteSession(ctx context.Context, scope core.Scope, id string) error {
	_, err := s.DeleteSessions(ctx, scope, []string{id})
	return err
}

// DeleteSessions does so with many sessions: all of them or, where one is not
// the caller's, none. nil means every session of the caller. It gives how many
// there were.
func (s *Service) DeleteSessions(ctx context.Context, scope core.Scope, ids []string) (int, error) {
	for _, id := range ids {
		if _, err := s.Sessions.Session(ctx, scope, id); err != nil {
			return 0, err
		}
	}
	if err := s.stopAll(ctx, scope, ids); err != nil {
		return 0, err
	}
	return s.Archive.DeleteSessions(ctx, scope, ids)
}

// turnsOf gives the running turns of a user: those of some sessions, or all
// for nil.
func (s *Service) turnsOf(scope core.Scope, sessionIDs []string) []*turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	var turns []*turn
	for _, t := range s.running {
		own := t.request.Scope.TenantID == scope.TenantID && t.request.Scope.UserID == scope.UserID
		if own && (sessionIDs == nil || slices.Contains(sessionIDs, t.request.SessionID)) {
			turns = append(turns, t)
		}
	}
	return turns
}

// Message gives one message.
func (s *Service) Message(ctx context.Context, scope core.Scope, id string) (core.Message, error) {
	return s.Messages.Message(ctx, scope, id)
}

// ListMessages gives the last limit messages of a session whose order is
// below before (0 for no bound), oldest first, and whether there are earlier
// ones.
func (s *Service) ListMessages(ctx context.Context, scope core.Scope, sessionID string, before int64, limit int) ([]core.Message, bool, error) {
	if _, err := s.Sessions.Session(ctx, scope, sessionID); err != nil {
		return nil, false, err
	}
	if before <= 0 {
		before = math.MaxInt64
	}
	messages, err := s.Messages.ListMessages(ctx, scope, sessionID, before, limit+1)
	if err != nil {
		return nil, false, err
	}
	slices.SortFunc(messages, func(a, b core.Message) int { return int(a.Order - b.Order) })
	if len(messages) > limit {
		return messages[len(messages)-limit:], true, nil
	}
	return messages, false, nil
}

// searchWords is how many words of a search count.
const searchWords = 16

// SearchMessages finds the caller's messages that hold every word of the
// query, the newest first. sessionID "" means all sessions.
func (s *Service) SearchMessages(ctx context.Context, scope core.Scope, query, sessionID string, limit int) ([]core.FoundMessage, error) {
	words := strings.Fields(query)
	if len(words) == 0 {
		return nil, core.Errorf(core.CodeInvalid, "the query is empty")
	}
	if len(words) > searchWords {
		return nil, core.Errorf(core.CodeTooLarge, "the query has %d words; the limit is %d", len(words), searchWords)
	}
	return s.Archive.SearchMessages(ctx, scope, query, sessionID, limit)
}
