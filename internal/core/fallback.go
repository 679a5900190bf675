package core

// FallbackStrategy says what answers a question for which nothing was found.
type FallbackStrategy string

// Strategies. The empty one means whatever stands behind it: the assistant's
// in a request, the server's in an assistant.
const (
	FallbackFixed FallbackStrategy = "fixed" // fixed words, and no model call
	FallbackModel FallbackStrategy = "model" // the chat model, labelled as without documents
)

// Check refuses a strategy that is not known.
func (s FallbackStrategy) Check() error {
	switch s {
	case "", FallbackFixed, FallbackModel:
		return nil
	}
	return Errorf(CodeInvalid, "there is no fallback strategy %q; it is fixed or model", string(s))
}

// Or gives the strategy, or another where it is empty.
func (s FallbackStrategy) Or(other FallbackStrategy) FallbackStrategy {
	if s == "" {
		return other
	}
	return s
}
