package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"kaoju/internal/chat"
	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/pipeline"
)

// leave is a document that answers leaveQuestion.
const (
	leave         = "# Leave\n\nStaff have 15 days of annual leave a year.\n"
	leaveQuestion = "How many days of annual leave?"
)

// newModelDesk is newDesk with a chat model.
func newModelDesk(t *testing.T, e *llmtest.Endpoint) desk {
	t.Helper()
	cfg := config.Default()
	cfg.Data = t.TempDir()
	cfg.ChatModel = config.Model{BaseURL: e.URL, Name: "m"}
	cfg.Understand.By = config.UnderstandRules // question_test.go has the model's understanding
	a, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	d := desk{t, a}
	d.add("leave.md", leave)
	d.settle()
	return d
}

// vendor is an endpoint that plays one habit after the other.
type vendor struct {
	*llmtest.Endpoint
	script *atomic.Pointer[llmtest.Script]
}

func newVendor(t *testing.T) vendor {
	script := new(atomic.Pointer[llmtest.Script])
	return vendor{llmtest.StartTCP(t, nil, llmtest.Answer(func(llmtest.Request) llmtest.Script { return *script.Load() })), script}
}

// play begins a habit.
func (v vendor) play(t *testing.T, habit string) llmtest.Script {
	t.Helper()
	script := llmtest.Habit(t, habit)
	v.script.Store(&script)
	v.Rewind(0)
	return script
}

// round is a question with all that its reader saw and what was stored.
type round struct {
	events  []core.Event
	message core.Message
}

