package chat_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// titler is a chat.Titler.
type titler func(ctx context.Context, question string) (string, error)

func (f titler) Title(ctx context.Context, _ core.Scope, question string) (string, error) {
	return f(ctx, question)
}

func withTitler(f titler) func(*chat.Options) { return func(o *chat.Options) { o.Titler = f } }

func calls(title string) titler {
	return func(context.Context, string) (string, error) { return title, nil }
}

// A78: a model's title is used where it names the subject, and is the
// shortened question where it gives the answer away, or is of no use.
func TestTitlesAreChecked(t *testing.T) {
	const leave = "How many days of annual leave do employees have?"
	tests := []struct{ question, answer, title, want string }{
		{"9乘9等于几", "9乘9等于81。", "81", "9乘9等于几"},
		{"9乘9等于几", "81", "81", "9乘9等于几"},
		{"9乘9等于几", "等于八十一。", "9乘9等于81", "9乘9等于几"},
		{"9乘9等于几", "等于81。", "「9乘9的结果」。", "9乘9的结果"},
		{"超过5000元的报销由谁审批？", "财务总监。", "财务总监审批报销", "超过5000元的报销由谁审批？"},
		{"超过5000元的报销由谁审批？", "财务总监。", "标题：报销审批", "报销审批"},
		{"年假几天？", "5 天。", "Annual leave", "年假几天？"},
		{"年假几天？", "5 天。", "  \n ", "年假几天？"},
		{"年假几天？", "5 天。", "年假\n天数", "年假几天？"},
		{"年假几天？", "5 天。", strings.Repeat("年假", 30), "年假几天？"},
		{"年假几天？", "5 天。", "天气预报", "年假几天？"},
		{leave, "15 days.", `"Annual leave"`, "Annual leave"},
		{leave, "Staff have 15 days.", "15 days of annual leave", "How many days of annual leave do…"},
		{"Who was the first president?", "George Washington", "George Washington", "Who was the first president?"},
		{leave, "15 days.", "年假天数", "How many days of annual leave do…"},
	}
	for _, tt := range tests {
		w := open(t, chat.Limits{}, say(tt.answer), withTitler(calls(tt.title)))
		events := all(t, w.ask(t, tt.question).Events)
		last := events[len(events)-1]
		s, err := w.Session(t.Context(), core.OwnerScope(), "s")
		if err != nil || last.Type != core.EventSessionTitle || last.Content != tt.want || s.Title != tt.want {
			t.Errorf("%s %q: told %q, stored %q, want %q", tt.question, tt.title, last.Content, s.Title, tt.want)
		}
		w.close(t)
	}
}

// Fault 3: the stream closes when both the answer and the title are there.
func TestTitleIsMadeWhileTheAnswerIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var titled time.Duration
		slow := func(ctx context.Context, _ pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
			for range 10 {
				if err := publish(ctx, core.Event{Type: core.EventAnswer, Content: "字"}); err != nil {
					return pipeline.Outcome{}, err
				}
				time.Sleep(time.Second)
			}
			return pipeline.Outcome{Answer: strings.Repeat("字", 10), HitType: core.HitRAG}, nil
		}
		w := open(t, chat.Limits{}, slow, withTitler(func(context.Context, string) (string, error) {
			time.Sleep(time.Second)
			titled = time.Since(begun)
			return "年假天数", nil
		}))
		events := all(t, w.ask(t, "年假有几天？").Events)
		if last := events[len(events)-1]; last.Content != "年假天数" || titled >= 3*time.Second || time.Since(begun) != 10*time.Second {
			t.Errorf("title %q after %v, the stream closed after %v", last.Content, titled, time.Since(begun))
		}
		w.close(t)
	})
}

// Fault 3: a model that thinks for too long, or fails, costs 3 s at most.
func TestTitleThatDoesNotComeIsTheShortenedQuestion(t *testing.T) {
	for name, f := range map[string]titler{
		"hangs": func(ctx context.Context, _ string) (string, error) { <-ctx.Done(); return "", ctx.Err() },
		"deaf": func(context.Context, string) (string, error) {
			time.Sleep(10 * time.Second)
			return "年假天数", nil
		},
		"fails": func(context.Context, string) (string, error) { return "", errors.New("down") },
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			w := open(t, chat.Limits{}, say("5 天。"), withTitler(f))
			events := all(t, w.ask(t, "年假几天？").Events)
			if shape(events) != "agent_query answer complete session_title" || events[len(events)-1].Content != "年假几天？" || time.Since(begun) > 3*time.Second {
				t.Errorf("%s: %s after %v", name, shape(events), time.Since(begun))
			}
			w.close(t)
		})
	}
}

// What is answered without a model is named without one.
func TestDirectAnswersAreNamedWithoutAModel(t *testing.T) {
	for _, hit := range []core.HitType{core.HitDirect, core.HitFAQExact, core.HitFAQ} {
		asked := false
		w := open(t, chat.Limits{}, func(ctx context.Context, _ pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
			err := publish(ctx, core.Event{Type: core.EventAnswer, Content: "5 天。"})
			return pipeline.Outcome{Answer: "5 天。", HitType: hit}, err
		}, withTitler(func(context.Context, string) (string, error) { asked = true; return "年假天数", nil }))
		events := all(t, w.ask(t, "年假几天？").Events)
		w.close(t)
		if last := events[len(events)-1]; asked || last.Content != "年假几天？" {
			t.Errorf("%s: title %q, the model was asked: %t", hit, last.Content, asked)
		}
	}
}

// A title that a user gave meanwhile stays.
func TestModelDoesNotRenameWhatAUserNamed(t *testing.T) {
	w := open(t, chat.Limits{}, say("5 天。"))
	defer w.close(t)
	w.Titler = titler(func(ctx context.Context, _ string) (string, error) {
		mine := "我的"
		_, err := w.ChangeSession(ctx, core.OwnerScope(), "s", chat.SessionChange{Title: &mine})
		return "年假天数", err
	})
	events := all(t, w.ask(t, "年假几天？").Events)
	if last := events[len(events)-1]; last.Content != "我的" || w.store.sessions["s"].Title != "我的" {
		t.Errorf("told %q, stored %q", last.Content, w.store.sessions["s"].Title)
	}
}
