package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"kaoju/internal/core"

	"go.yaml.in/yaml/v3"
)

func TestAddress(t *testing.T) {
	tests := []struct{ base, call, path, want string }{
		{"https://api.example.com", "/chat/completions", "", "https://api.example.com/v1/chat/completions"},
		{"https://api.example.com/", "/chat/completions", "", "https://api.example.com/v1/chat/completions"},
		{"https://api.example.com/v1", "/embeddings", "", "https://api.example.com/v1/embeddings"},
		{"https://api.example.com/v1/", "/embeddings", "", "https://api.example.com/v1/embeddings"},
		{"https://a.example/compatible-mode/v1", "/models", "", "https://a.example/compatible-mode/v1/models"},
		{"https://a.example/api/paas/v4", "/chat/completions", "", "https://a.example/api/paas/v4/chat/completions"},
		{"https://a.example/v1beta/openai/", "/chat/completions", "", "https://a.example/v1beta/openai/chat/completions"},
		{"https://a.example/v1/chat/completions", "/chat/completions", "", "https://a.example/v1/chat/completions"},
		{"https://a.example/v1/chat/completions", "/models", "", "https://a.example/v1/models"},
		{"http://127.0.0.1:11434", "/chat/completions", "", "http://127.0.0.1:11434/v1/chat/completions"},
		{"https://a.example/v1?api-version=2024", "/rerank", "", "https://a.example/v1/rerank?api-version=2024"},
		{"http://tei.example:8080/", "/rerank", "/rerank", "http://tei.example:8080/rerank"},
		{"https://a.example/api", "/rerank", "v1/reranks", "https://a.example/api/v1/reranks"},
		{" https://a.example/voice ", "/models", "", "https://a.example/voice/v1/models"},
	}
	for _, tt := range tests {
		if got, err := address(tt.base, tt.call, tt.path); err != nil || got != tt.want {
			t.Errorf("address(%q, %q, %q) = %q, %v; want %q", tt.base, tt.call, tt.path, got, err, tt.want)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	good := Options{BaseURL: "https://a.example", Model: "m"}
	tests := []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"no scheme", func(o *Options) { o.BaseURL = "a.example" }, "http"},
		{"no host", func(o *Options) { o.BaseURL = "https://" }, "http"},
		{"other scheme", func(o *Options) { o.BaseURL = "ftp://a.example" }, "http"},
		{"no model", func(o *Options) { o.Model = "" }, "model"},
		{"key of two lines", func(o *Options) { o.APIKey = "a\nb" }, "api_key"},
		{"encoding", func(o *Options) { o.Embed.Encoding = "hex" }, "embed.encoding"},
		{"similarity", func(o *Options) { o.Embed.Similarity = "near" }, "cosine l2 dot"},
		{"style", func(o *Options) { o.Rerank.Style = "x" }, "rerank.style"},
		{"scores", func(o *Options) { o.Rerank.Scores = "x" }, "rerank.scores"},
		{"batch", func(o *Options) { o.Embed.Batch = 5000 }, "2048"},
		{"dimensions", func(o *Options) { o.Embed.SendDimensions = true }, "embed.dimensions"},
		{"negative", func(o *Options) { o.Limit.Concurrent = -1 }, "negative"},
		{"negative time", func(o *Options) { o.Timeout.Total = -1 }, "negative"},
	}
	for _, tt := range tests {
		o := good
		tt.change(&o)
		if _, err := NewChat(o, Env{}); core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := NewChat(good, Env{}); err != nil {
		t.Error(err)
	}
}

// TestOptionsInYAML reads what a user writes and shows that nothing which is
// written back holds the key.
func TestOptionsInYAML(t *testing.T) {
	const text = `
base_url: https://a.example/v1
model: m
api_key: sk-TEST-123456
headers: {X-Token: tok-654321}
body: {enable_thinking: false, temperature: null}
timeout: {first: 10s}
embed: {dimensions: 1024, affixes: {query_prefix: "q: "}}
`
	var o Options
	if err := yaml.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	if o.APIKey != "sk-TEST-123456" || o.Headers["X-Token"] != "tok-654321" || o.Timeout.First != 10*time.Second || o.Embed.Affixes.QueryPrefix != "q: " {
		t.Errorf("read %+v", o.Embed)
	}
	if v, ok := o.Body["temperature"]; !ok || v != nil {
		t.Errorf("null of the body is lost: %v", o.Body)
	}
	inJSON, _ := json.Marshal(o)
	inYAML, _ := yaml.Marshal(o)
	var logged strings.Builder
	slog.New(slog.NewTextHandler(&logged, nil)).Info("model", "options", o, "key", o.APIKey)
	for _, s := range []string{string(inJSON), string(inYAML), logged.String(), fmt.Sprint(o), fmt.Sprintf("%+v %#v %s %q", o, o, o.APIKey, o.APIKey)} {
		if strings.Contains(s, "sk-TEST") || strings.Contains(s, "tok-65") || !strings.Contains(s, mask) {
			t.Errorf("shown: %s", s)
		}
	}
	var again Options
	if err := json.Unmarshal([]byte(`{"api_key":"k"}`), &again); err != nil || again.APIKey != "k" {
		t.Errorf("%q, %v", string(again.APIKey), err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		value, ms string
		want      time.Duration
	}{
		{"", "", 0}, {"3", "", 3 * time.Second}, {"1.5", "", 1500 * time.Millisecond}, {"-3", "", 0}, {"soon", "", 0},
		{"NaN", "", 0}, {"1e300", "", 0}, {"7", "250", 250 * time.Millisecond},
		{now.Add(time.Minute).Format(http.TimeFormat), "", time.Minute}, {now.Add(-time.Minute).Format(http.TimeFormat), "", 0},
	}
	for _, tt := range tests {
		h := http.Header{}
		h.Set("Retry-After", tt.value)
		h.Set("Retry-After-Ms", tt.ms)
		if got := retryAfter(h, now); got != tt.want {
			t.Errorf("retryAfter(%q, %q) = %s, want %s", tt.value, tt.ms, got, tt.want)
		}
	}
}

func TestPausesGrowAndVary(t *testing.T) {
	c := &client{Options: Options{Limit: Limits{Attempts: 99, Pause: time.Second, MaxPause: 10 * time.Second}}}
	var got []time.Duration
	for n, r := range []float64{0, 1, .5, 1, 1, 1} {
		c.Rand = func() float64 { return r }
		d, ok := c.pause(&failure{again: true}, n+1)
		if !ok {
			t.Fatal("no second attempt")
		}
		got = append(got, d)
	}
	want := []time.Duration{500 * time.Millisecond, 2 * time.Second, 3 * time.Second, 8 * time.Second, 10 * time.Second, 10 * time.Second}
	if !slices.Equal(got, want) {
		t.Errorf("pauses %v, want %v", got, want)
	}
	if _, ok := c.pause(&failure{again: true}, 99); ok {
		t.Error("an attempt too many")
	}
}

func TestAffixesOf(t *testing.T) {
	tests := []struct{ model, query, passage string }{
		{"intfloat/multilingual-e5-base", "query: x", "passage: x"},
		{"intfloat/multilingual-e5-large-instruct", instruct + "\nQuery: x", "x"},
		{"BAAI/bge-large-zh-v1.5", bgeChinese + "x", "x"},
		{"bge-m3:latest", "x", "x"},
		{"Qwen/Qwen3-Embedding-0.6B", instruct + "\nQuery:x", "x"},
		{"text-embedding-3-small", "x", "x"},
	}
	for _, tt := range tests {
		a := AffixesOf(tt.model)
		if q, p := a.query("x"), a.passage("x"); q != tt.query || p != tt.passage {
			t.Errorf("%s: %q, %q", tt.model, q, p)
		}
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"差旅报销", 2, "差旅"}, {"a🙂b", 2, "a🙂"}, {"", 1, ""}, {"a\xffb", 9, "a\uFFFDb"},
	}
	for _, tt := range tests {
		if got := cut(tt.in, tt.n); got != tt.want {
			t.Errorf("cut(%q, %d) = %q", tt.in, tt.n, got)
		}
	}
}

// read gives all events of a stream and how it ended.
func read(r io.Reader) (events []string, err error) {
	in := newSSEReader(r)
	for {
		data, err := in.next()
		if err != nil {
			return events, err
		}
		events = append(events, string(data))
	}
}

func TestEndsOfLines(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		in := strings.ReplaceAll("data: {\ndata: }\n\ndata: [DONE]\n\n", "\n", end)
		got, err := read(strings.NewReader(in))
		if !slices.Equal(got, []string{"{\n}", done}) || !errors.Is(err, io.EOF) {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}

func TestLongLine(t *testing.T) {
	_, err := read(strings.NewReader("data: " + strings.Repeat("x", maxLine+10) + "\n"))
	if !errors.Is(err, errLongLine) {
		t.Errorf("error %v", err)
	}
	_, err = read(strings.NewReader(strings.Repeat("data: {"+strings.Repeat("x", 1<<20)+"\n", 10)))
	if !errors.Is(err, errLongLine) {
		t.Errorf("error %v for many lines", err)
	}
}

// FuzzSSE: how the bytes arrive makes no difference, whatever they are.
func FuzzSSE(f *testing.F) {
	for _, s := range []string{
		"data: {\"a\":1}\n\ndata: [DONE]\n\n", "data: {\ndata: }\r\n\r\n: x\r\r{\"error\":1}\n", "\xef\xbb\xbfdata:\n{\n\n}", "data: {\"a",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, errWhole := read(strings.NewReader(string(in)))
		bytewise, errBytewise := read(iotest.OneByteReader(strings.NewReader(string(in))))
		if !slices.Equal(whole, bytewise) || !errors.Is(errWhole, errBytewise) {
			t.Errorf("%q %v\n%q %v", whole, errWhole, bytewise, errBytewise)
		}
	})
}

// divide gives the text and the reasoning of pieces.
func divide(pieces ...string) (text, reasoning string) {
	var p splitter
	var parts []part
	for _, s := range pieces {
		parts = append(parts, p.write(s)...)
	}
	for _, d := range append(parts, p.end()...) {
		if d.reasoning {
			reasoning += d.text
		} else {
			text += d.text
		}
	}
	return text, reasoning
}

func TestSplitter(t *testing.T) {
	tests := []struct{ name, in, text, reasoning string }{
		{"nothing", "plain", "plain", ""},
		{"start", "<think>a</think>b", "b", "a"},
		{"blanks after", "<think>a</think> \n\n b", "b", "a"},
		{"twice", "<think>a</think>b<think>c</think>d", "bd", "ac"},
		{"unclosed", "a<think>b", "a", "b"},
		{"half a tag at the end", "a<thi", "a<thi", ""},
		{"half a closing tag at the end", "<think>a</thi", "", "a</thi"},
		{"nested opening", "<think>a<think>b</think>c", "c", "a<think>b"},
		{"stray closing", "a</think>b", "a</think>b", ""},
		{"closing first", "</think>a", "a", ""},
		{"other tags", "a<b>c</b> 1<2 <thinker>", "a<b>c</b> 1<2 <thinker>", ""},
		{"span", "`<think>` a", "`<think>` a", ""},
		{"span of two", "``a`<think>`` b<think>c</think>", "``a`<think>`` b", "c"},
		{"span ends with the line", "it`s\n<think>a</think>b", "it`s\nb", "a"},
		{"fence", "```\n<think>\n```\n<think>a</think>", "```\n<think>\n```\n", "a"},
		{"indented fence", "- x\n  ```go\n  </think>\n  ```\n<think>a</think>", "- x\n  ```go\n  </think>\n  ```\n", "a"},
		{"longer fence", "````\n```\n<think>\n````\n", "````\n```\n<think>\n````\n", ""},
		{"open fence", "```\n<think>a</think>", "```\n<think>a</think>", ""},
		{"fence marks as a span", "```x``` <think>a</think>b", "```x``` b", "a"},
		{"quoted fence", "> ~~~\n> <think>\n> ~~~\n<think>a</think>", "> ~~~\n> <think>\n> ~~~\n", "a"},
		{"tildes in text", "~5 days <think>a</think>b", "~5 days b", "a"},
		{"fence right after", "<think>a</think>```\n<think>\n```", "```\n<think>\n```", "a"},
	}
	for _, tt := range tests {
		for n := 0; n <= len(tt.in); n++ {
			if text, reasoning := divide(tt.in[:n], tt.in[n:]); text != tt.text || reasoning != tt.reasoning {
				t.Errorf("%s, split at %d: text %q, reasoning %q; want %q, %q", tt.name, n, text, reasoning, tt.text, tt.reasoning)
			}
		}
	}
}

// FuzzSplitter: where the text is cut makes no difference, and nothing but tags
// and blanks is lost.
func FuzzSplitter(f *testing.F) {
	for _, s := range []string{"<think>a</think>b", "```\n<think>\n```", "`</think>`", "</think> a<think>", "~~~<think>\n~~~\n<think"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = min(max(n, 0), len(s))
		text, reasoning := divide(s)
		text2, reasoning2 := divide(s[:n], s[n:])
		if text != text2 || reasoning != reasoning2 {
			t.Errorf("%q at %d: %q %q; %q %q", s, n, text, reasoning, text2, reasoning2)
		}
		if lost := len(s) - len(text) - len(reasoning); lost < 0 || lost > 0 && !strings.Contains(s, "think>") {
			t.Errorf("%q: %d bytes lost", s, lost)
		}
	})
}

