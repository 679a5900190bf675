package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// refusal is what an endpoint said, from a body or from within a stream.
type refusal struct {
	status int // HTTP; 0 where it came within a stream and named none
	code   string
	text   string
}

func (r refusal) Error() string {
	return strings.TrimSpace(fmt.Sprintf("endpoint says %d %s: %s", r.status, r.code, r.text))
}

// Signs are words by which a kind of refusal is known, in lower case.
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
	sightSigns  = []string{
		"does not support image", "image input is not supported", "not a multimodal", "no vision", "image_url is only supported", "unknown variant `image_url`",
		"does not support vision", "image inputs are not supported", "support image input", "at most 0 image", "mmproj", "missing data required for image input",
	}
	htmlSigns = []string{"<!doctype", "<html", "<head", "<body"}
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

func (r refusal) is(statuses ...int) bool { return slices.Contains(statuses, r.status) }

// meaning is what a refusal is taken for.
type meaning struct {
	fits    func(refusal) bool
	code    core.Code
	cause   error // in package llm; nil for none
	again   bool
	trips   bool
	message string // with a place for the kind of model
}

// meanings in the order in which they are tried; the last fits everything.
// Words go before numbers where endpoints use a number for several things.
var meanings = []meaning{
	{fits: tooLong, code: core.CodeTooLarge, message: "the input is longer than the %s can read"},
	{fits: func(r refusal) bool { return r.has(sightSigns) }, code: core.CodeUnavailable, cause: llm.ErrBlind,
		message: "the %s takes no pictures; name one that sees"},
	{fits: func(r refusal) bool { return r.has(filterSigns) }, code: core.CodeInvalid, cause: llm.ErrFiltered,
		message: "the provider of the %s refused this text by its content filter"},
	{fits: func(r refusal) bool { return r.is(http.StatusPaymentRequired) || r.has(creditSigns) }, code: core.CodeUnavailable,
		message: "the account of the %s has no credit left"},
	{fits: func(r refusal) bool { return r.is(http.StatusTooManyRequests) || r.has(rateSigns) }, code: core.CodeBusy, cause: llm.ErrLimited, again: true,
		message: "the %s has too many requests at the moment; try again shortly"},
	{fits: func(r refusal) bool { return r.is(401, 403) || r.has(keySigns) }, code: core.CodeUnavailable,
		message: "the endpoint of the %s refused the key; check the API key and what it may use"},
	{fits: func(r refusal) bool { return r.has(htmlSigns) && r.status >= 500 }, code: core.CodeUnavailable, again: true, trips: true,
		message: "a proxy before the %s says that the endpoint does not answer"},
	{fits: func(r refusal) bool { return r.has(htmlSigns) }, code: core.CodeUnavailable,
		message: "the endpoint of the %s answered with a web page; check the base address"},
	{fits: func(r refusal) bool { return r.is(http.StatusNotFound) || r.has(modelSigns) }, code: core.CodeUnavailable,
		message: "the endpoint of the %s does not know this model or this path; check the model's name and the base address"},
	{fits: func(r refusal) bool { return r.status/100 == 3 }, code: core.CodeUnavailable,
		message: "the endpoint of the %s has moved; check the base address"},
	{fits: func(r refusal) bool { return r.is(501) || r.status/100 == 4 && !r.is(408, 425) }, code: core.CodeUnavailable,
		message: "the endpoint of the %s did not accept the request"},
	{fits: func(refusal) bool { return true }, code: core.CodeUnavailable, again: true, trips: true,
		message: "the endpoint of the %s has a fault at the moment"},
}

// tooLong: some endpoints say so with status 500. Where the status is about
// something else, such words come from a message that explains limits.
func tooLong(r refusal) bool {
	return r.is(http.StatusRequestEntityTooLarge) || r.has(contextSigns) && !r.is(401, 403, 404, 429)
}

// refused decides what a refusal means.
func (c *client) refused(r refusal) *failure {
	at := slices.IndexFunc(meanings, func(m meaning) bool { return m.fits(r) })
	m := meanings[at]
	cause := errors.New(c.masker.Replace(r.Error()))
	switch {
	case m.code == core.CodeTooLarge:
		cause = errors.Join(r.contextLength(), cause)
	case m.cause != nil:
		cause = errors.Join(m.cause, cause)
	}
	public := &core.Error{Code: m.code, Message: fmt.Sprintf(m.message, c.noun), Err: cause}
	return &failure{public: public, again: m.again, trips: m.trips}
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

// isError says whether JSON is an error, in place of what was asked for. Some
// gateways put empty errors and codes of success around a good answer.
func isError(data []byte) bool {
	var w wireError
	if json.Unmarshal(data, &w) != nil {
		return false
	}
	if e := string(w.Error); present(w.Error) && e != `""` && e != "{}" && e != "false" {
		return true
	}
	code := strings.ToLower(plain(w.Code))
	failed := code != "" && !slices.Contains([]string{"0", "200", "20000", "ok", "success"}, code)
	return plain(w.Object) == "error" || failed && !present(w.Choices) && (present(w.Message) || present(w.Msg))
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
