package app

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"kaoju/internal/config"
	"kaoju/internal/core"
)

// reader reads answers from outside, over each protocol.
type reader struct {
	t   *testing.T
	url string
}

// call makes a request and gives the body of its answer.
func (r reader) call(method, path, body string) string {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		r.t.Fatalf("%s %s: %d %s %v", method, path, resp.StatusCode, raw, err)
	}
	return string(raw)
}

func into[T any](t *testing.T, raw string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// lines gives what stands behind "data:" of a stream, joined by join.
func lines(stream string, join func(data string) string) string {
	var b strings.Builder
	scan := bufio.NewScanner(strings.NewReader(stream))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		if data, ok := strings.CutPrefix(scan.Text(), "data:"); ok {
			b.WriteString(join(strings.TrimPrefix(data, " ")))
		}
	}
	return b.String()
}

// native gives the text as it streamed, as it streams again, and the message
// as it is stored.
func (r reader) native(style core.CitationStyle) (live, again string, m core.Message) {
	r.t.Helper()
	session := into[core.Session](r.t, r.call("POST", "/api/v1/sessions", `{}`)).ID
	var id string
	text := func(data string) string {
		e := into[struct {
			Type    string `json:"response_type"`
			Content string
			Message string `json:"assistant_message_id"`
		}](r.t, data)
		if e.Message != "" {
			id = e.Message
		}
		if e.Type == "answer" {
			return e.Content
		}
		return ""
	}
	live = lines(r.call("POST", "/api/v1/sessions/"+session+"/knowledge-qa", fmt.Sprintf(`{"query":%q,"citation_style":%q}`, asked, style)), text)
	again = lines(r.call("GET", "/api/v1/sessions/continue-stream/"+session+"?message_id="+id, ""), text)
	list := into[struct{ Items []core.Message }](r.t, r.call("GET", "/api/v1/sessions/"+session+"/messages", ""))
	return live, again, list.Items[len(list.Items)-1]
}

// socket gives the tokens, the answer of the end event, and the stored text.
func (r reader) socket(style core.CitationStyle) (live, end, stored string) {
	r.t.Helper()
	conn, resp, err := websocket.Dial(r.t.Context(), r.url+"/api/stream", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if resp.Body != nil {
		resp.Body.Close()
	}
	conn.SetReadLimit(1 << 20)
	defer conn.CloseNow()
	if err := conn.Write(r.t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"query":%q,"citation_style":%q}`, asked, style)); err != nil {
		r.t.Fatal(err)
	}
	for {
		_, data, err := conn.Read(r.t.Context())
		if err != nil {
			r.t.Fatal(err)
		}
		e := into[struct {
			Type, Token, Answer string
			Session             string `json:"session_id"`
		}](r.t, string(data))
		live += e.Token
		switch e.Type {
		case "error":
			r.t.Fatal(string(data))
		case "end":
			list := into[struct{ Items []core.Message }](r.t, r.call("GET", "/api/v1/sessions/"+e.Session+"/messages", ""))
			return live, e.Answer, list.Items[len(list.Items)-1].Content
		}
	}
}

// rag gives the text of a RagChat stream and of the session's detail.
func (r reader) rag(style core.CitationStyle) (live, stored string) {
	r.t.Helper()
	type envelope[T any] struct{ Data T }
	bases := into[envelope[[]struct{ ID int64 }]](r.t, r.call("GET", "/api/rag-chat/knowledge-bases", ""))
	made := into[envelope[struct{ ID int64 }]](r.t, r.call("POST", "/api/rag-chat/sessions", fmt.Sprintf(`{"knowledgeBaseIds":[%d]}`, bases.Data[0].ID)))
	path := fmt.Sprintf("/api/rag-chat/sessions/%d", made.Data.ID)
	live = lines(r.call("POST", path+"/messages/stream", fmt.Sprintf(`{"question":%q,"citationStyle":%q}`, asked, style)), func(s string) string { return s })
	detail := into[envelope[struct{ Messages []struct{ Content string } }]](r.t, r.call("GET", path, ""))
	return strings.ReplaceAll(live, `\n`, "\n"), detail.Data.Messages[1].Content
}

// openai gives a completion in one piece and as a stream.
func (r reader) openai(style core.CitationStyle) (whole, streamed string) {
	r.t.Helper()
	type completion struct {
		Choices []struct{ Message, Delta struct{ Content string } }
	}
	body := func(stream bool) string {
		return fmt.Sprintf(`{"model":"default","stream":%t,"citation_style":%q,"messages":[{"role":"user","content":%q}]}`, stream, style, asked)
	}
	whole = into[completion](r.t, r.call("POST", "/v1/chat/completions", body(false))).Choices[0].Message.Content
	streamed = lines(r.call("POST", "/v1/chat/completions", body(true)), func(s string) string {
		if s == "[DONE]" {
			return ""
		}
		text := ""
		for _, c := range into[completion](r.t, s).Choices {
			text += c.Delta.Content
		}
		return text
	})
	return whole, streamed
}

const asked = "员工年假有几天？"

// A15–A20: in each style, over each protocol, the text that was read live is
// the text of the last event, of the stream read again, and of the store; marks
// in code stay, what the model made up goes, only what is cited is numbered.
func TestCitationStylesOverEveryProtocol(t *testing.T) {
	says := "员工年假为 5 天 <ref id=\"c1\"/> [8]。<kb doc=\"x\" chunk_id=\"y\" />\n```\nx[1]\n```\n以制度为准。"
	d, _ := modelled(t, spoken{" ", says}, map[string]string{`年"假.md`: leaveRules["年假.md"], "病假.md": leaveRules["病假.md"]},
		func(c *config.Config) { c.Understand.By = config.UnderstandRules })
	server := httptest.NewServer(d.Handler())
	t.Cleanup(server.Close)
	r := reader{t, server.URL}
	for _, style := range []core.CitationStyle{core.CiteNumbers, core.CiteTags, core.CiteNothing} {
		live, again, m := r.native(style)
		mark := " [1]"
		switch style {
		case core.CiteTags:
			mark = fmt.Sprintf(` <kb doc="年&quot;假.md" chunk_id="%s" kb_id="%s" />`, m.References[0].ChunkID, m.References[0].BaseID)
		case core.CiteNothing:
			mark = ""
		}
		want := "员工年假为 5 天" + mark + "。\n```\nx[1]\n```\n以制度为准。"
		tokens, end, stored := r.socket(style)
		rag, detail := r.rag(style)
		whole, streamed := r.openai(style)
		for name, got := range map[string]string{
			"native": live, "native again": again, "native stored": m.Content, "ws": tokens, "ws end": end, "ws stored": stored,
			"ragchat": rag, "ragchat stored": detail, "openai": whole, "openai stream": streamed,
		} {
			if got != want {
				t.Errorf("%s, %s:\n%q\nwant\n%q", style, name, got, want)
			}
		}
		cited := 0
		for _, ref := range m.References {
			if ref.Number > 0 {
				cited++
			}
		}
		if marks := min(1, len(mark)); cited != marks || len(m.Citations) != marks || len(m.References) == 0 {
			t.Errorf("%s: %d references are numbered, citations %+v", style, cited, m.Citations)
		}
		for _, c := range m.Citations {
			if claim := m.Content[c.AnswerStart:c.AnswerEnd]; !strings.HasPrefix(claim, "员工年假为 5 天") {
				t.Errorf("%s: the claim is %q", style, claim)
			}
		}
	}
}