func TestIsError(t *testing.T) {
	for in, want := range map[string]bool{
		`{"error":{"message":"m"}}`: true, `{"error":"m"}`: true, `{"object":"error","message":"m"}`: true, `{"code":400,"message":"m"}`: true,
		`{"code":"Throttling","msg":"m"}`: true, `{"choices":[],"error":{"code":502}}`: true,
		`{"error":null}`: false, `{"error":{}}`: false, `{"error":""}`: false, `{"code":0,"message":"ok","data":[]}`: false,
		`{"code":"200","msg":"success"}`: false, `{"choices":[],"code":1,"message":"m"}`: false, `{"message":"m"}`: false, `{}`: false, `1`: false, `{`: false,
	} {
		if got := isError([]byte(in)); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}

// FuzzRefusal: an endpoint's words, whatever they are, give a failure with a
// message and in valid text.
func FuzzRefusal(f *testing.F) {
	for _, s := range []string{`{"error":{"message":"m","code":1}}`, `[{"error":"x"}]`, `{"detail":[1]}`, `{"error":{"error":{"error":1}}}`, "\xff<html>"} {
		f.Add([]byte(s), 400)
	}
	c := &client{noun: "chat model", masker: strings.NewReplacer()}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		got := c.refused(refusalOf(status, body))
		if got.public.Message == "" || got.public.Code == "" || !utf8.ValidString(got.public.Message) {
			t.Errorf("%+v", got)
		}
	})
}
