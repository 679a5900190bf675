// Package sse writes server-sent events: what the protocols that stream over
// HTTP have in common.
//
//	out := sse.Open(w)
//	sse.Relay(r.Context(), out, tail, heartbeat, func(e core.Event) error {
//		return out.JSON("message", e.Seq, …)
//	})
package sse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kaoju/internal/core"
)

// Writer is an open event stream, for one goroutine. Events are gathered and
// flushed together.
type Writer struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	buf bytes.Buffer
	enc *json.Encoder
}

// Open begins a stream: from here on errors can only be events.
func Open(w http.ResponseWriter) *Writer {
	s := &Writer{w: w, rc: http.NewResponseController(w)}
	s.enc = json.NewEncoder(&s.buf)
	s.enc.SetEscapeHTML(false)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	// A stream lasts as long as its turn. Where the deadlines cannot be
	// lifted, the server has set none. The read deadline would end the
	// request's context.
	_ = s.rc.SetWriteDeadline(time.Time{})
	_ = s.rc.SetReadDeadline(time.Time{})
	w.WriteHeader(http.StatusOK)
	_ = s.rc.Flush() // the reader learns at once that it is connected
	return s
}

// JSON gathers an event whose data is a JSON object. An empty name and id 0
// are left out.
func (s *Writer) JSON(name string, id int64, data any) error {
	s.head(name, id)
	s.buf.WriteString("data: ")
	if err := s.enc.Encode(data); err != nil { // ends its line
		return fmt.Errorf("encode event: %w", err)
	}
	s.buf.WriteByte('\n')
	return nil
}

// Text gathers an event whose data is one line of text, which must hold no
// line break. Readers that follow the standard take one blank off the start
// of a line, others do not: the blank is written only where it protects the
// text's own.
func (s *Writer) Text(name string, id int64, line string) {
	s.head(name, id)
	s.buf.WriteString("data:")
	if len(line) > 0 && line[0] == ' ' {
		s.buf.WriteByte(' ')
	}
	s.buf.WriteString(line + "\n\n")
}

// Line gathers an unnamed event in the usual form, a blank before the text.
func (s *Writer) Line(line string) { s.buf.WriteString("data: " + line + "\n\n") }

func (s *Writer) head(name string, id int64) {
	if id > 0 {
		fmt.Fprintf(&s.buf, "id: %d\n", id)
	}
	if name != "" {
		s.buf.WriteString("event: " + name + "\n")
	}
}

// Comment keeps an idle connection awake.
func (s *Writer) Comment() error {
	s.buf.WriteString(": still here\n\n")
	return s.Flush()
}

// Flush sends what was gathered.
func (s *Writer) Flush() error {
	if _, err := s.buf.WriteTo(s.w); err != nil {
		return err
	}
	return s.rc.Flush()
}

// Source gives events as they come, and io.EOF after the last; a chat.Tail is
// one.
type Source interface {
	Next(ctx context.Context) ([]core.Event, error)
}

// Relay gathers what the source gives with put, flushes it, and sends a
// comment whenever nothing came for a while. It ends with io.EOF after the
// last event, and else with the error of the source, the reader or put.
func Relay(ctx context.Context, out *Writer, source Source, heartbeat time.Duration, put func(core.Event) error) error {
	for {
		waiting, cancel := context.WithTimeout(ctx, heartbeat)
		events, err := source.Next(waiting)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			if err := out.Comment(); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := put(e); err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}
