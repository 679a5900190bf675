package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	peer "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"kaoju/internal/api/native"
	"kaoju/internal/api/openai"
	"kaoju/internal/core"
)

const scripted = "年假为 5 天\n<b>& \"</b> [1]。"

// peerOf is the client library of OpenAI itself, which knows nothing of us.
func (w *world) peerOf(key string) peer.Client {
	return peer.NewClient(option.WithBaseURL(w.url+"/v1/"), option.WithAPIKey(key), option.WithMaxRetries(0))
}

func question(text string, before ...peer.ChatCompletionMessageParamUnion) peer.ChatCompletionNewParams {
	return peer.ChatCompletionNewParams{
		Model: core.DefaultAssistantID, Temperature: peer.Float(.5), Messages: append(before, peer.UserMessage(text)),
	}
}

// A21: the official client gets the answer, in one piece and as a stream, with
// the same evidence in both.
func TestOpenAIClient(t *testing.T) {
	w := open(t, withKey("secret"))
	client := w.peerOf("secret")
	models, err := client.Models.List(t.Context())
	if err != nil || len(models.Data) != 1 || models.Data[0].ID != core.DefaultAssistantID {
		t.Fatalf("models %+v, %v", models, err)
	}
	if m, err := client.Models.Get(t.Context(), "default"); err != nil || m.OwnedBy != "kaoju" {
		t.Fatalf("model %+v, %v", m, err)
	}
	resp, err := client.Chat.Completions.New(t.Context(), question("年假几天？"))
	if err != nil {
		t.Fatal(err)
	}
	c := resp.Choices[0]
	if c.Message.Content != scripted || c.Message.Role != "assistant" || c.FinishReason != "stop" ||
		resp.Object != "chat.completion" || resp.Usage.TotalTokens != resp.Usage.PromptTokens+resp.Usage.CompletionTokens || resp.Usage.PromptTokens != 5 {
		t.Fatalf("completion %+v", resp)
	}
	text, chunks, streamed := readPeer(t, client, question("年假几天？"))
	if text != scripted || chunks < 6 {
		t.Fatalf("%d chunks: %q", chunks, text)
	}
	whole := evidenceOf(t, c.Message.RawJSON())
	if len(whole.References) != 2 || whole.References[0].Quote == "" || len(whole.Citations) != 1 || whole.Confidence == nil {
		t.Errorf("the completion has %+v", whole)
	}
	whole.MessageID = streamed.MessageID // two answers
	if !reflect.DeepEqual(whole, streamed) {
		t.Errorf("the stream has %+v, the whole %+v", streamed, whole)
	}
}

// evidenceOf reads what the client keeps of fields that it does not know.
func evidenceOf(t *testing.T, raw string) openai.Evidence {
	t.Helper()
	var e openai.Evidence
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return e
}

// readPeer reads a stream to its end.
func readPeer(t *testing.T, client peer.Client, req peer.ChatCompletionNewParams) (text string, chunks int, e openai.Evidence) {
	t.Helper()
	req.StreamOptions = peer.ChatCompletionStreamOptionsParam{IncludeUsage: peer.Bool(true)}
	stream := client.Chat.Completions.NewStreaming(t.Context(), req)
	defer stream.Close()
	finish, usage := "", int64(0)
	for stream.Next() {
		chunk := stream.Current()
		chunks++
		if len(chunk.Choices) == 0 {
			usage = chunk.Usage.CompletionTokens
			continue
		}
		text += chunk.Choices[0].Delta.Content
		if finish = chunk.Choices[0].FinishReason; finish != "" {
			e = evidenceOf(t, chunk.Choices[0].Delta.RawJSON())
		}
	}
	if stream.Err() != nil || finish != "stop" || usage == 0 {
		t.Errorf("after %q: finish %q, %d tokens, %v", text, finish, usage, stream.Err())
	}
	return text, chunks, e
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
		req    peer.ChatCompletionNewParams
		status int
		kind   string
	}{
		{"unknown model", peer.ChatCompletionNewParams{Model: "gpt-9", Messages: question("q").Messages}, 404, "invalid_request_error"},
		{"no question", peer.ChatCompletionNewParams{Model: "default", Messages: []peer.ChatCompletionMessageParamUnion{peer.SystemMessage("x")}}, 400, "invalid_request_error"},
		{"empty question", question(" "), 400, "invalid_request_error"},
		{"failing model", question("fail"), 503, "server_error"},
		{"panic", question("panic"), 500, "server_error"},
	} {
		_, err := client.Chat.Completions.New(t.Context(), c.req)
		var failure *peer.Error
		if !errors.As(err, &failure) || failure.StatusCode != c.status || failure.Type != c.kind || failure.Message == "" ||
			strings.Contains(failure.Message, "secret detail") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	stream := client.Chat.Completions.NewStreaming(t.Context(), question("fail"))
	defer stream.Close()
	text := ""
	for stream.Next() {
		text += stream.Current().Choices[0].Delta.Content
	}
	if err := stream.Err(); text != "half" || err == nil || !strings.Contains(err.Error(), "the model does not answer") {
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
	var failure *peer.Error
	if _, err := locked.Models.List(t.Context()); !errors.As(err, &failure) || failure.StatusCode != 401 || failure.Code != "invalid_api_key" {
		t.Errorf("a wrong key: %v", err)
	}
}

// A34: the earlier messages of the request are the history of the turn, and
// no list shows the session.
func TestOpenAIHistory(t *testing.T) {
	w := open(t)
	client := w.peerOf("")
	said := []peer.ChatCompletionMessageParamUnion{
		peer.SystemMessage("ignored"),
		peer.UserMessage("lost"), // no answer to it
		peer.UserMessage("甲产品支持离线部署吗"), peer.AssistantMessage("支持。"),
	}
	resp, err := client.Chat.Completions.New(t.Context(), question("乙产品呢", said...))
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
