package core

// Assistant is who answers: a persona, its knowledge bases and its rules.
// The one with DefaultAssistantID always exists and needs no model.
type Assistant struct {
	ID             string   `json:"id"`
	TenantID       string   `json:"tenant_id"`
	Name           string   `json:"assistant_name"`
	BusinessDomain string   `json:"business_domain"`
	Industry       string   `json:"industry"`
	SupportContact string   `json:"support_contact"`
	BaseIDs        []string `json:"knowledge_base_ids"` // empty means every base that the caller may see
	MultiTurn      bool     `json:"multi_turn"`
	Citations      bool     `json:"citations"`
}

// SpokenName is the name under which the assistant speaks of itself; empty
// where it has none but its id.
func (a Assistant) SpokenName() string {
	if a.Name == a.ID {
		return ""
	}
	return a.Name
}
