package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	peer "github.com/sashabaranov/go-openai"

	"kaoju/internal/api/native"
	"kaoju/internal/api/openai"
	"kaoju/internal/core"
)

const scripted = "年假为 5 天\n<b>& \"</b> [1]。"

// peerOf is a client library that knows nothing of us.
func (w *world) peerOf(key string) *peer.Client {
	config := peer.DefaultConfig(key)
	config.BaseURL = w.url + "/v1"
	return peer.NewClientWithConfig(config)
}

func question(text string, before ...peer.ChatCompletionMessage) peer.ChatCompletionRequest {
	return peer.ChatCompletionRequest{
		Model: core.DefaultAssistantID, Temperature: .5,
		Messages: append(before, peer.ChatCompletionMessage{Role: peer.ChatMessageRoleUser, Content: text}),
	}
}

func TestOpenAIClient(t *testing.T) {
	w := open(t, withKey("secret"))
	client := w.peerOf("secret")
	models, err := client.ListModels(t.Context())
	if err != nil || len(models.Models) != 1 || models.Models[0].ID != core.DefaultAssistantID {
		t.Fatalf("models %+v, %v", models, err)
	}
	if m, err := client.GetModel(t.Context(), "default"); err != nil || m.Object != "model" {
		t.Fatalf("model %+v, %v", m, err)
	}
	resp, err := client.CreateChatCompletion(t.Context(), question("年假几天？"))
	if err != nil {
		t.Fatal(err)
	}
	c := resp.Choices[0]
	if c.Message.Content != scripted || c.Message.Role != "assistant" || c.FinishReason != peer.FinishReasonStop ||
		resp.Object != "chat.completion" || resp.Usage.TotalTokens != resp.Usage.PromptTokens+resp.Usage.CompletionTokens || resp.Usage.PromptTokens != 5 {
		t.Fatalf("completion %+v", resp)
	}
	if text, chunks := readPeer(t, client, question("年假几天？")); text != scripted || chunks < 6 {
		t.Fatalf("%d chunks: %q", chunks, text)
	}
}

// readPeer reads a stream to its end.
func readPeer(t *testing.T, client *peer.Client, req peer.ChatCompletionRequest) (text string, chunks int) {
	t.Helper()
	req.StreamOptions = &peer.StreamOptions{IncludeUsage: true}
	stream, err := client.CreateChatCompletionStream(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var finish peer.FinishReason
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			if finish != peer.FinishReasonStop {
				t.Errorf("the stream finished with %q", finish)
			}
			return text, chunks
		}
		if err != nil {
			t.Fatalf("after %q: %v", text, err)
		}
		chunks++
		if len(chunk.Choices) == 0 {
			if chunk.Usage == nil || chunk.Usage.CompletionTokens == 0 {
				t.Errorf("usage %+v", chunk.Usage)
			}
			continue
		}
		text += chunk.Choices[0].Delta.Content
		finish = chunk.Choices[0].FinishReason
	}
}

// A21: references are the same in a stream and in one piece.
// A26, A33: increments come once, and the last chunk has no text.
func TestOpenAIReferences(t *testing.T) {
	w := open(t)
	body := `{"model":"default","messages":[{"role":"user","content":"q"}]`
	whole := get[openai.Completion](t, w, "POST", "/v1/chat/completions", body+"}")
	m := whole.Choices[0].Message
	if len(m.References) != 2 || m.References[0].Quote == "" || len(m.Citations) != 1 || m.Confidence.Level != core.LevelHigh {
		t.Fatalf("message %+v", m)
	}
	_, transcript := w.send(t, "POST", "/v1/chat/completions", body+`,"stream":true}`)
	golden(t, "openai_stream", stable(created.ReplaceAllString(transcript, `"created":0`)))
	var last openai.Completion
	text := ""
	for line := range strings.SplitSeq(transcript, "\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		last = openai.Completion{}
		if err := json.Unmarshal([]byte(data), &last); err != nil {
			t.Fatal(err)
		}
		if c := last.Choices[0].Delta.Content; c != nil {
			text += *c
		}
	}
	end := last.Choices[0].Delta
	if text != *m.Content || end.Content != nil || *last.Choices[0].FinishReason != "stop" {
		t.Errorf("streamed %q, last %+v", text, end)
	}
	if !reflect.DeepEqual(end.References, m.References) || !reflect.DeepEqual(end.Citations, m.Citations) || !reflect.DeepEqual(end.Confidence, m.Confidence) {
		t.Errorf("the stream ends with %+v, the whole has %+v", end.Evidence, m.Evidence)
	}
	stored := get[core.Message](t, w, "GET", "/api/v1/messages/"+end.MessageID, "")
	if stored.Content != text || len(stored.References) != 2 {
		t.Errorf("stored %+v", stored)
	}
}

