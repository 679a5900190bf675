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

// only gives chats as the models to ask.
func only(chats ...llm.Chat) func(context.Context) []llm.Chat {
	return func(context.Context) []llm.Chat { return chats }
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
		u, err := understand.Model{Chats: only(says{words: words}), Prompts: prompt.Default()}.Understand(t.Context(), "那病假呢", leave)
		if err != nil || u.Question != want || u.Rewritten != (want != "那病假呢") || u.Intent == pipeline.IntentGreeting && !u.Unsure {
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
		m := understand.Model{Chats: only(says{words: words}), Prompts: prompt.Default()}
		for question, want := range map[string]string{"那病假呢": "病假几天", "打印机卡纸怎么办": "打印机卡纸怎么办"} {
			u, err := m.Understand(t.Context(), question, leave)
			if err != nil || u.Question != want || !strings.Contains(u.Reason, "by rules") {
				t.Errorf("%.40q: %q → %q (%s), %v", words, question, u.Question, u.Reason, err)
			}
		}
	}
	failing := says{err: core.Errorf(core.CodeUnavailable, "no answer")}
	u, err := understand.Model{Chats: only(failing), Prompts: prompt.Default()}.Understand(t.Context(), "那病假呢", leave)
	if err != nil || u.Question != "病假几天" || !strings.Contains(u.Reason, "unavailable") {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestALateModelLeavesTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		u, err := understand.Model{Chats: only(never{}), Prompts: prompt.Default(), Timeout: 2 * time.Second}.Understand(t.Context(), "那病假呢", leave)
		if err != nil || u.Question != "病假几天" || time.Since(start) != 2*time.Second {
			t.Errorf("%+v, %v after %v", u, err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		u, err = understand.Model{Chats: only(never{}), Prompts: prompt.Default()}.Understand(ctx, "那病假呢", leave)
		if err != nil || u.Question != "病假几天" || !strings.Contains(u.Reason, "too late") {
			t.Errorf("past the stage's deadline: %+v, %v", u, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		if _, err := (understand.Model{Chats: only(never{}), Prompts: prompt.Default()}).Understand(ctx, "那病假呢", leave); core.CodeOf(err) != core.CodeCanceled {
			t.Errorf("a turn that was stopped gives %v", err)
		}
	})
}

func TestTheModelReadsTheConversation(t *testing.T) {
	var asked llm.ChatRequest
	_, err := understand.Model{Chats: only(says{words: "{}", asked: &asked}), Prompts: prompt.Default()}.Understand(t.Context(), "那病假呢", leave)
	if err != nil {
		t.Fatal(err)
	}
	if len(asked.Messages) != 2 || !asked.JSON || asked.MaxTokens != 512 {
		t.Fatalf("asked %+v", asked)
	}
	for _, want := range []string{"年假几天", "5 天。", "那病假呢"} {
		if !strings.Contains(asked.Messages[1].Content, want) {
			t.Errorf("the prompt lacks %q: %s", want, asked.Messages[1].Content)
		}
	}
}

// A cheap model comes first; the one behind it is asked where it fails, within
// the same time.
func TestModelsAreAskedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := says{words: `{"rewrite_query":"病假有几天？"}`}
		for name, first := range map[string]llm.Chat{
			"useless": says{words: "抱歉，我无法改写"}, "down": says{err: core.Errorf(core.CodeUnavailable, "no answer")}, "late": never{},
		} {
			start := time.Now()
			u, err := understand.Model{Chats: only(first, good), Prompts: prompt.Default(), Timeout: 4 * time.Second}.Understand(t.Context(), "那病假呢", leave)
			if err != nil || u.Question != "病假有几天？" || time.Since(start) > 2*time.Second {
				t.Errorf("%s: %+v, %v after %v", name, u, err, time.Since(start))
			}
		}
		u, err := understand.Model{Chats: only(), Prompts: prompt.Default()}.Understand(t.Context(), "那病假呢", leave)
		if err != nil || u.Question != "病假几天" {
			t.Errorf("without a model: %+v, %v", u, err)
		}
	})
}

func TestTheModelNamesAllIntents(t *testing.T) {
	for _, intent := range []pipeline.Intent{
		pipeline.IntentSearch, pipeline.IntentWebSearch, pipeline.IntentGreeting, pipeline.IntentChitchat, pipeline.IntentFollowUp,
		pipeline.IntentImage, pipeline.IntentDocument, pipeline.IntentSummarize, pipeline.IntentClarification,
	} {
		m := understand.Model{Chats: only(says{words: `{"rewrite_query":"年假有几天","intent":"` + strings.ToUpper(string(intent)) + `"}`}), Prompts: prompt.Default()}
		u, err := m.Understand(t.Context(), "年假有几天", nil)
		if err != nil || u.Intent != intent || u.Unsure != intent.Talks() {
			t.Errorf("%s: %+v, %v", intent, u, err)
		}
	}
	u, err := understand.Model{Chats: only(says{words: `{"intent":"dance"}`}), Prompts: prompt.Default()}.Understand(t.Context(), "总结一下差旅制度", nil)
	if err != nil || u.Intent != pipeline.IntentSummarize {
		t.Errorf("an intent that is not ours: %+v, %v", u, err)
	}
}

// A rewrite keeps what was asked for: codes above all.
func TestARewriteKeepsTheQuestion(t *testing.T) {
	for _, tt := range []struct{ question, rewrite string }{
		{"QTR-7310 的重量是多少", "QTR-7311 的重量是多少"}, {"打印机卡纸怎么办", "年假有几天"}, {"When did it open in 1998?", "When did the library open?"},
	} {
		m := understand.Model{Chats: only(says{words: `{"rewrite_query":"` + tt.rewrite + `"}`}), Prompts: prompt.Default()}
		u, err := m.Understand(t.Context(), tt.question, nil)
		if err != nil || u.Question != tt.question {
			t.Errorf("%s became %s", tt.question, u.Question)
		}
	}
}

func TestTheModelDescribesThePicture(t *testing.T) {
	for words, want := range map[string]string{
		`{"rewrite_query":"这是什么","image_description":"一台打印机","ocr_text":"E52"}`: "一台打印机\nE52",
		`{"image_desc":"屏幕显示 E52","ocr":"E52"}`:                                 "屏幕显示 E52",
		`{"intent":"image_only","image_description":null,"ocr_text":"无"}`:       "",
	} {
		u, err := understand.Model{Chats: only(says{words: words}), Prompts: prompt.Default()}.Understand(t.Context(), "这是什么", nil)
		if err != nil || u.Image != want {
			t.Errorf("%s: %+v, %v", words, u, err)
		}
	}
}

func FuzzModelReply(f *testing.F) {
	f.Add(`{"rewrite_query":"病假有几天？","intent":"kb_search"}`, "那病假呢")
	f.Add("```json\n{\"a\":{}}\n``` {", "q")
	f.Fuzz(func(t *testing.T, words, question string) {
		m := understand.Model{Chats: only(says{words: words}), Prompts: prompt.Default()}
		u, err := m.Understand(t.Context(), question, leave)
		if err != nil || strings.TrimSpace(question) != "" && strings.TrimSpace(u.Question) == "" {
			t.Errorf("%q, %q: %+v, %v", words, question, u, err)
		}
	})
}
