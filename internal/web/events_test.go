package web_test

import (
	"bufio"
	"bytes"
	"io"
	"testing"
)

// events reads the data of server-sent events.
type events struct{ lines *bufio.Scanner }

func newEvents(r io.Reader) *events { return &events{bufio.NewScanner(r)} }

func (e *events) next(t testing.TB) []byte {
	t.Helper()
	for e.lines.Scan() {
		if data, ok := bytes.CutPrefix(e.lines.Bytes(), []byte("data: ")); ok {
			return data
		}
	}
	t.Fatalf("the stream ended: %v", e.lines.Err())
	return nil
}
