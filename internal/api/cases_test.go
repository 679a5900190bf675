package api_test

import (
	"bufio"
	"strings"
	"testing"
	"unicode/utf8"

	"kaoju/internal/api"
	"kaoju/internal/api/native"
	"kaoju/internal/core"
)

// A17: after a reload, references hang on the answer that they belong to.
func TestHistoryHasReferencesWhereTheyBelong(t *testing.T) {
	w := open(t)
	session := w.session(t)
	w.ask(t, session, "fail") // found something and answered half
	w.ask(t, session, "q")
	for _, m := range get[native.History](t, w, "GET", "/api/v1/sessions/"+session+"/messages", "").Items {
		whole := m.Role == core.RoleAssistant && m.State == core.MessageComplete
		if m.Role == core.RoleUser && len(m.References) > 0 || whole && (len(m.References) != 2 || len(m.Citations) != 1) {
			t.Errorf("%s message %d has %d references and %d citations", m.Role, m.Order, len(m.References), len(m.Citations))
		}
	}
}

// A24: who may ask a base may open the passages that its answers cite.
func TestColleagueOpensTheSourceOfAPublicBase(t *testing.T) {
	w := open(t)
	_, chunk := w.passage(t, core.DefaultBaseName)
	options := w.options
	options.Auth = fixed(core.Scope{TenantID: core.DefaultTenantID, UserID: "colleague"})
	colleague := &world{url: serve(t, api.New(options))}
	if c := get[native.ChunkView](t, colleague, "GET", "/api/v1/chunks/"+chunk, ""); c.Content != "text" || c.Document.Name != "a.md" {
		t.Errorf("the passage is %+v", c)
	}
}

// Fault 8: an answer carries each reference once, with a quote of at most 300
// characters; a replay does not grow.
func TestReferencesAreSentOnce(t *testing.T) {
	w := open(t)
	transcript := w.ask(t, w.session(t), "q")
	for _, once := range []string{`"knowledge_references"`, `"document_id":"document-1"`, "Also found."} {
		want := 1
		if strings.HasPrefix(once, `"document_id"`) {
			want = len(references())
		}
		if n := strings.Count(transcript, once); n != want {
			t.Errorf("%s stands %d times in the stream", once, n)
		}
	}
	for _, r := range references() {
		if utf8.RuneCountInString(r.Quote) > 300 {
			t.Errorf("a quote of %d characters", utf8.RuneCountInString(r.Quote))
		}
	}
}

// A32: an answer of 20,000 increments is told again in a handful of events,
// from the start and from the middle.
func TestLongAnswerIsRetoldInAFewEvents(t *testing.T) {
	w := open(t)
	session := w.session(t)
	whole := textOf(parse(t, w.ask(t, session, "longest")))
	list := get[native.History](t, w, "GET", "/api/v1/sessions/"+session+"/messages", "")
	path := continuePath(session, list.Items[1].ID)
	_, all := w.send(t, "GET", path, "")
	_, rest := w.send(t, "GET", path+"&after=10002", "")
	if events := parse(t, all); len(events) > 6 || textOf(events) != whole || whole != list.Items[1].Content {
		t.Errorf("%d events with %d of %d bytes", len(events), len(textOf(events)), len(whole))
	}
	if events := parse(t, rest); len(events) > 4 || !strings.HasSuffix(whole, textOf(events)) || !strings.HasPrefix(textOf(events), "字10000,") {
		t.Errorf("from the middle come %d events: %.50s", len(events), textOf(events))
	}
}

// Fault 13: events are pushed. Each is read while the model waits for that,
// so that a stream which gathers events would stand still here.
func TestEventsArePushedOneByOne(t *testing.T) {
	w := open(t)
	resp := w.begin(t.Context(), t, "POST", "/api/v1/sessions/"+w.session(t)+"/knowledge-qa", `{"query":"wait"}`)
	defer resp.Body.Close()
	stream := bufio.NewReader(resp.Body)
	text := ""
	for seq := int64(1); text != scripted; seq++ {
		if seq > 2 { // after agent_query and references
			w.script.gate <- struct{}{}
		}
		events := parse(t, readUntil(t, stream, "\n\n"))
		if len(events) != 1 || events[0].seq != seq {
			t.Fatalf("event %d: %+v", seq, events)
		}
		text += textOf(events)
	}
}

// Faults 2 and 7: with the model down the answer ends at once, in words that
// name nothing of the inside, and the stream closes.
func TestModelThatIsDown(t *testing.T) {
	w := open(t)
	session := w.session(t)
	for _, question := range []string{"fail", "panic"} {
		events := parse(t, w.ask(t, session, question)) // returns when the stream closes
		m := get[core.Message](t, w, "GET", "/api/v1/messages/"+events[0].data.MessageID, "")
		var failure *native.Event
		for i := range events {
			if events[i].data.Type == core.EventError {
				failure = &events[i].data
			}
		}
		if failure == nil || !failure.Done || failure.Content == "" || strings.Contains(failure.Content, "secret") || m.State != core.MessageFailed {
			t.Errorf("%s: error %+v, message %s", question, failure, m.State)
		}
	}
}

// A question says whether it is one for the knowledge bases.
func TestPresets(t *testing.T) {
	w := open(t)
	path := "/api/v1/sessions/" + w.session(t) + "/knowledge-qa"
	for preset, want := range map[string]string{"": "false", `, "preset": "rag"`: "false", `, "preset": "chat"`: "true"} {
		if _, text := w.send(t, "POST", path, `{"query": "talk"`+preset+`}`); textOf(parse(t, text)) != want {
			t.Errorf("%s: talks is %q", preset, textOf(parse(t, text)))
		}
	}
	scenario{"unknown preset", "POST", path, `{"query": "talk", "preset": "agent"}`, 400, core.CodeInvalid, "preset"}.check(t, w)
}

// A79: a question in a session that was deleted is not found, so that a
// client knows to open a new one.
func TestQuestionInADeletedSession(t *testing.T) {
	w := open(t)
	session := w.session(t)
	w.send(t, "DELETE", "/api/v1/sessions/"+session, "")
	scenario{"deleted", "POST", "/api/v1/sessions/" + session + "/knowledge-qa", `{"query":"q"}`, 404, core.CodeNotFound, session}.check(t, w)
	if text := textOf(parse(t, w.ask(t, w.session(t), "q"))); text != scripted {
		t.Errorf("in a new one: %q", text)
	}
}