func (d desk) roundOf(title, question string) round {
	d.t.Helper()
	s, err := d.chat.CreateSession(d.t.Context(), core.OwnerScope(), title, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	started, err := d.chat.Ask(d.t.Context(), core.OwnerScope(), chat.AskRequest{SessionID: s.ID, Question: question})
	if err != nil {
		d.t.Fatal(err)
	}
	var r round
	for err == nil {
		var events []core.Event
		events, err = started.Events.Next(d.t.Context())
		r.events = append(r.events, events...)
	}
	if !errors.Is(err, io.EOF) {
		d.t.Fatal(err)
	}
	if r.message, err = d.chat.Message(d.t.Context(), core.OwnerScope(), started.AssistantMessage.ID); err != nil {
		d.t.Fatal(err)
	}
	return r
}

// text gives what one kind of event adds up to.
func (r round) text(kind core.EventType) string {
	var b strings.Builder
	for _, e := range r.events {
		if e.Type == kind {
			b.WriteString(e.Content)
		}
	}
	return b.String()
}

// last gives the terminal event, of which there is one, at the end.
func (r round) last(t *testing.T) core.Event {
	t.Helper()
	terminals := 0
	for _, e := range r.events {
		if e.Type.Terminal() {
			terminals++
		}
	}
	last := r.events[len(r.events)-1]
	if terminals != 1 || !last.Type.Terminal() {
		t.Errorf("%d terminal events, the last is %s", terminals, last.Type)
	}
	return last
}

// A25, A26, A28, A33: whatever a vendor does with the stream, and wherever
// the network cuts it, what was streamed is what is stored, once.
func TestStreamedIsStoredWhateverTheVendorDoes(t *testing.T) {
	const code = "Close it:\n```xml\n<think>\nsome</think>\n```\nThat is `</think>` and `<think>` in XML."
	v := newVendor(t)
	d := newModelDesk(t, v.Endpoint)
	for _, tt := range []struct{ habit, answer string }{
		{"think_in_code", code},
		{"think_start", ""},
		{"think_middle", ""},
		{"reasoning_content", ""},
		{"final_chunk_twice", "Yes."},
		{"finish_twice", ""},
		{"usage_after_done", "Yes."},
		{"usage_every_chunk", ""},
		{"message_at_end", ""},
		{"multibyte", ""},
		{"done_missing", ""},
		{"crlf", ""},
	} {
		script := v.play(t, tt.habit)
		whole := d.roundOf("t", leaveQuestion)
		want := whole.message.Content
		// An answer that cites nothing is closed by the sources that it had.
		said := strings.TrimSuffix(want, "\n\nSources: [1] leave.md")
		if tt.answer != "" && said != tt.answer || want == "" || whole.message.State != core.MessageComplete {
			t.Errorf("%s: %s %q", tt.habit, whole.message.State, want)
		}
		for n := 0; n < script[0].Len(); n += 13 {
			v.Rewind(n)
			r := d.roundOf("t", leaveQuestion)
			if r.text(core.EventAnswer) != r.message.Content || r.message.Content != want || r.last(t).Content != "" {
				t.Fatalf("%s, cut at byte %d: streamed %q, stored %q, want %q", tt.habit, n, r.text(core.EventAnswer), r.message.Content, want)
			}
		}
	}
}

// A29: a model whose reasoning used up the tokens, or that says nothing at
// all, has not answered: the reader is told so, or reads the built-in answer
// with the notice that it is one.
func TestEmptyAnswersAreNoSuccess(t *testing.T) {
	v := newVendor(t)
	d := newModelDesk(t, v.Endpoint)
	v.play(t, "length_without_text")
	r := d.roundOf("t", leaveQuestion)
	var failure chat.Failed
	last := r.last(t)
	if err := json.Unmarshal(last.Data, &failure); err != nil || last.Type != core.EventError || failure.Code != core.CodeUnavailable ||
		!strings.Contains(last.Content, "used up its tokens") || r.message.State != core.MessageFailed {
		t.Errorf("reasoning alone: %s %q, stored %s", last.Type, last.Content, r.message.State)
	}
	if r.text(core.EventThinking) == "" || len(r.message.References) == 0 {
		t.Errorf("the failed answer lost its thoughts %q or its references %d", r.text(core.EventThinking), len(r.message.References))
	}
	v.play(t, "no_text")
	r = d.roundOf("t", leaveQuestion)
	if r.last(t).Type != core.EventComplete || !strings.Contains(r.message.Content, "15 days") ||
		!slices.Contains(r.message.Confidence.Reasons, "chat_model_unavailable") {
		t.Errorf("nothing at all: %s %q, %+v", r.message.State, r.message.Content, r.message.Confidence)
	}
}

// A27: where nothing is found, what was shown as running is closed, and there
// is a text that says so.
func TestNothingFoundClosesWhatWasShownAsRunning(t *testing.T) {
	for name, documents := range map[string]map[string]string{"an empty base": nil, "another subject": {"leave.md": leave}} {
		r := newDesk(t, documents).roundOf("t", "公司的股票代码是什么？")
		running := map[pipeline.Window]int{}
		for _, e := range r.events {
			var p pipeline.Progress
			switch e.Type {
			case core.EventToolCall, core.EventToolResult:
				if err := json.Unmarshal(e.Data, &p); err != nil {
					t.Fatal(err)
				}
			case core.EventAnswer:
				if running[pipeline.WindowSearch] != 0 {
					t.Errorf("%s: the answer begins before the search is closed", name)
				}
			}
			switch e.Type {
			case core.EventToolCall:
				running[p.ToolName]++
			case core.EventToolResult:
				running[p.ToolName]--
			}
		}
		for window, n := range running {
			if n != 0 {
				t.Errorf("%s: %s is left open", name, window)
			}
		}
		if _, searched := running[pipeline.WindowSearch]; !searched || r.message.HitType != core.HitInsufficient ||
			r.message.Content == "" || r.text(core.EventAnswer) != r.message.Content || r.last(t).Type != core.EventComplete {
			t.Errorf("%s: %s %q, told %q", name, r.message.HitType, r.message.Content, r.text(core.EventAnswer))
		}
	}
}

// A78: the configured model names the session; what it must not be is the
// answer.
func TestConfiguredModelNamesTheSession(t *testing.T) {
	const stream = "---\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n"
	for title, want := range map[string]string{"Annual leave": "Annual leave", "15 days of annual leave": leaveQuestion} {
		e := llmtest.StartTCP(t, nil, llmtest.Answer(func(r llmtest.Request) llmtest.Script {
			text := "Fifteen days."
			if !strings.Contains(r.Body, "Staff have") { // no evidence, so a title
				text = title
			}
			s, err := llmtest.Parse(fmt.Sprintf(stream, text))
			if err != nil {
				t.Error(err)
			}
			return s
		}))
		d := newModelDesk(t, e)
		r := d.roundOf("", leaveQuestion)
		s, err := d.chat.Session(t.Context(), core.OwnerScope(), r.message.SessionID)
		if last := r.events[len(r.events)-1]; err != nil || last.Type != core.EventSessionTitle || last.Content != want || s.Title != want || e.Calls() != 2 {
			t.Errorf("%q: told %q, stored %q, %d calls, %v", title, last.Content, s.Title, e.Calls(), err)
		}
	}
}
