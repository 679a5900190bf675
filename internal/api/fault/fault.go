// Package fault says what of an error may leave the server, and with which
// HTTP status. Each protocol puts it into a shape of its own.
//
//	f := fault.Of(ctx, log, err)
//	w.WriteHeader(f.Status)
package fault

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"kaoju/internal/core"
)

// Fault is the public side of an error.
type Fault struct {
	Code    core.Code
	Status  int
	Message string // for people
}

// New makes a fault.
func New(code core.Code, message string) Fault {
	return Fault{Code: code, Status: Status(code), Message: message}
}

// Of gives what of err may leave the server, and logs what may not. A caller
// that left is no fault of ours.
func Of(ctx context.Context, log *slog.Logger, err error) Fault {
	code := core.CodeOf(err)
	switch {
	case (code == core.CodeInternal || code == core.CodeCanceled) && errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return New(core.CodeCanceled, "the caller left")
	case Status(code) >= http.StatusInternalServerError:
		log.ErrorContext(ctx, "a request failed", "code", code, "error", err)
	}
	return New(code, core.PublicMessage(err))
}
