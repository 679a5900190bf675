package native

import (
	"context"
	"encoding/json"

	"kaoju/internal/assistant"
	"kaoju/internal/core"
)

// Assistants keeps who answers, within the tenant of a scope.
type Assistants interface {
	Assistant(ctx context.Context, scope core.Scope, id string) (core.Assistant, error)
	List(ctx context.Context, scope core.Scope) ([]core.Assistant, error)
	Create(ctx context.Context, scope core.Scope, a core.Assistant) (core.Assistant, error)
	Replace(ctx context.Context, scope core.Scope, a core.Assistant) (core.Assistant, error)
	Delete(ctx context.Context, scope core.Scope, id string) error
}

// Reloader reads files again.
type Reloader interface{ Reload() error }

// RuleBook holds the rules of routing.
type RuleBook interface {
	Reloader
	State() assistant.BookState
}

// AssistantInput is an assistant as a client describes it: only what it says
// counts, and a field that there is not is an error.
type AssistantInput struct {
	Body json.RawMessage
}

// ListAssistants gives the assistants of the caller's tenant.
func (h *Handlers) ListAssistants(ctx context.Context, _ *Empty) (*Reply[List[core.Assistant]], error) {
	all, err := h.Assistants.List(ctx, scopeOf(ctx))
	return list(all, len(all), err)
}

// Assistant gives one assistant.
func (h *Handlers) Assistant(ctx context.Context, in *ByID) (*Reply[core.Assistant], error) {
	return reply(h.Assistants.Assistant(ctx, scopeOf(ctx), in.ID))
}

// CreateAssistant makes an assistant. What is left out is as the default
// assistant has it.
func (h *Handlers) CreateAssistant(ctx context.Context, in *AssistantInput) (*Reply[core.Assistant], error) {
	a, err := assistant.Decode(in.Body, core.Assistant{MultiTurn: true, Citations: true})
	if err != nil {
		return nil, err
	}
	if err := h.checkBases(ctx, a); err != nil {
		return nil, err
	}
	return reply(h.Assistants.Create(ctx, scopeOf(ctx), a))
}

// ChangeAssistantInput changes an assistant.
type ChangeAssistantInput struct {
	ByID
	AssistantInput
}

// ChangeAssistant changes what the body names of an assistant.
func (h *Handlers) ChangeAssistant(ctx context.Context, in *ChangeAssistantInput) (*Reply[core.Assistant], error) {
	before, err := h.Assistants.Assistant(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	a, err := assistant.Decode(in.Body, before)
	if err != nil {
		return nil, err
	}
	if a.ID != in.ID {
		return nil, core.Errorf(core.CodeInvalid, "the id of an assistant does not change")
	}
	if err := h.checkBases(ctx, a); err != nil {
		return nil, err
	}
	return reply(h.Assistants.Replace(ctx, scopeOf(ctx), a))
}

// checkBases refuses bases that the caller cannot see.
func (h *Handlers) checkBases(ctx context.Context, a core.Assistant) error {
	for _, id := range a.BaseIDs {
		if _, err := h.Library.Base(ctx, scopeOf(ctx), id); err != nil {
			return err
		}
	}
	return nil
}

// DeleteAssistant removes an assistant; its sessions stay.
func (h *Handlers) DeleteAssistant(ctx context.Context, in *ByID) (*Empty, error) {
	return &Empty{}, h.Assistants.Delete(ctx, scopeOf(ctx), in.ID)
}

// ReloadAssistants reads the files of assistants again and says what is wrong
// with them.
func (h *Handlers) ReloadAssistants(ctx context.Context, _ *Empty) (*Reply[List[core.Assistant]], error) {
	if r, ok := h.Assistants.(Reloader); ok {
		if err := r.Reload(); err != nil {
			return nil, err
		}
	}
	return h.ListAssistants(ctx, nil)
}

// RuleState gives the rules in force.
func (h *Handlers) RuleState(context.Context, *Empty) (*Reply[assistant.BookState], error) {
	return reply(h.Rules.State(), nil)
}

// ReloadRules reads the file of rules again and says what is wrong with it.
func (h *Handlers) ReloadRules(context.Context, *Empty) (*Reply[assistant.BookState], error) {
	if err := h.Rules.Reload(); err != nil {
		return nil, err
	}
	return reply(h.Rules.State(), nil)
}
