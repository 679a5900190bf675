package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// A18, A25, A26, A33: the increments come once, and their sum is what is stored.
func TestAnswerIsStreamedAndStored(t *testing.T) {
	references := []core.Reference{{Number: 1, ChunkID: "k1"}, {ChunkID: "k2"}}
	w := open(t, chat.Limits{}, func(ctx context.Context, req pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
		if req.Before != 1 || req.Question != "年假几天？" || req.BaseIDs[0] != "b1" {
			return pipeline.Outcome{}, fmt.Errorf("request %+v", req)
		}
		err := publish(ctx, core.Event{Type: core.EventReferences, Data: pipeline.Data(pipeline.References{References: references})})
		if err != nil {
			return pipeline.Outcome{}, err
		}
		for _, thought := range []string{"年假", strings.Repeat("想", 200_000)} {
			if err := publish(ctx, core.Event{Type: core.EventThinking, Content: thought}); err != nil {
				return pipeline.Outcome{}, err
			}
		}
		out, err := say("年假", "为 5 天 [1]。")(ctx, req, publish)
		out.References, out.Confidence = references, core.Confidence{Score: .9}
		out.Citations = []core.Citation{{Number: 1, ChunkID: "k1"}}
		out.Timings = []core.Timing{{Stage: "search", ElapsedMS: 1}}
		return out, err
	})
	defer w.close(t)
	started, err := w.Ask(t.Context(), core.OwnerScope(), chat.AskRequest{SessionID: "s", Question: "年假几天？", BaseIDs: []string{"handbook"}})
	if err != nil {
		t.Fatal(err)
	}
	events := all(t, started.Events)
	if got := shape(events); got != "agent_query references thinking answer complete session_title" {
		t.Fatalf("events: %s", got)
	}
	m := w.stored(t, started.AssistantMessage.ID)
	if m.Content != textOf(events) || m.Content != "年假为 5 天 [1]。" || m.State != core.MessageComplete {
		t.Fatalf("stored %q (%s)", m.Content, m.State)
	}
	if !strings.HasPrefix(m.Thinking, "年假想") || len(m.Thinking) > 64<<10+3 || !utf8.ValidString(m.Thinking) {
		t.Fatalf("kept %d bytes of what was thought: %.20s", len(m.Thinking), m.Thinking)
	}
	if len(m.References) != 2 || len(m.Citations) != 1 || m.Confidence.Score != .9 || m.HitType != core.HitRAG {
		t.Fatalf("stored %+v", m)
	}
	var end chat.Complete
	if err := json.Unmarshal(events[len(events)-2].Data, &end); err != nil {
		t.Fatal(err)
	}
	if len(end.Cited) != 1 || end.Cited[0] != (chat.Cited{Number: 1, ChunkID: "k1"}) || len(end.Timings) != 1 {
		t.Fatalf("complete %+v", end)
	}
	if w.store.traces[m.ID].Timings[0].Stage != "search" {
		t.Fatalf("trace %+v", w.store.traces[m.ID])
	}
}

