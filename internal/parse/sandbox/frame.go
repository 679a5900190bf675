package sandbox

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

const (
	maxHeader = 64 << 10
	maxData   = 1 << 30
)

// header goes before each file to the child.
type header struct {
	Format    string        `json:"format"`
	Name      string        `json:"name"`
	MaxBytes  int64         `json:"max_bytes"`
	MaxText   int           `json:"max_text"`
	MaxBlocks int           `json:"max_blocks"`
	MaxDepth  int           `json:"max_depth"`
	Timeout   time.Duration `json:"timeout"`
	Pictures  int           `json:"pictures,omitempty"`
	Memory    int64         `json:"memory"` // bytes the child may use; it takes the first it is told
}

func (h header) limits() parse.Limits {
	return parse.Limits{MaxBytes: h.MaxBytes, MaxText: h.MaxText, MaxBlocks: h.MaxBlocks, MaxDepth: h.MaxDepth, Timeout: h.Timeout, Pictures: h.Pictures}
}

// reply is what the child says about a file: a document, or an error.
type reply struct {
	Document *parse.Document `json:"document,omitempty"`
	Code     core.Code       `json:"code,omitempty"`
	Message  string          `json:"message,omitempty"`
}

// errTooLong is a frame whose declared length is beyond its limit: the other
// side does not speak this protocol.
var errTooLong = errors.New("frame is too long")

// writeFrame writes a length (4 bytes, big endian) and as many bytes.
func writeFrame(w io.Writer, data []byte) error {
	if int64(len(data)) > maxData {
		return errTooLong
	}
	var size [4]byte
	binary.BigEndian.PutUint32(size[:], uint32(len(data))) //nolint:gosec // checked above
	if _, err := w.Write(size[:]); err != nil {
		return fmt.Errorf("writing a frame's length: %w", err)
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("writing a frame: %w", err)
	}
	return nil
}

// readFrame reads a frame of at most limit bytes. It gives io.EOF where the
// stream ends before the frame, io.ErrUnexpectedEOF where it ends within.
// Memory follows the bytes that come, not the length that was declared.
func readFrame(r io.Reader, limit int64) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := int64(binary.BigEndian.Uint32(size[:]))
	if n > limit {
		return nil, errTooLong
	}
	var b bytes.Buffer
	b.Grow(int(min(n, 1<<20)))
	got, err := io.CopyN(&b, r, n)
	if err != nil && got < n {
		return nil, io.ErrUnexpectedEOF
	}
	return b.Bytes(), nil
}

// writeRequest sends a file to the child.
func writeRequest(w io.Writer, h header, data []byte) error {
	head, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("encoding a request: %w", err)
	}
	if err := writeFrame(w, head); err != nil {
		return err
	}
	return writeFrame(w, data)
}

// readRequest reads a file in the child; io.EOF where there is none to come.
func readRequest(r io.Reader) (header, []byte, error) {
	var h header
	head, err := readFrame(r, maxHeader)
	if err != nil {
		return h, nil, err
	}
	if err := json.Unmarshal(head, &h); err != nil {
		return h, nil, fmt.Errorf("decoding a request: %w", err)
	}
	data, err := readFrame(r, maxData)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return h, data, err
}

// writeReply sends what came of a file. The text of a table follows from its
// rows and does not travel.
func writeReply(w io.Writer, rep reply) error {
	if rep.Document != nil {
		for i := range rep.Document.Blocks {
			if b := &rep.Document.Blocks[i]; b.Kind == parse.Table {
				b.Text = ""
			}
		}
	}
	data, err := json.Marshal(rep)
	if err != nil {
		return fmt.Errorf("encoding a reply: %w", err)
	}
	if int64(len(data)) > maxData {
		data, err = json.Marshal(reply{Code: core.CodeTooLarge, Message: "the file's text is too long"})
		if err != nil {
			return fmt.Errorf("encoding a reply: %w", err)
		}
	}
	return writeFrame(w, data)
}

// readReply reads the child's answer. An answer that is neither a document
// nor an error is an error.
func readReply(r io.Reader) (reply, error) {
	var rep reply
	data, err := readFrame(r, maxData)
	if err != nil {
		return rep, err
	}
	if err := json.Unmarshal(data, &rep); err != nil {
		return rep, fmt.Errorf("decoding a reply: %w", err)
	}
	if (rep.Document == nil) == (rep.Code == "") {
		return rep, errors.New("the reply is neither a document nor an error")
	}
	if rep.Document != nil {
		for i, b := range rep.Document.Blocks {
			if b.Kind == parse.Table && b.Text == "" {
				rep.Document.Blocks[i].Text = parse.TableText(b.Rows, b.Header)
			}
		}
	}
	return rep, nil
}
