package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line of a stream and maxBody a whole answer, so that an
// endpoint gone wild cannot fill the memory.
const (
	maxLine = 8 << 20
	maxBody = 64 << 20
)

var errLongLine = errors.New("a line of the stream is longer than 8 MiB")

// sseReader gives the values of a stream of server-sent events. It is more
// lenient than the standard, by what endpoints do: a data line that is complete
// JSON is an event at once, with or without the blank line after it; bare JSON
// lines count as data; all three ends of lines, comments, other fields and a
// byte order mark pass.
type sseReader struct {
	in      *bufio.Reader
	afterCR bool
	started bool
	pending []byte // data lines that are not complete JSON so far
	line    []byte
}

func newSSEReader(r io.Reader) *sseReader { return &sseReader{in: bufio.NewReaderSize(r, 16<<10)} }

// next gives the data of the next event, valid until the call after. After the
// last it gives io.EOF; where the stream ends within an event,
// io.ErrUnexpectedEOF.
func (s *sseReader) next() ([]byte, error) {
	for {
		line, err := s.readLine()
		if data, ok := s.take(line); ok && (err == nil || complete(data)) {
			return data, nil
		}
		if errors.Is(err, io.EOF) && len(s.pending) > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if len(s.pending) > maxLine {
			return nil, errLongLine
		}
	}
}

// take gives the event that is complete with this line, if one is.
func (s *sseReader) take(line []byte) ([]byte, bool) {
	if len(line) == 0 && len(s.pending) > 0 {
		return s.flush(), true
	}
	data, isData := dataOf(line, len(s.pending) > 0)
	if !isData || len(data) == 0 {
		return nil, false
	}
	if len(s.pending) == 0 && (complete(data) || !looksJSON(data)) {
		return data, true
	}
	s.pending = append(append(s.pending, data...), '\n')
	// Only an end of JSON is worth the look: the sum of looks stays small.
	if end := data[len(data)-1]; (end == '}' || end == ']') && complete(s.pending) {
		return s.flush(), true
	}
	return nil, false
}

func (s *sseReader) flush() []byte {
	data := bytes.TrimSpace(s.pending)
	s.pending = s.pending[:0]
	return data
}

// dataOf gives the data of a line. A line without a field name is data if it
// looks like JSON, or continues JSON.
func dataOf(line []byte, within bool) ([]byte, bool) {
	if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		return bytes.TrimSpace(rest), true
	}
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) == 0 || trimmed[0] == ':' {
		return nil, false
	}
	return trimmed, within && !isField(trimmed) || looksJSON(trimmed)
}

func looksJSON(data []byte) bool { return data[0] == '{' || data[0] == '[' }

func isField(line []byte) bool {
	for _, f := range []string{"event:", "id:", "retry:"} {
		if bytes.HasPrefix(line, []byte(f)) {
			return true
		}
	}
	return false
}

func complete(data []byte) bool {
	return string(bytes.TrimSpace(data)) == done || json.Valid(data)
}

const done = "[DONE]"

// readLine gives a line without its end. With an error it gives what came
// before it.
func (s *sseReader) readLine() ([]byte, error) {
	s.line = s.line[:0]
	for {
		b, err := s.in.ReadByte()
		if err != nil {
			return s.trimBOM(s.line), err
		}
		wasCR := s.afterCR
		s.afterCR = b == '\r'
		switch {
		case b == '\n' && wasCR: // the second half of CR LF
		case b == '\n' || b == '\r':
			return s.trimBOM(s.line), nil
		case len(s.line) >= maxLine:
			return nil, errLongLine
		default:
			s.line = append(s.line, b)
		}
	}
}

func (s *sseReader) trimBOM(line []byte) []byte {
	if s.started {
		return line
	}
	s.started = true
	return bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
}

// readAll reads a body that is no stream.
func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err == nil && len(data) > maxBody {
		err = fmt.Errorf("the answer is longer than %d MiB", maxBody>>20)
	}
	return data, err
}
