package openai

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// failure is how an attempt went wrong.
type failure struct {
	public *core.Error
	again  bool          // another attempt may go well
	after  time.Duration // what the endpoint asks us to wait; 0: nothing
	trips  bool          // it speaks against the endpoint, not against the call
}

func (f *failure) Error() string { return f.public.Error() }
func (f *failure) Unwrap() error { return f.public }

// refusal is what an endpoint said, from a body or from within a stream.
type refusal struct {
	status int // HTTP; 0 where it came within a stream and named none
	code   string
	text   string
}

func (r refusal) Error() string {
	return strings.TrimSpace(fmt.Sprintf("endpoint says %d %s: %s", r.status, r.code, r.text))
}

// sign is a mark by which a kind of refusal is known, in lower case.
var (
	contextSigns = []string{
		"context_length", "context length", "context window", "context size", "context_size", "maximum length",
		"prompt is too long", "prompt too long", "too many tokens", "reduce the length", "input is too long",
		"input length should be", "max_model_len", "maximum input length", "less than 512 tokens", "inputs must have less than",
	}
	filterSigns = []string{
		"content_filter", "contentfilter", "data_inspection_failed", "datainspectionfailed", "content management policy",
		"content exists risk", "inappropriate content", "sensitive_words", "content_policy_violation",
	}
	creditSigns = []string{"insufficient_quota", "insufficient balance", "arrearage", "account is in good standing", "exceeded your current quota"}
	rateSigns   = []string{"rate_limit", "rate limit", "ratelimit", "throttling", "too many requests"}
	keySigns    = []string{"invalid_api_key", "incorrect api key", "invalid api key", "invalidapikey"}
	modelSigns  = []string{"model_not_found", "model_not_exist", "model not exist", "does not exist", "modelnotfound", "unknown model"}
	htmlSigns   = []string{"<!doctype", "<html", "<head", "<body"}
)

func (r refusal) has(signs []string) bool {
	where := strings.ToLower(r.code + "\n" + r.text)
	for _, s := range signs {
		if strings.Contains(where, s) {
			return true
		}
	}
	return false
}

// failure decides what a refusal means. kind is "chat model" and the like.
func (c *client) refused(r refusal) *failure {
	cause := errors.New(c.masker.Replace(r.Error()))
	make := func(code core.Code, err error, format string) *failure {
		return &failure{public: &core.Error{Code: code, Message: fmt.Sprintf(format, c.noun), Err: err}}
	}
	sized := r.status != 401 && r.status != 403 && r.status != 404 && r.status != 429
	switch {
	case sized && r.has(contextSigns) || r.status == http.StatusRequestEntityTooLarge:
		return make(core.CodeTooLarge, errors.Join(r.contextLength(), cause), "the input is longer than the %s can read")
	case r.has(filterSigns):
		return make(core.CodeInvalid, errors.Join(llm.ErrFiltered, cause), "the provider of the %s refused this text by its content filter")
	case r.status == http.StatusPaymentRequired || r.has(creditSigns):
		return make(core.CodeUnavailable, cause, "the account of the %s has no credit left")
	case r.status == http.StatusTooManyRequests || r.has(rateSigns):
		f := make(core.CodeBusy, errors.Join(llm.ErrLimited, cause), "the %s has too many requests at the moment; try again shortly")
		f.again = true
		return f
	case r.status == http.StatusUnauthorized || r.status == http.StatusForbidden || r.has(keySigns):
		return make(core.CodeUnavailable, cause, "the endpoint of the %s refused the key; check the API key and what it may use")
	case r.has(htmlSigns):
		return c.webPage(r, cause)
	case r.status == http.StatusNotFound || r.has(modelSigns):
		return make(core.CodeUnavailable, cause, "the endpoint of the %s does not know this model or this path; check the model's name and the base address")
	case r.status >= 300 && r.status < 400:
		return make(core.CodeUnavailable, cause, "the endpoint of the %s has moved; check the base address")
	case r.status == 501 || r.status >= 400 && r.status < 500 && r.status != 408 && r.status != 425:
		return make(core.CodeUnavailable, cause, "the endpoint of the %s did not accept the request")
	}
	f := make(core.CodeUnavailable, cause, "the endpoint of the %s has a fault at the moment")
	f.again, f.trips = true, true
	return f
}

// webPage is what proxies show instead of an answer. A page for a call that
// went well means that the address is wrong.
func (c *client) webPage(r refusal, cause error) *failure {
	f := &failure{public: &core.Error{Code: core.CodeUnavailable, Err: cause}}
	f.again = r.status >= 500
	f.trips = f.again
	f.public.Message = "the endpoint of the " + c.noun + " answered with a web page; check the base address"
	if f.again {
		f.public.Message = "a proxy before the " + c.noun + " says that the endpoint does not answer"
	}
	return f
}

