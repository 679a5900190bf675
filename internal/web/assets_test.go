package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"kaoju/internal/web"
)

func get(t *testing.T, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h := web.New()
	if !h.Serves(r) {
		t.Fatalf("%s is not served", path)
	}
	h.ServeHTTP(w, r)
	return w
}

func TestPolicyAllowsNothingInline(t *testing.T) {
	w := get(t, "/chat/some-session")
	policy := w.Header().Get("Content-Security-Policy")
	for _, word := range []string{"unsafe", "http:", "https:", "*"} {
		if strings.Contains(policy, word) {
			t.Errorf("the policy %q has %q", policy, word)
		}
	}
	for _, word := range []string{"default-src 'none'", "frame-ancestors 'none'", "trusted-types 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy, word) {
			t.Errorf("the policy %q lacks %q", policy, word)
		}
	}
	page := w.Body.String()
	if regexp.MustCompile(`<style|style=|<script(>| [^>]*>[^<])|\son[a-z]+=`).MatchString(page) {
		t.Errorf("the page has script or style of its own: %s", page)
	}
	if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("X-Frame-Options") != "DENY" {
		t.Errorf("headers: %v", w.Header())
	}
}

func TestFilesAreKeptForEverAndThePageIsNot(t *testing.T) {
	page := get(t, "/")
	if page.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("the page: %q", page.Header().Get("Cache-Control"))
	}
	script := regexp.MustCompile(`src="([^"]+app\.js)"`).FindStringSubmatch(page.Body.String())
	if script == nil {
		t.Fatal("the page loads no script")
	}
	plain := get(t, script[1])
	if !strings.Contains(plain.Header().Get("Cache-Control"), "immutable") || plain.Header().Get("Content-Encoding") != "" {
		t.Errorf("headers: %v", plain.Header())
	}
	small := get(t, script[1], "Accept-Encoding", "br, gzip;q=0.8")
	if small.Header().Get("Content-Encoding") != "gzip" || small.Body.Len() >= plain.Body.Len() {
		t.Errorf("compressed: %v, %d of %d bytes", small.Header(), small.Body.Len(), plain.Body.Len())
	}
	if again := get(t, script[1], "If-None-Match", plain.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("asked again: %d", again.Code)
	}
	if refused := get(t, script[1], "Accept-Encoding", "gzip;q=0"); refused.Header().Get("Content-Encoding") != "" {
		t.Error("gzip was refused and came")
	}
}

func TestOnlyPagesAreServed(t *testing.T) {
	h := web.New()
	for _, path := range []string{"/api/v1/sessions", "/v1/models", "/healthz", "/api/openapi.json", "/assets/", "/assets/0000/app.js", "/../go.mod", "/nothing"} {
		if h.Serves(httptest.NewRequest(http.MethodGet, path, nil)) {
			t.Errorf("%s is served as a page", path)
		}
	}
	if h.Serves(httptest.NewRequest(http.MethodPost, "/", nil)) {
		t.Error("a POST is served")
	}
}
