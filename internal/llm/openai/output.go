package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// output is what a model's answer becomes while it is read.
type output struct {
	client  *client
	attempt *attempt
	watch   *watch
	yield   func(llm.Delta) error

	split  splitter
	tools  toolSet
	usage  llm.Usage
	runes  runes // written so far
	text   bool  // there was text
	finish string
	done   bool     // [DONE] was read
	silent *failure // what it means if no further token comes
}

// over says that the answer is complete: what goes wrong now does not matter.
func (o *output) over() bool { return o.finish != "" || o.done }

// read reads a response to its end. io.EOF is a clean end.
func (o *output) read(resp *http.Response) error {
	in := newSSEReader(resp.Body)
	first := byte('-')
	if head, _ := in.in.Peek(1); len(head) == 1 {
		first = head[0]
	}
	kind := resp.Header.Get("Content-Type")
	switch {
	case strings.Contains(kind, "application/json") && (blank(first) || looksJSON([]byte{first})):
		return o.readWhole(in.in)
	case strings.Contains(kind, "text/html") || first == '<':
		words, _ := io.ReadAll(io.LimitReader(in.in, 64<<10))
		return o.client.refused(refusal{status: resp.StatusCode, text: "<html " + cut(string(words), 500)})
	}
	return o.readEvents(in)
}

func (o *output) readEvents(in *sseReader) error {
	for {
		data, err := in.next()
		if err != nil {
			return err
		}
		if err := o.event(data); err != nil {
			return err
		}
	}
}

// readWhole reads an answer that is not a stream although we asked for one.
func (o *output) readWhole(r io.Reader) error {
	data, err := readAll(r)
	if err != nil {
		return err
	}
	if json.Valid(data) {
		if err := o.event(data); err != nil {
			return err
		}
		return io.EOF
	}
	return o.readEvents(newSSEReader(bytes.NewReader(data)))
}

// event takes one value of the stream.
func (o *output) event(data []byte) error {
	switch {
	case string(data) == done:
		o.done = true
		o.watch.expect(o.watch.cause.Load(), graceDone)
		return nil
	case len(data) == 0 || !looksJSON(data):
		return nil // a sign of life
	}
	if err := o.refusal(data); err != nil {
		return err
	}
	var chunk wireChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return o.client.broken(err, "sent something that is not understood")
	}
	o.count(chunk.Usage)
	for _, c := range chunk.Choices {
		if c.Index != 0 {
			continue
		}
		o.count(c.Usage)
		if err := o.choice(c); err != nil {
			return err
		}
	}
	return nil
}

// refusal gives the error that a value of a stream is, if it is one.
func (o *output) refusal(data []byte) error {
	if data[0] == '{' && bytes.Contains(data, []byte(`"choices"`)) && !bytes.Contains(data, []byte(`"error"`)) {
		return nil // the usual case, without a second look
	}
	if o.over() || data[0] == '{' && !isError(data) {
		return nil
	}
	return o.client.refused(refusalOf(0, data))
}

func (o *output) choice(c wireChoice) error {
	if o.finish != "" {
		return nil // the last chunk once more
	}
	d := c.Delta
	if d == nil && !o.attempt.begun {
		d = c.Message
	}
	if d != nil {
		if err := o.delta(*d); err != nil {
			return err
		}
	}
	if reason := finishOf(c.FinishReason); reason != "" {
		return o.finished(reason)
	}
	return nil
}

func (o *output) delta(d wireDelta) error {
	text, reasoning := content(d.Content)
	if reasoning += d.thoughts(); reasoning != "" {
		// The endpoint marks reasoning itself; tags are what the model says.
		o.split.literal, o.split.thinking, o.split.skip = true, false, !o.split.said
		if err := o.pass(llm.Delta{Reasoning: reasoning}); err != nil {
			return err
		}
	}
	text += word(d.Refusal)
	if err := o.parts(o.split.write(text)); err != nil {
		return err
	}
	for _, f := range d.ToolCalls {
		o.tools.add(f)
		o.runes.add(plain(f.Function.Arguments))
		o.attempt.begin()
	}
	if o.tools.bytes > maxLine {
		return o.client.broken(errLongLine, "asks for a tool with endless arguments")
	}
	if len(d.ToolCalls) > 0 {
		o.alive()
	}
	return nil
}

func (o *output) parts(parts []part) error {
	for _, p := range parts {
		d := llm.Delta{Text: p.text}
		if p.reasoning {
			d = llm.Delta{Reasoning: p.text}
		}
		if err := o.pass(d); err != nil {
			return err
		}
	}
	return nil
}

// pass gives an increment to the caller. The endpoint's time stands still
// meanwhile.
func (o *output) pass(d llm.Delta) error {
	o.attempt.begin()
	o.watch.rest()
	o.runes.add(d.Text)
	o.runes.add(d.Reasoning)
	o.text = o.text || strings.TrimSpace(d.Text) != ""
	if err := o.yield(d); err != nil {
		return callerError{err}
	}
	o.alive()
	return nil
}

// alive starts the time until the next token.
func (o *output) alive() {
	between := o.client.Timeout.Between
	if o.silent == nil {
		o.silent = o.client.late("gave no further word", between)
	}
	o.watch.expect(o.silent, between)
}

// finished ends the answer; only numbers may follow.
func (o *output) finished(reason string) error {
	if err := o.parts(o.split.end()); err != nil {
		return err
	}
	o.finish = reason
	if reason == "error" {
		return o.client.broken(io.ErrUnexpectedEOF, "broke off its answer")
	}
	if o.text || len(o.tools.calls) > 0 {
		if err := o.pass(llm.Delta{ToolCalls: o.tools.calls, Finish: reason}); err != nil {
			return err
		}
	}
	o.watch.expect(o.watch.cause.Load(), graceUsage)
	return nil
}

// end decides what the end of a response means, err being how reading ended.
func (o *output) end(err error) error {
	var f *failure
	switch {
	case errors.As(err, new(callerError)):
		return err
	case errors.As(err, &f) && (!o.over() || o.finish == "error"):
		return f
	case core.CodeOf(err) != core.CodeInternal && err != nil && !o.over():
		return err
	case !o.over():
		return o.client.broken(noCleanEnd(err), "broke off its answer")
	}
	if o.finish == "" {
		if err := o.finished("stop"); err != nil {
			return err
		}
	}
	if o.text || len(o.tools.calls) > 0 {
		return nil
	}
	return o.withoutText()
}

func noCleanEnd(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (o *output) withoutText() error {
	message := "the " + o.client.noun + " ended without an answer"
	f := &failure{public: &core.Error{Code: core.CodeUnavailable, Err: llm.ErrNoText}}
	switch o.finish {
	case "length":
		message = "the " + o.client.noun + " used up its tokens before it wrote an answer; allow it more (max_tokens) or switch its reasoning off"
	case "content_filter":
		message = "the provider of the " + o.client.noun + " refused this text by its content filter"
		f.public.Code, f.public.Err = core.CodeInvalid, llm.ErrFiltered
	}
	f.public.Message = message
	return f
}
