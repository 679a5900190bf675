package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"net/url"
	"time"

	"kaoju/internal/core"
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

// late is for a time limit of ours. It is not tried again: a model that takes
// long to read or to load would only get more to do.
func (c *client) late(what string, d time.Duration) *failure {
	return &failure{trips: true, public: core.Errorf(core.CodeTimeout, "the %s %s within %s", c.noun, what, d)}
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
