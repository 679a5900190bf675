package auth_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"kaoju/internal/auth"
	"kaoju/internal/core"
)

// Fault 5: without a key the server listens on this machine only.
func TestCheckListen(t *testing.T) {
	tests := []struct {
		addr string
		key  string
		want core.Code
	}{
		{"127.0.0.1:8420", "", ""},
		{"127.9.9.9:0", "", ""},
		{"localhost:8420", "", ""},
		{"[::1]:8420", "", ""},
		{"[::ffff:127.0.0.1]:8420", "", ""},
		{":8420", "", core.CodeInvalid},
		{"0.0.0.0:8420", "", core.CodeInvalid},
		{"[::]:8420", "", core.CodeInvalid},
		{"192.168.1.5:8420", "", core.CodeInvalid},
		{"example.org:8420", "", core.CodeInvalid},
		{"localhost.example.org:1", "", core.CodeInvalid},
		{"8420", "", core.CodeInvalid},
		{":8420", "secret", ""},
		{"0.0.0.0:8420", "secret", ""},
	}
	for _, tc := range tests {
		err := auth.New(auth.Options{Keys: []string{tc.key}}).CheckListen(tc.addr)
		if core.CodeOf(err) != tc.want {
			t.Errorf("listen on %q with key %q: %v, want %q", tc.addr, tc.key, err, tc.want)
		}
	}
}

// Fault 5: nobody gets in without a credential, but the owner of the machine.
func TestAuthenticate(t *testing.T) {
	const here, away = "127.0.0.1:5000", "10.0.0.9:5000"
	tests := []struct {
		name   string
		keys   []string
		method string
		host   string
		remote string
		header map[string]string
		want   core.Code
	}{
		{"owner", nil, "GET", "127.0.0.1:8420", here, nil, ""},
		{"owner by name", nil, "POST", "localhost:8420", here, nil, ""},
		{"owner over IPv6", nil, "POST", "[::1]:8420", "[::1]:5000", nil, ""},
		{"configured name", nil, "POST", "Kaoju.Test", here, nil, ""},
		{"a key that nobody asked for", nil, "GET", "localhost", here, map[string]string{"X-API-Key": "x"}, ""},
		{"another machine", nil, "GET", "localhost", away, nil, core.CodeUnauthorized},
		{"DNS rebinding", nil, "GET", "evil.example", here, nil, core.CodeForbidden},
		{"name that begins like ours", nil, "GET", "127.0.0.1.evil.example", here, nil, core.CodeForbidden},
		{"cross-site form", nil, "POST", "localhost", here, map[string]string{"Sec-Fetch-Site": "cross-site"}, core.CodeForbidden},
		{"other port of this machine", nil, "POST", "localhost:8420", here, map[string]string{"Origin": "http://localhost:3000"}, core.CodeForbidden},
		{"sandboxed page", nil, "DELETE", "localhost", here, map[string]string{"Origin": "null"}, core.CodeForbidden},
		{"own page", nil, "POST", "localhost:8420", here, map[string]string{"Origin": "http://localhost:8420", "Sec-Fetch-Site": "same-origin"}, ""},
		{"link from elsewhere", nil, "GET", "localhost", here, map[string]string{"Sec-Fetch-Site": "cross-site"}, ""},

		{"bearer", []string{"k1", "k2"}, "POST", "any.example", away, map[string]string{"Authorization": "bearer k2"}, ""},
		{"header", []string{"k1"}, "GET", "any.example", away, map[string]string{"X-API-Key": "k1"}, ""},
		{"no key", []string{"k1"}, "GET", "localhost", here, nil, core.CodeUnauthorized},
		{"wrong key", []string{"k1"}, "GET", "localhost", here, map[string]string{"X-API-Key": "k"}, core.CodeUnauthorized},
		{"wrong scheme", []string{"k1"}, "GET", "localhost", here, map[string]string{"Authorization": "Basic k1"}, core.CodeUnauthorized},
		{"bare key", []string{"k1"}, "GET", "localhost", here, map[string]string{"Authorization": "k1"}, core.CodeUnauthorized},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest(tc.method, "/", http.NoBody)
			r.Host, r.RemoteAddr = tc.host, tc.remote
			for k, v := range tc.header {
				r.Header.Set(k, v)
			}
			a := auth.New(auth.Options{Keys: tc.keys, Hosts: []string{"kaoju.test"}})
			scope, err := a.Authenticate(r)
			if core.CodeOf(err) != tc.want {
				t.Fatalf("%v, want code %q", err, tc.want)
			}
			if tc.want == "" && scope.UserID != core.OwnerUserID {
				t.Fatalf("scope %+v", scope)
			}
		})
	}
}

func TestScopeOnContext(t *testing.T) {
	if s := auth.ScopeOf(t.Context()); s.TenantID != "" {
		t.Fatalf("nobody has scope %+v", s)
	}
	ctx := auth.WithScope(t.Context(), core.OwnerScope())
	if s := auth.ScopeOf(ctx); s.UserID != core.OwnerUserID {
		t.Fatalf("scope %+v", s)
	}
}
