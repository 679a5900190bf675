package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"kaoju/internal/api/ragchat"
	"kaoju/internal/core"
)

const rag = "/api/rag-chat/sessions"

// result is an envelope whose data is a T.
type result[T any] struct {
	Code    int
	Message string
	Data    T
}

// ragged makes a request and checks status and code.
func ragged[T any](t *testing.T, w *world, method, path, body string) T {
	t.Helper()
	r := get[result[T]](t, w, method, path, body)
	if r.Code != 200 || r.Message != "success" {
		t.Fatalf("%s %s: %+v", method, path, r)
	}
	return r.Data
}

func (w *world) base(t *testing.T, name string) int64 {
	t.Helper()
	get[core.KnowledgeBase](t, w, "POST", "/api/v1/knowledge-bases", fmt.Sprintf(`{"name":%q}`, name))
	for _, b := range ragged[[]ragchat.Base](t, w, "GET", "/api/rag-chat/knowledge-bases", "") {
		if b.Name == name {
			return b.ID
		}
	}
	t.Fatalf("the list has no %s", name)
	return 0
}

// ragText puts the text of a stream together as its clients do.
func ragText(t *testing.T, transcript string) (text, failure string) {
	t.Helper()
	into := &text
	for line := range strings.SplitSeq(transcript, "\n") {
		if line == "event: error" {
			into = &failure
		}
		if data, ok := strings.CutPrefix(line, "data:"); ok {
			*into += strings.TrimPrefix(data, " ")
		}
	}
	return strings.ReplaceAll(text, `\n`, "\n"), failure
}

func TestRagChatRoundTrip(t *testing.T) {
	w := open(t)
	hr, it := w.base(t, "人事制度"), w.base(t, "IT")
	two := ragged[ragchat.Session](t, w, "POST", rag, fmt.Sprintf(`{"knowledgeBaseIds":[%d,%d,%d]}`, hr, it, hr))
	one := ragged[ragchat.Session](t, w, "POST", rag, fmt.Sprintf(`{"knowledgeBaseIds":[%d],"title":null}`, hr))
	own := ragged[ragchat.Session](t, w, "POST", rag, `{"knowledgeBaseIds":["IT"],"title":" 我的 "}`)
	if two.Title != "2 个知识库对话" || one.Title != "人事制度" || own.Title != "我的" || own.BaseIDs[0] != it {
		t.Fatalf("titles %q, %q, %q; bases %v", two.Title, one.Title, own.Title, own.BaseIDs)
	}
	if two.ID != 1 || !reflect.DeepEqual(two.BaseIDs, []int64{hr, it}) || two.CreatedAt.IsZero() {
		t.Fatalf("session %+v", two)
	}
	path := fmt.Sprintf("%s/%d", rag, two.ID)
	resp, transcript := w.send(t, "POST", path+"/messages/stream", `{"question":"年假几天？"}`)
	if text, _ := ragText(t, transcript); text != scripted || resp.StatusCode != 200 {
		t.Fatalf("streamed %q", text)
	}
	golden(t, "ragchat_stream", transcript)
	w.send(t, "POST", path+"/messages/stream", `{"question":"again"}`)
	d := ragged[ragchat.Detail](t, w, "GET", path, "")
	var order []string
	for _, m := range d.Messages {
		order = append(order, string(m.Type)+":"+m.Content)
	}
	if want := []string{"user:年假几天？", "assistant:" + scripted, "user:again", "assistant:" + scripted}; !reflect.DeepEqual(order, want) {
		t.Fatalf("messages %q", order)
	}
	if d.ID != two.ID || len(d.Bases) != 2 || d.Bases[0].Name != "人事制度" || d.Messages[0].ID+1 != d.Messages[1].ID || d.UpdatedAt.Before(d.CreatedAt) {
		t.Fatalf("detail %+v", d)
	}
	checkRagList(t, w, one.ID, two.ID, own.ID)
	checkRagChanges(t, w, path, it)
	ragged[any](t, w, "DELETE", path, "")
	ragRefused(t, w, "GET", path, "", 404, 404, "会话不存在")
	// Its messages went with it.
	if found := get[ragFound](t, w, "GET", "/api/v1/messages/search?query=again", ""); len(found.Items) != 0 {
		t.Errorf("the messages are still there: %+v", found)
	}
}

type ragFound struct{ Items []core.FoundMessage }

// checkRagList pins the session that was used first: it comes first, and the
// others stand in the order of their use.
func checkRagList(t *testing.T, w *world, one, two, own int64) {
	t.Helper()
	pin := fmt.Sprintf("%s/%d/pin", rag, one)
	order := func() []int64 {
		var ids []int64
		for _, s := range ragged[[]ragchat.ListItem](t, w, "GET", rag, "") {
			ids = append(ids, s.ID)
		}
		return ids
	}
	before := ragged[[]ragchat.ListItem](t, w, "GET", rag, "")
	if before[0].ID != two || before[0].Messages != 4 || before[0].Pinned || !reflect.DeepEqual(before[0].BaseNames, []string{"人事制度", "IT"}) {
		t.Errorf("list %+v", before)
	}
	ragged[any](t, w, "PUT", pin, "") // was never set: false, and now true
	if got := order(); got[0] != one || got[1] != two || got[2] != own {
		t.Errorf("with a pin the order is %v", got)
	}
	if list := ragged[[]ragchat.ListItem](t, w, "GET", rag, ""); !list[0].Pinned {
		t.Error("the pinned one does not say so")
	}
	ragged[any](t, w, "PUT", pin, "")
	if list := ragged[[]ragchat.ListItem](t, w, "GET", rag, ""); list[0].Pinned || list[1].Pinned {
		t.Error("the second call does not take the pin off")
	}
}

