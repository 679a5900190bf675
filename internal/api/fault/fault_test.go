package fault

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"kaoju/internal/core"
)

func TestOfLogsOurOwnFaultsOnly(t *testing.T) {
	left, leave := context.WithCancel(t.Context())
	leave()
	tests := []struct {
		name   string
		ctx    context.Context
		err    error
		code   core.Code
		logged bool
	}{
		{"a caller that left while something bare waited", left, context.Canceled, core.CodeCanceled, false},
		{"a caller that left while the store read", left, core.Wrap(context.Canceled, core.CodeCanceled, "stopped before it could read"), core.CodeCanceled, false},
		{"a fault of ours", t.Context(), errors.New("disk on fire"), core.CodeInternal, true},
		{"a fault of ours that the caller did not wait for", left, errors.New("disk on fire"), core.CodeInternal, true},
		{"a fault of the caller's", t.Context(), core.Errorf(core.CodeInvalid, "no question"), core.CodeInvalid, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var said bytes.Buffer
			f := Of(tt.ctx, slog.New(slog.NewTextHandler(&said, nil)), tt.err)
			if f.Code != tt.code || strings.Contains(f.Message, "disk") {
				t.Errorf("got %+v", f)
			}
			if (said.Len() > 0) != tt.logged {
				t.Errorf("logged %q", said.String())
			}
		})
	}
}