func TestOpenAIErrors(t *testing.T) {
	w := open(t)
	client := w.peerOf("")
	for _, c := range []struct {
		name   string
		req    peer.ChatCompletionRequest
		status int
		kind   string
	}{
		{"unknown model", peer.ChatCompletionRequest{Model: "gpt-9", Messages: question("q").Messages}, 404, "invalid_request_error"},
		{"no question", peer.ChatCompletionRequest{Model: "default", Messages: []peer.ChatCompletionMessage{{Role: "system", Content: "x"}}}, 400, "invalid_request_error"},
		{"empty question", question(" "), 400, "invalid_request_error"},
		{"failing model", question("fail"), 503, "server_error"},
		{"panic", question("panic"), 500, "server_error"},
	} {
		_, err := client.CreateChatCompletion(t.Context(), c.req)
		var failure *peer.APIError
		if !errors.As(err, &failure) || failure.HTTPStatusCode != c.status || failure.Type != c.kind || failure.Message == "" ||
			strings.Contains(failure.Message, "secret detail") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	stream, err := client.CreateChatCompletionStream(t.Context(), question("fail"))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	text := ""
	for err == nil {
		var chunk peer.ChatCompletionStreamResponse
		if chunk, err = stream.Recv(); err == nil {
			text += chunk.Choices[0].Delta.Content
		}
	}
	var failure *peer.APIError
	if text != "half" || !errors.As(err, &failure) || failure.Message != "the model does not answer" {
		t.Fatalf("after %q: %v", text, err)
	}
	for body, want := range map[string]int{
		`{`: 400, `[]`: 400, `{"model":7}`: 400, `{"model":"default","messages":[{"role":"user","content":{}}]}`: 400,
		`{"model":"default","n":2,"messages":[{"role":"user","content":"q"}]}`:                                            400,
		`{"model":"default","messages":[{"role":"user","content":[{"type":"image_url"}]}]}`:                               400,
		`{"model":"default","messages":[{"role":"user","content":"q"}],"knowledge_base_ids":["nowhere"]}`:                 404,
		`{"model":"default","messages":[{"role":"user","content":[{"type":"text","text":"q"}]}],"unknown":{"field":[1]}}`: 200,
		`{"model":"default","messages":[{"role":"user","content":"` + strings.Repeat("x", 2<<20) + `"}]}`:                 413,
	} {
		resp, text := w.send(t, "POST", "/v1/chat/completions", body)
		var failure openai.Failure
		_ = json.Unmarshal([]byte(text), &failure)
		if resp.StatusCode != want || (want >= 400) != (failure.Error.Message != "") {
			t.Errorf("%.80s: %d %.200s", body, resp.StatusCode, text)
		}
	}
	for path, want := range map[string]int{"/v1/models/gpt-9": 404, "/v1/nothing": 404, "/v1/chat/completions": 405} {
		resp, text := w.send(t, "GET", path, "")
		if resp.StatusCode != want || !strings.HasPrefix(text, `{"error":{"message":`) {
			t.Errorf("%s: %d %s", path, resp.StatusCode, text)
		}
	}
	locked := open(t, withKey("secret")).peerOf("wrong")
	if _, err = locked.ListModels(t.Context()); !errors.As(err, &failure) || failure.HTTPStatusCode != 401 || failure.Code != "invalid_api_key" {
		t.Errorf("a wrong key: %v", err)
	}
}

// A34: the earlier messages of the request are the history of the turn, and
// no list shows the session.
func TestOpenAIHistory(t *testing.T) {
	w := open(t)
	client := w.peerOf("")
	said := []peer.ChatCompletionMessage{
		{Role: "system", Content: "ignored"},
		{Role: "user", Content: "lost"}, // no answer to it
		{Role: "user", Content: "甲产品支持离线部署吗"}, {Role: "assistant", Content: "支持。"},
	}
	resp, err := client.CreateChatCompletion(t.Context(), question("乙产品呢", said...))
	if err != nil {
		t.Fatal(err)
	}
	m := get[core.Message](t, w, "GET", "/api/v1/messages/"+strings.TrimPrefix(resp.ID, "chatcmpl-"), "")
	history := get[native.History](t, w, "GET", "/api/v1/sessions/"+m.SessionID+"/messages", "")
	var texts []string
	for _, m := range history.Items {
		texts = append(texts, m.Content)
	}
	want := []string{"甲产品支持离线部署吗", "支持。", "乙产品呢", scripted}
	if !reflect.DeepEqual(texts, want) || history.Items[0].RequestID != history.Items[1].RequestID {
		t.Fatalf("history %q", texts)
	}
	if list := get[native.List[core.Session]](t, w, "GET", "/api/v1/sessions", ""); list.Total != 0 {
		t.Errorf("the list shows %+v", list.Items)
	}
}

// A30: a caller who leaves stops the turn, since the protocol knows no way
// back to it.
func TestOpenAICallerWhoLeavesStopsTheTurn(t *testing.T) {
	w := open(t)
	ctx, leave := context.WithCancel(t.Context())
	resp := w.begin(ctx, t, "POST", "/v1/chat/completions", `{"model":"default","stream":true,"messages":[{"role":"user","content":"hang"}]}`)
	head := readUntil(t, bufio.NewReader(resp.Body), "half")
	leave()
	resp.Body.Close()
	id := uuids.FindString(head)
	_, tail, err := w.chat.Follow(t.Context(), core.OwnerScope(), "", id, 0)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = tail.Next(t.Context())
	}
	m := get[core.Message](t, w, "GET", "/api/v1/messages/"+id, "")
	if m.State != core.MessageStopped || m.Content != "half" {
		t.Fatalf("the message is %s with %q", m.State, m.Content)
	}
}
