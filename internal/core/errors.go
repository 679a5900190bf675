package core

import (
	"errors"
	"fmt"
)

// Code names a kind of failure. Codes are stable: scripts and clients compare
// them, so a code is never renamed.
type Code string

// The codes that leave the server. The HTTP status of each is decided in one
// place, api/fault.Status.
const (
	CodeInvalid           Code = "invalid"            // the request is wrong; the message says how
	CodeUnauthorized      Code = "unauthorized"       // no credential, or one that is not known
	CodeForbidden         Code = "forbidden"          // a credential that does not reach this
	CodeNotFound          Code = "not_found"          // no such object within the caller's scope
	CodeConflict          Code = "conflict"           // the object is in a state that refuses this
	CodeEdited            Code = "edited"             // it would take back what people changed by hand
	CodeTooLarge          Code = "too_large"          // past a limit; the message names the limit
	CodeUnsupportedFormat Code = "unsupported_format" // content that no reader here understands
	CodeCorrupt           Code = "corrupt"            // a known format, damaged beyond reading
	CodeEncrypted         Code = "encrypted"          // needs a password
	CodeEmpty             Code = "empty"              // nothing in it: no bytes, or no text
	CodeNoTextLayer       Code = "no_text_layer"      // pages without text; recognition (OCR) is needed
	CodeGarbled           Code = "garbled"            // text came out, but it is not language
	CodeBusy              Code = "busy"               // the data folder, or a queue, is taken
	CodeDiskFull          Code = "disk_full"          // nothing could be written
	CodeUnavailable       Code = "unavailable"        // a service that we depend on does not answer
	CodeTimeout           Code = "timeout"            // a limit of time ran out
	CodeCanceled          Code = "canceled"           // stopped by the user or by shutdown
	CodeInterrupted       Code = "interrupted"        // the server ended before the work did
	CodeInternal          Code = "internal"           // our fault; details are in the log only
)

// Error is the one error type of the product. Message is written for the
// person who asked and may leave the server; Err is the cause, which may not.
type Error struct {
	Code    Code
	Message string
	Err     error
}

// Error gives the code's message and, for the log, the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error with a message for the person who asked. For a cause
// that must stay inside the server, use Wrap.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes an Error with a public message around a cause that stays inside.
// A nil cause gives nil.
func Wrap(err error, code Code, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}

// CodeOf gives the code of the outermost Error in err's chain, CodeInternal
// where there is none, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// PublicMessage gives the text of err that may leave the server.
func PublicMessage(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Message
	}
	return "internal error; the server's log has the details"
}
