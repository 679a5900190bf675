package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/eventlog"
	"kaoju/internal/pipeline"
)

// recorder puts what the stages publish on the turn's log and collects what
// the message will hold. What is in one is in the other.
type recorder struct {
	log     eventlog.Log
	turnID  string
	block   int           // unsaved bytes that are worth a signal
	changed chan struct{} // a signal: there is something to store

	mu         sync.Mutex
	sealed     bool
	text       strings.Builder
	saved      int    // bytes of text that were stored
	held       string // the start of a character whose end has not come yet
	references []core.Reference
	thinking   strings.Builder
}

var errSealed = errors.New("the turn is over")

func newRecorder(log eventlog.Log, turnID string, block int) *recorder {
	return &recorder{log: log, turnID: turnID, block: block, changed: make(chan struct{}, 1)}
}

// publish is the turn's pipeline.Publish. The events that open and end a turn
// are not for stages.
func (r *recorder) publish(ctx context.Context, e core.Event) error {
	if e.Type.Terminal() || e.Type == core.EventAgentQuery || e.Type == core.EventSessionTitle {
		return fmt.Errorf("a stage published %s", e.Type)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if r.sealed {
		return errSealed
	}
	if e.Type == core.EventAnswer {
		return r.answer(ctx, e)
	}
	if e.Type == core.EventReferences {
		var payload pipeline.References
		if err := json.Unmarshal(e.Data, &payload); err != nil {
			return fmt.Errorf("decode references: %w", err)
		}
		if _, err := r.log.Append(ctx, r.turnID, e); err != nil {
			return err
		}
		r.references = payload.References
		r.signal()
		return nil
	}
	if _, err := r.log.Append(ctx, r.turnID, e); err != nil {
		return err
	}
	if e.Type == core.EventThinking && r.thinking.Len() < maxThinking {
		r.thinking.WriteString(e.Content[:min(len(e.Content), maxThinking-r.thinking.Len())])
	}
	return nil
}

// maxThinking is how much of what a model thought is kept, in bytes.
const maxThinking = 64 << 10

// thought gives what the model thought.
func (r *recorder) thought() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.ToValidUTF8(r.thinking.String(), "\uFFFD")
}

// signal says that there is something to store.
func (r *recorder) signal() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// answer logs an increment. Increments are cut between characters, since an
// event is text; a character that arrives in parts waits for its end.
func (r *recorder) answer(ctx context.Context, e core.Event) error {
	e.Content, r.held = splitRune(r.held + e.Content)
	if e.Content == "" && !e.Done && len(e.Data) == 0 {
		return nil
	}
	if _, err := r.log.Append(ctx, r.turnID, e); err != nil {
		return err
	}
	before := r.text.Len() - r.saved
	r.text.WriteString(e.Content)
	after := r.text.Len() - r.saved
	if before == 0 || (before < r.block && after >= r.block) {
		r.signal()
	}
	return nil
}

// splitRune cuts an unfinished character off the end of s, and replaces what
// can never become one.
func splitRune(s string) (whole, rest string) {
	for i := 1; i <= min(utf8.UTFMax-1, len(s)); i++ {
		if at := len(s) - i; utf8.RuneStart(s[at]) {
			if !utf8.FullRuneInString(s[at:]) {
				s, rest = s[:at], s[at:]
			}
			break
		}
	}
	return strings.ToValidUTF8(s, "\uFFFD"), rest
}

// seal refuses whatever is published from now on.
func (r *recorder) seal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sealed = true
}

// unsaved is how many bytes of text no checkpoint holds.
func (r *recorder) unsaved() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Len() - r.saved
}

// save gives what was shown so far and counts it as stored.
func (r *recorder) save() (string, []core.Reference) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.saved = r.text.Len()
	return r.text.String(), r.references
}

// result gives what was shown.
func (r *recorder) result() (string, []core.Reference) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String(), r.references
}
