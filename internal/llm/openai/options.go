package openai

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// Options say how one model is reached. BaseURL and Model are required; the
// zero value of every other field is its default.
type Options struct {
	// BaseURL is the address of the endpoint, with or without /v1.
	BaseURL string `yaml:"base_url" json:"base_url"`
	// Path replaces the path of the call below BaseURL, for example
	// "/rerank" for TEI.
	Path   string `yaml:"path" json:"path"`
	Model  string `yaml:"model" json:"model"`
	APIKey Secret `yaml:"api_key" json:"api_key"`
	// Headers are sent with every call and treated as secrets.
	Headers map[string]Secret `yaml:"headers" json:"headers"`
	// Body is laid over the body of every call; null takes a field away.
	Body Fields `yaml:"body" json:"body"`

	Chat    ChatOptions   `yaml:"chat" json:"chat"`
	Embed   EmbedOptions  `yaml:"embed" json:"embed"`
	Rerank  RerankOptions `yaml:"rerank" json:"rerank"`
	Timeout Timeouts      `yaml:"timeout" json:"timeout"`
	Limit   Limits        `yaml:"limit" json:"limit"`
}

// Fields are JSON members that we pass on without knowing them: endpoints have
// hundreds of settings of their own.
type Fields map[string]any

// ChatOptions are for chat models.
type ChatOptions struct {
	// MaxTokensField is the name of the limit: max_tokens (default), or
	// max_completion_tokens.
	MaxTokensField string `yaml:"max_tokens_field" json:"max_tokens_field"`
	// StartsThinking says that the output begins inside reasoning and only its
	// end is marked, as with templates that put <think> into the prompt.
	StartsThinking bool `yaml:"starts_thinking" json:"starts_thinking"`
}

// EmbedOptions are for embedding models.
type EmbedOptions struct {
	// Dimensions is the length of the vectors. 0: learned from the first call.
	Dimensions int `yaml:"dimensions" json:"dimensions"`
	// SendDimensions asks the endpoint for Dimensions; most models refuse that.
	SendDimensions bool `yaml:"send_dimensions" json:"send_dimensions"`
	// Encoding is float (default) or base64; both are understood anyway.
	Encoding string `yaml:"encoding" json:"encoding"`
	// Batch is how many texts go into a call, 1 to 2048 (default 32).
	Batch int `yaml:"batch" json:"batch"`
	// MaxRunes cuts longer texts, without the affixes (default 8000).
	MaxRunes int `yaml:"max_runes" json:"max_runes"`
	// Similarity is cosine (default), l2, or dot. Vectors are brought to unit
	// length unless it is dot.
	Similarity string `yaml:"similarity" json:"similarity"`
	// Affixes stand around the texts. nil: those that the model's makers
	// prescribe, if its name is known (AffixesOf).
	Affixes *Affixes `yaml:"affixes" json:"affixes"`
}

// RerankOptions are for rerank models.
type RerankOptions struct {
	// Style is jina (default; Cohere and most servers) or tei.
	Style string `yaml:"style" json:"style"`
	// Scores is auto (default), logits, or unit. With auto, the first score
	// outside [0,1] settles that the model gives logits.
	Scores string `yaml:"scores" json:"scores"`
	// Batch is how many passages go into a call (default 64).
	Batch int `yaml:"batch" json:"batch"`
	// MaxRunes cuts longer passages (default 4000).
	MaxRunes int      `yaml:"max_runes" json:"max_runes"`
	Affixes  *Affixes `yaml:"affixes" json:"affixes"`
}

// Affixes stand around the texts that a model reads.
type Affixes struct {
	QueryPrefix   string `yaml:"query_prefix" json:"query_prefix"`
	QuerySuffix   string `yaml:"query_suffix" json:"query_suffix"`
	PassagePrefix string `yaml:"passage_prefix" json:"passage_prefix"`
	PassageSuffix string `yaml:"passage_suffix" json:"passage_suffix"`
}

// Timeouts bound a call.
type Timeouts struct {
	// First is from sending to the first token, or to the whole answer of an
	// embedding or rerank model (default 60 s). Signs of life that hold no
	// token do not count.
	First time.Duration `yaml:"first" json:"first"`
	// Between is from token to token (default 30 s).
	Between time.Duration `yaml:"between" json:"between"`
	// Total is for the whole call, with waiting and all attempts (default 5 m).
	Total time.Duration `yaml:"total" json:"total"`
}

// Limits protect the endpoint.
type Limits struct {
	// Concurrent is how many calls run at once (default 16).
	Concurrent int `yaml:"concurrent" json:"concurrent"`
	// PerMinute is how many calls start in a minute; 0: no limit.
	PerMinute int `yaml:"per_minute" json:"per_minute"`
	// Attempts is how often a call is tried (default 3).
	Attempts int `yaml:"attempts" json:"attempts"`
	// Pause is the base of the pause before the second attempt; it doubles
	// (default 500 ms).
	Pause time.Duration `yaml:"pause" json:"pause"`
	// MaxPause is the longest pause that we take, also when the endpoint asks
	// for a longer one: then the call fails at once (default 20 s).
	MaxPause time.Duration `yaml:"max_pause" json:"max_pause"`
	// Failures in a row after which the endpoint rests (default 5, -1: never).
	Failures int `yaml:"failures" json:"failures"`
	// Rest is how long it rests (default 30 s).
	Rest time.Duration `yaml:"rest" json:"rest"`
}

