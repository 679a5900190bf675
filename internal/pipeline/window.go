package pipeline

import (
	"context"
	"time"

	"kaoju/internal/core"
)

// Progress is the payload of the tool_call and tool_result events that open
// and close a progress window.
type Progress struct {
	ToolCallID string  `json:"tool_call_id"`
	ToolName   Window  `json:"tool_name"`
	Success    *bool   `json:"success,omitempty"` // of a result
	DurationMS float64 `json:"duration_ms,omitempty"`
}

// windows publishes the progress windows of one turn: each is opened and
// closed exactly once, whatever way the turn takes.
type windows struct {
	turn   *Turn
	open   Window
	opened time.Time
}

// enter moves to window w, closing the one before.
func (w *windows) enter(ctx context.Context, next Window) error {
	if next == w.open {
		return nil
	}
	if err := w.close(ctx, true); err != nil {
		return err
	}
	if next == WindowNone {
		return nil
	}
	w.open, w.opened = next, w.turn.now()
	return w.turn.Publish(ctx, core.Event{
		Type: core.EventToolCall,
		Data: Data(Progress{ToolCallID: w.id(), ToolName: next}),
	})
}

// close closes the open window, if there is one.
func (w *windows) close(ctx context.Context, success bool) error {
	if w.open == WindowNone {
		return nil
	}
	p := Progress{
		ToolCallID: w.id(), ToolName: w.open, Success: &success,
		DurationMS: float64(w.turn.now().Sub(w.opened).Microseconds()) / 1000,
	}
	w.open = WindowNone
	return w.turn.Publish(ctx, core.Event{Type: core.EventToolResult, Done: true, Data: Data(p)})
}

func (w *windows) id() string { return string(w.open) + "-" + w.turn.Request.RequestID }
