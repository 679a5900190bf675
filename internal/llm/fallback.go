package llm

import (
	"context"
	"errors"

	"kaoju/internal/core"
)

// Fallback is a chat model that asks Primary and, where that fails before it
// wrote anything, lets Second answer. The first Delta of such an answer says
// so in Degraded, for the user and the trace. A primary that fails in
// mid-answer stays a failure: two models never share one text. So does one
// that cannot read so much, unless the request is Final: a shorter one may do.
type Fallback struct {
	Primary, Second Chat
}

// Model names the primary.
func (f Fallback) Model() string { return f.Primary.Model() }

// Stream answers by the primary, else by the second.
func (f Fallback) Stream(ctx context.Context, req ChatRequest, yield func(Delta) error) error {
	began := false
	err := f.Primary.Stream(ctx, req, func(d Delta) error {
		began = true
		return yield(d)
	})
	if err == nil || began || ctx.Err() != nil || core.CodeOf(err) == core.CodeCanceled {
		return err
	}
	if errors.As(err, new(*ContextLengthError)) && !req.Final {
		return err
	}
	if err := yield(Delta{Degraded: core.PublicMessage(err)}); err != nil {
		return err
	}
	return f.Second.Stream(ctx, req, yield)
}