func checkRagChanges(t *testing.T, w *world, path string, it int64) {
	t.Helper()
	ragged[any](t, w, "PUT", path+"/title", `{"title":"新标题"}`)
	ragRefused(t, w, "PUT", path+"/title", `{"title":" "}`, 400, 400, "")
	// All or nothing.
	ragRefused(t, w, "PUT", path+"/knowledge-bases", fmt.Sprintf(`{"knowledgeBaseIds":[%d,99]}`, it), 404, 404, "部分知识库不存在")
	ragRefused(t, w, "PUT", path+"/knowledge-bases", `{"knowledgeBaseIds":[]}`, 400, 400, "")
	if d := ragged[ragchat.Detail](t, w, "GET", path, ""); len(d.Bases) != 2 || d.Title != "新标题" {
		t.Errorf("detail %+v", d)
	}
	ragged[any](t, w, "PUT", path+"/knowledge-bases", fmt.Sprintf(`{"knowledgeBaseIds":[%d]}`, it))
	if d := ragged[ragchat.Detail](t, w, "GET", path, ""); len(d.Bases) != 1 || d.Bases[0].ID != it {
		t.Errorf("detail %+v", d)
	}
}

func ragRefused(t *testing.T, w *world, method, path, body string, status, code int, message string) {
	t.Helper()
	resp, text := w.send(t, method, path, body)
	var r result[any]
	if err := json.Unmarshal([]byte(text), &r); err != nil || resp.StatusCode != status || r.Code != code ||
		r.Message == "" || !strings.Contains(r.Message, message) || r.Data != nil || !strings.Contains(text, `"data":null`) {
		t.Errorf("%s %s %s: %d %s", method, path, body, resp.StatusCode, text)
	}
}

func TestRagChatErrors(t *testing.T) {
	w := open(t)
	s := ragged[ragchat.Session](t, w, "POST", rag, `{"knowledgeBaseIds":["default"]}`)
	path := fmt.Sprintf("%s/%d", rag, s.ID)
	ragRefused(t, w, "POST", rag, `{"knowledgeBaseIds":[]}`, 400, 400, "knowledgeBaseIds")
	ragRefused(t, w, "POST", rag, `{}`, 400, 400, "knowledgeBaseIds")
	ragRefused(t, w, "POST", rag, `{"knowledgeBaseIds":[1.5]}`, 400, 400, "knowledgeBaseIds")
	ragRefused(t, w, "POST", rag, `{"knowledgeBaseIds":[7]}`, 404, 404, "部分知识库不存在")
	ragRefused(t, w, "POST", rag, `{`, 400, 400, "JSON")
	ragRefused(t, w, "POST", path+"/messages/stream", `{"question":" "}`, 400, 400, "empty")
	ragRefused(t, w, "POST", rag+"/99/messages/stream", `{"question":"q"}`, 404, 404, "会话不存在")
	ragRefused(t, w, "PUT", rag+"/x/pin", "", 400, 400, "sessionId")
	ragRefused(t, w, "PUT", rag+"/99/pin", "", 404, 404, "会话不存在")
	ragRefused(t, w, "GET", "/api/rag-chat/nothing", "", 404, 404, "")
	ragRefused(t, w, "PATCH", path, "", 405, 405, "")
	_, transcript := w.send(t, "POST", path+"/messages/stream", `{"question":"fail"}`)
	if text, failure := ragText(t, transcript); text != "half" || failure != "the model does not answer" {
		t.Errorf("streamed %q and %q", text, failure)
	}
	// The text so far of a failed answer is kept.
	d := ragged[ragchat.Detail](t, w, "GET", path, "")
	if d.Messages[1].Content != "half" {
		t.Errorf("kept %+v", d.Messages)
	}
}

func TestRagChatStopKeepsTheTextSoFar(t *testing.T) {
	w := open(t)
	s := ragged[ragchat.Session](t, w, "POST", rag, `{"knowledgeBaseIds":["default"]}`)
	path := fmt.Sprintf("%s/%d", rag, s.ID)
	resp := w.begin(t.Context(), t, "POST", path+"/messages/stream", `{"question":"hang"}`)
	defer resp.Body.Close()
	stream := bufio.NewReader(resp.Body)
	readUntil(t, stream, "half\n\n")
	ragged[any](t, w, "POST", path+"/messages/"+resp.Header.Get("X-Message-Id")+"/stop", "")
	if rest, err := stream.ReadString(0); rest != "" || err == nil {
		t.Errorf("after the stop comes %q", rest)
	}
	if d := ragged[ragchat.Detail](t, w, "GET", path, ""); d.Messages[1].Content != "half" {
		t.Errorf("kept %+v", d.Messages)
	}
	ragRefused(t, w, "POST", path+"/messages/99/stop", "", 404, 404, "")
}
