package prompt_test

import (
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/prompt"
)

func TestMessages(t *testing.T) {
	evidence := []llm.Evidence{
		{Handle: "c1", Title: "Leave", Headings: []string{"Annual"}, Text: "Staff have 5 days."},
		{Handle: "c2", Title: "FAQ", Question: "How many days?", Answers: []string{"Five."}},
	}
	m := prompt.Default().Messages(core.Assistant{Name: "Lin", SupportContact: "hr@example.com"}, evidence, "How long is leave?")
	if len(m) != 2 || m[0].Role != "system" || m[1].Role != "user" {
		t.Fatalf("messages %+v", m)
	}
	for _, want := range []string{"You are Lin.", "hr@example.com", "the organisation's documents", `<ref id="HANDLE"/>`} {
		if !strings.Contains(m[0].Content, want) {
			t.Errorf("the system prompt lacks %q", want)
		}
	}
	if strings.Contains(m[0].Content, "{{") {
		t.Error("a placeholder is left")
	}
	for _, want := range []string{"[c1] Leave / Annual\nStaff have 5 days.", "Frequently asked: How many days?\nFive.", "Question: How long is leave?"} {
		if !strings.Contains(m[1].Content, want) {
			t.Errorf("the user prompt lacks %q", want)
		}
	}
}
