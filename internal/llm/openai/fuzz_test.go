package openai_test

import (
	"errors"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/openai"
)

// FuzzAnswer: whatever an endpoint sends, a call ends either well, with text or
// a tool call and one reason to end, or with an error for people.
func FuzzAnswer(f *testing.F) {
	for _, name := range llmtest.Habits(f) {
		for _, r := range llmtest.Habit(f, name) {
			var all strings.Builder
			for _, s := range r.Steps {
				all.WriteString(s.Data)
			}
			f.Add([]byte(all.String()))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e := llmtest.New(llmtest.Script{{Status: 200, Steps: []llmtest.Step{{Do: "send", Data: string(body)}}}})
		m, err := openai.NewChat(openai.Options{BaseURL: "http://x.test", Model: "m"}, openai.Env{HTTP: e.Direct(), Clock: &stillClock{}})
		if err != nil {
			t.Fatal(err)
		}
		text, calls, ends := "", 0, 0
		err = m.Stream(t.Context(), request(), func(d llm.Delta) error {
			if ends > 0 || d.Text+d.Reasoning+d.Finish == "" {
				t.Errorf("after %d ends: %+v", ends, d)
			}
			text, calls = text+d.Text, calls+len(d.ToolCalls)
			if d.Finish != "" {
				ends++
			}
			return nil
		})
		var known *core.Error
		switch {
		case err == nil && (ends != 1 || strings.TrimSpace(text) == "" && calls == 0):
			t.Errorf("went well with %q, %d calls, %d ends", text, calls, ends)
		case err != nil && (!errors.As(err, &known) || known.Code == core.CodeInternal || known.Message == ""):
			t.Errorf("error %#v", err)
		}
	})
}