func TestQuestionsThatAreRefused(t *testing.T) {
	w := open(t, chat.Limits{}, say("ja"))
	defer w.close(t)
	tests := []struct {
		name string
		req  chat.AskRequest
		want core.Code
	}{
		{"empty", chat.AskRequest{SessionID: "s"}, core.CodeInvalid},
		{"blank", chat.AskRequest{SessionID: "s", Question: " \n\t\u3000"}, core.CodeInvalid},
		{"NUL", chat.AskRequest{SessionID: "s", Question: "a\x00b"}, core.CodeInvalid},
		{"too long", chat.AskRequest{SessionID: "s", Question: strings.Repeat("问", 10_001)}, core.CodeTooLarge},
		{"just short enough", chat.AskRequest{SessionID: "s", Question: strings.Repeat("问", 10_000)}, ""},
		{"unknown session", chat.AskRequest{SessionID: "nobody", Question: "a"}, core.CodeNotFound},
		{"unknown base", chat.AskRequest{SessionID: "s", Question: "a", BaseIDs: []string{"b1", "b2"}}, core.CodeNotFound},
		{"unknown document", chat.AskRequest{SessionID: "s", Question: "a", DocumentIDs: []string{"d9"}}, core.CodeNotFound},
		{"markup", chat.AskRequest{SessionID: "s", Question: "<script>alert(1)</script> 是什么"}, ""},
		{"SQL", chat.AskRequest{SessionID: "s", Question: "'; DROP TABLE messages; --"}, ""},
		{"query syntax", chat.AskRequest{SessionID: "s", Question: "foo:bar AND (未闭合 OR C++ 100%"}, ""},
	}
	for _, tc := range tests {
		started, err := w.Ask(t.Context(), core.OwnerScope(), tc.req)
		if core.CodeOf(err) != tc.want {
			t.Errorf("%s: %v, want code %q", tc.name, err, tc.want)
		}
		if tc.want == core.CodeTooLarge && !strings.Contains(err.Error(), "10000") {
			t.Errorf("%s: %v does not name the limit", tc.name, err)
		}
		if tc.want == "" && w.stored(t, started.UserMessage.ID).Content != tc.req.Question {
			t.Errorf("%s: the question was changed", tc.name)
		}
	}
}

// Faults 2 and 7: one terminal event, always, with a text that is fit to show.
func TestEveryTurnEndsInOneTerminalEvent(t *testing.T) {
	tests := []struct {
		name    string
		answer  answerFunc
		state   core.MessageState
		code    core.Code
		content string
		says    string
	}{
		{"pipeline error", func(ctx context.Context, r pipeline.Request, p pipeline.Publish) (pipeline.Outcome, error) {
			_, _ = say("half")(ctx, r, p)
			return pipeline.Outcome{}, core.Wrap(errors.New("dial http://10.0.0.1"), core.CodeUnavailable, "the model does not answer")
		}, core.MessageFailed, core.CodeUnavailable, "half", "the model does not answer"},
		{"foreign error", func(context.Context, pipeline.Request, pipeline.Publish) (pipeline.Outcome, error) {
			return pipeline.Outcome{}, errors.New("secret detail")
		}, core.MessageFailed, core.CodeInternal, "", "internal error"},
		{"panic", func(ctx context.Context, r pipeline.Request, p pipeline.Publish) (pipeline.Outcome, error) {
			_, _ = say("so far")(ctx, r, p)
			panic("secret detail")
		}, core.MessageFailed, core.CodeInternal, "so far", "internal error"},
		{"text that is not the answer", func(ctx context.Context, r pipeline.Request, p pipeline.Publish) (pipeline.Outcome, error) {
			out, err := say("shown")(ctx, r, p)
			out.Answer = "kept"
			return out, err
		}, core.MessageComplete, "", "shown", ""},
		{"stage that ends the turn itself", func(ctx context.Context, _ pipeline.Request, p pipeline.Publish) (pipeline.Outcome, error) {
			return pipeline.Outcome{}, p(ctx, core.Event{Type: core.EventComplete})
		}, core.MessageFailed, core.CodeInternal, "", "internal error"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			w := open(t, chat.Limits{}, tc.answer)
			defer w.close(t)
			started := w.ask(t, "q")
			events := all(t, started.Events)
			terminal := 0
			for _, e := range events {
				if e.Type.Terminal() {
					terminal++
					if !e.Done || !strings.Contains(e.Content, tc.says) || strings.Contains(e.Content, "secret") || strings.Contains(e.Content, "10.0") {
						t.Errorf("%s says %q", e.Type, e.Content)
					}
				}
			}
			m := w.stored(t, started.AssistantMessage.ID)
			if terminal != 1 || m.State != tc.state || m.ErrorCode != tc.code || m.Content != tc.content || textOf(events) != tc.content {
				t.Errorf("%d terminal events; stored %+v; streamed %q", terminal, m, textOf(events))
			}
		})
	}
}

