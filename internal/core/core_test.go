package core_test

import (
	"errors"
	"fmt"
	"testing"

	"kaoju/internal/core"
)

func TestScopeSees(t *testing.T) {
	public := core.KnowledgeBase{TenantID: "t", DatasetID: "d", Visibility: core.VisibilityPublic}
	private, guarded, elsewhere := public, public, public
	private.Visibility = core.VisibilityPrivate
	guarded.Roles = []string{"hr", "legal"}
	elsewhere.TenantID = "u"
	tests := []struct {
		name  string
		scope core.Scope
		base  core.KnowledgeBase
		want  bool
	}{
		{"nobody sees nothing", core.Scope{}, core.KnowledgeBase{}, false},
		{"public", core.Scope{TenantID: "t"}, public, true},
		{"another tenant's", core.Scope{TenantID: "t"}, elsewhere, false},
		{"private", core.Scope{TenantID: "t"}, private, false},
		{"private, listed", core.Scope{TenantID: "t", Visibility: []core.Visibility{core.VisibilityPrivate}}, private, true},
		{"internal does not open private", core.Scope{TenantID: "t", Visibility: []core.Visibility{core.VisibilityInternal}}, private, false},
		{"dataset left out", core.Scope{TenantID: "t", Datasets: []string{"x"}}, public, false},
		{"no dataset at all", core.Scope{TenantID: "t", Datasets: []string{}}, public, false},
		{"dataset named", core.Scope{TenantID: "t", Datasets: []string{"x", "d"}}, public, true},
		{"role missing", core.Scope{TenantID: "t", Roles: []string{"it"}}, guarded, false},
		{"one role is enough", core.Scope{TenantID: "t", Roles: []string{"it", "hr"}}, guarded, true},
	}
	for _, tt := range tests {
		if got := tt.scope.Sees(tt.base); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestOwnerSeesItsTenant(t *testing.T) {
	for _, v := range []core.Visibility{core.VisibilityPublic, core.VisibilityInternal, core.VisibilityPrivate} {
		b := core.KnowledgeBase{TenantID: core.DefaultTenantID, Visibility: v}
		if !core.OwnerScope().Sees(b) {
			t.Errorf("the owner does not see a base that is %s", v)
		}
	}
}

func TestIntervalHolds(t *testing.T) {
	tests := []struct {
		i    core.Interval
		v    int64
		want bool
	}{
		{core.Interval{Since: 2}, 1, false}, {core.Interval{Since: 2}, 2, true}, {core.Interval{Since: 2}, 99, true},
		{core.Interval{Since: 2, Until: 4}, 3, true}, {core.Interval{Since: 2, Until: 4}, 4, false},
		{core.Interval{Since: 2, Until: 2}, 2, false},
	}
	for _, tt := range tests {
		if got := tt.i.Holds(tt.v); got != tt.want {
			t.Errorf("%+v holds %d: %v", tt.i, tt.v, got)
		}
	}
}

func TestErrors(t *testing.T) {
	secret := errors.New("dial tcp 10.0.0.1: refused")
	err := fmt.Errorf("ask the model: %w", core.Wrap(secret, core.CodeUnavailable, "the model %q does not answer", "m"))
	if core.CodeOf(err) != core.CodeUnavailable || core.PublicMessage(err) != `the model "m" does not answer` {
		t.Errorf("code %s, message %q", core.CodeOf(err), core.PublicMessage(err))
	}
	if !errors.Is(err, secret) {
		t.Error("the cause is lost")
	}
	if core.CodeOf(secret) != core.CodeInternal || core.PublicMessage(secret) == secret.Error() {
		t.Error("a foreign error leaves the server")
	}
	if core.CodeOf(nil) != "" || core.Wrap(nil, core.CodeInternal, "x") != nil {
		t.Error("no error became one")
	}
}

func TestTerminalEvents(t *testing.T) {
	for e, want := range map[core.EventType]bool{
		core.EventComplete: true, core.EventError: true, core.EventStop: true,
		core.EventAnswer: false, core.EventSessionTitle: false, core.EventReferences: false,
	} {
		if e.Terminal() != want {
			t.Errorf("%s: %v", e, e.Terminal())
		}
	}
}

func TestDefaultTitle(t *testing.T) {
	for name, want := range map[string]string{"年报.pdf": "年报", "README": "README", "a.tar.gz": "a.tar"} {
		if got := (core.Document{Name: name}).DefaultTitle(); got != want {
			t.Errorf("%s → %s", name, got)
		}
	}
}

func TestIDsSortByTime(t *testing.T) {
	last := ""
	for range 100 {
		id := core.NewID()
		if id <= last {
			t.Fatalf("%s came after %s", id, last)
		}
		last = id
	}
}

// What a base says may stand in another where everybody who sees that sees the
// base too.
func TestKeptIn(t *testing.T) {
	base := func(v core.Visibility, dataset string, roles ...string) core.KnowledgeBase {
		return core.KnowledgeBase{TenantID: "t", DatasetID: dataset, Visibility: v, Roles: roles}
	}
	tests := []struct {
		name       string
		base, into core.KnowledgeBase
		want       bool
	}{
		{"public into public", base(core.VisibilityPublic, "d"), base(core.VisibilityPublic, "d"), true},
		{"public into private", base(core.VisibilityPublic, "d"), base(core.VisibilityPrivate, "d"), true},
		{"private into public", base(core.VisibilityPrivate, "d"), base(core.VisibilityPublic, "d"), false},
		{"private into internal", base(core.VisibilityPrivate, "d"), base(core.VisibilityInternal, "d"), false},
		{"private into private", base(core.VisibilityPrivate, "d"), base(core.VisibilityPrivate, "d"), true},
		{"another dataset", base(core.VisibilityPublic, "d"), base(core.VisibilityPublic, "e"), false},
		{"another tenant", core.KnowledgeBase{TenantID: "u", Visibility: core.VisibilityPublic}, base(core.VisibilityPublic, ""), false},
		{"roles into none", base(core.VisibilityPublic, "d", "hr"), base(core.VisibilityPublic, "d"), false},
		{"roles into the same", base(core.VisibilityPublic, "d", "hr", "it"), base(core.VisibilityPublic, "d", "hr"), true},
		{"roles into others", base(core.VisibilityPublic, "d", "hr"), base(core.VisibilityPublic, "d", "hr", "it"), false},
		{"none into roles", base(core.VisibilityPublic, "d"), base(core.VisibilityPublic, "d", "hr"), true},
	}
	for _, tt := range tests {
		if got := tt.base.KeptIn(tt.into); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