// Env is what a model takes from the program around it; the zero value works.
type Env struct {
	// HTTP makes the calls; nil: a client of its own, without a timeout.
	HTTP  *http.Client
	Clock Clock
	// Rand gives numbers in [0,1) for the jitter of pauses.
	Rand func() float64
	// OnUsage hears what each call cost, also one that broke off, in the
	// goroutine and with the context of the call.
	OnUsage func(ctx context.Context, u llm.Usage)
}

func (e Env) withDefaults() Env {
	if e.HTTP == nil {
		e.HTTP = newHTTPClient()
	} else {
		c := *e.HTTP
		c.CheckRedirect = noRedirect
		e.HTTP = &c
	}
	if e.Clock == nil {
		e.Clock = systemClock{}
	}
	if e.Rand == nil {
		e.Rand = rand.Float64
	}
	if e.OnUsage == nil {
		e.OnUsage = func(context.Context, llm.Usage) {}
	}
	return e
}

func newHTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{
		CheckRedirect: noRedirect,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		},
	}
}

// noRedirect: a redirected POST would arrive as a GET, and the key elsewhere.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// check fills in defaults and says what is wrong.
func (o Options) check() (Options, error) {
	u, err := url.Parse(strings.TrimSpace(o.BaseURL))
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return o, core.Errorf(core.CodeInvalid, "base_url must be an address that begins with http:// or https://")
	case o.Model == "":
		return o, core.Errorf(core.CodeInvalid, "model must name the model")
	case strings.ContainsAny(string(o.APIKey), "\r\n\x00"):
		return o, core.Errorf(core.CodeInvalid, "api_key holds a line break")
	}
	o.APIKey = Secret(strings.TrimSpace(string(o.APIKey)))
	if err := o.checkWords(); err != nil {
		return o, err
	}
	o.fill()
	return o, nil
}

func (o Options) checkWords() error {
	for _, w := range []struct{ name, value, allowed string }{
		{"embed.encoding", o.Embed.Encoding, " float base64 "},
		{"embed.similarity", o.Embed.Similarity, " cosine l2 dot "},
		{"rerank.style", o.Rerank.Style, " jina tei "},
		{"rerank.scores", o.Rerank.Scores, " auto logits unit "},
	} {
		if w.value != "" && !strings.Contains(w.allowed, " "+w.value+" ") {
			return core.Errorf(core.CodeInvalid, "%s is %q; it must be one of:%s", w.name, w.value, strings.TrimRight(w.allowed, " "))
		}
	}
	if o.Embed.Batch > 2048 {
		return core.Errorf(core.CodeInvalid, "embed.batch must be from 1 to 2048")
	}
	for _, n := range []int64{
		int64(o.Embed.Batch), int64(o.Embed.Dimensions), int64(o.Embed.MaxRunes), int64(o.Rerank.Batch),
		int64(o.Rerank.MaxRunes), int64(o.Timeout.First), int64(o.Timeout.Between), int64(o.Timeout.Total),
		int64(o.Limit.Concurrent), int64(o.Limit.PerMinute), int64(o.Limit.Attempts), int64(o.Limit.Pause),
		int64(o.Limit.MaxPause), int64(o.Limit.Rest),
	} {
		if n < 0 {
			return core.Errorf(core.CodeInvalid, "sizes, times and limits of a model must not be negative")
		}
	}
	if o.Embed.SendDimensions && o.Embed.Dimensions == 0 {
		return core.Errorf(core.CodeInvalid, "embed.send_dimensions needs embed.dimensions")
	}
	return nil
}

func (o *Options) fill() {
	def(&o.Chat.MaxTokensField, "max_tokens")
	def(&o.Embed.Encoding, "float")
	def(&o.Embed.Batch, 32)
	def(&o.Embed.MaxRunes, 8000)
	def(&o.Embed.Similarity, "cosine")
	def(&o.Rerank.Style, "jina")
	def(&o.Rerank.Scores, "auto")
	def(&o.Rerank.Batch, 64)
	def(&o.Rerank.MaxRunes, 4000)
	def(&o.Timeout.First, time.Minute)
	def(&o.Timeout.Between, 30*time.Second)
	def(&o.Timeout.Total, 5*time.Minute)
	def(&o.Limit.Concurrent, 16)
	def(&o.Limit.Attempts, 3)
	def(&o.Limit.Pause, 500*time.Millisecond)
	def(&o.Limit.MaxPause, 20*time.Second)
	def(&o.Limit.Failures, 5)
	def(&o.Limit.Rest, 30*time.Second)
}

// def sets a value that is not set.
func def[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}