func TestMismatchKeepsOnlyCitationsThatStillFit(t *testing.T) {
	w := open(t, chat.Limits{}, func(ctx context.Context, r pipeline.Request, p pipeline.Publish) (pipeline.Outcome, error) {
		out, err := say("one. two.")(ctx, r, p)
		out.Answer = "one. 2."
		out.Citations = []core.Citation{{Number: 1, AnswerEnd: 4}, {Number: 2, AnswerStart: 5, AnswerEnd: 7}, {Number: 3, AnswerEnd: 99}}
		return out, err
	})
	defer w.close(t)
	started := w.ask(t, "q")
	all(t, started.Events)
	if m := w.stored(t, started.AssistantMessage.ID); len(m.Citations) != 1 || m.Citations[0].Number != 1 {
		t.Fatalf("citations %+v", m.Citations)
	}
}

// A25: nothing that was held back at the end is lost.
func TestIncrementsAreCutBetweenCharacters(t *testing.T) {
	const text = "a年假为五天😀。"
	var parts []string
	for i := range len(text) {
		parts = append(parts, text[i:i+1])
	}
	w := open(t, chat.Limits{}, say(parts...))
	defer w.close(t)
	started := w.ask(t, "q")
	events := all(t, started.Events)
	for _, e := range events {
		if strings.ContainsRune(e.Content, '\uFFFD') {
			t.Fatalf("event %d holds a broken character: %q", e.Seq, e.Content)
		}
	}
	if textOf(events) != text || w.stored(t, started.AssistantMessage.ID).Content != text {
		t.Fatalf("streamed %q", textOf(events))
	}
}

// hang publishes "half", tells that it did, and then does not listen until
// release is closed.
func hang(published chan<- struct{}, release <-chan struct{}) answerFunc {
	return func(ctx context.Context, _ pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
		if err := publish(ctx, core.Event{Type: core.EventAnswer, Content: "half"}); err != nil {
			return pipeline.Outcome{}, err
		}
		close(published)
		<-release
		err := publish(ctx, core.Event{Type: core.EventAnswer, Content: "late"})
		return pipeline.Outcome{Answer: "fallback"}, err
	}
}

// A30: a stop cancels the work at once and keeps the text so far.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		published, release := make(chan struct{}), make(chan struct{})
		w := open(t, chat.Limits{}, hang(published, release))
		started := w.ask(t, "q")
		<-published
		begun := time.Now()
		state, err := w.Stop(t.Context(), core.OwnerScope(), "s", started.AssistantMessage.ID)
		if err != nil || state != core.MessageStopped {
			t.Fatalf("state %q, %v", state, err)
		}
		if took := time.Since(begun); took > 100*time.Millisecond {
			t.Fatalf("a stage that does not listen held up the stop for %v", took)
		}
		events := all(t, started.Events)
		if shape(events) != "agent_query answer stop session_title" || textOf(events) != "half" {
			t.Fatalf("%s: %q", shape(events), textOf(events))
		}
		close(release)
		if state, err = w.Stop(t.Context(), core.OwnerScope(), "s", started.AssistantMessage.ID); err != nil || state != core.MessageStopped {
			t.Fatalf("a second stop: %q, %v", state, err)
		}
		w.close(t)
		if m := w.stored(t, started.AssistantMessage.ID); m.Content != "half" || m.State != core.MessageStopped {
			t.Fatalf("stored %q (%s)", m.Content, m.State)
		}
	})
}

// TestStopIsNotAFallback stops a turn whose pipeline listens, and then says
// that nothing was found.
func TestStopIsNotAFallback(t *testing.T) {
	running := make(chan struct{})
	w := open(t, chat.Limits{}, func(ctx context.Context, _ pipeline.Request, _ pipeline.Publish) (pipeline.Outcome, error) {
		close(running)
		<-ctx.Done()
		return pipeline.Outcome{Answer: "nothing was found", HitType: core.HitFallback, Timings: []core.Timing{{Stage: "search"}}}, nil
	})
	defer w.close(t)
	started := w.ask(t, "q")
	<-running
	if state, err := w.Stop(t.Context(), core.OwnerScope(), "", started.AssistantMessage.ID); state != core.MessageStopped {
		t.Fatalf("state %q, %v", state, err)
	}
	if trace := w.store.traces[started.AssistantMessage.ID]; len(trace.Timings) != 1 {
		t.Fatalf("the trace of a stopped turn is %+v", trace)
	}
}

