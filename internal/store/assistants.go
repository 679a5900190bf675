package store

import (
	"context"

	"kaoju/internal/core"
)

const assistantColumns = `id, tenant_id, name, business_domain, industry, support_contact, base_ids, multi_turn, citations,
	settings, created_at, updated_at`

// assistantSettings is what of an assistant has no column of its own.
type assistantSettings struct {
	Description  string                  `json:"description,omitempty"`
	WebSearch    bool                    `json:"web_search,omitempty"`
	DataAnalysis bool                    `json:"data_analysis,omitempty"`
	Tools        bool                    `json:"tools,omitempty"`
	Models       core.AssistantModels    `json:"models"`
	Prompts      core.AssistantPrompts   `json:"prompts"`
	Retrieval    core.AssistantRetrieval `json:"retrieval"`
	FAQ          core.AssistantFAQ       `json:"faq"`
	Fallback     core.AssistantFallback  `json:"fallback"`
	Routing      core.AssistantRouting   `json:"routing"`
	Questions    []string                `json:"example_questions,omitempty"`
	Style        core.CitationStyle      `json:"citation_style,omitempty"`
}

func settingsOf(a core.Assistant) assistantSettings {
	return assistantSettings{
		Description: a.Description, WebSearch: a.WebSearch, DataAnalysis: a.DataAnalysis, Tools: a.Tools, Models: a.Models,
		Prompts: a.Prompts, Retrieval: a.Retrieval, FAQ: a.FAQ, Fallback: a.Fallback, Routing: a.Routing, Questions: a.Questions, Style: a.CitationStyle,
	}
}

func (s assistantSettings) fill(a *core.Assistant) {
	a.Description, a.WebSearch, a.DataAnalysis, a.Tools, a.Models = s.Description, s.WebSearch, s.DataAnalysis, s.Tools, s.Models
	a.Prompts, a.Retrieval, a.FAQ, a.Fallback, a.Routing, a.Questions = s.Prompts, s.Retrieval, s.FAQ, s.Fallback, s.Routing, s.Questions
	a.CitationStyle = s.Style
}

func scanAssistant(s scanner) (core.Assistant, error) {
	a := core.Assistant{Origin: "store"}
	var bases, settings string
	var multiTurn, citations int
	var created, updated int64
	err := s.Scan(&a.ID, &a.TenantID, &a.Name, &a.BusinessDomain, &a.Industry, &a.SupportContact, &bases,
		&multiTurn, &citations, &settings, &created, &updated)
	if err != nil {
		return a, err
	}
	a.MultiTurn, a.Citations = multiTurn != 0, citations != 0
	a.CreatedAt, a.UpdatedAt = moment(created), moment(updated)
	var kept assistantSettings
	if err := decode(settings, &kept); err != nil {
		return a, err
	}
	kept.fill(&a)
	return a, decode(bases, &a.BaseIDs)
}

func insertAssistant(tx *tx, a core.Assistant) error {
	now := millis(clock())
	n, err := tx.change("INSERT INTO assistants ("+assistantColumns+") VALUES ("+placeholders(12)+") ON CONFLICT DO NOTHING",
		a.ID, a.TenantID, a.Name, a.BusinessDomain, a.Industry, a.SupportContact, encode(a.BaseIDs),
		flag(a.MultiTurn), flag(a.Citations), encode(settingsOf(a)), now, now)
	if err == nil && n == 0 {
		return core.Errorf(core.CodeConflict, "there is already an assistant %q", a.ID)
	}
	return err
}

func noAssistant(id string) error {
	return core.Errorf(core.CodeNotFound, "there is no assistant %q", id)
}

// Assistant gives an assistant of the scope's tenant; "" means the default.
func (db *DB) Assistant(ctx context.Context, scope core.Scope, id string) (core.Assistant, error) {
	if id == "" {
		id = core.DefaultAssistantID
	}
	a, err := one(ctx, db, scanAssistant, "SELECT "+assistantColumns+" FROM assistants WHERE id = ? AND tenant_id = ?", id, scope.TenantID)
	return a, found(err, noAssistant(id))
}

// ListAssistants gives the assistants of the scope's tenant, by id.
func (db *DB) ListAssistants(ctx context.Context, scope core.Scope) ([]core.Assistant, error) {
	return all(ctx, db, scanAssistant, "SELECT "+assistantColumns+" FROM assistants WHERE tenant_id = ? ORDER BY id", scope.TenantID)
}

// CreateAssistant stores an assistant of the scope's tenant. An id that it
// has already is a core.CodeConflict.
func (db *DB) CreateAssistant(ctx context.Context, scope core.Scope, a core.Assistant) error {
	a.TenantID = scope.TenantID
	return db.write(ctx, "store the assistant", func(tx *tx) error { return insertAssistant(tx, a) })
}

// ReplaceAssistant stores all of an assistant of the scope's tenant anew.
func (db *DB) ReplaceAssistant(ctx context.Context, scope core.Scope, a core.Assistant) error {
	return db.write(ctx, "store the assistant", func(tx *tx) error {
		n, err := tx.change(`UPDATE assistants SET name = ?, business_domain = ?, industry = ?, support_contact = ?, base_ids = ?,
			multi_turn = ?, citations = ?, settings = ?, updated_at = ? WHERE id = ? AND tenant_id = ?`,
			a.Name, a.BusinessDomain, a.Industry, a.SupportContact, encode(a.BaseIDs), flag(a.MultiTurn), flag(a.Citations),
			encode(settingsOf(a)), millis(clock()), a.ID, scope.TenantID)
		if err == nil && n == 0 {
			return noAssistant(a.ID)
		}
		return err
	})
}

// DeleteAssistant removes an assistant of the scope's tenant. Its sessions
// stay; the default assistant answers in them.
func (db *DB) DeleteAssistant(ctx context.Context, scope core.Scope, id string) error {
	return db.write(ctx, "delete the assistant", func(tx *tx) error {
		n, err := tx.change("DELETE FROM assistants WHERE id = ? AND tenant_id = ?", id, scope.TenantID)
		if err == nil && n == 0 {
			return noAssistant(id)
		}
		return err
	})
}
