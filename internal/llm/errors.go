package llm

import (
	"errors"
	"fmt"
)

// Causes that a caller may want to tell apart with errors.Is. They stand
// inside a *core.Error, whose message is for people.
var (
	// ErrNoText says that a chat model ended without text and without a tool
	// call, for example because its reasoning used up the tokens.
	ErrNoText = errors.New("the model ended without text")
	// ErrFiltered says that the provider's content filter refused the prompt or
	// the answer.
	ErrFiltered = errors.New("refused by the provider's content filter")
	// ErrLimited says that the provider refuses calls for now (HTTP 429).
	ErrLimited = errors.New("limited by the provider")
	// ErrBlind says that the model takes no pictures.
	ErrBlind = errors.New("the model takes no pictures")
	// ErrAway says that the failure speaks against the endpoint and not against
	// the call: it cannot be reached, has a fault, or answers too late.
	ErrAway = errors.New("the endpoint is away")
	// ErrResting says that the endpoint failed so often that it is left alone
	// for a while; no call was made.
	ErrResting = errors.New("the endpoint rests after repeated failures")
)

// ContextLengthError says that the input is longer than the model can read. A
// caller may shorten the input and try once more.
type ContextLengthError struct {
	Limit int // tokens that the model can read; 0 where the endpoint did not say
	Given int // tokens of the request; 0 where the endpoint did not say
}

// Error gives both numbers as far as they are known.
func (e *ContextLengthError) Error() string {
	return fmt.Sprintf("input of %d tokens is longer than the model's %d (0: not said)", e.Given, e.Limit)
}