func TestStopRefusesWhatIsNoAnswer(t *testing.T) {
	w := open(t, chat.Limits{}, say("ja"))
	defer w.close(t)
	started := w.ask(t, "q")
	all(t, started.Events)
	for session, message := range map[string]string{
		"s":     started.UserMessage.ID,
		"other": started.AssistantMessage.ID,
		"":      "nobody",
	} {
		if _, err := w.Stop(t.Context(), core.OwnerScope(), session, message); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("stop of %q in %q: %v", message, session, err)
		}
	}
}

func TestCloseDrainsThenInterrupts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, r pipeline.Request, p pipeline.Publish) (pipeline.Outcome, error) {
			_ = p(ctx, core.Event{Type: core.EventAnswer, Content: "half"})
			d := time.Minute
			if r.Question == "quick" {
				d = time.Second
			}
			select {
			case <-time.After(d):
				return pipeline.Outcome{Answer: "half"}, nil
			case <-ctx.Done():
				return pipeline.Outcome{}, ctx.Err()
			}
		}
		w := open(t, chat.Limits{}, slow)
		quick, long := w.ask(t, "quick"), w.ask(t, "long")
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := w.Close(ctx); err != nil {
			t.Fatal(err)
		}
		if m := w.stored(t, quick.AssistantMessage.ID); m.State != core.MessageComplete {
			t.Errorf("a turn that ended in time is %s", m.State)
		}
		m := w.stored(t, long.AssistantMessage.ID)
		if m.State != core.MessageInterrupted || m.Content != "half" {
			t.Errorf("a turn that did not is %s %q", m.State, m.Content)
		}
		if events := all(t, long.Events); events[len(events)-1].Type != core.EventStop {
			t.Errorf("events: %s", shape(events))
		}
		_, err := w.Ask(t.Context(), core.OwnerScope(), chat.AskRequest{SessionID: "s", Question: "q"})
		if core.CodeOf(err) != core.CodeUnavailable {
			t.Errorf("a closed service answers %v", err)
		}
	})
}

func TestTurnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, chat.Limits{Turn: time.Minute}, func(ctx context.Context, _ pipeline.Request, _ pipeline.Publish) (pipeline.Outcome, error) {
			<-ctx.Done()
			return pipeline.Outcome{}, ctx.Err()
		})
		started := w.ask(t, "q")
		events := all(t, started.Events)
		m := w.stored(t, started.AssistantMessage.ID)
		if m.State != core.MessageFailed || m.ErrorCode != core.CodeTimeout || events[1].Type != core.EventError {
			t.Fatalf("%s: %s %s", shape(events), m.State, m.ErrorCode)
		}
		w.close(t)
	})
}

func TestTurnsAreBounded(t *testing.T) {
	published, release := make(chan struct{}), make(chan struct{})
	w := open(t, chat.Limits{Turns: 1}, hang(published, release))
	started := w.ask(t, "q")
	_, err := w.Ask(t.Context(), core.OwnerScope(), chat.AskRequest{SessionID: "s", Question: "q"})
	if core.CodeOf(err) != core.CodeBusy {
		t.Fatalf("got %v", err)
	}
	if len(w.store.messages) != 2 {
		t.Fatal("a refused question was stored")
	}
	close(release)
	all(t, started.Events)
	w.close(t)
}

func TestCheckpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, chat.Limits{}, func(ctx context.Context, _ pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
			put := func(s string, pause time.Duration) {
				_ = publish(ctx, core.Event{Type: core.EventAnswer, Content: s})
				time.Sleep(pause) // of the bubble's clock
			}
			put("a", 400*time.Millisecond)
			put("b", 200*time.Millisecond) // stored at 500 ms
			put("c", 100*time.Millisecond)
			put(strings.Repeat("d", 3000), 10*time.Millisecond) // stored at once
			put("e", time.Second)                               // stored after 500 ms
			return pipeline.Outcome{}, nil
		})
		started := w.ask(t, "q")
		all(t, started.Events)
		w.close(t)
		long := "abc" + strings.Repeat("d", 3000)
		want := []string{"ab", long, long + "e"}
		if fmt.Sprint(w.store.checkpoints) != fmt.Sprint(want) {
			t.Fatalf("checkpoints of lengths %v", lengths(w.store.checkpoints))
		}
	})
}

func lengths(list []string) []int {
	var n []int
	for _, s := range list {
		n = append(n, len(s))
	}
	return n
}

// Fault 4: what a crash left is kept and marked.
func TestRecover(t *testing.T) {
	w := open(t, chat.Limits{}, say())
	defer w.close(t)
	w.store.messages["m"] = core.Message{ID: "m", SessionID: "s", Role: core.RoleAssistant, Content: "so far", State: core.MessagePending}
	w.store.messages["done"] = core.Message{ID: "done", SessionID: "s", Role: core.RoleAssistant, State: core.MessageComplete}
	if err := w.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m := w.stored(t, "m"); m.State != core.MessageInterrupted || m.Content != "so far" {
		t.Fatalf("recovered %+v", m)
	}
	if m := w.stored(t, "done"); m.State != core.MessageComplete {
		t.Fatalf("a finished message became %s", m.State)
	}
	_, tail, err := w.Follow(t.Context(), core.OwnerScope(), "s", "m", 7)
	if err != nil {
		t.Fatal(err)
	}
	events := all(t, tail)
	if shape(events) != "agent_query answer stop" || textOf(events) != "so far" || !strings.Contains(string(events[0].Data), `"replay":true`) {
		t.Fatalf("%s: %s", shape(events), events[0].Data)
	}
}

func TestFailedStoreIsAnError(t *testing.T) {
	w := open(t, chat.Limits{}, say("text"))
	defer w.close(t)
	w.store.failFinish = func() error { return core.Errorf(core.CodeDiskFull, "the disk is full") }
	started := w.ask(t, "q")
	events := all(t, started.Events)
	if shape(events) != "agent_query answer error session_title" || events[2].Content != "the disk is full" {
		t.Fatalf("%s: %q", shape(events), events[2].Content)
	}
}

// What the model thought is kept beside the answer, however the turn ended, and
// no more of it than is shown.
func TestThoughtsAreKept(t *testing.T) {
	for name, end := range map[string]error{"complete": nil, "failed": core.Errorf(core.CodeUnavailable, "the model is away")} {
		t.Run(name, func(t *testing.T) {
			w := open(t, chat.Limits{}, func(ctx context.Context, req pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
				for _, piece := range []string{"看", "制度。", strings.Repeat("想", 50_000), "不会存"} {
					if err := publish(ctx, core.Event{Type: core.EventThinking, Content: piece}); err != nil {
						return pipeline.Outcome{}, err
					}
				}
				if end != nil {
					return pipeline.Outcome{}, end
				}
				return say("5 天")(ctx, req, publish)
			})
			defer w.close(t)
			started, err := w.Ask(t.Context(), core.OwnerScope(), chat.AskRequest{SessionID: "s", Question: "年假几天？"})
			if err != nil {
				t.Fatal(err)
			}
			all(t, started.Events)
			m := w.stored(t, started.AssistantMessage.ID)
			if !strings.HasPrefix(m.Thinking, "看制度。想") || strings.Contains(m.Thinking, "不会存") || strings.Contains(m.Content, "想") {
				t.Errorf("%d bytes of thoughts, content %q", len(m.Thinking), m.Content)
			}
		})
	}
}
