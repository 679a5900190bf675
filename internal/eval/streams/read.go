package streams

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"kaoju/internal/core"
)

// longestLine is the longest line of a stream that is read, in bytes.
const longestLine = 16 << 20

// read takes events from a stream: left of them, or all where left is
// negative. A stream that ends early is no error; the caller takes it up
// again.
func (r *reader) read(stream io.Reader, left int) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(make([]byte, 4096), longestLine)
	id := int64(0)
	for left != 0 && lines.Scan() {
		line := lines.Text()
		if number, ok := strings.CutPrefix(line, "id: "); ok {
			var err error
			if id, err = strconv.ParseInt(number, 10, 64); err != nil {
				return fmt.Errorf("read the number of an event: %w", err)
			}
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		if err := r.take(id, data); err != nil {
			return err
		}
		left--
	}
	return nil
}

// take counts one event in.
func (r *reader) take(id int64, data string) error {
	var e struct {
		Type      core.EventType `json:"response_type"`
		Content   string         `json:"content"`
		MessageID string         `json:"assistant_message_id"`
	}
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return fmt.Errorf("read event %d: %w", id, err)
	}
	since := time.Since(r.asked)
	if id <= r.last {
		r.backwards++
	}
	r.last, r.message = id, e.MessageID
	first(&r.times.event, since)
	switch {
	case e.Type == core.EventReferences:
		first(&r.times.references, since)
	case e.Type == core.EventAnswer:
		first(&r.times.token, since)
		r.text.WriteString(e.Content)
	case e.Type.Terminal():
		r.ended = true
		first(&r.times.complete, since)
	}
	return nil
}

func first(t *time.Duration, since time.Duration) {
	if *t == 0 {
		*t = since
	}
}
