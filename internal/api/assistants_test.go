package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"kaoju/internal/core"
)

func TestAssistantsOverTheAPI(t *testing.T) {
	w := open(t)
	made := get[core.Assistant](t, w, "POST", "/api/v1/assistants",
		`{"id":"hr","assistant_name":"人事助手","support_contact":"8001","faq":{"direct_threshold":0.8}}`)
	if !made.MultiTurn || made.FAQ.Direct != .8 || made.Origin != "store" {
		t.Errorf("made %+v", made)
	}
	changed := get[core.Assistant](t, w, "PATCH", "/api/v1/assistants/hr", `{"industry":"tea","faq":{"exact_only":true}}`)
	if changed.Industry != "tea" || changed.SupportContact != "8001" || !changed.FAQ.ExactOnly || changed.FAQ.Direct != .8 {
		t.Errorf("changed %+v", changed)
	}
	for body, want := range map[string]string{
		`{"assistant_nam":"x"}`:              "assistant_nam",
		`{"id":"other"}`:                     "does not change",
		`{"faq":{"direct_threshold":2}}`:     "direct_threshold",
		`{"routing":{"out_of_scope":["("]}}`: "missing closing",
		`{"fallback":{"strategy":"guess"}}`:  "guess",
		`{"multi_turn":"yes"}`:               "multi_turn must not be a string",
	} {
		resp, text := w.send(t, "PATCH", "/api/v1/assistants/hr", body)
		if resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", body, resp.StatusCode, text)
		}
	}
	if resp, _ := w.send(t, "POST", "/api/v1/assistants", `{"id":"hr","assistant_name":"x"}`); resp.StatusCode != http.StatusConflict {
		t.Errorf("a second hr: %d", resp.StatusCode)
	}
	if resp, _ := w.send(t, "DELETE", "/api/v1/assistants/default", ""); resp.StatusCode != http.StatusConflict {
		t.Errorf("the default one was deleted: %d", resp.StatusCode)
	}
	_, models := w.send(t, "GET", "/v1/models", "")
	if !strings.Contains(models, `"id":"hr"`) || !strings.Contains(models, `"id":"default"`) {
		t.Errorf("models %s", models)
	}
	s := get[core.Session](t, w, "POST", "/api/v1/sessions", `{"assistant_id":"hr"}`)
	if s.AssistantID != "hr" {
		t.Errorf("session %+v", s)
	}
	if resp, _ := w.send(t, "POST", "/api/v1/sessions/"+s.ID+"/knowledge-qa", `{"query":"q","assistant_id":"nobody"}`); resp.StatusCode != http.StatusNotFound {
		t.Errorf("an assistant that is not there: %d", resp.StatusCode)
	}
	if resp, _ := w.send(t, "DELETE", "/api/v1/assistants/hr", ""); resp.StatusCode >= 300 {
		t.Errorf("delete: %d", resp.StatusCode)
	}
	// A session goes on, with the default assistant.
	if resp, _ := w.send(t, "POST", "/api/v1/sessions/"+s.ID+"/knowledge-qa", `{"query":"q"}`); resp.StatusCode != http.StatusOK {
		t.Errorf("the session of a deleted assistant: %d", resp.StatusCode)
	}
	var rules struct{ Rules json.RawMessage }
	_, body := w.send(t, "GET", "/api/v1/rules", "")
	if err := json.Unmarshal([]byte(body), &rules); err != nil || !strings.Contains(string(rules.Rules), "max_chars") {
		t.Errorf("rules %s, %v", body, err)
	}
}
