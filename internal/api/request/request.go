// Package request reads the bodies of those protocols whose errors the router
// does not know how to shape.
//
//	var body question
//	if err := request.JSON(w, r, &body); err != nil { … }
package request

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"kaoju/internal/core"
)

// maxBody is the largest body, in bytes; bodyTimeout how long it may take to
// arrive.
const (
	maxBody     = 1 << 20
	bodyTimeout = 30 * time.Second
)

// JSON decodes the body into v. Fields that v does not have are ignored:
// clients of published protocols send more than any one server knows. Errors
// are core.CodeInvalid, and core.CodeTooLarge past 1 MiB.
func JSON(w http.ResponseWriter, r *http.Request, v any) error {
	rc := http.NewResponseController(w)
	// Where deadlines cannot be set, the server has none.
	_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout))
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	_ = rc.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return core.Errorf(core.CodeTooLarge, "the body is larger than %d bytes", large.Limit)
	}
	if err != nil {
		return core.Wrap(err, core.CodeInvalid, "the body could not be read")
	}
	if err := json.Unmarshal(data, v); err != nil {
		return invalid(err)
	}
	return nil
}

// invalid says what is wrong with a body without echoing what was sent.
func invalid(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		field := wrong.Field
		if field == "" {
			field = "the body"
		}
		return core.Wrap(err, core.CodeInvalid, "%s must not be a JSON %s", field, wrong.Value)
	}
	var known *core.Error
	if errors.As(err, &known) {
		return known
	}
	return core.Wrap(err, core.CodeInvalid, "the body is not valid JSON")
}