// unreachable is for errors of the network.
func (c *client) unreachable(err error) *failure {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // the address may hold a secret
	}
	f := &failure{again: true, trips: true}
	message := "the endpoint of the " + c.noun + " cannot be reached"
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		f.again = false
		message = "the certificate of the " + c.noun + "'s endpoint is not trusted"
	}
	f.public = &core.Error{Code: core.CodeUnavailable, Message: message, Err: errors.New(c.masker.Replace(err.Error()))}
	return f
}

// broken is for an answer that broke off or makes no sense.
func (c *client) broken(err error, message string) *failure {
	return &failure{again: true, trips: true, public: &core.Error{
		Code: core.CodeUnavailable, Message: "the " + c.noun + " " + message, Err: errors.New(c.masker.Replace(err.Error())),
	}}
}

func (c *client) late(what string, d time.Duration) *failure {
	return &failure{again: true, trips: true, public: core.Errorf(core.CodeTimeout, "the %s %s within %s", c.noun, what, d)}
}

// ended is for a context that ended, by its owner or by a timeout of ours.
func (c *client) ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	var f *failure
	switch {
	case errors.As(cause, &f):
		return f
	case errors.Is(cause, context.DeadlineExceeded):
		return core.Wrap(cause, core.CodeTimeout, "the time for the %s ran out", c.noun)
	}
	return core.Wrap(errors.Join(context.Canceled, cause), core.CodeCanceled, "stopped")
}

var (
	limitNumber = regexp.MustCompile(`(?i)(?:context length (?:is|of)|context window of|context size \(|range of input length should be \[\d+, ?|less than|limit of|maximum length of|> ?)\s*(\d+)`)
	givenNumber = regexp.MustCompile(`(?i)(?:resulted in|requested about|requested|given:|too long:?|has|\()\s*(\d+)`)
)

func (r refusal) contextLength() *llm.ContextLengthError {
	number := func(re *regexp.Regexp) int {
		if m := re.FindStringSubmatch(r.text); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
		return 0
	}
	return &llm.ContextLengthError{Limit: number(limitNumber), Given: number(givenNumber)}
}

// refusalOf reads an endpoint's words in the forms that they come in.
func refusalOf(status int, body []byte) refusal {
	r := refusal{status: status, text: strings.TrimSpace(cut(string(body), 500))}
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var w wireError
	if json.Unmarshal(body, &w) != nil {
		return r
	}
	w.into(&r)
	return r
}

// wireError has the members of every form of an error at once.
type wireError struct {
	Error     json.RawMessage `json:"error"`
	Object    json.RawMessage `json:"object"`
	Message   json.RawMessage `json:"message"`
	Msg       json.RawMessage `json:"msg"`
	ErrorMsg  json.RawMessage `json:"error_msg"`
	Detail    json.RawMessage `json:"detail"`
	Code      json.RawMessage `json:"code"`
	ErrorCode json.RawMessage `json:"error_code"`
	Type      json.RawMessage `json:"type"`
	ErrorType json.RawMessage `json:"error_type"`
	Choices   json.RawMessage `json:"choices"`
}

// isError says whether a value of a stream is an error and no chunk.
func (w wireError) isError() bool {
	if present(w.Error) {
		return true
	}
	return plain(w.Object) == "error" || !present(w.Choices) && present(w.Code) && (present(w.Message) || present(w.Msg))
}

func (w wireError) into(r *refusal) {
	var inner wireError
	if json.Unmarshal(w.Error, &inner) == nil {
		inner.into(r)
	} else if present(w.Error) {
		r.text = plain(w.Error)
	}
	for _, m := range []json.RawMessage{w.Message, w.Msg, w.ErrorMsg, w.Detail} {
		if present(m) {
			r.text = cut(plain(m), 500)
			break
		}
	}
	for _, m := range []json.RawMessage{w.Type, w.ErrorType, w.Code, w.ErrorCode} {
		if s := plain(m); s != "" {
			r.code = strings.TrimSpace(r.code + " " + s)
		}
	}
	if n, err := strconv.Atoi(plain(w.Code)); err == nil && r.status == 0 && n >= 400 && n < 600 {
		r.status = n
	}
}

func present(m json.RawMessage) bool { return len(m) > 0 && string(m) != "null" }

// plain gives a string's content, and any other value as JSON.
func plain(m json.RawMessage) string {
	var s string
	if json.Unmarshal(m, &s) == nil {
		return s
	}
	if !present(m) {
		return ""
	}
	return string(m)
}
