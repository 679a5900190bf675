package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// errDone ends the reading of a stream whose last wanted event came.
var errDone = errors.New("stream is complete")

// maxEvent bounds one line of a stream.
const maxEvent = 16 << 20

// sse is one server-sent event.
type sse struct {
	id, event, data string
}

// stream opens an event stream. The caller closes the body.
func (c *Client) stream(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request for %s: %w", path, err)
	}
	req.Header.Set("Accept", "text/event-stream")
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.send(req)
}

// readEvents gives each event of a stream to take until take returns errDone
// (then it returns nil) or another error. A stream that ends before that is
// io.ErrUnexpectedEOF.
func readEvents(r io.Reader, take func(sse) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 64<<10), maxEvent)
	var e sse
	for scanner.Scan() {
		line := scanner.Text()
		if line != "" {
			e.field(line)
			continue
		}
		if e.data != "" {
			if err := take(e); errors.Is(err, errDone) {
				return nil
			} else if err != nil {
				return err
			}
		}
		e = sse{}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("an event is longer than %d bytes", maxEvent)
	}
	return io.ErrUnexpectedEOF
}

// field takes one line of an event; comments begin with a colon.
func (e *sse) field(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "id":
		e.id = value
	case "event":
		e.event = value
	case "data":
		if e.data != "" {
			e.data += "\n"
		}
		e.data += value
	}
}
