package chat

import (
	"context"

	"kaoju/internal/core"
)

// Spoken is what was said before a question that belongs to no session of
// ours.
type Spoken struct {
	Role    core.Role
	Content string
}

// saidLimit is how many earlier messages of a single question are kept; far
// more than any turn reads.
const saidLimit = 200

// AskOnce asks a question that belongs to no session, with what was said
// before. The turn is a real one: its messages are stored, in a session that
// no list shows and that is removed a day later. SessionID of req is ignored.
func (s *Service) AskOnce(ctx context.Context, scope core.Scope, req AskRequest, said []Spoken) (Started, error) {
	if err := s.Check(ctx, scope, req); err != nil {
		return Started{}, err
	}
	who, err := s.AssistantOf(ctx, scope, req.AssistantID)
	if err != nil {
		return Started{}, err
	}
	now := s.Now().UTC()
	session := core.Session{
		ID: core.NewID(), TenantID: scope.TenantID, UserID: scope.UserID, AssistantID: who.ID,
		Title: Shorten(req.Question), Hidden: true, CreatedAt: now, UpdatedAt: now,
	}
	if err := s.Archive.OpenHidden(ctx, session, rounds(said)); err != nil {
		return Started{}, err
	}
	req.SessionID = session.ID
	return s.Ask(ctx, scope, req)
}

// rounds makes messages of what was said: a question and the answer behind it
// are one round; whatever has no other half is left out.
func rounds(said []Spoken) []core.Message {
	said = said[max(0, len(said)-saidLimit):]
	var messages []core.Message
	for i := 0; i+1 < len(said); i++ {
		if said[i].Role != core.RoleUser || said[i+1].Role != core.RoleAssistant {
			continue
		}
		request := core.NewID()
		for _, half := range said[i : i+2] {
			messages = append(messages, core.Message{
				ID: core.NewID(), RequestID: request, Role: half.Role, Content: half.Content, State: core.MessageComplete,
			})
		}
	}
	return messages
}
