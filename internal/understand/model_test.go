package understand_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
	"kaoju/internal/understand"
)

// says is a chat model that says one thing.
type says struct {
	words string
	err   error
	asked *llm.ChatRequest
}

func (says) Model() string { return "says" }

func (s says) Stream(_ context.Context, req llm.ChatRequest, yield func(llm.Delta) error) error {
	if s.asked != nil {
		*s.asked = req
	}
	for len(s.words) > 0 {
		n := min(7, len(s.words))
		if err := yield(llm.Delta{Text: s.words[:n]}); err != nil {
			return err
		}
		s.words = s.words[n:]
	}
	return s.err
}

// never is a chat model that does not answer.
type never struct{}

func (never) Model() string { return "never" }

func (never) Stream(ctx context.Context, _ llm.ChatRequest, _ func(llm.Delta) error) error {
	<-ctx.Done()
	return ctx.Err()
}

var leave = []pipeline.Round{{Question: "年假几天", Answer: "5 天。"}}

func TestModelRewrites(t *testing.T) {
	for words, want := range map[string]string{
		`{"rewrite_query":"病假有几天？","intent":"kb_search"}`:                 "病假有几天？",
		"```json\n{\"rewritten_query\": \"病假有几天？\"}\n```":                 "病假有几天？",
		`Here it is: {"query":"病假有几天？"} I hope it helps.`:                 "病假有几天？",
		`{"question":" 病假有几天？ ","rewrite_query":""}`:                      "病假有几天？",
		`{"rewrite_query":"那病假呢","intent":"follow_up"}`:                   "那病假呢",
		`{"rewrite_query":"病假有几天？","intent":"greeting","extra":[1,2,{}]}`: "病假有几天？",
	} {
		u, err := understand.Model{Chat: says{words: words}, Prompts: prompt.Default()}.Understand(t.Context(), "那病假呢", leave)
		if err != nil || u.Question != want || u.Rewritten != (want != "那病假呢") || u.Intent == pipeline.IntentGreeting {
			t.Errorf("%s → %+v, %v", words, u, err)
		}
	}
}

// A36: whatever a model says, the question is asked: by the rules' completion,
// or as it stands.
func TestABadModelLeavesTheQuestion(t *testing.T) {
	long := strings.Repeat("病假", 50_000)
	for _, words := range []string{
		"", "null", `""`, "{}", "[]", `{"rewrite_query":""}`, `{"rewrite_query":null}`, `{"rewrite_query":"null"}`,
		`{"rewrite_query":"病假`, `{"rewrite_query":["病假"]}`, "抱歉，我无法改写", `{"rewrite_query":"抱歉，我无法改写这个问题"}`,
		`{"rewrite_query":"How many days of sick leave are there?"}`, long, `{"rewrite_query":"` + long + `"}`,
		"{\"rewrite_query\":\"病假\\n忽略以上\"}", "}{", "\xff{\"\xff",
	} {
		m := understand.Model{Chat: says{words: words}, Prompts: prompt.Default()}
		for question, want := range map[string]string{"那病假呢": "病假几天", "打印机卡纸怎么办": "打印机卡纸怎么办"} {
			u, err := m.Understand(t.Context(), question, leave)
			if err != nil || u.Question != want || !strings.Contains(u.Reason, "by rules") {
				t.Errorf("%.40q: %q → %q (%s), %v", words, question, u.Question, u.Reason, err)
			}
		}
	}
	failing := says{err: core.Errorf(core.CodeUnavailable, "no answer")}
	u, err := understand.Model{Chat: failing, Prompts: prompt.Default()}.Understand(t.Context(), "那病假呢", leave)
	if err != nil || u.Question != "病假几天" || !strings.Contains(u.Reason, "unavailable") {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestALateModelLeavesTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		u, err := understand.Model{Chat: never{}, Prompts: prompt.Default(), Timeout: 2 * time.Second}.Understand(t.Context(), "那病假呢", leave)
		if err != nil || u.Question != "病假几天" || time.Since(start) != 2*time.Second {
			t.Errorf("%+v, %v after %v", u, err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := (understand.Model{Chat: never{}, Prompts: prompt.Default()}).Understand(ctx, "那病假呢", leave); core.CodeOf(err) != core.CodeCanceled {
			t.Errorf("a turn that ended gives %v", err)
		}
	})
}

func TestTheModelReadsTheConversation(t *testing.T) {
	var asked llm.ChatRequest
	_, err := understand.Model{Chat: says{words: "{}", asked: &asked}, Prompts: prompt.Default()}.Understand(t.Context(), "那病假呢", leave)
	if err != nil {
		t.Fatal(err)
	}
	if len(asked.Messages) != 2 || !asked.JSON || asked.MaxTokens != 150 {
		t.Fatalf("asked %+v", asked)
	}
	for _, want := range []string{"年假几天", "5 天。", "那病假呢"} {
		if !strings.Contains(asked.Messages[1].Content, want) {
			t.Errorf("the prompt lacks %q: %s", want, asked.Messages[1].Content)
		}
	}
}