// An assistant without citations writes no marks and no list of sources,
// whatever a request asks for and whoever writes; what was found is stored, and
// the answer is no worse for it.
func TestAnAssistantWithoutCitations(t *testing.T) {
	silent := core.DefaultAssistant(core.DefaultTenantID)
	silent.ID, silent.Name, silent.Citations = "silent", "silent", false
	quiet := newDesk(t, leaveRules)
	model, e := modelled(t, spoken{" ", "员工年假为 5 天[1]。"}, leaveRules, nil)
	uncited, _ := modelled(t, spoken{" ", "员工年假为 5 天。"}, leaveRules, nil)
	for name, d := range map[string]desk{"built-in": quiet, "model": model, "model that cites nothing": uncited} {
		if err := d.db.CreateAssistant(t.Context(), core.OwnerScope(), silent); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(d.Handler())
		r := reader{t, server.URL}
		session := into[core.Session](t, r.call("POST", "/api/v1/sessions", `{"assistant_id":"silent"}`)).ID
		r.call("POST", "/api/v1/sessions/"+session+"/knowledge-qa", fmt.Sprintf(`{"query":%q,"citation_style":"tags"}`, asked))
		list := into[struct{ Items []core.Message }](t, r.call("GET", "/api/v1/sessions/"+session+"/messages", ""))
		m := list.Items[1]
		if strings.ContainsAny(m.Content, "[<") || strings.Contains(m.Content, "来源") || !strings.Contains(m.Content, "5 天") || len(m.Citations) != 0 {
			t.Errorf("%s: %q, %+v", name, m.Content, m.Citations)
		}
		if len(m.References) == 0 || m.References[0].Number != 0 || m.Confidence.Level == core.LevelLow {
			t.Errorf("%s: references %+v, confidence %+v", name, m.References, m.Confidence)
		}
		server.Close()
	}
	told := 0
	for _, call := range e.Requests() {
		if strings.Contains(call.Body, `\u003cref id`) {
			t.Errorf("the model was told to cite: %s", call.Body)
		}
		if strings.Contains(call.Body, "不要标注来源") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the model was told %d times not to cite", told)
	}
}
