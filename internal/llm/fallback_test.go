package llm_test

import (
	"context"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// model says its words, one a delta, and then fails with err.
type model struct {
	words string
	err   error
}

func (m model) Model() string { return "m" }

func (m model) Stream(_ context.Context, _ llm.ChatRequest, yield func(llm.Delta) error) error {
	for _, w := range strings.Fields(m.words) {
		if err := yield(llm.Delta{Text: w}); err != nil {
			return err
		}
	}
	return m.err
}

func TestFallback(t *testing.T) {
	down := core.Errorf(core.CodeUnavailable, "no answer")
	tests := []struct {
		name     string
		primary  model
		want     string
		degraded string
		code     core.Code
	}{
		{"all is well", model{words: "a b"}, "ab", "", ""},
		{"down", model{err: down}, "second", "no answer", ""},
		{"down in mid-answer", model{"a", down}, "a", "", core.CodeUnavailable},
		{"stopped", model{err: core.Errorf(core.CodeCanceled, "stop")}, "", "", core.CodeCanceled},
	}
	for _, tt := range tests {
		text, degraded := "", ""
		err := llm.Fallback{Primary: tt.primary, Second: model{words: "second"}}.
			Stream(t.Context(), llm.ChatRequest{}, func(d llm.Delta) error {
				text += d.Text
				degraded += d.Degraded
				return nil
			})
		if text != tt.want || degraded != tt.degraded || core.CodeOf(err) != tt.code {
			t.Errorf("%s: %q, %q, %v", tt.name, text, degraded, err)
		}
	}
}

func TestFallbackIsNotAskedAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := llm.Fallback{Primary: model{err: core.Errorf(core.CodeUnavailable, "x")}, Second: model{words: "second"}}.
		Stream(ctx, llm.ChatRequest{}, func(llm.Delta) error { t.Error("something was said"); return nil })
	if err == nil {
		t.Error("no error")
	}
}

// A prompt that is too long comes back to be shortened, and is answered by the
// second model where that has been done.
func TestFallbackLetsLongRequestsBeShortened(t *testing.T) {
	long := core.Wrap(&llm.ContextLengthError{Limit: 10}, core.CodeTooLarge, "too long")
	f := llm.Fallback{Primary: model{err: long}, Second: model{words: "second"}}
	for final, want := range map[bool]string{false: "", true: "second"} {
		text := ""
		err := f.Stream(t.Context(), llm.ChatRequest{Final: final}, func(d llm.Delta) error { text += d.Text; return nil })
		if text != want || (err == nil) != final {
			t.Errorf("final %t: %q, %v", final, text, err)
		}
	}
}
