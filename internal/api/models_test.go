package api_test

import (
	"strings"
	"testing"

	"kaoju/internal/api/native"
	"kaoju/internal/core"
)

// A76: a key goes in, and never comes out.
func TestModels(t *testing.T) {
	const key = "sk-test-key-of-an-endpoint"
	const path = "/api/v1/models"
	w := open(t)
	resp, body := w.send(t, "POST", path, `{"id":"deepseek","kind":"chat","name":"deepseek-chat","base_url":"http://127.0.0.1:1","api_key":"`+key+`","options":{"timeout":{"first":"2s"},"headers":{"X-Org":"org-secret-7"}},"default":true}`)
	if resp.StatusCode != 201 {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	seen := body
	for _, call := range [][3]string{
		{"GET", path, ""}, {"GET", path + "/deepseek", ""}, {"POST", path + "/deepseek/test", ""}, {"GET", path + "/deepseek/names", ""},
		{"PATCH", path + "/deepseek", `{"name":"deepseek-reasoner","api_key":"••••oint"}`}, {"POST", path + "/rotate-key", ""},
	} {
		_, text := w.send(t, call[0], call[1], call[2])
		seen += text
	}
	if strings.Contains(seen, key) || strings.Contains(seen, "org-secret") {
		t.Errorf("a secret came out: %s", seen)
	}
	m := get[core.Model](t, w, "GET", path+"/deepseek", "")
	if m.Name != "deepseek-reasoner" || m.APIKey != "••••oint" || !m.Default || m.Origin != core.ModelOfAPI || !strings.Contains(string(m.Options), `"2s"`) {
		t.Errorf("%+v", m)
	}
	if test := get[native.ModelTest](t, w, "POST", path+"/deepseek/test", ""); test.Works || test.Error == "" {
		t.Errorf("%+v", test)
	}
	for _, s := range []scenario{
		{"no such model", "GET", path + "/none", "", 404, core.CodeNotFound, "none"},
		{"test of none", "POST", path + "/none/test", "", 404, core.CodeNotFound, "none"},
		{"twice", "POST", path, `{"id":"deepseek","kind":"chat","name":"n","base_url":"http://127.0.0.1:1"}`, 409, core.CodeConflict, "deepseek"},
		{"unknown kind", "POST", path, `{"kind":"song","name":"n","base_url":"http://127.0.0.1:1"}`, 400, core.CodeInvalid, "kind"},
		{"unknown option", "POST", path, `{"kind":"chat","name":"n","base_url":"http://127.0.0.1:1","options":{"colour":1}}`, 400, core.CodeInvalid, "colour"},
		{"no address", "POST", path, `{"kind":"chat","name":"n","base_url":"file:///x"}`, 400, core.CodeInvalid, "base_url"},
	} {
		s.check(t, w)
	}
	resp, body = w.send(t, "DELETE", path+"/deepseek", "")
	if resp.StatusCode/100 != 2 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if all := get[native.List[core.Model]](t, w, "GET", path, ""); all.Total != 0 {
		t.Errorf("%+v", all)
	}
}
