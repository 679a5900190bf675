package core

import "slices"

// Visibility says how widely a knowledge base is shown inside its tenant.
type Visibility string

// Visibilities, from the widest. A caller always sees public bases of its
// tenant; internal and private ones only where its scope lists them.
const (
	VisibilityPublic   Visibility = "public"
	VisibilityInternal Visibility = "internal"
	VisibilityPrivate  Visibility = "private"
)

// Names of what exists from the first start.
const (
	DefaultTenantID    = "default"
	DefaultDatasetID   = "default"
	DefaultAssistantID = "default"
	DefaultBaseName    = "default"
	OwnerUserID        = "owner"
	RoleOwner          = "owner"
)

// Scope is what a caller may see. It always comes from the credential; a
// request can only narrow it. The zero Scope sees nothing.
type Scope struct {
	TenantID   string
	UserID     string
	Datasets   []string     // datasets that may be read; nil means every dataset of the tenant
	Visibility []Visibility // beyond public
	Roles      []string     // any match with a base's allowed roles opens it
}

// OwnerScope is the scope of the single owner of an unshared server.
func OwnerScope() Scope {
	return Scope{
		TenantID:   DefaultTenantID,
		UserID:     OwnerUserID,
		Visibility: []Visibility{VisibilityInternal, VisibilityPrivate},
		Roles:      []string{RoleOwner},
	}
}

// Sees reports whether the scope reaches the knowledge base.
func (s Scope) Sees(b KnowledgeBase) bool {
	if s.TenantID == "" || s.TenantID != b.TenantID {
		return false
	}
	if s.Datasets != nil && !slices.Contains(s.Datasets, b.DatasetID) {
		return false
	}
	if b.Visibility != VisibilityPublic && !slices.Contains(s.Visibility, b.Visibility) {
		return false
	}
	if len(b.Roles) == 0 {
		return true
	}
	return slices.ContainsFunc(b.Roles, func(r string) bool { return slices.Contains(s.Roles, r) })
}

// KeptIn tells whether everybody who sees the base into also sees the base b, so
// that what b says may stand in into.
func (b KnowledgeBase) KeptIn(into KnowledgeBase) bool {
	switch {
	case b.TenantID != into.TenantID || b.DatasetID != into.DatasetID:
		return false
	case b.Visibility != VisibilityPublic && b.Visibility != into.Visibility:
		return false
	case len(b.Roles) == 0:
		return true
	}
	return len(into.Roles) > 0 && !slices.ContainsFunc(into.Roles, func(r string) bool { return !slices.Contains(b.Roles, r) })
}
