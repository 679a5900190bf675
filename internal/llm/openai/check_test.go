package openai_test

import (
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/openai"
)

func TestListModels(t *testing.T) {
	for _, answer := range []string{
		`{"object":"list","data":[{"id":"b"},{"id":"a"},{"id":"a"}]}`, `[{"id":"a"},{"id":"b"}]`, `{"models":[{"name":"b","model":"b"},{"name":"a"}]}`,
	} {
		e := llmtest.Start(t, jsonScript(t, answer))
		got, err := openai.ListModels(t.Context(), openai.Options{BaseURL: e.URL + "/v1/chat/completions", APIKey: key}, openai.Env{HTTP: e.Client})
		if err != nil || !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%s: %v, %v", answer, got, err)
		}
		if r := e.Requests()[0]; r.Method != "GET" || r.Path != "/v1/models" || r.Body != "" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("request %+v", r)
		}
	}
	e := llmtest.Start(t, parse(t, "header Content-Type: text/html\n---\n<html></html>\n"))
	_, err := openai.ListModels(t.Context(), openai.Options{BaseURL: e.URL}, openai.Env{HTTP: e.Client})
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "base address") {
		t.Errorf("error %v", err)
	}
}

func TestCheck(t *testing.T) {
	chat := func(e *llmtest.Endpoint) error {
		return newChat(t, e, openai.Options{}, openai.Env{}).Check(t.Context())
	}
	embed := func(e *llmtest.Endpoint) error {
		return newEmbedder(t, e, openai.Options{}, openai.Env{}).Check(t.Context())
	}
	rerank := func(e *llmtest.Endpoint) error {
		return newReranker(t, e, openai.RerankOptions{}, openai.Env{}).Check(t.Context())
	}
	tests := []struct {
		name   string
		check  func(*llmtest.Endpoint) error
		script llmtest.Script
		want   string // "" for a model that works
	}{
		{"chat", chat, llmtest.Habit(t, "plain"), ""},
		{"chat that only thinks", chat, llmtest.Habit(t, "length_without_text"), ""},
		{"chat, wrong key", chat, llmtest.Habit(t, "bad_key"), "API key"},
		{"chat, wrong address", chat, llmtest.Habit(t, "html_200"), "base address"},
		{"chat, wrong model", chat, llmtest.Habit(t, "not_found"), "model's name"},
		{"embedding", embed, jsonScript(t, `{"data":[{"embedding":[1,0]},{"embedding":[0,1]}]}`), ""},
		{"embedding, always the same", embed, jsonScript(t, `{"data":[{"embedding":[1,0]},{"embedding":[2,0]}]}`), "same vector"},
		{"rerank", rerank, jsonScript(t, `{"results":[{"index":0,"relevance_score":0.9},{"index":1,"relevance_score":0.1}]}`), ""},
		{"rerank, upside down", rerank, jsonScript(t, `{"results":[{"index":0,"relevance_score":0.1},{"index":1,"relevance_score":0.9}]}`), "prefers"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.check(llmtest.Start(t, tt.script))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(core.PublicMessage(err), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestChatRequest shows the body that goes out, with everything in it.
func TestChatRequest(t *testing.T) {
	e := llmtest.Start(t, llmtest.Habit(t, "plain"))
	m := newChat(t, e, openai.Options{
		Chat: openai.ChatOptions{MaxTokensField: "max_completion_tokens"},
		Body: openai.Fields{"enable_thinking": false, "temperature": nil, "user": map[string]any{"id": 1}},
	}, openai.Env{})
	err := m.Stream(t.Context(), llm.ChatRequest{
		Messages: []llm.Message{
			{Role: "user", Content: "q"},
			{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "1", Name: "f", Arguments: "{}"}}},
			{Role: "tool", ToolCallID: "1", Content: "r"},
		},
		Temperature: .5, MaxTokens: 9, Schema: []byte(`{"type":"object"}`),
		Tools: []llm.Tool{{Name: "f", Description: "d", Parameters: []byte(`{"type":"object"}`)}},
	}, func(llm.Delta) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	want := `{"enable_thinking":false,"max_completion_tokens":9,"messages":[{"role":"user","content":"q"},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","content":"r","tool_call_id":"1"}],"model":"m",` +
		`"response_format":{"json_schema":{"name":"answer","schema":{"type":"object"},"strict":true},"type":"json_schema"},` +
		`"stream":true,"stream_options":{"include_usage":true},` +
		`"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}],"user":{"id":1}}`
	if r := e.Requests()[0]; r.Body != want || r.Path != "/v1/chat/completions" {
		t.Errorf("%s\n%s\nwant\n%s", r.Path, r.Body, want)
	}
	err = m.Stream(t.Context(), llm.ChatRequest{Schema: []byte("{")}, func(llm.Delta) error { return nil })
	if core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("error %v", err)
	}
}

// TestStartsThinking: a template opened the reasoning, so that only its end is
// in the output.
func TestStartsThinking(t *testing.T) {
	e := llmtest.Start(t, parse(t, "---\n"+strings.ReplaceAll(hello, "Hello", "Hm.</think>Yes")+bye))
	m := newChat(t, e, openai.Options{Chat: openai.ChatOptions{StartsThinking: true}}, openai.Env{})
	var tr transcript
	if err := m.Stream(t.Context(), request(), tr.add); err != nil {
		t.Fatal(err)
	}
	if got := tr.String(); got != "reasoning: \"Hm.\"\ntext: \"Yes.\"\nfinish: \"stop\"\n" {
		t.Errorf("transcript %s", got)
	}
}
