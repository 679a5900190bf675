package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"kaoju/internal/api/fault"
	"kaoju/internal/api/openai"
	"kaoju/internal/api/ragchat"
	"kaoju/internal/core"
)

const problemType = "application/problem+json"

// Problem is an RFC 9457 document with a stable code: the one shape of every
// error.
type Problem struct {
	Type   string    `json:"type" doc:"always about:blank; the code tells problems apart"`
	Title  string    `json:"title" doc:"the status in words"`
	Status int       `json:"status"`
	Code   core.Code `json:"code" doc:"stable; compare this and not the text"`
	Detail string    `json:"detail" doc:"for people"`
	Errors []Fault   `json:"errors,omitempty" doc:"the fields that are wrong"`
}

// Fault is one field of a request that is wrong.
type Fault struct {
	Location string `json:"location"`
	Message  string `json:"message"`
}

// Error gives the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus makes a Problem a huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType makes a Problem a huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return problemType }

func newProblem(code core.Code, detail string) *Problem { return problem(fault.New(code, detail)) }

func problem(f fault.Fault) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(f.Status), Status: f.Status, Code: f.Code, Detail: f.Message}
}

func problemOf(ctx context.Context, log *slog.Logger, err error) *Problem {
	return problem(fault.Of(ctx, log, err))
}

// refuse answers with an error in the shape of the protocol that the path
// belongs to.
func refuse(w http.ResponseWriter, r *http.Request, f fault.Fault) {
	if f.Code == core.CodeUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="kaoju"`)
	}
	switch {
	case strings.HasPrefix(r.URL.Path, openai.Prefix):
		openai.WriteFault(w, f)
	case strings.HasPrefix(r.URL.Path, ragchat.Prefix):
		ragchat.WriteFault(w, f)
	default:
		problem(f).write(w)
	}
}

// write sends the problem as the whole response.
func (p *Problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(p) // a caller that left is all that can go wrong
}

// codeOfStatus gives the code of an error that the router found by itself.
func codeOfStatus(status int) core.Code {
	switch status {
	case http.StatusNotFound:
		return core.CodeNotFound
	case http.StatusRequestEntityTooLarge:
		return core.CodeTooLarge
	case http.StatusUnsupportedMediaType:
		return core.CodeUnsupportedFormat
	case http.StatusRequestTimeout:
		return core.CodeTimeout
	}
	if status >= http.StatusInternalServerError {
		return core.CodeInternal
	}
	return core.CodeInvalid
}

// translate turns the router's own error documents, which validation makes,
// into Problems. The values that were sent are not echoed.
func translate(ctx huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	p := newProblem(codeOfStatus(m.Status), m.Detail)
	for _, e := range m.Errors {
		p.Errors = append(p.Errors, Fault{Location: e.Location, Message: e.Message})
	}
	if len(p.Errors) > 0 {
		p.Detail = faultsIn(p.Errors)
	}
	if c, ok := ctx.(*statusContext); ok {
		c.forced = p.Status
	}
	return p, nil
}

func faultsIn(faults []Fault) string {
	var parts []string
	for _, f := range faults {
		parts = append(parts, strings.TrimPrefix(f.Location+": "+f.Message, ": "))
	}
	return "the request is wrong: " + strings.Join(parts, "; ")
}

// statusContext lets translate decide the status, which the router takes from
// its own document.
type statusContext struct {
	routed
	forced int
}

// routed is huma.Context under a name that does not hide its Context method.
type routed huma.Context

// SetStatus sends the status.
func (c *statusContext) SetStatus(status int) {
	if c.forced != 0 {
		status = c.forced
	}
	c.routed.SetStatus(status)
}

// Unwrap lets handlers reach the request behind the context.
func (c *statusContext) Unwrap() huma.Context { return c.routed }
