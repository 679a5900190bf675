package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// client makes the calls of one model. All callers share it.
type client struct {
	Options
	Env
	kind    string // an llm.Kind
	noun    string // the kind as messages name it
	url     string
	masker  *strings.Replacer
	queue   *queue
	pacer   *pacer
	breaker *breaker
}

func newClient(o Options, e Env, kind, call string) (*client, error) {
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	c := &client{Options: o, Env: e.withDefaults(), kind: kind, noun: kind + " model", masker: maskerOf(o)}
	if c.url, err = address(o.BaseURL, call, o.Path); err != nil {
		return nil, core.Errorf(core.CodeInvalid, "base_url is not an address")
	}
	c.queue = newQueue(o.Limit.Concurrent)
	c.pacer = newPacer(c.Clock, o.Limit.PerMinute)
	c.breaker = &breaker{clock: c.Clock, limit: o.Limit.Failures, rest: o.Limit.Rest}
	return c, nil
}

// attempt is one try of a call.
type attempt struct {
	ticket *ticket
	begun  bool // something was passed on to the caller: no second try
}

// begin notes that the endpoint answers and that its answer is passed on.
func (a *attempt) begin() {
	if !a.begun {
		a.begun = true
		a.ticket.good()
	}
}

// callerError is an error of a caller's own function: it says nothing about
// the endpoint and goes back as it came.
type callerError struct{ error }

// run makes a call, with as many attempts as it takes and the limits allow.
func (c *client) run(ctx context.Context, try func(context.Context, *attempt) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	total := c.Clock.AfterFunc(c.Timeout.Total, func() { cancel(c.late("did not finish", c.Timeout.Total)) })
	defer total.Stop()
	for n := 1; ; n++ {
		err := c.once(ctx, try)
		pause, again := c.pause(err, n)
		if !again {
			return public(err)
		}
		if c.Clock.Sleep(ctx, pause) != nil {
			return public(c.ended(ctx))
		}
	}
}

// once makes one attempt.
func (c *client) once(ctx context.Context, try func(context.Context, *attempt) error) error {
	if c.queue.enter(ctx) != nil {
		return c.ended(ctx)
	}
	defer c.queue.leave()
	t, rest := c.breaker.enter()
	if t == nil {
		return c.resting(rest)
	}
	if c.pacer.wait(ctx) != nil {
		t.drop()
		return c.ended(ctx)
	}
	a := &attempt{ticket: t}
	err := try(ctx, a)
	var f *failure
	switch {
	case errors.As(err, &f) && f.trips:
		f.public.Err = errors.Join(llm.ErrAway, f.public.Err)
		t.bad()
	case errors.As(err, &f) || err == nil:
		t.good() // a refusal shows that the endpoint works
	default:
		t.drop()
	}
	if f != nil && a.begun {
		f.again = false
	}
	return err
}

// pause says whether to try again after err, and when.
func (c *client) pause(err error, attempts int) (time.Duration, bool) {
	var f *failure
	if !errors.As(err, &f) || !f.again || attempts >= c.Limit.Attempts || f.after > c.Limit.MaxPause {
		return 0, false
	}
	if f.after > 0 {
		return f.after, true
	}
	longest := min(c.Limit.Pause<<min(attempts-1, 10), c.Limit.MaxPause)
	return time.Duration((.5 + c.Rand()/2) * float64(longest)), true
}

func (c *client) resting(rest time.Duration) error {
	return &core.Error{
		Code:    core.CodeUnavailable,
		Message: fmt.Sprintf("the %s failed repeatedly; it is tried again in %s", c.noun, max(rest.Round(time.Second), time.Second)),
		Err:     llm.ErrResting,
	}
}

// public gives the error that leaves the package.
func public(err error) error {
	var own callerError
	if errors.As(err, &own) {
		return own.error
	}
	var f *failure
	if errors.As(err, &f) {
		return f.public
	}
	return err
}

// body gives a request's JSON with further numbers in it and the options'
// fields laid over it.
func (c *client) body(request any, numbers map[string]int) ([]byte, error) {
	data, err := json.Marshal(request)
	if err != nil || len(c.Body)+len(numbers) == 0 {
		return data, err
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	for name, n := range numbers {
		all[name] = json.RawMessage(strconv.Itoa(n))
	}
	for name, value := range c.Body {
		if value == nil {
			delete(all, name)
			continue
		}
		if all[name], err = json.Marshal(value); err != nil {
			return nil, core.Wrap(err, core.CodeInvalid, "the additional field %s is not JSON", name)
		}
	}
	return json.Marshal(all)
}

// send sends a request and gives the response if its status is 200 to 299.
func (c *client) send(ctx context.Context, method, url string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, c.unreachable(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+string(c.APIKey))
	}
	for name, value := range c.Headers {
		req.Header.Set(name, string(value))
	}
	resp, err := c.HTTP.Do(req)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, c.ended(ctx)
	case err != nil:
		return nil, c.unreachable(err)
	case resp.StatusCode/100 != 2:
		defer resp.Body.Close()
		return nil, c.answeredBadly(resp)
	}
	return resp, nil
}

func (c *client) answeredBadly(resp *http.Response) error {
	words, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // half an explanation is better than none
	f := c.refused(refusalOf(resp.StatusCode, words))
	f.after = retryAfter(resp.Header, c.Clock.Now())
	if f.again && f.after > c.Limit.MaxPause {
		f.public.Message = fmt.Sprintf("the %s takes no requests at the moment; try again in %s", c.noun, f.after.Round(time.Second))
	}
	return f
}

// retryAfter reads the pause that an endpoint asks for: seconds, a date, or
// milliseconds in a header of their own.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// exchange sends a request and reads a whole JSON answer into out, as one
// attempt.
func (c *client) exchange(ctx context.Context, method, url string, body []byte, out any) error {
	ctx, watch := c.watch(ctx, c.late("did not answer", c.Timeout.First), c.Timeout.First)
	defer watch.end()
	resp, err := c.send(ctx, method, url, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := readAll(resp.Body)
	switch {
	case err != nil && ctx.Err() != nil:
		return c.ended(ctx)
	case err != nil:
		return c.broken(err, "broke off its answer")
	}
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '<' {
		return c.refused(refusal{status: resp.StatusCode, text: "<html " + cut(string(data), 500)})
	}
	if len(data) < 64<<10 && isError(data) {
		return c.refused(refusalOf(0, data))
	}
	if err := json.Unmarshal(data, out); err != nil {
		return c.broken(err, "gave an answer that is not understood")
	}
	return nil
}

// watch is a context that ends when nothing happens for too long.
type watch struct {
	cancel context.CancelCauseFunc
	timer  Timer
	cause  atomic.Pointer[failure]
}

func (c *client) watch(ctx context.Context, cause *failure, d time.Duration) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{cancel: cancel}
	w.cause.Store(cause)
	w.timer = c.Clock.AfterFunc(d, func() { cancel(w.cause.Load()) })
	return ctx, w
}

// expect starts the time again.
func (w *watch) expect(cause *failure, d time.Duration) {
	w.cause.Store(cause)
	w.timer.Reset(d)
}

// rest stops the time, while it is not the endpoint that we wait for.
func (w *watch) rest() { w.timer.Stop() }

// end stops the time and whatever runs under the context.
func (w *watch) end() {
	w.timer.Stop()
	w.cancel(nil)
}
